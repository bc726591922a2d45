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
}

impl Precision {
    /// All of them, widest first.
    pub const ALL: [Self; 11] = [
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
    ];

    /// Storage per weight, scales included: NVFP4 adds a byte per 16 elements, OCP's MX formats one per 32, INT4 a 16-bit scale
    /// and zero per 128.
    pub const fn element(self) -> Bytes {
        Bytes::new(match self {
            Self::Tf32 => 4.0,
            Self::Bf16 | Self::Fp16 => 2.0,
            Self::Fp8 | Self::Int8 => 1.0,
            Self::Fp8Block => 1.0 + 4.0 / (128.0 * 128.0),
            Self::Mxfp8 => 1.0 + 1.0 / 32.0,
            Self::Mxfp6 => 0.75 + 1.0 / 32.0,
            Self::Fp4 => 0.5625,
            Self::Int4 | Self::Mxfp4 => 0.53125,
        })
    }

    /// Storage per activation that is multiplied: 16 bits where only weights are narrow.
    pub const fn operand(self) -> Bytes {
        match self {
            Self::Int4 | Self::Mxfp4 => Self::Bf16.element(),
            Self::Fp8Block => Self::Fp8.element(),
            _ => self.element(),
        }
    }

    /// As it is written: `BF16`.
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
        }
    }

    /// The format in which attention multiplies: at least 16 bits, whatever the weights are.
    #[must_use]
    pub const fn for_attention(self) -> Self {
        match self {
            Self::Tf32 | Self::Fp16 => self,
            _ => Self::Bf16,
        }
    }

    /// The format of the output head, which stays unquantised.
    #[must_use]
    pub const fn for_head(self) -> Self {
        self.for_attention()
    }
}
