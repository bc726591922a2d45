//! Keys that a token attends to.

use serde::{Deserialize, Serialize};

use super::{is_default, is_one, one};

/// Preceding tokens that a token attends to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// All preceding tokens.
    #[default]
    All,
    /// The last tokens, up to this number.
    Window(u32),
    /// Tokens of the same chunk of this length, on average half as many as in a window (Llama 4).
    Chunk(u32),
    /// Tokens selected by the layer's own indexer.
    Selected(Indexer),
    /// This number of tokens, selected by the indexer of an earlier layer (GLM-5.2).
    Reused(u32),
}

/// An indexer: small heads that score every earlier token, of which the best are attended (DeepSeek-V3.2's lightning
/// indexer, arXiv 2512.02556, section 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Indexer {
    /// Number of query heads, which share one key.
    pub heads: u32,
    /// Width of a query and of the key.
    pub dim: u32,
    /// Tokens that are attended.
    pub top_k: u32,
    /// Tokens that are selected together, by the best score among them (MiniMax M3); 1 where each is by itself.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub block: u32,
    /// True if heads' scores are summed with weights of their own, in 8 bits (DeepSeek-V3.2); false if they are 16 bits
    /// wide (MiniMax M3, DeepSeek-V4).
    #[serde(default, skip_serializing_if = "is_default")]
    pub weighted: bool,
}

impl Indexer {
    /// Bytes of a token's key: with weights per head 8 bits with a 32-bit scale for every 128 (DeepSeek-V3.2's kernels,
    /// deepseek-ai/DeepGEMM@54e2261), else 16 bits.
    pub fn bytes(self) -> f64 {
        let dim = f64::from(self.dim);
        if self.weighted { dim * (1.0 + 4.0 / 128.0) } else { 2.0 * dim }
    }
}

impl Seen {
    /// Tokens that are seen at most.
    pub const fn most(self) -> Option<u32> {
        match self {
            Self::All => None,
            Self::Window(size) | Self::Chunk(size) | Self::Reused(size) => Some(size),
            Self::Selected(indexer) => Some(indexer.top_k),
        }
    }

    /// Tokens that are kept at most: what was not selected now may be later.
    pub const fn span(self) -> Option<u32> {
        match self {
            Self::Window(size) | Self::Chunk(size) => Some(size),
            Self::All | Self::Selected(_) | Self::Reused(_) => None,
        }
    }

    /// The indexer, if there is one.
    pub const fn indexer(self) -> Option<Indexer> {
        match self {
            Self::Selected(indexer) => Some(indexer),
            Self::All | Self::Window(_) | Self::Chunk(_) | Self::Reused(_) => None,
        }
    }
}
