//! Attention of a `config.json`: its gate, and the shapes that it has in layers of different kinds.

use super::Import;
use super::config::Config;
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{Gate, Heads, KeyValues, Latent, Mixer, Seen};

impl Import<'_> {
    /// Attention to all preceding tokens, with its gate and the width of its values.
    pub(super) fn attention(&self, flat: &Architecture) -> Mixer {
        let gate = self.gate();
        match flat.uniform(false, false, 1).mixer {
            Mixer::Attention(heads) => {
                let v_dim = self.config.positive(&["v_head_dim"]).filter(|width| *width != heads.head_dim);
                Mixer::Attention(Heads { v_dim, gate, ..heads })
            }
            Mixer::Latent(latent) => Mixer::Latent(Latent { gate, ..latent }),
            other => other,
        }
    }

    /// The gate of the attention output.
    fn gate(&self) -> Gate {
        let config = self.config;
        let gated =
            ["attn_output_gate", "attention_output_gate", "mla_use_output_gate"].map(|key| config.flag(key));
        // The class of Qwen3-Next always has a gate, and that of Laguna has one per head unless the file says otherwise.
        let always = self.is(&["qwen3_next"]) && gated[0].is_none();
        let kind = config.text("gating");
        let by_head = match config.flag("gating") {
            Some(flag) => flag,
            None => kind.map_or_else(|| self.is(&["laguna"]), |kind| kind == "per-head"),
        };
        // Step-3.5's key.
        if config.flag("use_head_wise_attn_gate") == Some(true) || by_head {
            Gate::Head
        } else if kind.is_some() || always || gated.contains(&Some(true)) {
            Gate::Element
        } else {
            Gate::None
        }
    }

    /// Attention of layers with a window; `None` if the file gives no length for it.
    pub(super) fn windowed(&self, flat: &Architecture, attention: Mixer) -> Option<Mixer> {
        let size = flat.window.as_ref().map(|window| window.size);
        let size = size.or_else(|| self.config.positive(&["sliding_window"]))?;
        Some(seeing(attention, Seen::Window(size)))
    }

    /// Attention of layers without a window, which has its own heads in Gemma 4.
    pub(super) fn global_shape(&self, attention: Mixer) -> Mixer {
        let Mixer::Attention(heads) = attention else { return attention };
        let head_dim = self.config.positive(&["global_head_dim"]).unwrap_or(heads.head_dim);
        let kv_heads = self.config.positive(&["num_global_key_value_heads"]).unwrap_or(heads.kv_heads);
        let shared = self.config.flag("attention_k_eq_v") == Some(true);
        let kv = if shared { KeyValues::Keys } else { KeyValues::Projected };
        Mixer::Attention(Heads { kv_heads, head_dim, kv, ..heads })
    }

    /// Attention of layers with a window in MiMo-V2, which has its own heads.
    pub(super) fn swa_shape(&self, attention: Mixer) -> Mixer {
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

/// The attention, restricted to the given keys.
pub(super) fn seeing(attention: Mixer, seen: Seen) -> Mixer {
    match attention {
        Mixer::Attention(heads) => Mixer::Attention(Heads { seen, ..heads }),
        Mixer::Latent(latent) => Mixer::Latent(Latent { seen, ..latent }),
        other => other,
    }
}

/// Attention with the heads of Step-3.5's `attention_other_setting`, which its layers with a window have.
pub(super) fn other_shape(other: &Config<'_>, attention: Mixer) -> Mixer {
    let Mixer::Attention(heads) = attention else { return attention };
    other.implied(&["attention_type"]);
    Mixer::Attention(Heads {
        heads: other.positive(&["num_attention_heads"]).unwrap_or(heads.heads),
        kv_heads: other.positive(&["num_attention_groups", "num_key_value_heads"]).unwrap_or(heads.kv_heads),
        head_dim: other.positive(&["head_dim"]).unwrap_or(heads.head_dim),
        ..heads
    })
}
