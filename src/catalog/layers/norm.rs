//! Kinds of norms.

use crate::words::words;

/// Kind of norm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// Scale and shift.
    Layernorm,
    /// Scale alone.
    #[default]
    Rmsnorm,
}

words!(Norm { Layernorm "layernorm", Rmsnorm "rmsnorm" });
