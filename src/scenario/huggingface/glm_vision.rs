//! The vision encoder of a `config.json` of GLM-4.1V, 4.5V and 4.6V.

use super::config::Config;
use super::vit::{merge, plain};
use crate::catalog::architecture::Norm;
use crate::catalog::layers::{Images, Projector, Vision};

/// Fewest and most tokens of an image: 112² and 9,633,792 pixels of two frames, at 28² px a token (transformers 5.23.0,
/// `smart_resize` in `image_processing_glm4v.py`).
const TOKENS: [u32; 2] = [8, 6144];

/// Side of the images for which the table of positions was made, px, and frames of a patch, where the file does not say
/// (`configuration_glm4v.py`).
const DEFAULTS: [u32; 2] = [336, 2];

/// The encoder (arXiv 2507.01006; transformers, `modeling_glm4v.py`) before a model of this hidden width.
///
/// Gated layers as wide inside as the language model: `intermediate_size` is the inner width of the projector's gated block. A
/// convolution over each token's patches precedes it. Only queries, keys and values may have biases.
pub(super) fn glm(config: &Config<'_>, hidden: u32) -> Option<Vision> {
    let inner = config.positive(&["out_hidden_size"]).filter(|inner| *inner == hidden)?;
    let projector = Projector::Gated { inner: config.positive(&["intermediate_size"])? };
    let [least, most] = TOKENS;
    let images = Images::Rounded { merge: merge(config), least, most };
    let names = ["depth", "hidden_size", "num_heads", "out_hidden_size"];
    let vision = plain(config, names, config.positive(&["patch_size"])?, images, projector)?;
    let side = config.positive(&["image_size"]).unwrap_or(DEFAULTS[0]) / vision.patch;
    let frames = config.positive(&["temporal_patch_size"]).unwrap_or(DEFAULTS[1]);
    let biases = if config.flag("attention_bias") == Some(true) { 3 * u64::from(vision.layers) } else { 0 };
    Some(Vision {
        ffn: inner,
        gated: true,
        bias: false,
        norm: Norm::Rmsnorm,
        frames,
        positions: side.saturating_mul(side),
        // The bias of the embedding and the norms at both ends.
        extra: (3 + biases) * u64::from(vision.width),
        ..vision
    })
}
