//! A model from the `config.json` that its checkpoint on Hugging Face comes with.
//!
//! Such a file says little about what its `model_type` implies (gating, biases, norms), and names the same thing
//! in several ways. [`architecture`] knows the types that most checkpoints have; of others it reads the shape and
//! takes them for a Llama, with a warning. Every key is read, without meaning for work and memory, or named in a warning.

mod config;
mod feed_forward;
mod keys;
mod mixers;

use std::borrow::Cow;

use self::config::Config;
use super::Problem;
use crate::catalog::architecture::{Architecture, Bias, Kind, Mla, Norm, Uncounted, Window};
use crate::catalog::layers::{FeedForward, Layer, Mixer, Moe};
use crate::json::Json;

/// Features that a model type implies in addition to its shape.
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

/// Features that this type implies; `None` if it is not known.
fn family(model_type: &str) -> Option<Family> {
    Some(match model_type.strip_suffix("_text").unwrap_or(model_type) {
        "gpt2" | "opt" | "bloom" | "gpt_bigcode" => GPT,
        "gptj" => Family { rotary: true, tied: false, norms_per_layer: 1, parallel: true, ..GPT },
        "gpt_neox" => Family { rotary: true, tied: false, parallel: true, ..GPT },
        "falcon" | "RefinedWeb" => Family { rotary: true, bias: Bias::None, parallel: true, ..GPT },
        "nemotron" => Family { gated: false, norm: Norm::Layernorm, ..LLAMA },
        "nemotron_h" => Family { gated: false, ..LLAMA },
        "starcoder2" => Family { rotary: true, ..GPT },
        "qwen2" | "qwen2_moe" | "glm4_moe" | "seed_oss" | "mimo" | "qwen2_vl" | "qwen2_5_vl" => {
            Family { bias: Bias::Qkv, ..LLAMA }
        }
        "qwen3" | "qwen3_moe" | "minimax_m2" | "qwen3_vl" | "qwen3_vl_moe" | "qwen3_next" | "qwen3_5"
        | "qwen3_5_moe" | "minimax_m3_vl" | "lfm2" | "lfm2_moe" | "exaone4" | "dots1" => {
            Family { qk_norm: true, ..LLAMA }
        }
        "gemma2" => Family { tied: true, norms_per_layer: 4, ..LLAMA },
        "gemma3" | "gemma4" => Family { tied: true, norms_per_layer: 4, qk_norm: true, ..LLAMA },
        "gpt_oss" => Family { bias: Bias::Qkvo, ..LLAMA },
        "cohere" | "cohere2" => Family { tied: true, norms_per_layer: 1, parallel: true, ..LLAMA },
        "gemma" | "granitemoehybrid" | "falcon_mamba" | "mamba" | "mamba2" => Family { tied: true, ..LLAMA },
        "llama" | "llama4" | "mistral" | "mistral3" | "mixtral" | "ministral3" | "deepseek_v2"
        | "deepseek_v3" | "deepseek_v32" | "deepseek_v4" | "glm_moe_dsa" | "kimi_k2" | "kimi_k25"
        | "kimi_k3" | "kimi_linear" | "hunyuan" | "hunyuan_v1_dense" | "hunyuan_v1_moe" | "mimo_v2_flash"
        | "jamba" | "falcon_h1" | "bamba" | "minimax" | "minimax_text_01" | "MiniMaxText01" | "MiniMaxM1"
        | "minimax_m1" | "olmo" | "olmoe" | "phi3" | "internlm2" | "internlm3" | "granite" | "granitemoe"
        | "smollm3" | "ernie4_5" | "ernie4_5_moe" | "longcat_flash" | "nemotron-nas" | "xlstm"
        | "baichuan" | "yi" | "bailing_moe" | "arcee" | "apertus" | "gemma3n" | "minicpm" | "minicpm3"
        | "stablelm" => LLAMA,
        _ => return None,
    })
}

/// The architecture that a `config.json` describes.
///
/// A problem names the field of the file that is missing or unfit, or a kind of layer that is not modelled. What was left
/// out otherwise stands in the warnings of the result.
pub fn architecture(text: &str) -> Result<Architecture, Problem> {
    let text = finite(text);
    let file = Json::parse(&text).ok().filter(|file| matches!(file, Json::Object(_)));
    let Some(file) = file else {
        return Err(Problem::new("config.json", "must be a JSON object"));
    };
    let outer = Config::new(&file);
    // Models that also see or hear keep the language model's shape apart.
    let inner = ["text_config", "llm_config", "language_config", "thinker_config"]
        .into_iter()
        .find_map(|key| outer.inside(key));
    let nested = inner.as_ref().and_then(|inner| inner.inside("text_config"));
    let shape = nested.as_ref().or(inner.as_ref()).unwrap_or(&outer);
    let mut architecture = Import { config: shape, outer: &outer }.architecture(name(&file))?;
    let mut warnings = std::mem::take(&mut architecture.warnings);
    for (key, what) in BESIDE {
        let there = outer.get(key).is_some() || shape.get(key).is_some();
        warnings
            .extend(there.then(|| format!("{what} (`{key}`) is not counted: only the language model is")));
    }
    if shape.positive(&["num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"]).is_some() {
        shape.get("mtp_hybrid_override_pattern");
        shape.get("mtp_use_dedicated_embeddings");
        shape.get("mtp_layers_block_type");
        warnings.push("Prediction modules (MTP) are not counted".to_owned());
    }
    let mut unread = shape.unread();
    if inner.is_some() {
        unread.extend(outer.unread());
    }
    unread.retain(|key| !keys::irrelevant(key));
    warnings.extend(unknown(&unread));
    architecture.warnings = warnings;
    Ok(architecture)
}

/// Parts of a model outside its language model, by the key that describes them.
const BESIDE: [(&str, &str); 4] = [
    ("vision_config", "The vision encoder"),
    ("audio_config", "The audio encoder"),
    ("talker_config", "The talker"),
    ("code2wav_config", "The speech decoder"),
];

/// Keys that a sentence names at most, so that it stays short enough for a link.
const NAMED: usize = 5;

/// Sentences that name keys of which the meaning is not known.
fn unknown(keys: &[&str]) -> Vec<String> {
    const SENTENCES: usize = 6;
    let short = |key: &&str| key.chars().take(32).collect::<String>();
    let mut sentences: Vec<String> = keys
        .chunks(NAMED)
        .take(SENTENCES)
        .map(|keys| {
            let names: Vec<String> = keys.iter().map(|key| format!("`{}`", short(key))).collect();
            format!("config.json: not understood and left out: {}", names.join(", "))
        })
        .collect();
    let rest = keys.len().saturating_sub(NAMED * SENTENCES);
    if rest > 0 {
        sentences.push(format!("config.json: {rest} more keys were not understood"));
    }
    sentences
}

/// The text with `Infinity` and `NaN`, which Python writes and JSON lacks, as null.
fn finite(text: &str) -> Cow<'_, str> {
    if !text.contains("Infinity") && !text.contains("NaN") {
        return Cow::Borrowed(text);
    }
    let mut joined = String::with_capacity(text.len());
    let mut inside = false;
    for (place, part) in text.split('"').enumerate() {
        if place > 0 {
            // A quote after an odd number of backslashes does not end a text.
            let escaped = joined.chars().rev().take_while(|mark| *mark == '\\').count() % 2 == 1;
            inside = if inside && escaped { inside } else { !inside };
            joined.push('"');
        }
        if inside {
            joined.push_str(part);
        } else {
            joined.push_str(
                &part.replace("-Infinity", "null").replace("Infinity", "null").replace("NaN", "null"),
            );
        }
    }
    Cow::Owned(joined)
}

/// Name of the checkpoint; empty if the file does not state it.
fn name<'a>(file: &'a Json<'_>) -> &'a str {
    let text = |key: &str| file.get(key).and_then(Json::as_text).filter(|text| !text.is_empty());
    text("_name_or_path").or_else(|| text("model_type")).unwrap_or("config.json")
}

/// A file being read: the language model's fields, and those around them.
struct Import<'a> {
    config: &'a Config<'a>,
    outer: &'a Config<'a>,
}

impl<'a> Import<'a> {
    /// The model's type, without suffixes for a part of a larger model.
    fn model_type(&self) -> &'a str {
        let own = self.config.text("model_type").or_else(|| self.outer.text("model_type"));
        let own = own.unwrap_or_default();
        own.strip_suffix("_text").unwrap_or(own)
    }

    fn is(&self, types: &[&str]) -> bool {
        types.contains(&self.model_type())
    }

    fn architecture(&self, name: &str) -> Result<Architecture, Problem> {
        let config = self.config;
        let model_type = self.model_type();
        let known = family(model_type);
        let implied = known.unwrap_or(LLAMA);
        let layers = self.layers()?;
        let hidden = config.required(&["hidden_size", "n_embd", "d_model", "dim", "embedding_dim"])?;
        let heads = self.heads(hidden)?;
        let kv_heads = self.kv_heads(heads);
        let mla = self.mla();
        let head_dim = match &mla {
            Some(mla) => mla.v,
            None => self.head_dim(hidden, heads),
        };
        let moe = self.moe(layers)?;
        let dense = self.dense_width(hidden);
        let ffn = if moe.as_ref().is_some_and(|moe| moe.dense_layers == 0) { 0 } else { dense };
        let positions = config
            .number(&[
                "max_position_embeddings",
                "n_positions",
                "seq_length",
                "max_seq_len",
                "model_max_length",
            ])
            .unwrap_or(2048);
        let learned = if implied.rotary || model_type == "bloom" { 0 } else { positions };
        let tied = ["tie_word_embeddings", "tie_embedding"].into_iter().find_map(|key| config.flag(key));
        let tied = tied.or_else(|| self.outer.flag("tie_word_embeddings"));
        let bias = match config.flag("attention_bias").or_else(|| config.flag("qkv_bias")) {
            Some(false) => Bias::None,
            Some(true) if implied.bias == Bias::None => Bias::Qkv,
            _ => implied.bias,
        };
        let mut warnings = Vec::new();
        if known.is_none() {
            let shown: String = model_type.chars().take(48).collect();
            warnings.push(format!(
                "config.json: the type `{shown}` is not known: gating, biases and norms are taken to be Llama's"
            ));
        }
        let mut architecture = Architecture {
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
            vocab: config.required(&["vocab_size"])?,
            max_sequence: positions,
            rotary: implied.rotary,
            // OPT's table has two rows more than positions.
            learned_positions: if model_type == "opt" { learned.saturating_add(2) } else { learned },
            tied: tied.unwrap_or(implied.tied),
            bias,
            norm: implied.norm,
            norms_per_layer: implied.norms_per_layer,
            qk_norm: config.flag("use_qk_norm").unwrap_or(implied.qk_norm),
            parallel_block: implied.parallel,
            attention_sinks: model_type == "gpt_oss",
            embedding_norm: model_type == "bloom",
            relative_position_projection: false,
            window: self.window(layers),
            moe,
            mla,
            stack: Vec::new(),
            extra: 0,
            warnings,
            parameters_published: None,
            active_published: None,
            uncounted: Uncounted::default(),
            source: "config.json".to_owned(),
            recalled: false,
            notes: None,
        };
        self.stack(&mut architecture)?;
        Ok(architecture)
    }

    /// Layers, counted or listed.
    fn layers(&self) -> Result<u32, Problem> {
        let config = self.config;
        let doubled = self.is(&["longcat_flash"]);
        let names = ["num_hidden_layers", "n_layer", "num_layers", "n_layers", "num_blocks"];
        let counted = config.positive(&names);
        let listed = ["layers_block_type", "layer_types"].into_iter().find_map(|key| config.list(key));
        let pattern = config.text("hybrid_override_pattern").map(str::len);
        let listed = listed.map(<[Json<'_>]>::len).or(pattern).and_then(|count| u32::try_from(count).ok());
        // Each of LongCat's layers has two attention and two dense blocks.
        let counted = counted.map(|count| if doubled { count.saturating_mul(2) } else { count });
        counted.or(listed.filter(|count| *count > 0)).map_or_else(|| config.required(&names), Ok)
    }

    /// Query heads; state spaces without attention have none.
    fn heads(&self, hidden: u32) -> Result<u32, Problem> {
        let names = ["num_attention_heads", "n_head", "n_heads"];
        if self.is(&["falcon_mamba", "mamba", "mamba2"]) {
            return Ok(self.config.positive(&names).unwrap_or((hidden / 64).max(1)));
        }
        self.config.required(&[names.as_slice(), &["num_heads"]].concat())
    }

    fn head_dim(&self, hidden: u32, heads: u32) -> u32 {
        let names = ["head_dim", "attention_head_dim", "kv_channels"];
        self.config.positive(&names).unwrap_or((hidden / heads).max(1))
    }

    fn kv_heads(&self, heads: u32) -> u32 {
        let names =
            ["num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "num_attention_groups"];
        let grouped = self.config.positive(&names);
        // Falcon-7B and its like share one key and value among all heads.
        let newer = self.config.flag("new_decoder_architecture") == Some(true);
        let shared = self.config.flag("multi_query") == Some(true) && !newer;
        if shared { 1 } else { grouped.unwrap_or(heads) }
    }

    fn mla(&self) -> Option<Mla> {
        self.config.get("use_mla");
        let [q_lora, kv_lora, qk_nope, qk_rope, v] =
            ["q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"]
                .map(|name| self.config.number(&[name]));
        Some(Mla {
            q_lora: q_lora.unwrap_or(0),
            kv_lora: kv_lora.filter(|rank| *rank > 0)?,
            qk_nope: qk_nope?,
            qk_rope: qk_rope?,
            v: v?,
        })
    }

    /// Layers with a window: listed, all, or all but one per period.
    fn window(&self, layers: u32) -> Option<Window> {
        if self.config.flag("use_sliding_window") == Some(false) {
            self.config.get("sliding_window");
            return None;
        }
        let size = self.config.positive(&["sliding_window"])?;
        let listed = self
            .config
            .words("layer_types")
            .map(|types| types.iter().filter(|kind| **kind == "sliding_attention").count() as u32);
        let pattern = self.config.number(&["sliding_window_pattern", "_sliding_window_pattern"]);
        let pattern = pattern.filter(|every| *every > 1);
        // One layer per period has full attention: 2 in Gemma 2, 6 in Gemma 3.
        let every = pattern.or(match self.model_type() {
            "gemma2" => Some(2),
            "gemma3" => Some(6),
            "cohere2" => Some(4),
            _ => None,
        });
        let windowed = listed.or(every.map(|every| layers - layers / every)).unwrap_or(layers);
        Some(Window { size, layers: windowed.min(layers) })
    }

    /// Sets the layers by kind, if they differ in more than windows and experts.
    fn stack(&self, architecture: &mut Architecture) -> Result<(), Problem> {
        let Some(mixers) = self.mixers(architecture)? else { return Ok(()) };
        let blocks = self.blocks(architecture, &mixers)?;
        let mut stack: Vec<Layer> = Vec::new();
        for ((mixer, beside), ffn) in mixers.into_iter().zip(blocks) {
            let halves = u32::from(mixer.is_some()) + u32::from(ffn != FeedForward::None);
            let both = architecture.norms_per_layer;
            let norms = if halves == 2 { both } else { halves };
            let layer = Layer { count: 1, mixer, beside, ffn, norms, extra: 0 };
            match stack.iter_mut().find(|known| Layer { count: 1, ..**known } == layer) {
                Some(known) => known.count += 1,
                None => stack.push(layer),
            }
        }
        describe(architecture, &stack);
        architecture.stack = stack;
        Ok(())
    }
}

/// Fits the fields that describe the most frequent layers to the stack.
fn describe(architecture: &mut Architecture, stack: &[Layer]) {
    let most = |chosen: &dyn Fn(&Layer) -> bool| {
        stack.iter().filter(|layer| chosen(layer)).max_by_key(|layer| layer.count)
    };
    architecture.window = None;
    if let Some(Layer { mixer: Mixer::Attention(heads), .. }) =
        most(&|layer| matches!(layer.mixer, Mixer::Attention(_)))
    {
        architecture.heads = heads.heads;
        architecture.kv_heads = heads.kv_heads;
        architecture.head_dim = heads.head_dim;
    }
    let latent = stack.iter().any(|layer| matches!(layer.mixer, Mixer::Latent(_)));
    architecture.mla = architecture.mla.filter(|_| latent);
    let dense = stack.iter().filter_map(|layer| match layer.ffn {
        FeedForward::Dense(width) => Some(width),
        _ => None,
    });
    architecture.ffn = dense.max().unwrap_or(0);
    let experts = stack.iter().find_map(|layer| layer.experts().copied());
    let others = stack.iter().filter(|layer| layer.experts().is_none()).map(|layer| layer.count).sum();
    architecture.moe = experts.map(|moe| Moe { dense_layers: others, ..moe });
}
