//! Libraries whose kernels differ.

/// The library of multiplies and experts in narrow formats that an engine runs. Multiplies of 16-bit operands take the same time in all
/// engines, within 2 %, since all call cuBLAS or its like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KernelLibrary {
    /// The library with which most devices were measured: CUTLASS kernels of sgl-kernel, `DeepGEMM` on Blackwell, AMD's aiter.
    #[default]
    Usual,
    /// SGLang's own kernels, where its served requests were fitted because no kernel was timed: experts on MI300X.
    Sglang,
    /// Operators of TensorRT-LLM's models in PyTorch in a served model, which quantises activations in the kernel before.
    TensorRtLlm,
    /// The same operators called one at a time: activations are quantised in separate kernels.
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

    /// Returns true if activations are quantised in the kernel before, although the library's tables time separate kernels for it.
    /// The start of a multiply is then that of the usual library.
    pub(super) fn fuses(self) -> bool {
        self == Self::TensorRtLlm
    }
}
