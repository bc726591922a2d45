//! A GGUF header in the words of a `config.json`.

use serde_json::{Map, Value as Json, json};

use super::gguf::{Header, Value};
use crate::scenario::Problem;

/// Architectures of llama.cpp and the types of Hugging Face that they are (ggml-org/llama.cpp, convert_hf_to_gguf.py).
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

/// Keys after the architecture's name and those of a `config.json` that say the same.
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

/// Keys after the architecture's name that change neither work nor memory, or are read apart.
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

/// The header as a `config.json`.
pub(super) fn config(header: &Header) -> Result<String, Problem> {
    let get = |key: &str| header.metadata.iter().find(|(known, _)| known == key).map(|(_, value)| value);
    let Some(Value::Text(architecture)) = get("general.architecture") else {
        return Err(Problem::new("GGUF general.architecture", "is missing"));
    };
    let own = |key: &str| get(&format!("{architecture}.{key}"));
    let number = |key: &str| match own(key) {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    };
    if header
        .metadata
        .iter()
        .any(|(key, _)| key.contains(".ssm.") || key.contains(".wkv.") || key.contains(".shortconv."))
    {
        return Err(Problem::new(
            "GGUF general.architecture",
            "is a recurrent or hybrid model, which is read from its config.json instead",
        ));
    }
    let tensor = |end: &str| header.tensors.iter().find(|tensor| tensor.name.ends_with(end));
    let mut fields = Map::new();
    let kind =
        TYPES.iter().find(|(known, _)| known == architecture).map_or(architecture.as_str(), |(_, kind)| kind);
    fields.insert("model_type".to_owned(), json!(kind));
    if let Some(Value::Text(name)) = get("general.name") {
        fields.insert("_name_or_path".to_owned(), json!(name));
    }
    for (key, value) in &header.metadata {
        let Some(key) = key.strip_prefix(architecture.as_str()).and_then(|key| key.strip_prefix('.')) else {
            continue;
        };
        if IRRELEVANT.contains(&key) || key.starts_with("rope.") {
            continue;
        }
        let name = KEYS.iter().find(|(known, _)| *known == key).map_or(key, |(_, name)| name);
        fields.insert(name.to_owned(), value_of(value));
    }
    let vocabulary = tensor("token_embd.weight").and_then(|tensor| tensor.shape.first().copied());
    fields.insert("vocab_size".to_owned(), json!(vocabulary));
    let has = |end: &str| tensor(end).is_some();
    fields.insert(
        "tie_word_embeddings".to_owned(),
        json!(!header.tensors.iter().any(|tensor| tensor.name == "output.weight")),
    );
    fields.insert("qkv_bias".to_owned(), json!(has("attn_q.bias") || has("attn_qkv.bias")));
    if has("attn_output.bias") && has("attn_q.bias") {
        fields.insert("attention_bias".to_owned(), json!(true));
    }
    fields.insert("use_qk_norm".to_owned(), json!(has("attn_q_norm.weight")));
    fields.insert("use_routing_bias".to_owned(), json!(has("exp_probs_b.bias")));
    let latent = number("attention.kv_lora_rank").is_some();
    let key = number("attention.key_length_mla").or_else(|| number("attention.key_length"));
    let value = number("attention.value_length_mla").or_else(|| number("attention.value_length"));
    if latent {
        let rotated = number("rope.dimension_count").unwrap_or(0.0);
        fields.insert("qk_rope_head_dim".to_owned(), json!(rotated));
        fields.insert("qk_nope_head_dim".to_owned(), json!(key.map(|key| key - rotated)));
        fields.insert("v_head_dim".to_owned(), json!(value));
        fields.insert("num_key_value_heads".to_owned(), Json::Null);
    } else if key.is_some() {
        fields.insert("head_dim".to_owned(), json!(key));
        if value != key {
            fields.insert("v_head_dim".to_owned(), json!(value));
        }
    }
    // Experts of Mixtral have the width of the blocks.
    if fields.get("num_experts").is_some() && !fields.contains_key("moe_intermediate_size") {
        let width = fields.get("intermediate_size").cloned().unwrap_or(Json::Null);
        fields.insert("moe_intermediate_size".to_owned(), width);
    }
    Ok(Json::Object(fields).to_string())
}

fn value_of(value: &Value) -> Json {
    match value {
        Value::Number(number) => json!(number),
        Value::Flag(flag) => json!(flag),
        Value::Text(text) => json!(text),
        // A number that is the same in all layers.
        Value::Numbers(numbers) => match numbers.first() {
            Some(first) if numbers.iter().all(|number| number.to_bits() == first.to_bits()) => json!(first),
            _ => json!(numbers),
        },
        Value::Length(length) => json!(format!("a list of {length}")),
    }
}
