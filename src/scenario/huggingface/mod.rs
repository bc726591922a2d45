//! Reads a model from the `config.json` of its Hugging Face checkpoint, or from the `params.json` of Meta and Mistral.
//!
//! Such a file omits properties that its `model_type` implies (gating, biases, norms), and types name the same property
//! differently. `family.rs` lists the types of most checkpoints; a file of another type is read like that of a Llama, with
//! a warning. Every key is either read, known to affect neither time nor memory, or named in a warning.

mod attention;
mod audio;
mod audit;
mod blocks;
mod config;
mod defaults;
mod family;
mod feed_forward;
mod glm_vision;
mod intern_vit;
mod keys;
mod layer_types;
mod mixers;
mod model_optimizer;
mod per_layer;
mod prediction;
mod quantization;
mod recurrent;
mod refused;
mod shape;
mod shared_blocks;
mod sparse;
mod stack;
mod uncounted;
mod values;
mod vision;
mod vit;

use self::config::Config;
use self::family::{LLAMA, family};
pub use self::model_optimizer::{Quantized, quantized};
use super::Problem;
use crate::catalog::architecture::{Architecture, Kind, Uncounted};
use crate::json::Json;
use crate::words::Word as _;

/// The architecture that a `config.json` describes.
///
/// Its warnings name everything in the file that was left out. The error names a field that is missing or invalid, or a
/// kind of layer that is not modelled.
pub fn architecture(text: &str) -> Result<Architecture, Problem> {
    let text = crate::json::nonfinite::without(text);
    let file = Json::parse(&text).ok().filter(|file| matches!(file, Json::Object(_)));
    let Some(file) = file else {
        return Err(Problem::new("config.json", "must be a JSON object"));
    };
    let outer = Config::new(&file);
    // Files of multimodal models describe the language model in a nested object.
    let middle = ["text_config", "llm_config", "language_config", "thinker_config"]
        .into_iter()
        .find_map(|key| outer.inside(key));
    let inner = middle.as_ref().and_then(|middle| middle.inside("text_config"));
    let mut levels: Vec<Config<'_>> = [Some(outer), middle, inner].into_iter().flatten().collect();
    let Some(shape) = levels.pop() else { return Err(Problem::new("config.json", "is empty")) };
    // The params.json of Meta and Mistral states no type: all such models have Llama's blocks.
    let params = shape.has("dim") && shape.has("n_layers") && !shape.has("model_type");
    let model_type = if params { "llama" } else { model_type(&shape, &levels) };
    let shape = if params { shape } else { shape.with_defaults(defaults::of(model_type)) };
    let import = Import { config: &shape, levels: &levels, model_type, params };
    let mut architecture = import.architecture(name(&file))?;
    let all: Vec<&Config<'_>> = levels.iter().chain([&shape]).collect();
    uncounted::note(&all, &shape, &architecture);
    architecture.weights = quantization::weights(&all).map(|format| format.word().to_owned());
    architecture.warnings = shape.audit().warnings();
    Ok(architecture)
}

/// The type of the language model: its `model_type` without the suffix of nested language models, or the type of the
/// class in `architectures` if that type is unknown or missing.
fn model_type<'a>(shape: &Config<'a>, levels: &[Config<'a>]) -> &'a str {
    let all = || [shape].into_iter().chain(levels);
    let own = all().find_map(|level| level.text("model_type"));
    let own = own.map(|own| own.strip_suffix("_text").unwrap_or(own)).filter(|own| !own.is_empty());
    let class = || all().find_map(|level| family::of_class(level.words("architectures")?.first()?));
    match own {
        Some(own) if family(own).is_some() => own,
        Some(own) => class().unwrap_or(own),
        None => class().unwrap_or_default(),
    }
}

/// Name of the checkpoint; that of the type or the file if it is missing.
fn name<'a>(file: &'a Json<'_>) -> &'a str {
    let text = |key: &str| file.get(key).and_then(Json::as_text).filter(|text| !text.is_empty());
    text("_name_or_path").or_else(|| text("model_type")).unwrap_or("config.json")
}

/// A file that is being read.
struct Import<'a> {
    /// Fields of the language model.
    config: &'a Config<'a>,
    /// Fields of the objects that contain the language model's, outermost first.
    levels: &'a [Config<'a>],
    /// Type of the language model.
    model_type: &'a str,
    /// True if the file is a params.json.
    params: bool,
}

impl Import<'_> {
    /// Returns true if the language model has one of these types.
    fn is(&self, types: &[&str]) -> bool {
        types.contains(&self.model_type)
    }

    /// The architecture, with its stack of layers if they differ.
    fn architecture(&self, name: &str) -> Result<Architecture, Problem> {
        self.check_decoder()?;
        let config = self.config;
        let model_type = self.model_type;
        let known = family(model_type);
        let implied = known.unwrap_or(LLAMA);
        let layers = self.layers()?;
        let hidden = config.required(&["hidden_size", "n_embd", "d_model", "dim", "embedding_dim"])?;
        let heads = self.heads(hidden)?;
        let kv_heads = self.kv_heads(heads)?;
        let mla = self.mla();
        let head_dim = match &mla {
            Some(mla) => {
                config.implied(&["head_dim"]);
                mla.v
            }
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
        let learned = if implied.rotary || self.is(&["bloom", "mpt", "rwkv7"]) { 0 } else { positions };
        if known.is_none() {
            let shown: String = model_type.chars().take(48).collect();
            config.audit().note(format!(
                "config.json: the type `{shown}` is not known: gating, biases and norms are assumed to be those of Llama"
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
            gated: implied.gated && (known.is_some() || !self.ungated()),
            vocab: self.vocabulary()?,
            max_sequence: positions,
            rotary: implied.rotary,
            // OPT's table of position embeddings has two additional rows (transformers, modeling_opt.py).
            learned_positions: if model_type == "opt" { learned.saturating_add(2) } else { learned },
            tied: self.tied(known.map(|known| known.tied)),
            bias: self.bias(implied.bias),
            norm: implied.norm,
            norms_per_layer: implied.norms_per_layer,
            qk_norm: config.flag("use_qk_norm").unwrap_or(implied.qk_norm),
            parallel_block: implied.parallel,
            attention_sinks: model_type == "gpt_oss",
            embedding_norm: self.is(&["bloom"]),
            relative_position_projection: false,
            window: self.window(layers),
            moe,
            mla,
            stack: Vec::new(),
            extra: 0,
            prediction: None,
            vision: None,
            audio: None,
            warnings: Vec::new(),
            weights: None,
            parameters_published: None,
            active_published: None,
            uncounted: Uncounted::default(),
            source: "config.json".to_owned(),
            recalled: false,
            notes: None,
        };
        self.stack(&mut architecture)?;
        architecture.prediction = self.prediction(&architecture);
        architecture.vision = self.vision(hidden);
        architecture.audio = self.audio(hidden);
        Ok(architecture)
    }
}
