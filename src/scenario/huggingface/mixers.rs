//! Mixers of a `config.json`, layer by layer, where its layers are not all alike.

use super::Import;
use super::config::{Config, problem};
use super::feed_forward::Mixers;
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{
    Compressed, Convolution, Gate, GatedDelta, Heads, Indexer, KeyValues, KimiDelta, Latent, Lightning,
    Mamba1, Mamba2, MatrixLstm, Mixer, Seen,
};
use crate::json::Json;
use crate::scenario::Problem;

/// Keys of layer kinds that are not modelled, with their descriptions.
const NOT_MODELLED: &[(&str, &str)] = &[
    ("shared_blocks", "blocks that several layers share"),
    ("num_mem_blocks", "blocks that several layers share (Zamba2)"),
    ("altup_num_inputs", "alternating updates of several residual streams (Gemma 3n)"),
    ("attention_other_setting", "a second shape of attention in some layers (Step-3.5)"),
    ("block_configs", "blocks of a searched architecture, each of its own shape"),
    ("num_attention_heads_per_layer", "numbers of heads by layer"),
    ("lru_width", "linear recurrent units (Griffin)"),
    ("layer_group_size", "groups of linear and latent attention (Ling 2.5)"),
    ("decay_low_rank_dim", "RWKV-7"),
    ("num_kv_shared_layers", "layers that share keys and values of others"),
    ("compress_block_size", "native sparse attention"),
    ("moba_chunk_size", "mixture of block attention"),
];

impl Import<'_> {
    /// The mixers of each layer; none if all are attention of one shape, windows aside.
    pub(super) fn mixers(&self, flat: &Architecture) -> Result<Option<Vec<Mixers>>, Problem> {
        let config = self.config;
        for (key, what) in NOT_MODELLED {
            let set = config.get(key).is_some_and(|value| value.as_number() != Some(0.0));
            if set {
                return Err(problem(key, format!("says that the model has {what}, which are not modelled")));
            }
        }
        let attention = self.attention(flat);
        if flat.layers > 1024 {
            return if self.config.get("layer_types").is_some() {
                Err(problem("num_hidden_layers", "must be at most 1024"))
            } else {
                Ok(None)
            };
        }
        self.listed(flat, attention)
    }

    /// The attention of layers with full attention, with the file's properties beyond its shape.
    fn attention(&self, flat: &Architecture) -> Mixer {
        let config = self.config;
        let gated =
            ["attn_output_gate", "attention_output_gate", "mla_use_output_gate"].map(|key| config.flag(key));
        let always = self.is(&["qwen3_next"]) && gated[0].is_none();
        let gate = if always || gated.contains(&Some(true)) { Gate::Element } else { Gate::None };
        match flat.uniform(false, false, 1).mixer {
            Mixer::Attention(heads) => {
                let v_dim = config.positive(&["v_head_dim"]).filter(|width| *width != heads.head_dim);
                Mixer::Attention(Heads { v_dim, gate, ..heads })
            }
            Mixer::Latent(latent) => Mixer::Latent(Latent { gate, ..latent }),
            other => other,
        }
    }

    fn listed(&self, flat: &Architecture, attention: Mixer) -> Result<Option<Vec<Mixers>>, Problem> {
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
        self.typed(flat, attention)
    }

    /// Layers by their listed types, or one layer of full attention per period.
    fn typed(&self, flat: &Architecture, attention: Mixer) -> Result<Option<Vec<Mixers>>, Problem> {
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
            _ => {
                let gated = matches!(attention, Mixer::Attention(Heads { gate: Gate::Element, .. }));
                return Ok(gated.then(|| vec![(attention, Mixer::None); flat.layers as usize]));
            }
        };
        let plain = |kind: &&str| matches!(*kind, "full_attention" | "attention" | "sliding_attention");
        let (full, window) = (self.global_shape(attention), self.windowed(flat, attention));
        let usual = full == flat.uniform(false, false, 1).mixer && types.iter().all(plain);
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
                "linear_attention" if config.get("linear_num_key_heads").is_some() => self.gated_delta()?,
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
        config.get("conv_dim");
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

    fn kimi(&self, linear: &Config<'_>, layers: u32, attention: Mixer) -> Result<Vec<Mixers>, Problem> {
        let delta = Mixer::KimiDelta(KimiDelta {
            heads: linear.required(&["num_heads"])?,
            head_dim: linear.required(&["head_dim"])?,
            conv: linear.required(&["short_conv_kernel_size"])?,
            full_rank_gate: linear.flag("use_full_rank_gate") == Some(true),
        });
        let places = linear.numbers("full_attn_layers").ok_or_else(|| {
            problem("linear_attn_config.full_attn_layers", "is missing: the layers with full attention")
        })?;
        self.config.get("attn_res_block_size");
        // Layers are counted from one there.
        let of = |layer: u32| (if places.contains(&(layer + 1)) { attention } else { delta }, Mixer::None);
        Ok((0..layers).map(of).collect())
    }

    fn compressed(&self, flat: &Architecture, ratios: Vec<u32>) -> Result<Vec<Mixers>, Problem> {
        let config = self.config;
        let ratios = Config::each_layer("compress_ratios", ratios, flat.layers)?;
        let indexer = Indexer {
            heads: config.required(&["index_n_heads"])?,
            dim: config.required(&["index_head_dim"])?,
            top_k: config.required(&["index_topk"])?,
            block: 1,
            weighted: false,
        };
        for key in ["hc_mult", "num_hash_layers", "qk_rope_head_dim"] {
            config.get(key);
        }
        let shape = Compressed {
            heads: flat.heads,
            head_dim: flat.head_dim,
            q_lora: config.required(&["q_lora_rank"])?,
            o_groups: config.required(&["o_groups"])?,
            o_lora: config.required(&["o_lora_rank"])?,
            window: config.required(&["sliding_window"])?,
            ratio: 0,
            indexer: None,
        };
        let of = |ratio: u32| {
            // Entries of few tokens are selected, those of many are all attended.
            let indexer = (ratio > 0 && ratio < 64).then_some(indexer);
            (Mixer::Compressed(Compressed { ratio, indexer, ..shape }), Mixer::None)
        };
        Ok(ratios.into_iter().map(of).collect())
    }

    /// Attention whose keys are selected by an indexer in each layer or in some.
    fn selected(&self, layers: u32, attention: Mixer) -> Result<Option<Vec<Mixer>>, Problem> {
        let config = self.config;
        if let Some(sparse) = config.inside("sparse_attention_config") {
            let block = sparse.required(&["sparse_block_size"])?;
            let blocks = sparse.required(&["sparse_topk_blocks"])?;
            let indexer = Indexer {
                heads: sparse.required(&["sparse_num_index_heads"])?,
                dim: sparse.required(&["sparse_index_dim"])?,
                top_k: block.saturating_mul(blocks),
                block,
                weighted: false,
            };
            let flags = sparse.numbers("sparse_attention_freq").unwrap_or_else(|| vec![1; layers as usize]);
            let flags = Config::each_layer("sparse_attention_freq", flags, layers)?;
            let selecting = seeing(attention, Seen::Selected(indexer));
            return Ok(Some(
                flags.into_iter().map(|flag| if flag == 0 { attention } else { selecting }).collect(),
            ));
        }
        let Some(top_k) = config.positive(&["index_topk"]) else { return Ok(None) };
        let indexer = Indexer {
            heads: config.required(&["index_n_heads"])?,
            dim: config.required(&["index_head_dim"])?,
            top_k,
            block: 1,
            weighted: true,
        };
        let own = seeing(attention, Seen::Selected(indexer));
        let reused = seeing(attention, Seen::Reused(top_k));
        config.get("index_topk_freq");
        config.get("index_topk_pattern");
        let Some(types) = config.words("indexer_types") else { return Ok(Some(vec![own; layers as usize])) };
        let types = Config::each_layer("indexer_types", types, layers)?;
        Ok(Some(types.into_iter().map(|kind| if kind == "shared" { reused } else { own }).collect()))
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
        for key in ["attention_chunk_size", "add_full_attention_sink_bias"] {
            config.get(key);
        }
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

    fn gated_delta(&self) -> Result<Mixer, Problem> {
        let config = self.config;
        Ok(Mixer::GatedDelta(GatedDelta {
            k_heads: config.required(&["linear_num_key_heads"])?,
            v_heads: config.required(&["linear_num_value_heads"])?,
            k_dim: config.required(&["linear_key_head_dim"])?,
            v_dim: config.required(&["linear_value_head_dim"])?,
            conv: config.required(&["linear_conv_kernel_dim"])?,
        }))
    }

    fn lightning(&self, flat: &Architecture) -> Mixer {
        self.config.get("block_size");
        Mixer::Lightning(Lightning { heads: flat.heads, head_dim: flat.head_dim, gate: true })
    }

    fn mamba1(&self, hidden: u32) -> Result<Mixer, Problem> {
        let config = self.config;
        let expand = config.positive(&["mamba_expand", "expand"]).unwrap_or(2);
        let inner =
            if self.is(&["jamba"]) { None } else { config.positive(&["intermediate_size", "d_inner"]) };
        let rank = config.positive(&["mamba_dt_rank", "time_step_rank"]);
        config.get("time_step_rank");
        config.get("mamba_dt_rank");
        Ok(Mixer::Mamba1(Mamba1 {
            inner: inner.unwrap_or_else(|| expand.saturating_mul(hidden)),
            state: config.required(&["mamba_d_state", "state_size", "d_state"])?,
            conv: config.required(&["mamba_d_conv", "conv_kernel", "d_conv"])?,
            dt_rank: rank.unwrap_or_else(|| hidden.div_ceil(16)),
            inner_norms: self.is(&["jamba"]),
        }))
    }

    fn mamba2(&self) -> Result<Mixer, Problem> {
        let config = self.config;
        config.get("mamba_d_ssm");
        let plain = ["num_heads", "head_dim", "state_size"];
        let names = |own: [&'static str; 2], plain: &'static str| {
            if self.is(&["mamba2"]) { vec![own[0], own[1], plain] } else { own.to_vec() }
        };
        let normed = config.flag("mamba_rms_norm");
        Ok(Mixer::Mamba2(Mamba2 {
            heads: config.required(&names(["mamba_num_heads", "mamba_n_heads"], plain[0]))?,
            head_dim: config.required(&names(["mamba_head_dim", "mamba_d_head"], plain[1]))?,
            state: config.required(&names(["ssm_state_size", "mamba_d_state"], plain[2]))?,
            groups: config.required(&["n_groups", "mamba_n_groups"])?,
            conv: config.required(&["conv_kernel", "mamba_d_conv"])?,
            chunk: config.positive(&["chunk_size", "mamba_chunk_size"]).unwrap_or(256),
            unnormed: !normed.unwrap_or(!self.is(&["falcon_h1"])),
        }))
    }

    fn matrix_lstm(&self, hidden: u32, heads: u32) -> Mixer {
        let config = self.config;
        let factor = |name| config.get(name).and_then(Json::as_number);
        let width = |factor: f64| libm::round(factor * f64::from(hidden)) as u32;
        Mixer::MatrixLstm(MatrixLstm {
            heads,
            qk: width(factor("qk_dim_factor").unwrap_or(0.5)),
            v: width(factor("v_dim_factor").unwrap_or(1.0)),
            chunk: config.positive(&["chunk_size"]).unwrap_or(64),
        })
    }
}

/// The attention mixer with other attended keys.
fn seeing(attention: Mixer, seen: Seen) -> Mixer {
    match attention {
        Mixer::Attention(heads) => Mixer::Attention(Heads { seen, ..heads }),
        Mixer::Latent(latent) => Mixer::Latent(Latent { seen, ..latent }),
        other => other,
    }
}
