//! Libraries whose kernels differ.

/// The library of multiplies and experts in narrow formats that an engine runs. Multiplies of 16-bit operands take the same time in all
/// engines, within 2 %, since all call cuBLAS or its like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KernelLibrary {
    /// The library with which most devices were measured: CUTLASS kernels of sgl-kernel, `DeepGEMM` on Blackwell, AMD's aiter.
    #[default]
    Usual,
    /// What SGLang ran where requests were fitted because nobody timed kernels: experts on MI300X.
    Sglang,
    /// Operators of TensorRT-LLM's models in PyTorch, whose activations are quantised in the kernel before, as served models do.
    TensorRtLlm,
    /// The same operators called one at a time, with kernels of their own that quantise the activations.
    TensorRtLlmAlone,
}

impl KernelLibrary {
    /// Key in the calibration file; empty for the usual one.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Usual => "",
            Self::Sglang => "sglang",
            Self::TensorRtLlm | Self::TensorRtLlmAlone => "trtllm",
        }
    }

    /// Returns true if tables of this library time kernels that quantise activations, which do not run here: multiplies start as
    /// those of the usual library.
    pub(super) fn fuses(self) -> bool {
        self == Self::TensorRtLlm
    }
}
