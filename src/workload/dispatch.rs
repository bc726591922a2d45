//! Expert parallelism: how tokens reach the GPUs of their experts, in training and in serving.

/// Dispatch of tokens to the GPUs of their experts, and combination of the results.
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
    /// All kinds of dispatch.
    pub const ALL: [Self; 2] = [Self::AllToAll, Self::DeepEp];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllToAll => "All-to-all",
            Self::DeepEp => "DeepEP",
        }
    }

    /// Returns true for the default dispatch.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// How a serving engine brings tokens to experts on other GPUs: an all-gather gives every GPU all tokens, and one-sided kernels send
/// each token only to the GPUs of its experts. It also determines the kernel that multiplies the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpertExchange {
    /// All-gather over at most as many GPUs as a token has experts, one-sided kernels over more. One kernel multiplies the tokens of
    /// either (TensorRT-LLM).
    Fused,
    /// All-gather and one-sided kernels as in [`Self::Fused`]. `DeepGEMM` multiplies the tokens of one-sided kernels (vLLM, and SGLang
    /// in decoding).
    Grouped,
    /// One-sided kernels over any number of GPUs. `DeepGEMM` multiplies the tokens (SGLang in prefill).
    Sent,
}
