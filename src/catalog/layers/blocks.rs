//! Equal layers of an encoder of images or audio: attention without a cache and a feed-forward block.

use serde::{Deserialize, Serialize};

use super::{Cut, Matrix, Norm};

/// The layers of an encoder: transformers (Dosovitskiy et al., arXiv 2010.11929; Radford et al., arXiv 2212.04356), or
/// conformers (Gulati et al., arXiv 2005.08100).
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// Layers.
    pub layers: u32,
    /// Width of a position between layers.
    pub width: u32,
    /// Attention heads, each with keys and values of its own.
    pub heads: u32,
    /// Width of one head.
    pub head_dim: u32,
    /// Inner width of the feed-forward block.
    pub ffn: u32,
    /// True if the feed-forward block is gated.
    pub gated: bool,
    /// Projections with biases.
    pub bias: Biases,
    /// Kind of norm.
    pub norm: Norm,
    /// Norms of a layer.
    pub norms: u32,
    /// Kernel of the convolution of a conformer, which has two feed-forward blocks; `None` for a transformer.
    pub kernel: Option<u32>,
    /// Labels of its operators.
    pub names: &'static BlockNames,
}

/// Projections of a layer that have biases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Biases {
    /// No projection.
    #[default]
    None,
    /// Every projection but that of the keys (Whisper).
    AllButKeys,
    /// Every projection.
    All,
}

/// Labels that the operators of an encoder have in tables.
#[derive(Debug)]
pub struct BlockNames {
    /// Projections of queries, keys and values.
    pub qkv: &'static str,
    /// Attention.
    pub attention: &'static str,
    /// Projection of the attention's output.
    pub output: &'static str,
    /// First matrices of the feed-forward block.
    pub up: &'static str,
    /// Activation function.
    pub activation: &'static str,
    /// Last matrix of the feed-forward block.
    pub down: &'static str,
    /// Norms and residuals.
    pub norms: &'static str,
    /// Sums over a tensor group.
    pub all_reduce: &'static str,
    /// Matrices between encoder and language model.
    pub projector: &'static str,
}

/// Label of a conformer's convolution and the matrices around it.
pub const CONFORMER: &str = "Audio conformer convolution";

impl Blocks {
    /// Width of all heads.
    pub fn attention_width(&self) -> u64 {
        u64::from(self.heads) * u64::from(self.head_dim)
    }

    /// Matrices of the feed-forward block that take its input.
    pub const fn gates(&self) -> u64 {
        if self.gated { 2 } else { 1 }
    }

    /// Feed-forward blocks of a layer.
    pub const fn feed_forwards(&self) -> u32 {
        if self.kernel.is_some() { 2 } else { 1 }
    }

    /// The matrices of a layer, by which each position is multiplied, and how many of each there are.
    pub fn matrices(&self) -> impl Iterator<Item = (Matrix, u32)> + use<> {
        let (width, ffn, attention) = (u64::from(self.width), u64::from(self.ffn), self.attention_width());
        let (names, convolutions) = (self.names, u32::from(self.kernel.is_some()));
        let all = [
            (Matrix::new(names.qkv, width, 3 * attention, Cut::Columns(self.heads)), 1),
            (Matrix::new(names.output, attention, width, Cut::Rows), 1),
            (Matrix::new(names.up, width, self.gates() * ffn, Cut::Columns(self.ffn)), self.feed_forwards()),
            (Matrix::new(names.down, ffn, width, Cut::Rows), self.feed_forwards()),
            (Matrix::new(CONFORMER, width, 2 * width, Cut::Columns(self.width)), convolutions),
            (Matrix::new(CONFORMER, width, width, Cut::Rows), convolutions),
        ];
        all.into_iter().filter(|(_, count)| *count > 0)
    }

    /// Elements of a layer's matrices.
    pub fn elements(&self) -> u64 {
        self.matrices().map(|(matrix, count)| matrix.elements() * u64::from(count)).sum()
    }

    /// Vectors of a norm: scale, and with layer norm shift.
    pub const fn norm_vectors(&self) -> u64 {
        if matches!(self.norm, Norm::Layernorm) { 2 } else { 1 }
    }

    /// Elements of norms, biases and convolutions of a layer. A conformer also has a projection of relative positions, whose product
    /// is the same for all audio and takes no time, and a scale per element of a head (Gemma 3n and 4; transformers,
    /// `modeling_gemma4.py`).
    fn vectors(&self) -> u64 {
        let (width, attention) = (u64::from(self.width), self.attention_width());
        let feed_forward = (self.gates() * u64::from(self.ffn) + width) * u64::from(self.feed_forwards());
        let biases = match self.bias {
            Biases::None => 0,
            Biases::AllButKeys => 2 * attention + width + feed_forward,
            Biases::All => 3 * attention + width + feed_forward,
        };
        let conformer = self
            .kernel
            .map_or(0, |kernel| u64::from(kernel) * width + width * attention + u64::from(self.head_dim));
        u64::from(self.norms) * self.norm_vectors() * width + biases + conformer
    }

    /// Parameters of all layers: 4 a w + (2 or 3) w · ffn each with norms and biases, for a width w and heads of width a
    /// together; a conformer has w · ffn twice and 3 w² around its convolution.
    pub fn parameters(&self) -> u64 {
        u64::from(self.layers) * (self.elements() + self.vectors())
    }

    /// Sums over a tensor group in a layer.
    pub const fn sums(&self) -> f64 {
        if self.kernel.is_some() { 4.0 } else { 2.0 }
    }
}
