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

/// Kernels that bring tokens to experts on other GPUs, and that multiply them there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpertExchange {
    /// Over as many GPUs as a token has experts, or fewer, tokens are gathered, otherwise sent. The same kernel multiplies both
    /// (TensorRT-LLM).
    #[default]
    Fused,
    /// Tokens are gathered or sent as above, and those that are sent are multiplied by `DeepGEMM`'s kernels (vLLM; decode steps in
    /// SGLang).
    Grouped,
    /// Tokens are sent over any number of GPUs, and multiplied by `DeepGEMM`'s kernels (prompts in SGLang).
    Sent,
}
