//! The kinds of layers that a model is a stack of: a mixer, which combines tokens, and a feed-forward block.
//!
//! Each kind is one file with the law of one kind: its matrices and how a tensor group cuts them, its vectors, and what
//! of a sequence it keeps. [`Mixer::law`] is the only match over kinds that counting needs. Counts were compared with
//! published ones (`tests` of [`super::parameters`]).

mod audio;
mod bias;
mod blocks;
mod clips;
mod compressed;
mod convolution;
mod experts;
mod gated_delta;
mod heads;
mod images;
mod kimi_delta;
mod latent;
mod law;
mod lightning;
mod mamba1;
mod mamba2;
mod matrix_lstm;
mod norm;
mod prediction;
mod projector;
mod recurrence;
mod rg_lru;
mod rwkv7;
mod seen;
mod subsampling;
mod vision;

use serde::{Deserialize, Serialize};

use super::skip::{is_default, is_one, is_two, one, two};
pub use audio::Audio;
pub use bias::Bias;
pub use blocks::{Biases, BlockNames, Blocks, CONFORMER};
pub use clips::{Clips, Track};
pub use compressed::Compressed;
pub use convolution::Convolution;
pub use experts::Moe;
pub use gated_delta::GatedDelta;
pub use heads::{Gate, HeadNorm, Heads, KeyValues};
pub use images::{EncodedImage, Images, Pixels};
pub use kimi_delta::KimiDelta;
pub use latent::{Latent, Mla};
pub use law::{Cut, Kept, Law, Matrix};
pub use lightning::Lightning;
pub use mamba1::Mamba1;
pub use mamba2::Mamba2;
pub use matrix_lstm::MatrixLstm;
pub use norm::Norm;
pub use prediction::Prediction;
pub use projector::Projector;
pub use recurrence::{Recurrence, RecurrenceKernel};
pub use rg_lru::RgLru;
pub use rwkv7::Rwkv7;
pub use seen::{Indexer, Seen};
pub use subsampling::Subsampling;
pub use vision::{Vision, Windows};

/// Equal layers of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// Number of layers like this.
    pub count: u32,
    /// Sets of weights among these layers, where several layers use the same weights in turn (Zamba2); `None` if each layer has
    /// its own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub copies: Option<u32>,
    /// The mixer, which lets tokens see one another.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mixer: Mixer,
    /// A second mixer that reads the same input, and whose output is added (Falcon-H1, arXiv 2507.22448).
    #[serde(default, skip_serializing_if = "is_default")]
    pub beside: Mixer,
    /// The feed-forward block, which transforms each token by itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ffn: FeedForward,
    /// Norms over the hidden width.
    #[serde(default = "two", skip_serializing_if = "is_two")]
    pub norms: u32,
    /// Parameters in addition to those of the layer kinds: gates of residual streams, scalars, projections of
    /// embeddings per layer. They take memory but no significant computation.
    #[serde(default, skip_serializing_if = "is_default")]
    pub extra: u64,
}

/// The mixer, which lets tokens see one another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mixer {
    /// No mixer: the layer is a feed-forward block alone (Nemotron-H).
    #[default]
    None,
    /// Softmax attention with keys and values of heads, each, grouped or shared by all.
    Attention(Heads),
    /// Softmax attention with keys and values from one latent (MLA).
    Latent(Latent),
    /// Softmax attention over a window and over compressed entries (DeepSeek-V4).
    Compressed(Compressed),
    /// Gated delta rule with one decay per head (Gated DeltaNet).
    GatedDelta(GatedDelta),
    /// Gated delta rule with a decay per channel (Kimi Delta Attention).
    KimiDelta(KimiDelta),
    /// Linear attention with a fixed decay (Lightning Attention).
    Lightning(Lightning),
    /// Selective state space, one decay per channel and state (Mamba).
    Mamba1(Mamba1),
    /// Selective state space, one decay per head (Mamba-2).
    Mamba2(Mamba2),
    /// Gated short convolution (LFM2).
    Convolution(Convolution),
    /// Diagonal-plus-rank-one recurrence (RWKV-7).
    Rwkv7(Rwkv7),
    /// LSTM with a matrix for its memory (xLSTM).
    MatrixLstm(MatrixLstm),
    /// Real-gated linear recurrent unit (Griffin).
    RgLru(RgLru),
}

/// The feed-forward block, which transforms each token by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedForward {
    /// No feed-forward block: the layer is a mixer alone (Nemotron-H).
    #[default]
    None,
    /// A multilayer perceptron of this inner width.
    Dense(u32),
    /// A mixture of experts.
    Experts(Moe),
}

impl Mixer {
    /// The law of this kind; a layer without a mixer has none.
    pub fn law(&self) -> Option<&dyn Law> {
        Some(match self {
            Self::None => return None,
            Self::Attention(kind) => kind,
            Self::Latent(kind) => kind,
            Self::Compressed(kind) => kind,
            Self::GatedDelta(kind) => kind,
            Self::KimiDelta(kind) => kind,
            Self::Lightning(kind) => kind,
            Self::Mamba1(kind) => kind,
            Self::Mamba2(kind) => kind,
            Self::Convolution(kind) => kind,
            Self::Rwkv7(kind) => kind,
            Self::MatrixLstm(kind) => kind,
            Self::RgLru(kind) => kind,
        })
    }

    /// Elements of its matrices.
    pub fn matrices(&self, hidden: u32) -> u64 {
        let mut sum = 0;
        if let Some(law) = self.law() {
            law.matrices(u64::from(hidden), &mut |matrix| sum += matrix.elements());
        }
        sum
    }

    /// Elements of everything else.
    pub fn vectors(&self, hidden: u32) -> u64 {
        self.law().map_or(0, |law| law.vectors(u64::from(hidden)))
    }

    /// Memory that it keeps of a sequence.
    pub fn kept(&self, hidden: u32) -> Kept {
        self.law().map_or_else(Kept::default, |law| law.kept(u64::from(hidden)))
    }

    /// Returns true if there is one.
    pub fn is_some(&self) -> bool {
        *self != Self::None
    }

    /// Returns true if it is softmax attention.
    pub const fn attends(&self) -> bool {
        matches!(self, Self::Attention(_) | Self::Latent(_) | Self::Compressed(_))
    }
}

impl Layer {
    /// Sets of weights that these layers have together.
    pub const fn weight_sets(&self) -> u32 {
        match self.copies {
            Some(copies) => copies,
            None => self.count,
        }
    }

    /// Sets of weights per layer: less than 1 where layers share them.
    pub fn weight_sets_per_layer(&self) -> f64 {
        self.copies.map_or(1.0, |copies| f64::from(copies) / f64::from(self.count.max(1)))
    }

    /// The mixers of the layer: two, one or none.
    pub fn mixers(&self) -> impl Iterator<Item = Mixer> + use<> {
        [self.mixer, self.beside].into_iter().filter(Mixer::is_some)
    }

    /// Elements of its mixers' matrices.
    pub fn mixer_matrices(&self, hidden: u32) -> u64 {
        self.mixers().map(|mixer| mixer.matrices(hidden)).sum()
    }

    /// The experts, if the layer has any.
    pub const fn experts(&self) -> Option<&Moe> {
        match &self.ffn {
            FeedForward::Experts(moe) => Some(moe),
            FeedForward::None | FeedForward::Dense(_) => None,
        }
    }
}

/// The smallest of the first numbers, and the largest of all.
fn number_range(needed: &[u32], optional: &[u32]) -> (u32, u32) {
    let least = needed.iter().min().copied().unwrap_or(1);
    (least, needed.iter().chain(optional).max().copied().unwrap_or(1))
}
