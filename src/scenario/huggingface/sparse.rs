//! Sparse attention of a `config.json`: selection of keys by an indexer, and entries that compress several tokens.

use super::Import;
use super::attention::seeing;
use super::config::{Config, problem};
use super::mixers::{Mixers, alone};
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{Compressed, Indexer, Mixer, Seen};
use crate::scenario::Problem;

impl Import<'_> {
    /// The attention of each layer, if an indexer selects keys in all or some layers.
    pub(super) fn selected(&self, layers: u32, attention: Mixer) -> Result<Option<Vec<Mixer>>, Problem> {
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
            if sparse.flag("use_sparse_attention") == Some(false) {
                return Ok(None);
            }
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
        let types = match config.words("indexer_types") {
            Some(types) => Config::each_layer("indexer_types", types, layers)?,
            None => self.indexers(layers)?,
        };
        config.implied(&["index_topk_freq", "index_topk_pattern", "index_skip_topk_offset"]);
        Ok(Some(types.into_iter().map(|kind| if kind == "shared" { reused } else { own }).collect()))
    }

    /// The type of each layer: `full` with its own indexer, or `shared` with the selection of an earlier layer. It follows
    /// from a pattern of letters or from a period (transformers 5.23.0, configuration_glm_moe_dsa.py).
    pub(super) fn indexers(&self, layers: u32) -> Result<Vec<&'static str>, Problem> {
        let config = self.config;
        let word = |shared: bool| if shared { "shared" } else { "full" };
        if let Some(pattern) = config.text("index_topk_pattern") {
            let shared: Vec<&str> = pattern.chars().map(|letter| word(letter == 'S')).collect();
            return Config::each_layer("index_topk_pattern", shared, layers);
        }
        if config.has("index_topk_pattern") && config.get("index_topk_pattern").is_some() {
            return Err(problem("index_topk_pattern", "must be a string of the letters F and S"));
        }
        let every = config.positive(&["index_topk_freq"]).unwrap_or(1);
        let offset = config.number(&["index_skip_topk_offset"]).unwrap_or(2);
        let of = |layer: u32| word(!(layer + 1).saturating_sub(offset).is_multiple_of(every));
        Ok((0..layers).map(of).collect())
    }

    /// Compressed attention, with the number of tokens per entry of each layer (DeepSeek-V4).
    pub(super) fn compressed(&self, flat: &Architecture, ratios: Vec<u32>) -> Result<Vec<Mixers>, Problem> {
        let config = self.config;
        let ratios = Config::each_layer("compress_ratios", ratios, flat.layers)?;
        let indexer = Indexer {
            heads: config.required(&["index_n_heads"])?,
            dim: config.required(&["index_head_dim"])?,
            top_k: config.required(&["index_topk"])?,
            block: 1,
            weighted: false,
        };
        config.implied(&["hc_mult", "num_hash_layers", "qk_rope_head_dim"]);
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
            // Layers with entries of few tokens select some of them; with long entries, every entry is attended.
            let indexer = (ratio > 0 && ratio < 64).then_some(indexer);
            alone(Mixer::Compressed(Compressed { ratio, indexer, ..shape }))
        };
        Ok(ratios.into_iter().map(of).collect())
    }
}
