//! A model from the `config.json` that its checkpoint on Hugging Face comes with.
//!
//! Such a file says little about what its `model_type` implies (gating, biases, norms), and names the same thing
//! in several ways. [`architecture`] knows the types that most checkpoints have; of others it reads the shape and
//! takes them for a Llama.

use super::Problem;
use crate::catalog::architecture::{Architecture, Bias, Kind, Mla, Moe, Norm, Window};
use crate::json::Json;

/// What a model type implies beside its shape.
#[expect(clippy::struct_excessive_bools, reason = "any combination of these features occurs")]
#[derive(Clone, Copy)]
struct Family {
    gated: bool,
    bias: Bias,
    norm: Norm,
    rotary: bool,
    tied: bool,
    qk_norm: bool,
    norms_per_layer: u32,
    parallel: bool,
}

const LLAMA: Family = Family {
    gated: true,
    bias: Bias::None,
    norm: Norm::Rmsnorm,
    rotary: true,
    tied: false,
    qk_norm: false,
    norms_per_layer: 2,
    parallel: false,
};
const GPT: Family =
    Family { gated: false, bias: Bias::All, norm: Norm::Layernorm, rotary: false, tied: true, ..LLAMA };

fn family(model_type: &str) -> Family {
    match model_type {
        "gpt2" | "opt" | "bloom" | "gpt_bigcode" => GPT,
        "gptj" => Family { rotary: true, tied: false, norms_per_layer: 1, parallel: true, ..GPT },
        "gpt_neox" => Family { rotary: true, tied: false, parallel: true, ..GPT },
        "falcon" | "RefinedWeb" => Family { rotary: true, bias: Bias::None, parallel: true, ..GPT },
        "nemotron" => Family { gated: false, norm: Norm::Layernorm, ..LLAMA },
        "starcoder2" => Family { rotary: true, ..GPT },
        "qwen2" | "qwen2_moe" | "glm4_moe" => Family { bias: Bias::Qkv, ..LLAMA },
        "qwen3" | "qwen3_moe" | "minimax_m2" => Family { qk_norm: true, ..LLAMA },
        "gemma2" | "gemma2_text" => Family { tied: true, norms_per_layer: 4, ..LLAMA },
        "gemma3" | "gemma3_text" => Family { tied: true, norms_per_layer: 4, qk_norm: true, ..LLAMA },
        "gpt_oss" => Family { bias: Bias::Qkvo, ..LLAMA },
        _ => LLAMA,
    }
}

/// The architecture that a `config.json` describes.
///
/// A problem names the field of the file that is missing or unfit.
pub fn architecture(text: &str) -> Result<Architecture, Problem> {
    let file = Json::parse(text).ok().filter(|file| matches!(file, Json::Object(_)));
    let Some(file) = file else {
        return Err(Problem::new("config.json", "must be a JSON object"));
    };
    // Models that also see keep the language model's shape apart.
    let shape = file.get("text_config").filter(|shape| matches!(shape, Json::Object(_))).unwrap_or(&file);
    Config(shape).architecture(name(&file))
}

/// What the checkpoint is called, where the file says so.
fn name<'a>(file: &'a Json<'_>) -> &'a str {
    let text = |key: &str| file.get(key).and_then(Json::as_text).filter(|text| !text.is_empty());
    text("_name_or_path").or_else(|| text("model_type")).unwrap_or("config.json")
}

/// A whole number, also where it is written with a fraction or an exponent.
fn whole(value: &Json<'_>) -> Option<u32> {
    let number = value.as_number().filter(|number| number.fract() == 0.0 && number.is_sign_positive())?;
    (number <= f64::from(u32::MAX)).then_some(number as u32)
}

struct Config<'a>(&'a Json<'a>);

impl Config<'_> {
    /// The first of these fields that holds a whole number.
    fn number(&self, names: &[&str]) -> Option<u32> {
        let read = |name: &&str| whole(self.0.get(name)?);
        names.iter().find_map(read)
    }

    fn required(&self, names: &[&str]) -> Result<u32, Problem> {
        self.number(names).filter(|value| *value > 0).ok_or_else(|| {
            Problem::new(format!("config.json {}", names[0]), "is missing: a whole number above zero")
        })
    }

    fn list(&self, name: &str) -> Option<&[Json<'_>]> {
        let Json::List(items) = self.0.get(name)? else { return None };
        Some(items)
    }

    fn flag(&self, name: &str) -> Option<bool> {
        self.0.get(name)?.as_bool()
    }

    fn architecture(&self, name: &str) -> Result<Architecture, Problem> {
        let model_type = self.0.get("model_type").and_then(Json::as_text).unwrap_or_default();
        let implied = family(model_type);
        let layers = self.required(&["num_hidden_layers", "n_layer", "num_layers"])?;
        let hidden = self.required(&["hidden_size", "n_embd", "d_model"])?;
        let heads = self.required(&["num_attention_heads", "n_head", "n_heads"])?;
        let kv_heads = self.kv_heads(heads);
        let mla = self.mla();
        let head_dim = match &mla {
            Some(mla) => mla.v,
            None => self.number(&["head_dim"]).filter(|dim| *dim > 0).unwrap_or(hidden / heads),
        };
        let dense = self.number(&["intermediate_size_mlp", "intermediate_size", "n_inner", "ffn_dim"]);
        let dense = dense.filter(|width| *width > 0).unwrap_or_else(|| hidden.saturating_mul(4));
        let moe = self.moe(layers)?;
        let ffn = if moe.as_ref().is_some_and(|moe| moe.dense_layers == 0) { 0 } else { dense };
        let positions =
            self.number(&["max_position_embeddings", "n_positions", "seq_length"]).unwrap_or(2048);
        let learned = if implied.rotary || model_type == "bloom" { 0 } else { positions };
        Ok(Architecture {
            id: "custom".to_owned(),
            name: name.chars().take(64).collect(),
            family: model_type.chars().take(64).collect(),
            kind: Kind::Decoder,
            layers,
            hidden,
            heads,
            kv_heads,
            head_dim,
            ffn,
            gated: implied.gated,
            vocab: self.required(&["vocab_size"])?,
            max_sequence: positions,
            rotary: implied.rotary,
            // OPT's table has two rows more than positions.
            learned_positions: if model_type == "opt" { learned.saturating_add(2) } else { learned },
            tied: self.flag("tie_word_embeddings").unwrap_or(implied.tied),
            bias: if self.flag("attention_bias") == Some(false) { Bias::None } else { implied.bias },
            norm: implied.norm,
            norms_per_layer: implied.norms_per_layer,
            qk_norm: self.flag("use_qk_norm").unwrap_or(implied.qk_norm),
            parallel_block: implied.parallel,
            attention_sinks: model_type == "gpt_oss",
            embedding_norm: model_type == "bloom",
            relative_position_projection: false,
            window: self.window(layers, model_type),
            moe,
            mla,
            parameters_published: None,
            active_published: None,
            source: "config.json".to_owned(),
            recalled: false,
            notes: None,
        })
    }

    fn kv_heads(&self, heads: u32) -> u32 {
        let grouped = self.number(&["num_key_value_heads", "num_kv_heads"]);
        // Falcon-7B and its like share one key and value among all heads.
        let shared =
            self.flag("multi_query") == Some(true) && self.flag("new_decoder_architecture") != Some(true);
        if shared { 1 } else { grouped.filter(|kv| *kv > 0).unwrap_or(heads) }
    }

    fn mla(&self) -> Option<Mla> {
        Some(Mla {
            q_lora: self.number(&["q_lora_rank"]).unwrap_or(0),
            kv_lora: self.number(&["kv_lora_rank"]).filter(|rank| *rank > 0)?,
            qk_nope: self.number(&["qk_nope_head_dim"])?,
            qk_rope: self.number(&["qk_rope_head_dim"])?,
            v: self.number(&["v_head_dim"])?,
        })
    }

    fn moe(&self, layers: u32) -> Result<Option<Moe>, Problem> {
        let count = self.number(&["n_routed_experts", "num_local_experts", "num_experts"]);
        let Some(experts) = count.filter(|experts| *experts > 1) else { return Ok(None) };
        let ffn = self.required(&["moe_intermediate_size", "intermediate_size"])?;
        let shared = self.number(&["n_shared_experts"]).map(|shared| shared.saturating_mul(ffn));
        let gated_shared = self.number(&["shared_expert_intermediate_size"]).filter(|width| *width > 0);
        let model_type = self.0.get("model_type").and_then(Json::as_text).unwrap_or_default();
        // Llama 4 has one shared expert of an expert's width, and experts in every so many layers.
        let llama = model_type.starts_with("llama4").then_some(ffn);
        let listed = self.list("mlp_only_layers").map(|list| list.len() as u32);
        let step = self.number(&["interleave_moe_layer_step"]).filter(|step| *step > 1);
        let skipped = step.map(|step| layers - layers / step);
        let first = self.number(&["first_k_dense_replace"]).or(skipped).or(listed).unwrap_or(0);
        let router_bias = matches!(model_type, "gpt_oss" | "minimax_m2")
            || self.0.get("topk_method").and_then(Json::as_text) == Some("noaux_tc")
            || model_type == "glm4_moe";
        Ok(Some(Moe {
            experts,
            top_k: self.required(&["num_experts_per_tok", "num_experts_per_token", "moe_topk"])?,
            ffn,
            shared_ffn: shared.or(gated_shared).or(llama).unwrap_or(0),
            dense_layers: first.min(layers),
            router_bias,
            expert_bias: model_type == "gpt_oss",
            shared_gate: gated_shared.is_some(),
        }))
    }

    /// Layers that see a window: listed, every so many, or all.
    fn window(&self, layers: u32, model_type: &str) -> Option<Window> {
        if self.flag("use_sliding_window") == Some(false) {
            return None;
        }
        let chunk = if model_type.starts_with("llama4") { "attention_chunk_size" } else { "sliding_window" };
        let size = self.number(&[chunk]).filter(|size| *size > 0)?;
        let listed = self.list("layer_types").map(|types| {
            let slides = |kind: &&Json<'_>| kind.as_text().is_some_and(|kind| kind != "full_attention");
            types.iter().filter(slides).count() as u32
        });
        let pattern = self.number(&["sliding_window_pattern"]).filter(|every| *every > 1);
        // One layer in so many sees everything: 2 in Gemma 2, 6 in Gemma 3, 4 in Llama 4.
        let every = pattern.or(match model_type {
            "gemma2" | "gemma2_text" => Some(2),
            "gemma3" | "gemma3_text" => Some(6),
            _ if model_type.starts_with("llama4") => Some(4),
            _ => None,
        });
        let windowed = listed.or(every.map(|every| layers - layers / every)).unwrap_or(layers);
        Some(Window { size, layers: windowed.min(layers) })
    }
}
