//! Activation recomputation.

/// Which activations the backward pass recomputes rather than reads (Korthikanti et al. 2022).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Recompute {
    /// Everything the backward pass needs is kept.
    None,
    /// Only the attention core (scores, softmax, weighted values) runs again.
    #[default]
    Selective,
    /// Each layer's whole forward pass runs again from its input.
    Full,
}

impl Recompute {
    /// All kinds, from the least recomputation to the most.
    pub const ALL: [Self; 3] = [Self::None, Self::Selective, Self::Full];

    /// Name on the page: what is recomputed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "Nothing",
            Self::Selective => "Attention core",
            Self::Full => "Every layer",
        }
    }
}
