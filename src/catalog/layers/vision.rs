//! Vision encoders: transformers over the patches of an image, whose outputs take the place of prompt tokens.

use serde::{Deserialize, Serialize};

use super::{
    Biases, BlockNames, Blocks, Cut, EncodedImage, Images, Matrix, Norm, Pixels, Projector, is_default,
    is_one, is_two, one, two,
};
use crate::units::Flops;

/// The vision encoder of a multimodal model (a vision transformer: Dosovitskiy et al., arXiv 2010.11929), with its projector.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vision {
    /// Layers.
    pub layers: u32,
    /// Width of a patch between layers.
    pub width: u32,
    /// Attention heads, each with keys and values of its own.
    pub heads: u32,
    /// Width of one head.
    pub head_dim: u32,
    /// Inner width of the feed-forward block.
    pub ffn: u32,
    /// True if the feed-forward block is gated.
    #[serde(default, skip_serializing_if = "is_default")]
    pub gated: bool,
    /// True if projections have biases.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bias: bool,
    /// Kind of norm.
    #[serde(default)]
    pub norm: Norm,
    /// Norms of a layer.
    #[serde(default = "two", skip_serializing_if = "is_two")]
    pub norms: u32,
    /// Side of a patch, pixels.
    pub patch: u32,
    /// Frames of a video that form one patch; an image is taken that many times.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub frames: u32,
    /// Rows of the learned position tables; 0 with rotary positions alone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub positions: u32,
    /// Layers that see only a window of an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub windows: Option<Windows>,
    /// How images become patches and tokens.
    pub images: Images,
    /// What follows the encoder.
    pub projector: Projector,
    /// Elements outside of layers and projector: biases of the patch embedding, class embeddings, first and last norms.
    #[serde(default, skip_serializing_if = "is_default")]
    pub extra: u64,
}

/// Attention inside of windows (Qwen2.5-VL, arXiv 2502.13923, section 2.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Windows {
    /// Patches of a window.
    pub patches: u32,
    /// Layers that see the whole image nevertheless.
    pub full: u32,
}

/// Labels of the vision encoder's operators.
const NAMES: &BlockNames = &BlockNames {
    qkv: "Vision QKV projection",
    attention: "Vision attention",
    output: "Vision attention output",
    up: "Vision MLP up",
    activation: "Vision activation",
    down: "Vision MLP down",
    norms: "Vision norms",
    all_reduce: "Vision all-reduce",
    projector: "Vision projector",
};

impl Vision {
    /// Patches and tokens of an image.
    pub fn encoded_image(&self, image: Pixels) -> EncodedImage {
        self.images.encoded_image(self.patch, image)
    }

    /// The layers of the encoder.
    pub const fn blocks(&self) -> Blocks {
        Blocks {
            layers: self.layers,
            width: self.width,
            heads: self.heads,
            head_dim: self.head_dim,
            ffn: self.ffn,
            gated: self.gated,
            bias: if self.bias { Biases::All } else { Biases::None },
            norm: self.norm,
            norms: self.norms,
            kernel: None,
            names: NAMES,
        }
    }

    /// Elements that form one token: those of a square of patches.
    pub fn merged(&self) -> u64 {
        let merge = u64::from(self.images.merge());
        u64::from(self.width) * merge * merge
    }

    /// The matrix of the patch embedding: pixels of three colours in all frames of a patch, by the width.
    pub fn embedding(&self) -> Matrix {
        let pixels = 3 * u64::from(self.frames) * u64::from(self.patch) * u64::from(self.patch);
        Matrix::new("Patch embedding", pixels, u64::from(self.width), Cut::Whole)
    }

    /// The matrices of one copy of the projector, by which each token is multiplied.
    pub fn projections(&self, hidden: u32) -> impl Iterator<Item = Matrix> + use<> {
        self.projector.matrices(NAMES.projector, u64::from(self.width), self.merged(), u64::from(hidden))
    }

    /// Parameters of the encoder and its projector into a model of this hidden width: 3 f p² w + positions · w, and per layer
    /// 4 a w + (2 or 3) w · ffn with norms and biases, for patches of p pixels and f frames, and heads of width a together.
    pub fn parameters(&self, hidden: u32) -> u64 {
        let (width, blocks) = (u64::from(self.width), self.blocks());
        let copies = u64::from(self.projector.copies());
        let projector: u64 = self.projections(hidden).map(|matrix| matrix.elements()).sum();
        let kinds = (blocks.norm_vectors(), self.bias);
        self.embedding().elements()
            + u64::from(self.positions) * width
            + blocks.parameters()
            + copies * projector
            + self.projector.vectors(width, self.merged(), u64::from(hidden), kinds)
            + self.extra
    }

    /// Layers that see the whole image (or tile), and those that see windows of it.
    pub fn spans(&self) -> (u32, u32) {
        let full = self.windows.map_or(self.layers, |windows| windows.full.min(self.layers));
        (full, self.layers - full)
    }

    /// Floating-point operations of one image: two per multiply-add of matrices and patches or tokens, and 4 · a per pair of
    /// patches that see each other.
    pub fn flops(&self, grid: EncodedImage, hidden: u32) -> Flops {
        let elements = |matrix: Matrix| matrix.elements() as f64;
        let (full, windowed) = self.spans();
        let patches = f64::from(grid.patches);
        let seen = self.windows.map_or(patches, |windows| f64::from(windows.patches).min(patches));
        let keys = f64::from(full) * patches + f64::from(windowed) * seen;
        let blocks = self.blocks();
        let per_patch = elements(self.embedding()) + f64::from(self.layers) * blocks.elements() as f64;
        let attention = 4.0 * blocks.attention_width() as f64 * keys;
        let projector: f64 = self.projections(hidden).map(elements).sum();
        let per_token = f64::from(self.projector.copies()) * projector;
        Flops::new(grid.all() * (2.0 * per_patch + attention) + f64::from(grid.tokens) * 2.0 * per_token)
    }

    /// The smallest and the largest of the numbers that must be above zero, for bounds.
    pub fn number_range(&self) -> (u32, u32) {
        let windows = self.windows.map_or(1, |windows| windows.patches);
        let own = [
            self.layers,
            self.width,
            self.heads,
            self.head_dim,
            self.ffn,
            self.patch,
            self.frames,
            windows,
            self.projector.inner().unwrap_or(1),
        ];
        let (least, most) = self.images.number_range();
        own.into_iter().fold((least, most), |(low, high), number| (low.min(number), high.max(number)))
    }
}
