//! A vision transformer (ViT) of plain blocks, from the numbers that the files of all encoders give; each kind adds its own.

use super::config::Config;
use crate::catalog::architecture::Norm;
use crate::catalog::layers::{Images, Projector, Vision};

/// Names of layers, width, heads and inner width.
type Names = [&'static str; 4];

/// Names in most files.
pub(super) const COMMON: Names =
    ["num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size"];

/// An encoder of plain blocks with these numbers, over patches of `patch` pixels.
pub(super) fn plain(
    config: &Config<'_>,
    names: Names,
    patch: u32,
    images: Images,
    projector: Projector,
) -> Option<Vision> {
    let [layers, width, heads, ffn] = names.map(|name| config.positive(&[name]));
    let (width, heads) = (width?, heads?);
    Some(Vision {
        layers: layers?,
        width,
        heads,
        head_dim: config.positive(&["head_dim"]).unwrap_or(width / heads),
        ffn: ffn?,
        gated: false,
        bias: true,
        norm: Norm::Layernorm,
        norms: 2,
        patch,
        frames: config.positive(&["temporal_patch_size"]).unwrap_or(1),
        positions: 0,
        windows: None,
        images,
        projector,
        extra: 0,
    })
}

/// Side of a token's square, patches.
pub(super) fn merge(config: &Config<'_>) -> u32 {
    config.positive(&["spatial_merge_size"]).unwrap_or(2)
}
