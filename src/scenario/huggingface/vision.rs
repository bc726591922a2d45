//! The vision encoder of a `config.json`: `vision_config` of the types whose blocks are known.

use super::Import;
use super::config::Config;
use super::glm_vision::glm;
use super::intern_vit::intern_vit;
use super::vit::{COMMON, merge, plain};
use crate::catalog::architecture::Norm;
use crate::catalog::layers::{Images, Projector, Vision, Windows};
use crate::scenario::bounds;

/// The key of the encoder's object.
const KEY: &str = "vision_config";

/// Most tokens of an image in the published preprocessor settings of Qwen (12,845,056 pixels at 28² px a token; 16,777,216 at
/// 32²).
const QWEN_TOKENS: u32 = 16_384;

/// Most tokens of an image of Kimi K2.5: 16,384 patches (transformers 5.23.0, `image_processing_kimi_k25.py`).
const MOONVIT_TOKENS: u32 = 4096;

/// Most tokens of an image of Kimi-VL: `in_token_limit` of 4,096 patches in its `image_processing_kimi_vl.py`.
const KIMI_VL_TOKENS: u32 = 1024;

/// Settings of all encoders that affect neither time nor memory, or follow from others.
const SETTINGS: &[&str] = &[
    "activation_func",
    "default_output_length",
    "global_head_dim",
    "hidden_activation",
    "hidden_act",
    "image_size",
    "in_channels",
    "in_chans",
    "init_pos_emb_time",
    "initializer_factor",
    "max_position_embeddings",
    "merge_type",
    "mlp_type",
    "mm_hidden_size",
    "mm_projector_type",
    "multi_modal_projector_bias",
    "norm_type",
    "num_channels",
    "num_key_value_heads",
    "out_hidden_size",
    "pos_emb_interpolation_mode",
    "pos_emb_time",
    "pos_emb_type",
    "position_embedding_type",
    "projection_dim",
    "projector_dropout",
    "projector_hidden_act",
    "projector_ln_eps",
    "projector_output_dim",
    "rope_mode",
    "rope_parameters",
    "rope_theta",
    "spatial_patch_size",
    "standardize",
    "text_hidden_size",
    "tokens_per_second",
    "use_clipped_linears",
    "vision_feature_layer",
    "vision_feature_select_strategy",
    "vision_output_dim",
    "vision_segment_max_frames",
    "vision_use_head",
    "vocab_size",
];

impl Import<'_> {
    /// The vision encoder before this model; `None` without one, and where its kind is not known.
    pub(super) fn vision(&self, hidden: u32) -> Option<Vision> {
        let holder = self.levels.iter().chain([self.config]).find(|level| level.has(KEY))?;
        let kind = kind(self.levels.first().unwrap_or(self.config).text("model_type").unwrap_or_default())?;
        let config = holder.inside(KEY)?;
        config.implied(SETTINGS);
        let soft = self.levels.iter().find_map(|level| level.number(&["mm_tokens_per_image"]));
        let most = self.levels.iter().find_map(|level| level.number(&["vision_soft_tokens_per_image"]));
        let side = self.levels.iter().find_map(|level| level.positive(&["spatial_merge_size"]));
        let vision = match kind {
            Kind::Qwen2 => qwen2(&config),
            Kind::Qwen25 => qwen25(&config),
            Kind::Qwen3 => qwen3(&config),
            Kind::MoonVit => moonvit(&config, MOONVIT_TOKENS),
            Kind::KimiVl => moonvit(&config, KIMI_VL_TOKENS),
            Kind::Gemma3 => gemma3(&config, soft.unwrap_or(256)),
            Kind::Gemma4 => gemma4(&config, most.unwrap_or(280)),
            Kind::Llama4 => llama4(&config),
            Kind::Pixtral => pixtral(&config, side.unwrap_or(2), Projector::Narrowed),
            Kind::Llava => llava(&config, self.levels),
            Kind::InternVit => intern_vit(&config, self.levels),
            Kind::Glm => glm(&config, hidden),
            Kind::MiniMax => minimax(&config),
        };
        vision.filter(|vision| bounds::vision(vision).is_empty())
    }
}

/// Encoders whose blocks and projectors are known.
#[derive(Clone, Copy)]
enum Kind {
    Qwen2,
    Qwen25,
    Qwen3,
    MoonVit,
    KimiVl,
    Gemma3,
    Gemma4,
    Llama4,
    Pixtral,
    Llava,
    InternVit,
    Glm,
    MiniMax,
}

/// The encoder of a type of file.
fn kind(model_type: &str) -> Option<Kind> {
    Some(match model_type {
        "qwen2_vl" => Kind::Qwen2,
        "qwen2_5_vl" | "qwen2_5_omni" | "qwen2_5_omni_thinker" => Kind::Qwen25,
        "qwen3_vl"
        | "qwen3_vl_moe"
        | "qwen3_5"
        | "qwen3_5_moe"
        | "qwen3_omni_moe"
        | "qwen3_omni_moe_thinker" => Kind::Qwen3,
        "kimi_vl" => Kind::KimiVl,
        "kimi_k25" | "kimi_k3" => Kind::MoonVit,
        "gemma3" => Kind::Gemma3,
        "gemma4" => Kind::Gemma4,
        "llama4" => Kind::Llama4,
        "mistral3" => Kind::Pixtral,
        "llava" => Kind::Llava,
        "internvl" | "internvl_chat" => Kind::InternVit,
        "glm4v" | "glm4v_moe" | "glm46v" => Kind::Glm,
        "minimax_m3_vl" => Kind::MiniMax,
        _ => return None,
    })
}

/// Side of a patch, pixels.
fn patch(config: &Config<'_>) -> Option<u32> {
    config.positive(&["patch_size"])
}

/// Qwen2-VL (arXiv 2409.12191): `hidden_size` is the language model's.
fn qwen2(config: &Config<'_>) -> Option<Vision> {
    let images = Images::Rounded { merge: merge(config), least: 4, most: QWEN_TOKENS };
    let width = config.positive(&["embed_dim"])?;
    let ratio = config.positive(&["mlp_ratio"]).unwrap_or(4);
    config.implied(&["hidden_size"]);
    let names = ["depth", "embed_dim", "num_heads", "embed_dim"];
    let vision = plain(config, names, patch(config)?, images, Projector::Merger { deepstack: 0 })?;
    Some(Vision { ffn: width.saturating_mul(ratio), ..vision })
}

/// Qwen2.5-VL (arXiv 2502.13923): gated blocks, windows in all but a few layers.
fn qwen25(config: &Config<'_>) -> Option<Vision> {
    let images = Images::Rounded { merge: merge(config), least: 4, most: QWEN_TOKENS };
    let names = ["depth", "hidden_size", "num_heads", "intermediate_size"];
    let vision = plain(config, names, patch(config)?, images, Projector::Merger { deepstack: 0 })?;
    config.implied(&["embed_dim"]);
    let side = config.positive(&["window_size"]).unwrap_or(112) / vision.patch.max(1);
    let full = config.numbers("fullatt_block_indexes").map_or(4, |layers| layers.len() as u32);
    let windows = Some(Windows { patches: side.saturating_mul(side), full });
    Some(Vision { gated: true, norm: Norm::Rmsnorm, windows, ..vision })
}

/// Qwen3-VL (arXiv 2511.21631) and Qwen3.5.
fn qwen3(config: &Config<'_>) -> Option<Vision> {
    let images = Images::Rounded { merge: merge(config), least: 64, most: QWEN_TOKENS };
    let deepstack = config.numbers("deepstack_visual_indexes").map_or(0, |layers| layers.len() as u32);
    let names = ["depth", "hidden_size", "num_heads", "intermediate_size"];
    let vision = plain(config, names, patch(config)?, images, Projector::Merger { deepstack })?;
    let positions = config.number(&["num_position_embeddings"]).unwrap_or(0);
    Some(Vision { positions, extra: vision.width.into(), ..vision })
}

/// `MoonViT` (arXiv 2504.07491) of Kimi-VL and K2.5, and that of K3, whose heads are wider together than a patch. Moonshot's own
/// files of K2.5 and K3 name its numbers otherwise than Kimi-VL's and transformers'.
fn moonvit(config: &Config<'_>, most: u32) -> Option<Vision> {
    let sides = config.numbers("merge_kernel_size");
    let merge = sides.map_or(Some(2), |sides| sides.first().copied())?;
    let images = Images::Padded { merge, most };
    let own = ["vt_num_hidden_layers", "vt_hidden_size", "vt_num_attention_heads", "vt_intermediate_size"];
    let names = if config.has("vt_hidden_size") { own } else { COMMON };
    let vision = plain(config, names, patch(config)?, images, Projector::Merger { deepstack: 0 })?;
    let rows = [["init_pos_emb_height", "pos_emb_height"], ["init_pos_emb_width", "pos_emb_width"]]
        .map(|names| config.number(&names).unwrap_or(64));
    let attention = config.positive(&["qkv_hidden_size"]).unwrap_or(vision.width);
    let bias = config.flag("attn_bias").unwrap_or(true) || config.flag("linear_bias").unwrap_or(true);
    let patch_bias = u64::from(config.flag("patch_embed_proj_bias").unwrap_or(true));
    let (norm, vectors) = match config.text("norm_type") {
        Some("rmsnorm") => (Norm::Rmsnorm, 1),
        _ => (Norm::Layernorm, 2),
    };
    Some(Vision {
        head_dim: attention / vision.heads,
        bias,
        norm,
        positions: rows[0].saturating_mul(rows[1]),
        extra: (patch_bias + vectors) * u64::from(vision.width),
        ..vision
    })
}

/// Gemma 3 (arXiv 2503.19786): `SigLIP` over images of one size.
fn gemma3(config: &Config<'_>, tokens: u32) -> Option<Vision> {
    let side = config.positive(&["image_size"])?;
    let patches = side / config.positive(&["patch_size"])?;
    // A square of patches becomes a token.
    let pool = patches / libm::sqrt(f64::from(tokens.max(1))) as u32;
    let vision = plain(config, COMMON, patch(config)?, Images::Square { pool, side }, Projector::Pooled)?;
    Some(Vision { positions: patches.saturating_mul(patches), extra: 3 * u64::from(vision.width), ..vision })
}

/// Gemma 4: gated blocks with four norms, two position tables.
fn gemma4(config: &Config<'_>, most: u32) -> Option<Vision> {
    let pool = config.positive(&["pooling_kernel_size"]).unwrap_or(3);
    let positions = config.number(&["position_embedding_size"]).unwrap_or(0).saturating_mul(2);
    let bias = config.flag("attention_bias").unwrap_or(false);
    let vision = plain(config, COMMON, patch(config)?, Images::Scaled { pool, most }, Projector::Pooled)?;
    Some(Vision { gated: true, bias, norm: Norm::Rmsnorm, norms: 4, positions, ..vision })
}

/// Llama 4: tiles, of which at most 16 by the published preprocessor settings.
fn llama4(config: &Config<'_>) -> Option<Vision> {
    let side = config.positive(&["image_size"])?;
    let ratio = config.factor("pixel_shuffle_ratio").unwrap_or(0.5);
    let merge = libm::round((1.0 / ratio).clamp(1.0, 64.0)) as u32;
    let inner = config.positive(&["projector_input_dim"]).unwrap_or(4096);
    let images = Images::Tiled { merge, side, most: 16 };
    let vision = plain(config, COMMON, patch(config)?, images, Projector::Shuffled { inner })?;
    let patches = side / vision.patch;
    // The class embedding has a position too; it, and norms at both ends, are outside of the layers.
    let positions = patches.saturating_mul(patches).saturating_add(1);
    Some(Vision { positions, extra: 5 * u64::from(vision.width), ..vision })
}

/// Pixtral (arXiv 2410.07073): gated blocks without biases, and in Mistral 3 squares of patches merged.
fn pixtral(config: &Config<'_>, merge: u32, projector: Projector) -> Option<Vision> {
    let longest = config.positive(&["image_size"]).unwrap_or(1540);
    let images = Images::Bounded { merge, longest };
    let vision = plain(config, COMMON, patch(config)?, images, projector)?;
    Some(Vision { gated: true, bias: false, norm: Norm::Rmsnorm, extra: vision.width.into(), ..vision })
}

/// Pixtral 12B in the format of LLaVA: a patch is a token. Other encoders of LLaVA are not known.
fn llava(config: &Config<'_>, levels: &[Config<'_>]) -> Option<Vision> {
    let bias = levels.iter().find_map(|level| level.flag("multimodal_projector_bias")).unwrap_or(true);
    let known = bias && config.text("model_type") == Some("pixtral");
    known.then(|| pixtral(config, 1, Projector::Paired)).flatten()
}

/// `MiniMax` M3.
fn minimax(config: &Config<'_>) -> Option<Vision> {
    let merging = config.inside("img_token_compression_config")?;
    merging.implied(&["image_token_compression_method"]);
    let merge = merge(&merging);
    let frames = merging.positive(&["temporal_patch_size"]).unwrap_or(2);
    let patch = config.positive(&["patch_size"])?;
    let tokens = config.positive(&["image_size"])? / patch.saturating_mul(merge);
    let images = Images::Rounded { merge, least: 4, most: tokens.saturating_mul(tokens) };
    let vision = plain(config, COMMON, patch, images, Projector::Deep)?;
    Some(Vision { frames, ..vision })
}
