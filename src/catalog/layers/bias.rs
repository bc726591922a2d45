//! Projections of a decoder's layers that have biases.

use crate::words::words;

/// Projections with biases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bias {
    /// No biases.
    #[default]
    None,
    /// Queries, keys and values.
    Qkv,
    /// Biases of queries, keys, values and the attention output.
    Qkvo,
    /// All, the feed-forward block's too.
    All,
}

words!(Bias { None "none", Qkv "qkv", Qkvo "qkvo", All "all" });
