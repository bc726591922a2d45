//! Mixers of a `config.json`, layer by layer, where its layers are not all alike.

use super::Import;
use super::config::{Config, problem};
use super::feed_forward::Mixers;
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{Convolution, Gate, Heads, KeyValues, Latent, Mixer, Seen};
use crate::scenario::Problem;

/// Keys of kinds of layers that are modelled in Gemma's small models alone, and what they are.
const SMALL_GEMMA: &[(&str, &str)] = &[
    ("altup_num_inputs", "alternating updates of several residual streams (Gemma 3n)"),
    ("hidden_size_per_layer_input", "embeddings per layer (Gemma 3n)"),
    ("num_kv_shared_layers", "layers that share keys and values of others"),
];

/// Keys of kinds of layers that are not modelled, and what they are.
const NOT_MODELLED: &[(&str, &str)] = &[
    ("shared_blocks", "blocks that several layers share"),
    ("num_mem_blocks", "blocks that several layers share (Zamba2)"),
    ("lru_width", "linear recurrent units (Griffin)"),
    ("layer_group_size", "groups of linear and latent attention (Ling 2.5)"),
    ("compress_block_size", "native sparse attention"),
    ("moba_chunk_size", "mixture of block attention"),
    ("use_cla", "layers that share keys and values of others"),
    ("moe_args", "experts in the words of Llama 4's params.json"),
    ("cross_attention_layers", "layers that attend to an encoder (Llama 3.2 Vision)"),
    ("attention_types", "local and global attention in turns (GPT-Neo)"),
];

impl Import<'_> {
    /// The mixers of each layer; none if all are attention of one shape, windows aside, and do not differ otherwise.
    pub(super) fn mixers(
        &self,
        flat: &Architecture,
        attention: Mixer,
        differ: bool,
    ) -> Result<Option<Vec<Mixers>>, Problem> {
        let config = self.config;
        let other = if self.is_small_gemma() { &[] } else { SMALL_GEMMA };
        for (key, what) in NOT_MODELLED.iter().chain(other) {
            let set = config.get(key).is_some_and(|value| !super::values::empty(value));
            if set {
                return Err(problem(key, format!("says that the model has {what}, which are not modelled")));
            }
        }
        // What describes a kind that is switched off.
        config.implied(&[
            "cla_share_factor",
            "vocab_size_per_layer_input",
            "altup_active_idx",
            "altup_coef_clip",
        ]);
        config.implied(&["altup_correct_scale", "laurel_rank", "attention_layers"]);
        if flat.layers > 1024 {
            return if differ || self.config.has("layer_types") {
                Err(problem("num_hidden_layers", "must be at most 1024"))
            } else {
                Ok(None)
            };
        }
        match self.listed(flat, attention, differ)? {
            None if differ => Ok(Some(vec![(attention, Mixer::None); flat.layers as usize])),
            mixers => Ok(mixers),
        }
    }

    /// The attention of layers that see everything, with what the file says of it beside its shape.
    pub(super) fn attention(&self, flat: &Architecture) -> Mixer {
        let config = self.config;
        let gated =
            ["attn_output_gate", "attention_output_gate", "mla_use_output_gate"].map(|key| config.flag(key));
        let always = self.is(&["qwen3_next"]) && gated[0].is_none();
        let gate = if always || gated.contains(&Some(true)) { Gate::Element } else { Gate::None };
        // Step-3.5's gates of heads, and Laguna's, which its class has unless the file says otherwise.
        let words = config.text("gating");
        let by_head = match config.flag("gating") {
            Some(flag) => flag,
            None => words.map_or_else(|| self.is(&["laguna"]), |word| word == "per-head"),
        };
        let gate = if config.flag("use_head_wise_attn_gate") == Some(true) || by_head {
            Gate::Head
        } else if words.is_some() {
            Gate::Element
        } else {
            gate
        };
        match flat.uniform(false, false, 1).mixer {
            Mixer::Attention(heads) => {
                let v_dim = config.positive(&["v_head_dim"]).filter(|width| *width != heads.head_dim);
                Mixer::Attention(Heads { v_dim, gate, ..heads })
            }
            Mixer::Latent(latent) => Mixer::Latent(Latent { gate, ..latent }),
            other => other,
        }
    }

    fn listed(
        &self,
        flat: &Architecture,
        attention: Mixer,
        differ: bool,
    ) -> Result<Option<Vec<Mixers>>, Problem> {
        let config = self.config;
        let layers = flat.layers;
        let alone = |mixer: Mixer| (mixer, Mixer::None);
        if let Some(kinds) = self.nemotron()? {
            let mamba = self.mamba2()?;
            let of = |kind: char| {
                alone(match kind {
                    'M' => mamba,
                    '*' => attention,
                    _ => Mixer::None,
                })
            };
            return Ok(Some(kinds.into_iter().map(of).collect()));
        }
        if let Some(linear) = config.inside("linear_attn_config") {
            return self.kimi(&linear, layers, attention).map(Some);
        }
        if let Some(ratios) = config.numbers("compress_ratios") {
            return self.compressed(flat, ratios).map(Some);
        }
        if self.is(&["falcon_h1"]) {
            let mamba = self.mamba2()?;
            return Ok(Some(vec![(attention, mamba); layers as usize]));
        }
        if self.is(&["rwkv7"]) {
            return Ok(Some(vec![alone(self.rwkv7(flat)?); layers as usize]));
        }
        if self.is(&["falcon_mamba", "mamba"]) {
            return Ok(Some(vec![alone(self.mamba1(flat.hidden)?); layers as usize]));
        }
        if self.is(&["mamba2"]) {
            return Ok(Some(vec![alone(self.mamba2()?); layers as usize]));
        }
        if self.is(&["xlstm"]) {
            return Ok(Some(vec![alone(self.matrix_lstm(flat.hidden, flat.heads)); layers as usize]));
        }
        if let Some(period) = config.positive(&["attn_layer_period"]) {
            let offset = config.number(&["attn_layer_offset"]).unwrap_or(0);
            let mamba = self.mamba1(flat.hidden)?;
            let of = |layer: u32| alone(if layer % period == offset { attention } else { mamba });
            return Ok(Some((0..layers).map(of).collect()));
        }
        if let Some(places) = config.numbers("attn_layer_indices") {
            let mamba = self.mamba2()?;
            let of = |layer: u32| alone(if places.contains(&layer) { attention } else { mamba });
            return Ok(Some((0..layers).map(of).collect()));
        }
        if let Some(flags) = config.numbers("hybrid_layer_pattern") {
            let flags = Config::each_layer("hybrid_layer_pattern", flags, layers)?;
            let window = self.second_shape(attention);
            return Ok(Some(
                flags.into_iter().map(|flag| alone(if flag == 0 { attention } else { window })).collect(),
            ));
        }
        if let Some(selected) = self.selected(layers, attention)? {
            return Ok(Some(selected.into_iter().map(alone).collect()));
        }
        if let Some(types) = config.numbers("attn_type_list") {
            let types = Config::each_layer("attn_type_list", types, layers)?;
            let lightning = self.lightning(flat);
            return Ok(Some(
                types.into_iter().map(|kind| alone(if kind == 1 { attention } else { lightning })).collect(),
            ));
        }
        if self.is(&["llama4"]) {
            let Some(size) = config.positive(&["attention_chunk_size"]) else { return Ok(None) };
            let chunk = seeing(attention, Seen::Chunk(size));
            let of = |layer: u32| alone(if (layer + 1).is_multiple_of(4) { attention } else { chunk });
            return Ok(Some((0..layers).map(of).collect()));
        }
        if self.is(&["longcat_flash"]) {
            return Ok(Some(vec![alone(attention); layers as usize]));
        }
        self.typed(flat, attention, differ)
    }

    /// Layers by their listed types, or one of full attention in so many.
    fn typed(
        &self,
        flat: &Architecture,
        attention: Mixer,
        differ: bool,
    ) -> Result<Option<Vec<Mixers>>, Problem> {
        let config = self.config;
        let every = config.positive(&["full_attention_interval"]);
        let places = config.numbers("full_attn_idxs");
        let types: Vec<&str> = match (config.words("layer_types"), every, places) {
            (Some(types), ..) => Config::each_layer("layer_types", types, flat.layers)?,
            (_, Some(every), _) => {
                let kind = |layer: u32| {
                    if (layer + 1).is_multiple_of(every) { "full_attention" } else { "linear_attention" }
                };
                (0..flat.layers).map(kind).collect()
            }
            (_, _, Some(places)) => {
                let kind = |layer: u32| if places.contains(&layer) { "full_attention" } else { "conv" };
                (0..flat.layers).map(kind).collect()
            }
            // The classes of Gemma 3n and 4 derive their types, the last of which sees everything.
            _ if self.is_small_gemma() => {
                let every = if self.is(&["gemma3n"]) { 5 } else { 6 };
                let full = |layer: u32| (layer + 1).is_multiple_of(every) || layer + 1 == flat.layers;
                let kind = |layer: u32| if full(layer) { "full_attention" } else { "sliding_attention" };
                (0..flat.layers).map(kind).collect()
            }
            _ => {
                let gated =
                    matches!(attention, Mixer::Attention(Heads { gate: Gate::Element | Gate::Head, .. }));
                return Ok(gated.then(|| vec![(attention, Mixer::None); flat.layers as usize]));
            }
        };
        let plain = |kind: &&str| matches!(*kind, "full_attention" | "attention" | "sliding_attention");
        let (full, window) = (self.global_shape(attention), self.windowed(flat, attention));
        let other = config.inside("attention_other_setting");
        let window = window.map(|window| other.as_ref().map_or(window, |other| other_shape(other, window)));
        let same = !differ && other.is_none() && full == flat.uniform(false, false, 1).mixer;
        let usual = same && types.iter().all(plain);
        if usual {
            return Ok(None);
        }
        let of = |kind: &str| {
            Ok(match kind {
                "full_attention" | "attention" => full,
                "sliding_attention" => window.ok_or_else(|| problem("sliding_window", "is missing"))?,
                "chunked_attention" => {
                    let size = config.required(&["attention_chunk_size"])?;
                    seeing(attention, Seen::Chunk(size))
                }
                "linear_attention" if config.positive(&["linear_num_key_heads"]).is_some() => {
                    self.gated_delta()?
                }
                "linear_attention" if self.is(&["minimax"]) => self.lightning(flat),
                "mamba" => self.mamba2()?,
                "conv" => Mixer::Convolution(Convolution { taps: config.required(&["conv_L_cache"])? }),
                other => {
                    let shown: String = other.chars().take(48).collect();
                    return Err(problem(
                        "layer_types",
                        format!("has `{shown}`, a kind of layer that is not modelled"),
                    ));
                }
            })
        };
        config.implied(&["conv_dim", "full_attn_idxs"]);
        let mixers: Result<Vec<Mixer>, Problem> = types.into_iter().map(of).collect();
        Ok(Some(mixers?.into_iter().map(|mixer| (mixer, Mixer::None)).collect()))
    }

    /// Letters of Nemotron-H's layers: M state space, * attention, - dense, E experts.
    pub(super) fn nemotron(&self) -> Result<Option<Vec<char>>, Problem> {
        if let Some(pattern) = self.config.text("hybrid_override_pattern") {
            let letters: Vec<char> = pattern.chars().collect();
            let known = letters.iter().all(|letter| "M*-E".contains(*letter));
            return if known {
                Ok(Some(letters))
            } else {
                Err(problem("hybrid_override_pattern", "has other letters than M, *, - and E"))
            };
        }
        let Some(types) = self.config.words("layers_block_type").filter(|_| self.is(&["nemotron_h"])) else {
            return Ok(None);
        };
        let letter = |kind: &str| match kind {
            "mamba" => Ok('M'),
            "attention" => Ok('*'),
            "mlp" => Ok('-'),
            "moe" => Ok('E'),
            _ => Err(problem("layers_block_type", "has other kinds than mamba, attention, mlp and moe")),
        };
        types.into_iter().map(letter).collect::<Result<_, _>>().map(Some)
    }

    /// Layers with a window, of the same shape, or of MiMo's and Gemma 4's second one.
    fn windowed(&self, flat: &Architecture, attention: Mixer) -> Option<Mixer> {
        let size = flat.window.as_ref().map(|window| window.size);
        let size = size.or_else(|| self.config.positive(&["sliding_window"]))?;
        Some(seeing(attention, Seen::Window(size)))
    }

    /// Gemma 4's layers that see everything have heads of their own.
    fn global_shape(&self, attention: Mixer) -> Mixer {
        let Mixer::Attention(heads) = attention else { return attention };
        let head_dim = self.config.positive(&["global_head_dim"]).unwrap_or(heads.head_dim);
        let kv_heads = self.config.positive(&["num_global_key_value_heads"]).unwrap_or(heads.kv_heads);
        let alike = self.config.flag("attention_k_eq_v") == Some(true);
        let kv = if alike { KeyValues::Keys } else { KeyValues::Projected };
        Mixer::Attention(Heads { kv_heads, head_dim, kv, ..heads })
    }

    /// MiMo-V2's layers with a window.
    fn second_shape(&self, attention: Mixer) -> Mixer {
        let config = self.config;
        let Mixer::Attention(heads) = attention else { return attention };
        config.implied(&["attention_chunk_size", "add_full_attention_sink_bias"]);
        let size = config.positive(&["sliding_window", "sliding_window_size"]).unwrap_or(1);
        let head_dim = config.positive(&["swa_head_dim"]).unwrap_or(heads.head_dim);
        Mixer::Attention(Heads {
            heads: config.positive(&["swa_num_attention_heads"]).unwrap_or(heads.heads),
            kv_heads: config.positive(&["swa_num_key_value_heads"]).unwrap_or(heads.kv_heads),
            head_dim,
            v_dim: config.positive(&["swa_v_head_dim"]).or(heads.v_dim).filter(|width| *width != head_dim),
            seen: Seen::Window(size),
            sinks: config.flag("add_swa_attention_sink_bias") == Some(true),
            ..heads
        })
    }
}

/// The same attention to other keys.
pub(super) fn seeing(attention: Mixer, seen: Seen) -> Mixer {
    match attention {
        Mixer::Attention(heads) => Mixer::Attention(Heads { seen, ..heads }),
        Mixer::Latent(latent) => Mixer::Latent(Latent { seen, ..latent }),
        other => other,
    }
}

/// Step-3.5's second shape, in layers with a window.
fn other_shape(other: &Config<'_>, window: Mixer) -> Mixer {
    let Mixer::Attention(heads) = window else { return window };
    other.implied(&["attention_type"]);
    Mixer::Attention(Heads {
        heads: other.positive(&["num_attention_heads"]).unwrap_or(heads.heads),
        kv_heads: other.positive(&["num_attention_groups", "num_key_value_heads"]).unwrap_or(heads.kv_heads),
        head_dim: other.positive(&["head_dim"]).unwrap_or(heads.head_dim),
        ..heads
    })
}
