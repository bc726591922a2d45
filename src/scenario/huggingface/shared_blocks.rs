//! Zamba2 (arXiv 2411.15242): Mamba-2 layers, some of which are preceded by one of a few transformer blocks in turn.
//!
//! Shapes are those of huggingface/transformers, `models/zamba2/configuration_zamba2.py`, and vllm-project/vllm@0527cbc,
//! `model_executor/models/zamba2.py`.

use super::Import;
use super::config::problem;
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{FeedForward, Heads, Layer, Mamba2, Mixer};
use crate::scenario::Problem;

/// Rank of the adapters of the shared blocks if the file has none (`adapter_rank`).
const RANK: u32 = 128;

impl Import<'_> {
    /// The layers of Zamba2. Each use of a shared block counts as a layer. Adapters of each use, and the matrices that join a
    /// block to the layers after it beyond one per block, count as parameters outside of the layers.
    pub(super) fn zamba2(&self, architecture: &mut Architecture) -> Result<Vec<Layer>, Problem> {
        let config = self.config;
        let (layers, hidden) = (architecture.layers, architecture.hidden);
        let uses = self.uses(layers)?;
        let blocks = config.positive(&["num_mem_blocks"]).unwrap_or(1).min(uses);
        let heads = architecture.heads;
        let width = config.positive(&["attention_hidden_size"]).unwrap_or_else(|| hidden.saturating_mul(2));
        let head_dim = config.positive(&["attention_head_dim"]).unwrap_or_else(|| (width / heads).max(1));
        let ffn = config.required(&["intermediate_size", "ffn_hidden_size"])?;
        let mamba = self.zamba2_mamba(hidden)?;
        architecture.rotary = config.flag("use_mem_rope") == Some(true);
        let joins =
            u64::from(hidden).saturating_mul(u64::from(hidden)).saturating_mul(u64::from(uses - blocks));
        let outside = self.adapters(hidden, width, ffn).saturating_mul(u64::from(uses)).saturating_add(joins);
        architecture.extra = outside;
        architecture.layers = layers.saturating_add(uses);
        config.implied(&["kv_channels", "num_query_groups", "hybrid_layer_ids", "layers_block_type"]);
        let shared =
            Heads { heads, kv_heads: architecture.kv_heads, head_dim, wide: true, ..Heads::default() };
        let plain = Layer {
            count: layers,
            copies: None,
            mixer: mamba,
            beside: Mixer::None,
            ffn: FeedForward::None,
            norms: 1,
            extra: 0,
        };
        // One norm of twice the hidden width, and one before the feed-forward block.
        let block = Layer {
            count: uses,
            copies: Some(blocks),
            mixer: Mixer::Attention(shared),
            ffn: FeedForward::Dense(ffn),
            norms: 3,
            ..plain
        };
        Ok(vec![plain, block])
    }

    /// Number of layers that are preceded by a shared block.
    fn uses(&self, layers: u32) -> Result<u32, Problem> {
        let places = self.config.numbers("hybrid_layer_ids").map(|places| places.len());
        let named = |kinds: Vec<&str>| kinds.into_iter().filter(|kind| *kind == "hybrid").count();
        let uses = places.or_else(|| self.config.words("layers_block_type").map(named));
        let uses = uses.and_then(|uses| u32::try_from(uses).ok()).filter(|uses| (1..=layers).contains(uses));
        uses.ok_or_else(|| problem("hybrid_layer_ids", "must list the layers with a shared block"))
    }

    fn zamba2_mamba(&self, hidden: u32) -> Result<Mixer, Problem> {
        let config = self.config;
        let heads = config.required(&["n_mamba_heads"])?;
        let inner = config.positive(&["mamba_expand"]).unwrap_or(2).saturating_mul(hidden);
        config.implied(&["state_size", "conv_kernel"]);
        Ok(Mixer::Mamba2(Mamba2 {
            heads,
            head_dim: config.positive(&["mamba_headdim"]).unwrap_or_else(|| (inner / heads).max(1)),
            state: config.required(&["mamba_d_state"])?,
            groups: config.positive(&["mamba_ngroups"]).unwrap_or(1),
            conv: config.required(&["mamba_d_conv"])?,
            chunk: config.positive(&["chunk_size"]).unwrap_or(256),
            unnormed: false,
        }))
    }

    /// Parameters of the adapters (LoRA) of one use: of the feed-forward block's input projection and, if the file says so, of
    /// queries, keys and values.
    fn adapters(&self, hidden: u32, width: u32, ffn: u32) -> u64 {
        let config = self.config;
        let rank = u64::from(config.positive(&["adapter_rank", "lora_rank"]).unwrap_or(RANK));
        config.implied(&["use_shared_mlp_adapter", "use_shared_block_lora"]);
        let of = |input: u32, output: u32| rank.saturating_mul(u64::from(input) + u64::from(output));
        let attention = if config.flag("use_shared_attention_adapter") == Some(true) {
            of(width, width).saturating_mul(3)
        } else {
            0
        };
        attention.saturating_add(of(hidden, ffn.saturating_mul(2)))
    }
}
