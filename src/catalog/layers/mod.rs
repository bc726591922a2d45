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

/// Side of a matrix that a tensor-parallel group shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Output features, in this number of indivisible units (heads, groups). If there are fewer units than GPUs, they
    /// are replicated.
    Columns(u32),
    /// Input features; results are summed.
    Rows,
    /// No sharding: every member needs the whole matrix.
    Whole,
}

/// A matrix of a mixer that all tokens are multiplied with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix {
    /// Label on the page.
    pub name: &'static str,
    /// Input features.
    pub rows: u64,
    /// Output features.
    pub columns: u64,
    /// The side that a tensor group cuts.
    pub cut: Cut,
}

impl Matrix {
    /// A matrix.
    pub(super) const fn new(name: &'static str, rows: u64, columns: u64, cut: Cut) -> Self {
        Self { name, rows, columns, cut }
    }

    /// Number of elements.
    pub const fn elements(&self) -> u64 {
        self.rows * self.columns
    }

    /// Input and output features of the part of the matrix on one GPU of a tensor-parallel group.
    pub fn part(&self, tensor: f64) -> (f64, f64) {
        let (rows, columns) = (self.rows as f64, self.columns as f64);
        match self.cut {
            Cut::Columns(units) => {
                let units = f64::from(units.max(1));
                (rows, columns / units * libm::ceil(units / tensor))
            }
            Cut::Rows => (rows / tensor, columns),
            Cut::Whole => (rows, columns),
        }
    }
}

/// Memory that a mixer keeps for a whole sequence, in elements unless stated otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kept {
    /// Per token: keys and values, a latent, or compressed entries.
    pub per_token: f64,
    /// Additional bytes per token: keys of an indexer, by which a sparse kind selects.
    pub index_bytes: f64,
    /// Tokens of which they are kept at most.
    pub span: Option<f64>,
    /// Per sequence, of 32 bits: a recurrent state.
    pub state: f64,
    /// Per sequence, of 16 bits: the last inputs of short convolutions, or tokens of a window.
    pub recent: f64,
}

impl Kept {
    /// Tokens that are kept of a sequence of this length.
    pub fn tokens(&self, length: f64) -> f64 {
        self.span.map_or(length, |span| length.min(span))
    }
}

/// The law of a kind of mixer.
pub trait Law {
    /// Shows every matrix, in the order in which they multiply, for this hidden width.
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix));

    /// Elements of everything else: norms, biases, convolutions, decays.
    fn vectors(&self, hidden: u64) -> u64;

    /// Memory that it keeps of a sequence.
    fn kept(&self, hidden: u64) -> Kept;

    /// Heads, or units like them, of which a tensor group's members have equal numbers.
    fn heads(&self) -> u32;

    /// The smallest of its numbers that must be one at least, and the largest of all.
    fn number_range(&self) -> (u32, u32);

    /// The work between the matrices if it is a recurrence instead of attention.
    fn recurrence(&self, _hidden: u64) -> Option<Recurrence> {
        None
    }
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
