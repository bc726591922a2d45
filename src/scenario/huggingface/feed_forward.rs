//! Feed-forward blocks of a `config.json`: dense or mixtures of experts, by layer.

use super::Import;
use super::config::{Config, MOST_LAYERS, problem};
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{FeedForward, Moe};
use crate::scenario::Problem;

impl<'a> Import<'a> {
    /// Width of a dense block.
    pub(super) fn dense_width(&self, hidden: u32) -> u32 {
        let names = [
            "intermediate_size_mlp",
            "dense_intermediate_size",
            "intermediate_size",
            "n_inner",
            "ffn_dim",
            "ffn_hidden_size",
            "hidden_dim",
            "block_ff_dim",
        ];
        if let Some(factor) = self.config.factor("ffn_proj_factor") {
            // xLSTM rounds its width up to a multiple.
            let multiple = self.config.positive(&["ffn_round_up_to_multiple_of"]).unwrap_or(64);
            let width = libm::ceil(factor * f64::from(hidden) / f64::from(multiple));
            return (width as u32).saturating_mul(multiple);
        }
        if let Some(width) = self.meta_width(hidden) {
            return width;
        }
        // Granite without experts gives the width of its dense block under the key of the shared expert.
        let shared = self.config.positive(&["shared_intermediate_size"]);
        let dense = self.is(&["granitemoehybrid"]) && self.config.positive(&["num_local_experts"]).is_none();
        let width = if dense { shared } else { self.config.most(&names).filter(|width| *width > 0) };
        // MPT gives the width as a multiple of the hidden width; the default of GPT-2 and similar models is four times.
        let ratio = self.config.factor("expansion_ratio").map(|ratio| (ratio * f64::from(hidden)) as u32);
        let width = width.or(ratio).unwrap_or_else(|| hidden.saturating_mul(4));
        if self.is(&["recurrent_gemma"]) {
            // Its class halves the stated width (transformers, modeling_recurrent_gemma.py).
            return width / 2;
        }
        if self.config.flag("block_auto_adjust_ff_dim") == Some(true) {
            // LFM2 uses two thirds of the stated width, rounded up (transformers, configuration_lfm2.py).
            let multiple = self.config.positive(&["block_multiple_of"]).unwrap_or(256);
            let scale = self.config.factor("block_ffn_dim_multiplier");
            let width = libm::floor(2.0 * f64::from(width) / 3.0) * scale.unwrap_or(1.0);
            return (libm::ceil(width / f64::from(multiple)) as u32).saturating_mul(multiple);
        }
        width
    }

    /// Width of a dense block from Meta's params.json: two thirds of four times the hidden width, scaled and rounded up
    /// (class `FeedForward` in meta-llama/llama, llama/model.py).
    fn meta_width(&self, hidden: u32) -> Option<u32> {
        let multiple = self.config.positive(&["multiple_of"]);
        let factor = self.config.factor("ffn_dim_multiplier");
        if self.config.has("hidden_dim") || (multiple.is_none() && factor.is_none()) {
            return None;
        }
        let width = u64::from(hidden) * 8 / 3;
        let width = factor.map_or(width, |factor| (factor * width as f64) as u64);
        let multiple = u64::from(multiple.unwrap_or(256));
        u32::try_from(width.div_ceil(multiple).saturating_mul(multiple)).ok()
    }

    /// The fields that describe the experts: a nested object in Mistral's params.json.
    fn routed(&self) -> Config<'a> {
        self.config.inside("moe").unwrap_or_else(|| self.config.clone())
    }

    /// The experts, with the number of layers without experts; `None` for a dense model.
    pub(super) fn moe(&self, layers: u32) -> Result<Option<Moe>, Problem> {
        let config = &self.routed();
        let names = [
            "n_routed_experts",
            "num_local_experts",
            "num_experts",
            "moe_num_experts",
            "num_experts_per_layer",
        ];
        let count = config.most(&names);
        let chosen = [
            "num_experts_per_tok",
            "num_experts_per_token",
            "moe_topk",
            "top_k_experts",
            "moe_k",
            "moe_top_k",
            "experts_per_token",
        ];
        let top_k = config.most(&chosen);
        let widths = ["moe_intermediate_size", "expert_ffn_hidden_size", "expert_hidden_dim"];
        let own = config.most(&widths).filter(|width| *width > 0);
        let Some(experts) = count.filter(|experts| *experts > 1) else { return Ok(None) };
        let plain = || self.config.required(&["moe_intermediate_size", "intermediate_size", "hidden_dim"]);
        let ffn = own.map_or_else(plain, Ok)?;
        let latent = config.positive(&["moe_latent_size", "routed_expert_hidden_size"]).unwrap_or(0);
        config.implied(&["latent_moe_use_norm"]);
        let number =
            ["n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"];
        let shared = config.most(&number);
        let width = config.positive(&[
            "moe_shared_expert_intermediate_size",
            "share_expert_dim",
            "moe_shared_intermediate_size",
        ]);
        let gated = config.positive(&["shared_expert_intermediate_size"]);
        let plain = config.positive(&["shared_intermediate_size"]);
        let shared = width.or_else(|| shared.map(|shared| shared.saturating_mul(ffn)));
        // Llama 4 has one shared expert as wide as a routed one; Gemma 4 has a dense block beside its experts.
        let implied = match self.model_type {
            "llama4" => Some(ffn),
            "gemma4" => config.positive(&["intermediate_size"]),
            _ => None,
        };
        let idle = config.positive(&["zero_expert_num"]).unwrap_or(0);
        config.implied(&["zero_expert_type"]);
        let biased = [
            "gpt_oss",
            "minimax_m2",
            "glm4_moe",
            "nemotron_h",
            "lfm2_moe",
            "longcat_flash",
            "dots1",
            "laguna",
        ];
        let routing = config.switch(&[
            "use_routing_bias",
            "use_expert_bias",
            "use_moe_router_bias",
            "moe_router_enable_expert_bias",
        ]);
        let router_bias =
            routing.unwrap_or(self.is(&biased) || config.text("topk_method") == Some("noaux_tc"));
        let sparse = self.sparse(layers)?;
        let dense = sparse.iter().filter(|sparse| !**sparse).count() as u32;
        Ok(Some(Moe {
            experts,
            top_k: top_k
                .filter(|top_k| *top_k > 0)
                .map_or_else(|| config.required(&["num_experts_per_tok"]), Ok)?,
            ffn,
            shared_ffn: shared.or(gated).or(plain).or(implied).unwrap_or(0),
            dense_layers: if sparse.is_empty() { self.first_dense(layers) } else { dense },
            router_bias,
            expert_bias: self.is(&["gpt_oss"]),
            shared_gate: gated.is_some() && !self.is(&["laguna"]),
            latent,
            idle_experts: idle,
        }))
    }

    /// Number of dense layers, at the beginning unless a list states others, for files without a list of all layers.
    fn first_dense(&self, layers: u32) -> u32 {
        let config = &self.routed();
        let listed = config.list("mlp_only_layers").map(|list| list.len() as u32);
        let step = config.number(&["interleave_moe_layer_step"]).filter(|step| *step > 1);
        let skipped = step.map(|step| layers - layers / step);
        let first = config.number(&[
            "first_k_dense_replace",
            "num_dense_layers",
            "moe_layer_num_skipped",
            "moe_layer_start_index",
        ]);
        first.or(skipped).or(listed).unwrap_or(0).min(layers)
    }

    /// True for each layer with experts; empty if the file gives neither a list nor a period of such layers.
    fn sparse(&self, layers: u32) -> Result<Vec<bool>, Problem> {
        let config = &self.routed();
        if let Some(types) = config.words("mlp_layer_types") {
            config.implied(&[
                "first_k_dense_replace",
                "moe_layer_freq",
                "decoder_sparse_step",
                "mlp_only_layers",
            ]);
            let types = Config::each_layer("mlp_layer_types", types, layers)?;
            return Ok(types.into_iter().map(|kind| kind == "sparse").collect());
        }
        if let Some(flags) = config.numbers("moe_layer_freq") {
            config.implied(&["first_k_dense_replace"]);
            let flags = Config::each_layer("moe_layer_freq", flags, layers)?;
            return Ok(flags.into_iter().map(|flag| flag != 0).collect());
        }
        if layers > MOST_LAYERS {
            return Ok(Vec::new());
        }
        let named = config.text("moe_layers_enum").map(|list| list.split(',').collect::<Vec<_>>());
        if let Some(named) = named {
            let named: Vec<u32> = named.iter().filter_map(|part| part.trim().parse().ok()).collect();
            return Ok((0..layers).map(|layer| named.contains(&layer)).collect());
        }
        // Experts at a period: at an offset into each group in Jamba, at the end of each group otherwise.
        if let Some(period) = config.positive(&["expert_layer_period"]) {
            let offset = config.number(&["expert_layer_offset"]).unwrap_or(0);
            return Ok((0..layers).map(|layer| layer % period == offset).collect());
        }
        let step = config.number(&[
            "decoder_sparse_step",
            "moe_layer_freq",
            "moe_layer_interval",
            "moe_every_n_layers",
        ]);
        let Some(step) = step.filter(|step| *step > 1) else { return Ok(Vec::new()) };
        let dense = config.numbers("mlp_only_layers").unwrap_or_default();
        let first = self.first_dense(layers);
        let has = |layer: u32| (layer + 1).is_multiple_of(step) && layer >= first && !dense.contains(&layer);
        Ok((0..layers).map(has).collect())
    }

    /// The feed-forward block of each layer.
    pub(super) fn blocks(&self, architecture: &Architecture) -> Result<Vec<FeedForward>, Problem> {
        let layers = architecture.layers;
        let width = self.dense_width(architecture.hidden);
        let dense = FeedForward::Dense(width);
        if let Some(kinds) = self.nemotron()? {
            let block = |kind: char| match (kind, architecture.moe) {
                ('E', Some(moe)) => Ok(FeedForward::Experts(Moe { dense_layers: 0, ..moe })),
                ('E', None) => {
                    Err(problem("n_routed_experts", "is missing: the pattern has layers with experts"))
                }
                ('-', _) => Ok(dense),
                _ => Ok(FeedForward::None),
            };
            return kinds.into_iter().map(block).collect();
        }
        let sparse = self.sparse_layers(layers)?;
        if self.is(&["falcon_mamba", "mamba", "mamba2"]) {
            return Ok(vec![FeedForward::None; sparse.len()]);
        }
        // Each of LongCat's layers with experts has a dense block beside them.
        let beside = if self.is(&["longcat_flash"]) { width } else { 0 };
        let block = |sparse: bool| match architecture.moe {
            Some(moe) if sparse => {
                let shared_ffn = moe.shared_ffn.saturating_add(beside);
                FeedForward::Experts(Moe { dense_layers: 0, shared_ffn, ..moe })
            }
            _ => dense,
        };
        Ok(sparse.into_iter().map(block).collect())
    }

    /// True for each layer with experts.
    fn sparse_layers(&self, layers: u32) -> Result<Vec<bool>, Problem> {
        let listed = self.sparse(layers)?;
        if !listed.is_empty() {
            return Ok(listed);
        }
        Ok(if self.is(&["llama4"]) {
            let step = self.config.positive(&["interleave_moe_layer_step"]).unwrap_or(1);
            (0..layers).map(|layer| (layer + 1).is_multiple_of(step)).collect()
        } else if self.is(&["longcat_flash"]) {
            (0..layers).map(|layer| layer % 2 == 0).collect()
        } else {
            let first = self.first_dense(layers);
            (0..layers).map(|layer| layer >= first).collect()
        })
    }
}
