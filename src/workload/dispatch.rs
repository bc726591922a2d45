//! Expert parallelism in training: how tokens reach the GPUs of their experts.

/// How tokens reach the GPUs of their experts, and results come back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ExpertDispatch {
    /// All-to-all of the collectives' library: a 16-bit copy of a token for each of its experts.
    #[default]
    AllToAll,
    /// One-sided kernels (DeepEP, arXiv 2412.19437, section 3.2.2): a token crosses once to each domain and GPU that has
    /// experts of it, in 8 bits where experts multiply narrow operands.
    DeepEp,
}

impl ExpertDispatch {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::AllToAll, Self::DeepEp];

    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllToAll => "All-to-all",
            Self::DeepEp => "DeepEP",
        }
    }

    /// Whether it is what plans have that say nothing of it.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}
