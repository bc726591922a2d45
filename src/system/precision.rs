//! Number formats of matrix operands.

use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// The format in which a matrix multiply reads its operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32-bit storage, 19 bits multiplied.
    Tf32,
    /// 16 bits, 8 of them exponent.
    #[default]
    Bf16,
    /// 16 bits, 5 of them exponent.
    Fp16,
    /// 8 bits, scaled per tensor or per block.
    Fp8,
    /// 4 bits, scaled per block of 16 or 32.
    Fp4,
    /// 8-bit integers.
    Int8,
}

impl Precision {
    /// All of them, widest first.
    pub const ALL: [Self; 6] = [Self::Tf32, Self::Bf16, Self::Fp16, Self::Fp8, Self::Int8, Self::Fp4];

    /// Storage per element, block scales included: NVFP4 adds one byte per 16 elements.
    pub const fn element(self) -> Bytes {
        Bytes::new(match self {
            Self::Tf32 => 4.0,
            Self::Bf16 | Self::Fp16 => 2.0,
            Self::Fp8 | Self::Int8 => 1.0,
            Self::Fp4 => 0.5625,
        })
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
