//! Recurrent mixers of a `config.json`: linear attention, state-space models, xLSTM and RWKV.

use super::Import;
use super::attention::seeing;
use super::config::{Config, problem};
use super::mixers::{Mixers, alternating};
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{
    GatedDelta, KimiDelta, Lightning, Mamba1, Mamba2, MatrixLstm, Mixer, RgLru, Rwkv7, Seen,
};
use crate::scenario::Problem;

impl Import<'_> {
    /// Gated DeltaNet (Qwen3-Next, Qwen3.5).
    pub(super) fn gated_delta(&self) -> Result<Mixer, Problem> {
        let config = self.config;
        Ok(Mixer::GatedDelta(GatedDelta {
            k_heads: config.required(&["linear_num_key_heads"])?,
            v_heads: config.required(&["linear_num_value_heads"])?,
            k_dim: config.required(&["linear_key_head_dim"])?,
            v_dim: config.required(&["linear_value_head_dim"])?,
            conv: config.required(&["linear_conv_kernel_dim"])?,
        }))
    }

    /// Lightning Attention (MiniMax-01, Ling 2.5).
    pub(super) fn lightning(&self, flat: &Architecture) -> Mixer {
        self.config.implied(&["block_size", "group_norm_size", "linear_silu"]);
        let (heads, head_dim) = (flat.heads, flat.head_dim);
        Mixer::Lightning(Lightning { heads, head_dim, gate: true, qk_norm: flat.qk_norm })
    }

    /// Groups of layers with Lightning Attention, whose last layer has `attention` instead, as have the layers after the last whole
    /// group (Ling-linear 2.0, Ling 2.5: inclusionAI/Ring-V2.5@ae5a5d9, modeling_bailing_moe_v2_5.py).
    pub(super) fn grouped(
        &self,
        flat: &Architecture,
        attention: Mixer,
        size: u32,
    ) -> Result<Vec<Mixers>, Problem> {
        if self.config.positive(&["short_conv_kernel_size"]).is_some() {
            let text =
                "says that linear attention is Kimi Delta Attention (Ling 3), whose gates are not known here";
            return Err(problem("short_conv_kernel_size", text));
        }
        let whole = flat.layers / size * size;
        let attends = (0..flat.layers).map(|layer| (layer + 1).is_multiple_of(size) || layer >= whole);
        Ok(alternating(attention, self.lightning(flat), attends))
    }

    /// Recurrent blocks of Griffin between layers of local attention, in a repeated pattern (huggingface/transformers 5.23.0,
    /// modeling_recurrent_gemma.py).
    pub(super) fn griffin(&self, flat: &Architecture, attention: Mixer) -> Result<Vec<Mixers>, Problem> {
        let config = self.config;
        let window = config.positive(&["attention_window_size"]).unwrap_or(2048);
        let recurrent = Mixer::RgLru(RgLru {
            width: config.positive(&["lru_width"]).unwrap_or(flat.hidden),
            blocks: flat.heads,
            conv: config.positive(&["conv1d_width"]).unwrap_or(4),
        });
        config.implied(&["_block_types"]);
        let pattern = config.words("block_types").or_else(|| config.words("_block_types"));
        let pattern = pattern.unwrap_or_else(|| vec!["recurrent", "recurrent", "attention"]);
        if pattern.is_empty() || pattern.iter().any(|kind| !["recurrent", "attention"].contains(kind)) {
            return Err(problem("block_types", "must list `recurrent` and `attention`"));
        }
        let attends = pattern.into_iter().cycle().take(flat.layers as usize).map(|kind| kind == "attention");
        Ok(alternating(seeing(attention, Seen::Window(window)), recurrent, attends))
    }

    /// Mamba 1 (Falcon Mamba, Jamba).
    pub(super) fn mamba1(&self, hidden: u32) -> Result<Mixer, Problem> {
        let config = self.config;
        let expand = config.positive(&["mamba_expand", "expand"]).unwrap_or(2);
        let inner =
            if self.is(&["jamba"]) { None } else { config.positive(&["intermediate_size", "d_inner"]) };
        let rank = config.positive(&["mamba_dt_rank", "time_step_rank"]);
        // `auto` means a sixteenth of the hidden width, the default below.
        if rank.is_none()
            && ["mamba_dt_rank", "time_step_rank"].iter().any(|key| config.text(key) == Some("auto"))
        {
            config.implied(&["mamba_dt_rank", "time_step_rank"]);
        }
        Ok(Mixer::Mamba1(Mamba1 {
            inner: inner.unwrap_or_else(|| expand.saturating_mul(hidden)),
            state: config.required(&["mamba_d_state", "state_size", "d_state"])?,
            conv: config.required(&["mamba_d_conv", "conv_kernel", "d_conv"])?,
            dt_rank: rank.unwrap_or_else(|| hidden.div_ceil(16)),
            inner_norms: self.is(&["jamba"]),
        }))
    }

    /// Mamba 2, alone or in hybrid models.
    pub(super) fn mamba2(&self) -> Result<Mixer, Problem> {
        let config = self.config;
        config.implied(&["mamba_d_ssm", "mamba_expand", "expand", "time_step_rank"]);
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

    /// mLSTM (xLSTM).
    pub(super) fn matrix_lstm(&self, hidden: u32, heads: u32) -> Mixer {
        let config = self.config;
        let factor = |name| config.factor(name);
        let width = |factor: f64| libm::round(factor * f64::from(hidden)) as u32;
        Mixer::MatrixLstm(MatrixLstm {
            heads,
            qk: width(factor("qk_dim_factor").unwrap_or(0.5)),
            v: width(factor("v_dim_factor").unwrap_or(1.0)),
            chunk: config.positive(&["chunk_size"]).unwrap_or(64),
        })
    }

    /// Layers of Kimi Delta Attention, with full attention in the listed layers.
    pub(super) fn kimi(
        &self,
        linear: &Config<'_>,
        layers: u32,
        attention: Mixer,
    ) -> Result<Vec<Mixers>, Problem> {
        let delta = Mixer::KimiDelta(KimiDelta {
            heads: linear.required(&["num_heads"])?,
            head_dim: linear.required(&["head_dim"])?,
            conv: linear.required(&["short_conv_kernel_size"])?,
            full_rank_gate: linear.flag("use_full_rank_gate") == Some(true),
        });
        let places = linear.numbers("full_attn_layers").ok_or_else(|| {
            problem("linear_attn_config.full_attn_layers", "is missing: the layers with full attention")
        })?;
        self.config.implied(&["attn_res_block_size"]);
        linear.implied(&["kda_layers", "gate_lower_bound"]);
        // `full_attn_layers` counts layers from 1.
        Ok(alternating(attention, delta, (1..=layers).map(|layer| places.contains(&layer))))
    }

    /// RWKV-7.
    pub(super) fn rwkv7(&self, flat: &Architecture) -> Result<Mixer, Problem> {
        let config = self.config;
        config.implied(&["hidden_ratio", "value_dim", "num_heads"]);
        Ok(Mixer::Rwkv7(Rwkv7 {
            heads: flat.heads,
            head_dim: flat.head_dim,
            w_lora: config.required(&["decay_low_rank_dim"])?,
            a_lora: config.required(&["a_low_rank_dim"])?,
            v_lora: config.required(&["v_low_rank_dim"])?,
            g_lora: config.required(&["gate_low_rank_dim"])?,
        }))
    }
}
