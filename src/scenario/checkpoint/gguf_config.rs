//! Converts a GGUF header to the `config.json` of the same model.

use serde_json::{Map, Value as Json, json};

use super::header::{Header, Value};
use crate::scenario::Problem;

/// Architectures of llama.cpp, with their `model_type` in Hugging Face's files (ggml-org/llama.cpp, convert_hf_to_gguf.py).
const TYPES: &[(&str, &str)] = &[
    ("llama", "llama"),
    ("qwen2", "qwen2"),
    ("qwen2vl", "qwen2_vl"),
    ("qwen2moe", "qwen2_moe"),
    ("qwen3", "qwen3"),
    ("qwen3moe", "qwen3_moe"),
    ("qwen3vl", "qwen3_vl"),
    ("qwen3vlmoe", "qwen3_vl_moe"),
    ("gemma", "gemma"),
    ("gemma2", "gemma2"),
    ("gemma3", "gemma3"),
    ("phi2", "phi"),
    ("phi3", "phi3"),
    ("phimoe", "phimoe"),
    ("gpt2", "gpt2"),
    ("gptneox", "gpt_neox"),
    ("gptj", "gptj"),
    ("gpt-oss", "gpt_oss"),
    ("falcon", "falcon"),
    ("bloom", "bloom"),
    ("mpt", "mpt"),
    ("starcoder2", "starcoder2"),
    ("stablelm", "stablelm"),
    ("baichuan", "baichuan"),
    ("internlm2", "internlm2"),
    ("minicpm", "minicpm"),
    ("deepseek2", "deepseek_v3"),
    ("command-r", "cohere"),
    ("cohere2", "cohere2"),
    ("olmo", "olmo"),
    ("olmo2", "olmo2"),
    ("olmoe", "olmoe"),
    ("granite", "granite"),
    ("granitemoe", "granitemoe"),
    ("exaone", "exaone"),
    ("exaone4", "exaone4"),
    ("smollm3", "smollm3"),
    ("chatglm", "glm"),
    ("glm4", "glm4"),
    ("glm4moe", "glm4_moe"),
    ("seed_oss", "seed_oss"),
    ("arcee", "arcee"),
    ("apertus", "apertus"),
    ("nemotron", "nemotron"),
    ("ernie4_5", "ernie4_5"),
    ("ernie4_5-moe", "ernie4_5_moe"),
    ("hunyuan-dense", "hunyuan_v1_dense"),
    ("hunyuan-moe", "hunyuan_v1_moe"),
    ("dots1", "dots1"),
    ("bailingmoe", "bailing_moe"),
    ("mistral3", "ministral3"),
    ("minimax-m2", "minimax_m2"),
];

/// Metadata keys without the architecture's name, with the equivalent key of a `config.json`.
const KEYS: &[(&str, &str)] = &[
    ("block_count", "num_hidden_layers"),
    ("embedding_length", "hidden_size"),
    ("feed_forward_length", "intermediate_size"),
    ("attention.head_count", "num_attention_heads"),
    ("attention.head_count_kv", "num_key_value_heads"),
    ("context_length", "max_position_embeddings"),
    ("attention.sliding_window", "sliding_window"),
    ("expert_count", "num_experts"),
    ("expert_used_count", "num_experts_per_tok"),
    ("expert_feed_forward_length", "moe_intermediate_size"),
    ("expert_shared_count", "n_shared_experts"),
    ("expert_shared_feed_forward_length", "shared_expert_intermediate_size"),
    ("leading_dense_block_count", "first_k_dense_replace"),
    ("interleave_moe_layer_step", "interleave_moe_layer_step"),
    ("attention.q_lora_rank", "q_lora_rank"),
    ("attention.kv_lora_rank", "kv_lora_rank"),
    ("nextn_predict_layers", "num_nextn_predict_layers"),
];

/// Metadata keys without the architecture's name that affect neither time nor memory, or that [`heads`] reads.
const IRRELEVANT: &[&str] = &[
    "vocab_size",
    "attention.key_length",
    "attention.value_length",
    "attention.key_length_mla",
    "attention.value_length_mla",
    "attention.layer_norm_rms_epsilon",
    "attention.layer_norm_epsilon",
    "attention.causal",
    "attention.scale",
    "attention.clamp_kqv",
    "attention.max_alibi_bias",
    "attention.temperature_length",
    "attention.temperature_scale",
    "attn_logit_softcapping",
    "final_logit_softcapping",
    "logit_scale",
    "residual_scale",
    "embedding_scale",
    "expert_weights_scale",
    "expert_weights_norm",
    "expert_gating_func",
    "expert_group_count",
    "expert_group_used_count",
    "use_parallel_residual",
    "tensor_data_layout",
    "swiglu_clamp_exp",
    "n_deepstack_layers",
];

/// Parts of metadata keys that only recurrent and hybrid models have.
const RECURRENT: [&str; 3] = [".ssm.", ".wkv.", ".shortconv."];

/// The text of the model's `config.json`.
pub(super) fn config(header: &Header) -> Result<String, Problem> {
    let Some(Value::Text(architecture)) = header.get("general.architecture") else {
        return Err(Problem::new("GGUF general.architecture", "is missing"));
    };
    if header.metadata.iter().any(|(key, _)| RECURRENT.iter().any(|part| key.contains(part))) {
        return Err(Problem::new(
            "GGUF general.architecture",
            "is a recurrent or hybrid model: open its config.json instead",
        ));
    }
    let mut fields = Map::new();
    metadata(header, architecture, &mut fields);
    // Blocks include prediction modules (llama.cpp, `n_layer` and `nextn_predict_layers`).
    let number = |key: &str| fields.get(key).and_then(Json::as_f64);
    if let (Some(blocks), Some(modules)) = (number("num_hidden_layers"), number("num_nextn_predict_layers"))
        && blocks > modules
    {
        set(&mut fields, "num_hidden_layers", blocks - modules);
    }
    tensors(header, &mut fields);
    heads(header, architecture, &mut fields);
    // The experts of Mixtral have the width of a dense block.
    if fields.contains_key("num_experts") && !fields.contains_key("moe_intermediate_size") {
        let width = fields.get("intermediate_size").cloned().unwrap_or(Json::Null);
        fields.insert("moe_intermediate_size".to_owned(), width);
    }
    Ok(Json::Object(fields).to_string())
}

/// Sets the fields that metadata keys give directly. Unknown keys keep their names, so that they are named in a warning.
fn metadata(header: &Header, architecture: &str, fields: &mut Map<String, Json>) {
    let known = TYPES.iter().find(|(known, _)| *known == architecture);
    set(fields, "model_type", known.map_or(architecture, |(_, kind)| *kind));
    if let Some(Value::Text(name)) = header.get("general.name") {
        set(fields, "_name_or_path", name.as_str());
    }
    for (key, value) in &header.metadata {
        let Some(key) = key.strip_prefix(architecture).and_then(|key| key.strip_prefix('.')) else {
            continue;
        };
        if IRRELEVANT.contains(&key) || key.starts_with("rope.") {
            continue;
        }
        let name = KEYS.iter().find(|(known, _)| *known == key).map_or(key, |(_, name)| name);
        set(fields, name, value_of(value));
    }
}

/// Sets the fields that follow from the presence and the shape of tensors.
fn tensors(header: &Header, fields: &mut Map<String, Json>) {
    let vocabulary = header.tensor("token_embd.weight").and_then(|tensor| tensor.shape.first().copied());
    set(fields, "vocab_size", vocabulary);
    set(fields, "tie_word_embeddings", !header.tensors.iter().any(|tensor| tensor.name == "output.weight"));
    let has = |suffix: &str| header.tensor(suffix).is_some();
    set(fields, "qkv_bias", has("attn_q.bias") || has("attn_qkv.bias"));
    if has("attn_output.bias") && has("attn_q.bias") {
        set(fields, "attention_bias", true);
    }
    set(fields, "use_qk_norm", has("attn_q_norm.weight"));
    set(fields, "use_routing_bias", has("exp_probs_b.bias"));
}

/// Sets the widths of keys and values, whose metadata keys differ in meaning with latent attention.
fn heads(header: &Header, architecture: &str, fields: &mut Map<String, Json>) {
    let number = |key: &str| match header.get(&format!("{architecture}.{key}")) {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    };
    let key = number("attention.key_length_mla").or_else(|| number("attention.key_length"));
    let value = number("attention.value_length_mla").or_else(|| number("attention.value_length"));
    if number("attention.kv_lora_rank").is_some() {
        let rotated = number("rope.dimension_count").unwrap_or(0.0);
        set(fields, "qk_rope_head_dim", rotated);
        set(fields, "qk_nope_head_dim", key.map(|key| key - rotated));
        set(fields, "v_head_dim", value);
        set(fields, "num_key_value_heads", Json::Null);
    } else if key.is_some() {
        set(fields, "head_dim", key);
        if value != key {
            set(fields, "v_head_dim", value);
        }
    }
}

/// Sets a field.
fn set(fields: &mut Map<String, Json>, name: &str, value: impl Into<Json>) {
    fields.insert(name.to_owned(), value.into());
}

/// A metadata value as JSON. A list of equal numbers, one for each layer, becomes a single number.
fn value_of(value: &Value) -> Json {
    match value {
        Value::Number(number) => json!(number),
        Value::Flag(flag) => json!(flag),
        Value::Text(text) => json!(text),
        Value::Numbers(numbers) => match numbers.first() {
            Some(first) if numbers.iter().all(|number| number.to_bits() == first.to_bits()) => json!(first),
            _ => json!(numbers),
        },
        Value::Length(length) => json!(format!("a list of {length}")),
    }
}
