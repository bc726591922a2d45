//! A model from the `config.json` that its checkpoint on Hugging Face comes with.
//!
//! Such a file says little about what its `model_type` implies (gating, biases, norms), and names the same thing
//! in several ways. The `params.json` of Meta and Mistral is read as well. [`architecture`] knows the types that most checkpoints have; of others it reads the shape and
//! takes them for a Llama, with a warning. Every key is read, without meaning for work and memory, or named in a warning.

mod audit;
mod blocks;
mod config;
mod defaults;
mod family;
mod feed_forward;
mod keys;
mod mixers;
mod per_layer;
mod quantization;
mod recurrent;
mod shape;
mod sparse;
mod values;

use std::borrow::Cow;

use self::config::Config;
use self::family::{LLAMA, family};
use super::Problem;
use crate::catalog::architecture::{Architecture, Kind, Uncounted};
use crate::catalog::layers::{FeedForward, Layer, Mixer, Moe};
use crate::json::Json;
use crate::words::Word as _;

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
    let middle = ["text_config", "llm_config", "language_config", "thinker_config"]
        .into_iter()
        .find_map(|key| outer.inside(key));
    let inner = middle.as_ref().and_then(|middle| middle.inside("text_config"));
    let mut levels: Vec<Config<'_>> = [Some(outer), middle, inner].into_iter().flatten().collect();
    let Some(shape) = levels.pop() else { return Err(Problem::new("config.json", "is empty")) };
    // Meta's and Mistral's params.json have no type: all such models have Llama's blocks.
    let params = shape.has("dim") && shape.has("n_layers") && !shape.has("model_type");
    let model_type = if params { "llama" } else { model_type(&shape, &levels) };
    let shape = if params { shape } else { shape.with_defaults(defaults::of(model_type)) };
    let import = Import { config: &shape, levels: &levels, model_type, params };
    let mut architecture = import.architecture(name(&file))?;
    let all: Vec<&Config<'_>> = levels.iter().chain([&shape]).collect();
    let audit = shape.audit();
    for (key, what) in BESIDE {
        let there = all.iter().any(|level| level.get(key).is_some());
        if there {
            audit.note(format!("{what} (`{key}`) is not counted: only the language model is"));
        }
    }
    let modules = ["num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules", "mtp_num_layers"]
        .map(|key| shape.positive(&[key]));
    if modules.iter().any(Option::is_some) {
        shape.implied(&[
            "mtp_hybrid_override_pattern",
            "mtp_use_dedicated_embeddings",
            "mtp_layers_block_type",
            "mtp_transformer_layers",
            "use_mtp",
        ]);
        audit.note("Prediction modules (MTP) are not counted");
    }
    architecture.weights = quantization::weights(&all).map(|format| format.word().to_owned());
    architecture.warnings = audit.warnings();
    Ok(architecture)
}

/// The model's type, without what says that it is the part of a larger one; a file without one names its class.
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

/// Parts of a model beside its language model, by the key that describes them.
const BESIDE: [(&str, &str); 23] = [
    ("vision_config", "The vision encoder"),
    ("audio_config", "The audio encoder"),
    ("vit_config", "The vision encoder"),
    ("vision_encoder", "The vision encoder"),
    ("vision_encoder_config", "The vision encoder"),
    ("visual", "The vision encoder"),
    ("vision_tower_config", "The vision encoder"),
    ("sound_config", "The audio encoder"),
    ("speech_config", "The audio encoder"),
    ("encoder_config", "The encoder"),
    ("audio_encoder_config", "The audio encoder"),
    ("whisper_config", "The audio encoder"),
    ("gen_vision_config", "The image generator's encoder"),
    ("vq_config", "The image tokenizer"),
    ("projector_config", "The projector"),
    ("multimodal", "The audio encoder"),
    ("aligner_config", "The projector"),
    ("qformer_config", "The projector"),
    ("talker_config", "The talker"),
    ("tts_config", "The talker"),
    ("token2wav_config", "The speech decoder"),
    ("code2wav_config", "The speech decoder"),
    ("img_token_compression_config", "The projector"),
];

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

/// The checkpoint's name, where the file says one.
fn name<'a>(file: &'a Json<'_>) -> &'a str {
    let text = |key: &str| file.get(key).and_then(Json::as_text).filter(|text| !text.is_empty());
    text("_name_or_path").or_else(|| text("model_type")).unwrap_or("config.json")
}

/// A file being read: the language model's fields, and those around them.
struct Import<'a> {
    config: &'a Config<'a>,
    levels: &'a [Config<'a>],
    model_type: &'a str,
    /// The file is a params.json.
    params: bool,
}

impl Import<'_> {
    fn is(&self, types: &[&str]) -> bool {
        types.contains(&self.model_type)
    }

    fn architecture(&self, name: &str) -> Result<Architecture, Problem> {
        self.refused()?;
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
            gated: implied.gated && (known.is_some() || !self.ungated()),
            vocab: self.vocabulary()?,
            max_sequence: positions,
            rotary: implied.rotary,
            // OPT's table has two rows more than positions.
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
        Ok(architecture)
    }

    /// Puts the layers by kind, where they differ in more than windows and experts.
    fn stack(&self, architecture: &mut Architecture) -> Result<(), Problem> {
        let attention = self.attention(architecture);
        let parts = self.per_layer(architecture)?;
        let layers: Vec<(feed_forward::Mixers, FeedForward)> = match self.searched(architecture, attention)? {
            Some(blocks) => blocks.into_iter().map(|(mixer, ffn)| ((mixer, Mixer::None), ffn)).collect(),
            None => match self.mixers(architecture, attention, parts.differ())? {
                Some(mixers) => {
                    let blocks = self.blocks(architecture, &mixers)?;
                    mixers.into_iter().zip(blocks).collect()
                }
                None => return Ok(()),
            },
        };
        let mut stack: Vec<Layer> = Vec::new();
        for (place, (mut mixers, mut ffn)) in (0..).zip(layers) {
            let extra =
                parts.fit(place, &mut mixers, &mut ffn, architecture.hidden) + self.beside(architecture);
            let (mixer, beside) = mixers;
            let halves = u32::from(mixer.is_some()) + u32::from(ffn != FeedForward::None);
            let both = architecture.norms_per_layer;
            let norms = if halves == 2 { both + parts.norms } else { halves };
            let layer = Layer { count: 1, mixer, beside, ffn, norms, extra };
            match stack.iter_mut().find(|known| Layer { count: 1, ..**known } == layer) {
                Some(known) => known.count += 1,
                None => stack.push(layer),
            }
        }
        describe(architecture, &stack);
        architecture.extra = parts.outside;
        architecture.stack = stack;
        Ok(())
    }

    /// Elements of a layer beside its kinds: RWKV-7 mixes each token's input with the one before in its feed-forward block.
    fn beside(&self, architecture: &Architecture) -> u64 {
        if self.is(&["rwkv7"]) { u64::from(architecture.hidden) } else { 0 }
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
