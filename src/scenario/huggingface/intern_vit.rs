//! `InternViT` of a `config.json` of InternVL, in its own format and in that of transformers.

use super::config::Config;
use super::vit::{COMMON, plain};
use crate::catalog::architecture::Norm;
use crate::catalog::layers::{Images, Projector, Vision};

/// Side of a token's square, patches, without `downsample_ratio` (a half).
const MERGE: u32 = 2;

/// Most tiles of an image without `max_dynamic_patch`, which files of transformers do not state (`max_patches` of its
/// `image_processing_got_ocr2.py`).
const MOST_TILES: u32 = 12;

/// Settings of the encoder that affect neither time nor memory.
const SETTINGS: &[&str] = &[
    "drop_path_rate",
    "dropout",
    "hidden_dropout_prob",
    "layer_scale_init_value",
    "output_attentions",
    "output_hidden_states",
    "return_dict",
    "use_bfloat16",
    "use_flash_attn",
    "use_absolute_position_embeddings",
];

/// Settings of experts, which no published encoder has; files of InternVL 2.5 and 3 state them beside `use_moe` false.
const EXPERTS: &[&str] = &[
    "capacity_factor",
    "eval_capacity_factor",
    "laux_allreduce",
    "moe_coeff_ratio",
    "moe_intermediate_size",
    "moe_output_scale",
    "noisy_gate_policy",
    "num_experts",
    "num_routed_experts",
    "num_shared_experts",
    "shared_expert_intermediate_size",
    "use_residual",
    "use_rts",
    "use_weighted_residual",
];

/// The encoder (arXiv 2404.16821; transformers 5.23.0, `modeling_internvl.py`). `levels` are the objects around the language
/// model's.
///
/// Layers with two scales each, an embedding of the class and absolute positions. Files say apart whether queries, keys and values
/// have biases; the other projections always have.
pub(super) fn intern_vit(config: &Config<'_>, levels: &[Config<'_>]) -> Option<Vision> {
    let outer = |name| levels.iter().find_map(|level| level.number(&[name]));
    let flag = |name| levels.iter().find_map(|level| level.flag(name));
    if config.flag("use_moe") == Some(true) || config.flag("use_absolute_position_embeddings") == Some(false)
    {
        return None;
    }
    config.implied(EXPERTS);
    config.implied(SETTINGS);
    let (side, patch) = (square(config, "image_size")?, square(config, "patch_size")?);
    let ratio = levels.iter().find_map(|level| level.factor("downsample_ratio"));
    let merge = ratio.map_or(MERGE, |ratio| libm::round((1.0 / ratio).clamp(1.0, 64.0)) as u32);
    let whole = flag("dynamic_image_size") == Some(false);
    // One tile has no thumbnail; several without it, or at least several, are no published model's.
    if !whole
        && (flag("use_thumbnail") == Some(false)
            || outer("min_dynamic_patch").is_some_and(|least| least != 1))
    {
        return None;
    }
    let images = if whole {
        Images::Square { pool: merge, side }
    } else {
        Images::NearestAspectRatio { merge, side, most: outer("max_dynamic_patch").unwrap_or(MOST_TILES) }
    };
    let vision = plain(config, COMMON, patch, images, Projector::Normed)?;
    let bias = config.switch(&["qkv_bias", "attention_bias"]).unwrap_or(false);
    let norms = config.switch(&["qk_normalization", "use_qk_norm"]).unwrap_or(false);
    let norm = match config.text("norm_type") {
        Some("rms_norm") => Norm::Rmsnorm,
        _ => Norm::Layernorm,
    };
    let (width, ffn) = (u64::from(vision.width), u64::from(vision.ffn));
    let others = if bias { 0 } else { 2 * width + ffn };
    let layer = 2 * width + if norms { 2 * width } else { 0 } + others;
    let mask = u64::from(config.flag("use_mask_token") == Some(true));
    let last = if config.flag("use_mean_pooling") == Some(false) { 2 } else { 0 };
    let patches = side / patch;
    Some(Vision {
        bias,
        norm,
        positions: patches.saturating_mul(patches).saturating_add(1),
        extra: u64::from(vision.layers) * layer + (2 + mask + last) * width,
        ..vision
    })
}

/// A length that is given once, or as a list of two equal ones.
fn square(config: &Config<'_>, name: &'static str) -> Option<u32> {
    let Some(sides) = config.numbers(name) else { return config.positive(&[name]) };
    let [width, height] = sides[..] else { return None };
    (width == height && width > 0).then_some(width)
}
