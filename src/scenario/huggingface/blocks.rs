//! Layers from neural architecture search, each with its own shape (`block_configs` of Llama-Nemotron, arXiv 2505.00949).

use super::Import;
use super::config::{Config, problem};
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{FeedForward, Heads, Mixer, Seen};
use crate::scenario::Problem;

/// Feed-forward widths are rounded up to a multiple of this number (`_ffn_mult_to_intermediate_size` in the checkpoints'
/// modeling_decilm.py).
const MULTIPLE: u32 = 256;

/// Mixer and feed-forward block of a layer.
pub(super) type Block = (Mixer, FeedForward);

impl Import<'_> {
    /// The layers, if the file describes each one separately.
    pub(super) fn searched(
        &self,
        flat: &Architecture,
        attention: Mixer,
    ) -> Result<Option<Vec<Block>>, Problem> {
        let Some(blocks) = self.config.each_inside("block_configs") else { return Ok(None) };
        let blocks = Config::each_layer("block_configs", blocks, flat.layers)?;
        let of = |block: Config<'_>| {
            let mixer = match block.inside("attention") {
                Some(part) => searched_attention(&part, attention)?,
                None => attention,
            };
            let ffn = match block.inside("ffn") {
                Some(part) => searched_ffn(&part, flat.hidden)?,
                None => FeedForward::Dense(self.dense_width(flat.hidden)),
            };
            Ok((mixer, ffn))
        };
        blocks.into_iter().map(of).collect::<Result<Vec<_>, _>>().map(Some)
    }
}

/// The attention of a layer; `attention` is that of layers that state nothing else.
fn searched_attention(part: &Config<'_>, attention: Mixer) -> Result<Mixer, Problem> {
    part.implied(&["unshifted_sink", "use_prefill_window_in_sink_attention"]);
    linear(part)?;
    let group = part.positive(&["n_heads_in_group"]);
    let window = part.positive(&["window_length"]);
    if part.flag("no_op") == Some(true) {
        return Ok(Mixer::None);
    }
    let Mixer::Attention(heads) = attention else { return Ok(attention) };
    let kv_heads = group.map_or(heads.kv_heads, |group| (heads.heads / group).max(1));
    let seen = window.map_or(heads.seen, Seen::Window);
    Ok(Mixer::Attention(Heads { kv_heads, seen, ..heads }))
}

/// The feed-forward block of a layer.
fn searched_ffn(part: &Config<'_>, hidden: u32) -> Result<FeedForward, Problem> {
    linear(part)?;
    let factor = part.factor("ffn_mult");
    let width = part.positive(&["intermediate_size"]);
    if part.flag("no_op") == Some(true) {
        return Ok(FeedForward::None);
    }
    let rounded = |factor: f64| {
        let width = (2.0 * factor * f64::from(hidden) / 3.0) as u32;
        width.div_ceil(MULTIPLE).saturating_mul(MULTIPLE)
    };
    let missing = || problem("block_configs.ffn.ffn_mult", "is missing: a number above zero");
    width.or(factor.map(rounded)).filter(|width| *width > 0).map(FeedForward::Dense).ok_or_else(missing)
}

/// Refuses a block that is replaced by a single matrix.
fn linear(part: &Config<'_>) -> Result<(), Problem> {
    part.implied(&["num_sink_tokens", "sparsify"]);
    if part.flag("replace_with_linear") == Some(true) {
        return Err(problem(
            "block_configs",
            "has blocks that are replaced by a single matrix, which are not modelled",
        ));
    }
    Ok(())
}
