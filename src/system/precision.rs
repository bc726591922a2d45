//! Number formats of matrix operands.

use crate::units::Bytes;

/// The format in which a matrix multiply reads its operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// 32-bit storage, 19 bits multiplied.
    Tf32,
    /// 16 bits, 8 of them exponent.
    #[default]
    Bf16,
    /// 16 bits, 5 of them exponent.
    Fp16,
    /// 8 bits, weights scaled per channel, activations per token.
    Fp8,
    /// 4 bits, scaled per block of 16 or 32.
    Fp4,
    /// 8-bit integers.
    Int8,
    /// 8 bits, weights scaled per block of 128 × 128, activations per 128 of a token (DeepSeek-V3).
    Fp8Block,
    /// Weights of 4-bit integers, scaled per group; activations have 16 bits.
    Int4,
    /// Weights of 4 bits, scaled per 32 (OCP MX); activations have 16 bits.
    Mxfp4,
    /// 8 bits, both operands scaled per 32 by a power of two (OCP MX).
    Mxfp8,
    /// 6 bits, both operands scaled per 32 by a power of two (OCP MX).
    Mxfp6,
    /// Weights of 8-bit integers, scaled per 32 (GGUF); activations have 16 bits, here and in the other formats of GGUF.
    Q8_0,
    /// Weights of 6 bits, scaled per 16 and per 256 (GGUF).
    Q6K,
    /// Weights of 5 bits, of 6 in half of the values' and down-projections (GGUF's mix of that name).
    Q5KM,
    /// Weights of 4 bits, of 6 in half of the values' and down-projections (GGUF's mix of that name).
    Q4KM,
    /// Weights of 4 bits, with a scale per 32 (GGUF).
    Q4_0,
}

impl Precision {
    /// All formats, widest first.
    pub const ALL: [Self; 16] = [
        Self::Tf32,
        Self::Bf16,
        Self::Fp16,
        Self::Fp8,
        Self::Fp8Block,
        Self::Mxfp8,
        Self::Int8,
        Self::Mxfp6,
        Self::Fp4,
        Self::Int4,
        Self::Mxfp4,
        Self::Q8_0,
        Self::Q6K,
        Self::Q5KM,
        Self::Q4KM,
        Self::Q4_0,
    ];

    /// Storage per weight, including scales. NVFP4 adds a byte per 16 elements, OCP's MX formats one per 32, INT4 a 16-bit
    /// scale and zero per 128.
    ///
    /// GGUF stores blocks (ggml-org/ggml@d99724f, src/ggml-common.h): 34 bytes for 32 weights of `Q8_0` and 18 of `Q4_0`;
    /// for 256 weights 210 bytes of `Q6_K`, 176 of `Q5_K` and 144 of `Q4_K`. Its mixes store half of the value and
    /// down-projections in `Q6_K` (ggml-org/llama.cpp@007dbbf, src/llama-quant.cpp); their share is that of Llama-3.1-8B.
    pub const fn element(self) -> Bytes {
        Bytes::new(match self {
            Self::Tf32 => 4.0,
            Self::Bf16 | Self::Fp16 => 2.0,
            Self::Fp8 | Self::Int8 => 1.0,
            Self::Fp8Block => 1.0 + 4.0 / (128.0 * 128.0),
            Self::Mxfp8 => 1.0 + 1.0 / 32.0,
            Self::Mxfp6 => 0.75 + 1.0 / 32.0,
            Self::Fp4 | Self::Q4_0 => 0.5625,
            Self::Int4 | Self::Mxfp4 => 0.53125,
            Self::Q8_0 => 34.0 / 32.0,
            Self::Q6K => 210.0 / 256.0,
            Self::Q5KM => mixed(176.0 / 256.0),
            Self::Q4KM => mixed(144.0 / 256.0),
        })
    }

    /// Storage per activation that is multiplied: 16 bits where only weights are narrow.
    pub const fn operand(self) -> Bytes {
        match self {
            Self::Int4 | Self::Mxfp4 => Self::Bf16.element(),
            _ if self.is_gguf() => Self::Bf16.element(),
            Self::Fp8Block => Self::Fp8.element(),
            _ => self.element(),
        }
    }

    /// Returns true if this is a format of GGUF files, which llama.cpp reads.
    pub const fn is_gguf(self) -> bool {
        matches!(self, Self::Q8_0 | Self::Q6K | Self::Q5KM | Self::Q4KM | Self::Q4_0)
    }

    /// Name as written, e.g. `BF16`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tf32 => "TF32",
            Self::Bf16 => "BF16",
            Self::Fp16 => "FP16",
            Self::Fp8 => "FP8",
            Self::Fp4 => "FP4",
            Self::Int8 => "INT8",
            Self::Fp8Block => "FP8 in blocks",
            Self::Int4 => "INT4 weights",
            Self::Mxfp4 => "MXFP4 weights",
            Self::Mxfp8 => "MXFP8",
            Self::Mxfp6 => "MXFP6",
            Self::Q8_0 => "Q8_0 (GGUF)",
            Self::Q6K => "Q6_K (GGUF)",
            Self::Q5KM => "Q5_K_M (GGUF)",
            Self::Q4KM => "Q4_K_M (GGUF)",
            Self::Q4_0 => "Q4_0 (GGUF)",
        }
    }

    /// Whole bits of a weight, without those of the scales that a block of weights shares.
    pub(crate) fn operand_bits(self) -> u32 {
        libm::floor(self.element().get() * 8.0) as u32
    }

    /// The format in which attention multiplies: at least 16 bits, whatever the weights are.
    #[must_use]
    pub const fn for_attention(self) -> Self {
        match self {
            Self::Tf32 | Self::Fp16 => self,
            _ => Self::Bf16,
        }
    }

    /// The format of the output head, which stays unquantised but in GGUF, where its mixes have `Q6_K` there.
    #[must_use]
    pub const fn for_head(self) -> Self {
        match self {
            Self::Q8_0 | Self::Q6K => self,
            Self::Q5KM | Self::Q4KM | Self::Q4_0 => Self::Q6K,
            _ => self.for_attention(),
        }
    }

    /// Storage per element of the embedding and the output head: 16 bits, or GGUF's, in whose mixes the embedding is
    /// narrower than the head, which counts for both here.
    pub const fn end_element(self) -> Bytes {
        match self {
            _ if self.is_gguf() => self.for_head().element(),
            _ => Self::Bf16.element(),
        }
    }
}

/// Bytes per weight of a GGUF mix over the layers of Llama-3.1-8B, of which 0.2885 are values' and down-projections: half of
/// these are `Q6_K`.
const fn mixed(base: f64) -> f64 {
    base + 0.5 * 0.2885 * (210.0 / 256.0 - base)
}

#[cfg(test)]
mod tests {
    use super::Precision;
    use crate::catalog::architecture;

    /// Sizes that llama.cpp publishes of Llama-3.1-8B, in bits per weight (ggml-org/llama.cpp@311c2c9, tools/quantize/README.md).
    #[test]
    fn gguf_files_have_their_published_sizes() {
        let parameters = architecture("llama-3.1-8b").map(crate::catalog::Architecture::parameters);
        let Some(parameters) = parameters else { panic!("no Llama") };
        let ends = (parameters.embedding + parameters.head) as f64;
        for (format, published) in [
            (Precision::Q8_0, 8.5008),
            (Precision::Q6K, 6.5633),
            (Precision::Q5KM, 5.7036),
            (Precision::Q4KM, 4.8944),
            (Precision::Q4_0, 4.6610),
        ] {
            let layers = parameters.total as f64 - ends;
            let bytes = format.element().get() * layers + format.end_element().get() * ends;
            let bits = 8.0 * bytes / parameters.total as f64;
            // The embedding of the mixes counts as wide as the head.
            assert!((bits / published - 1.0).abs() < 0.03, "{}: {bits} for {published}", format.name());
        }
    }
}
