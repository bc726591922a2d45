//! Number formats of matrix operands.

use super::mixes::{File, Mix};
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
    /// Weights of 8-bit integers, scaled per 32 (GGUF); activations have 16 bits, here and in the other formats of GGUF, which
    /// are mixes of block formats of that name.
    Q8_0,
    /// 6 bits, scaled per 16 and per 256.
    Q6K,
    /// 5 bits, 6 in half of the values' and down-projections.
    Q5KM,
    /// 5 bits.
    Q5KS,
    /// 4 bits, 6 in half of the values' and down-projections.
    Q4KM,
    /// 4 bits, 5 in an eighth of the values' and down-projections.
    Q4KS,
    /// 4 bits, with a scale per 32.
    Q4_0,
    /// Indices of 4 bits into a table, 5 bits in the values' projections.
    Iq4Xs,
    /// 3 bits, 5 in the values', down- and output projections.
    Q3KL,
    /// 3 bits, 4 in the values', down- and output projections.
    Q3KM,
    /// 3 bits from a codebook, 4 in the values' and output projections.
    Iq3M,
    /// 3 bits.
    Q3KS,
    /// 3 bits from a smaller codebook, 2 in the queries' and keys' projections.
    Iq3Xxs,
    /// 2 bits, 3 in the down- and output projections, 4 in the values'.
    Q2K,
    /// 2 bits from a codebook, 4 in the values' projections.
    Iq2M,
    /// 2 bits from a smaller codebook, 4 in the values' projections.
    Iq2Xxs,
    /// Less than 2 bits from a codebook, 4 in the values' projections.
    Iq1M,
    /// Weights of 8-bit integers with a scale and an offset per 64 (MLX); activations have 16 bits, here and in MLX's other
    /// formats.
    Mlx8,
    /// 6 bits (MLX).
    Mlx6,
    /// 5 bits (MLX).
    Mlx5,
    /// 4 bits (MLX).
    Mlx4,
    /// 3 bits (MLX).
    Mlx3,
    /// 2 bits (MLX).
    Mlx2,
    /// Weights of 4-bit integers with a 16-bit scale and a 4-bit zero point per 128 (checkpoints of AWQ and GPTQ); activations
    /// have 16 bits, here and in the formats that follow.
    Awq,
    /// Indices of 4 bits into the `NormalFloat` table, with a 32-bit scale per 64 (bitsandbytes).
    Nf4,
    /// `NF4` whose scales have 8 bits, with a 32-bit scale per 256 of them (double quantisation, arXiv 2305.14314).
    Nf4Double,
    /// Weights with a mean of 8 bits, scales included (EXL2, EXL3).
    Exl8,
    /// 6 bits (EXL).
    Exl6,
    /// 5 bits (EXL).
    Exl5,
    /// 4 bits (EXL).
    Exl4,
    /// 3 bits (EXL).
    Exl3,
    /// 2 bits (EXL).
    Exl2,
}

impl Precision {
    /// All formats: those with matrix units, then those of weights alone by kind of file, each widest first.
    pub const ALL: [Self; 43] = [
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
        Self::Q5KS,
        Self::Q4KM,
        Self::Q4KS,
        Self::Q4_0,
        Self::Iq4Xs,
        Self::Q3KL,
        Self::Q3KM,
        Self::Iq3M,
        Self::Q3KS,
        Self::Iq3Xxs,
        Self::Q2K,
        Self::Iq2M,
        Self::Iq2Xxs,
        Self::Iq1M,
        Self::Mlx8,
        Self::Mlx6,
        Self::Mlx5,
        Self::Mlx4,
        Self::Mlx3,
        Self::Mlx2,
        Self::Awq,
        Self::Nf4,
        Self::Nf4Double,
        Self::Exl8,
        Self::Exl6,
        Self::Exl5,
        Self::Exl4,
        Self::Exl3,
        Self::Exl2,
    ];

    /// Storage per weight of the layers, including scales. NVFP4 adds a byte per 16 elements, OCP's MX formats one per 32,
    /// INT4 a 16-bit scale and zero per 128, AWQ's and GPTQ's checkpoints a zero of 4 bits (`qzeros` is packed as `qweight` is).
    /// NF4 adds 32 bits per 64 elements, with double quantisation 8 bits per 64 and 32 per 64 × 256.
    pub const fn element(self) -> Bytes {
        Bytes::new(match self {
            Self::Tf32 => 4.0,
            Self::Bf16 | Self::Fp16 => 2.0,
            Self::Fp8Block => 1.0 + 4.0 / (128.0 * 128.0),
            Self::Mxfp8 => 1.0 + 1.0 / 32.0,
            Self::Mxfp6 => 0.75 + 1.0 / 32.0,
            Self::Fp4 | Self::Nf4 => 0.5625,
            Self::Int4 | Self::Mxfp4 => 0.53125,
            Self::Awq => (4.0 + (16.0 + 4.0) / 128.0) / 8.0,
            Self::Nf4Double => (4.0 + 8.0 / 64.0 + 32.0 / (64.0 * 256.0)) / 8.0,
            _ => match Mix::of(self) {
                Some(mix) => mix.layers / 8.0,
                // FP8 and INT8.
                None => 1.0,
            },
        })
    }

    /// Format of a mixture's other matrices where its routed experts have this one: published checkpoints with experts of 4-bit
    /// weights (Kimi K2 Thinking in INT4, gpt-oss in MXFP4) leave the rest in 16 bits.
    #[must_use]
    pub const fn beside_experts(self) -> Self {
        match self {
            Self::Int4 | Self::Mxfp4 => Self::Bf16,
            other => other,
        }
    }

    /// Storage per activation that is multiplied: 16 bits where only weights are narrow.
    pub const fn operand(self) -> Bytes {
        match self {
            Self::Int4 | Self::Mxfp4 | Self::Awq | Self::Nf4 | Self::Nf4Double => Self::Bf16.element(),
            _ if Mix::of(self).is_some() => Self::Bf16.element(),
            Self::Fp8Block => Self::Fp8.element(),
            _ => self.element(),
        }
    }

    /// Returns true if this is a format of GGUF files, which llama.cpp reads.
    pub const fn is_gguf(self) -> bool {
        matches!(Mix::of(self), Some(Mix { file: File::Gguf, .. }))
    }

    /// Returns true if this is a format of MLX.
    pub const fn is_mlx(self) -> bool {
        matches!(Mix::of(self), Some(Mix { file: File::Mlx, .. }))
    }

    /// Returns true if this is a format of ExLlama, EXL2 or EXL3.
    pub const fn is_exl(self) -> bool {
        matches!(Mix::of(self), Some(Mix { file: File::Exl, .. }))
    }

    /// Returns true if no kernel was measured that dequantises weights of this format: their time is that of reading them and of
    /// a 16-bit multiply.
    pub const fn has_unmeasured_kernels(self) -> bool {
        self.is_exl() || matches!(self, Self::Nf4 | Self::Nf4Double)
    }

    /// Name as written, e.g. `BF16`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tf32 => "TF32",
            Self::Bf16 => "BF16",
            Self::Fp16 => "FP16",
            Self::Fp8 => "FP8",
            Self::Fp4 => "FP4",
            Self::Fp8Block => "FP8 in blocks",
            Self::Int4 => "INT4 weights",
            Self::Mxfp4 => "MXFP4 weights",
            Self::Awq => "INT4 in groups of 128 (AWQ, GPTQ)",
            Self::Nf4 => "NF4 (bitsandbytes)",
            Self::Nf4Double => "NF4, double quantised (bitsandbytes)",
            Self::Mxfp8 => "MXFP8",
            Self::Mxfp6 => "MXFP6",
            _ => match Mix::of(self) {
                Some(mix) => mix.name,
                None => "INT8",
            },
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

    /// The format of the output head, which stays unquantised but in the files of GGUF, MLX and EXL.
    #[must_use]
    pub const fn for_head(self) -> Self {
        match Mix::of(self) {
            Some(mix) => mix.head,
            None => self.for_attention(),
        }
    }

    /// Storage per weight of the output head: 16 bits, or that of a GGUF, MLX or EXL file.
    pub const fn head_element(self) -> Bytes {
        match Mix::of(self) {
            Some(mix) => mix.head.element(),
            None => Self::Bf16.element(),
        }
    }

    /// Storage per weight of an embedding that is the output head as well. ExLlama quantises a copy of it for the head.
    pub const fn tied_element(self) -> Bytes {
        if self.is_exl() {
            Bytes::new(self.embedding_element().get() + self.head_element().get())
        } else {
            self.head_element()
        }
    }

    /// Storage per weight of an embedding beside an output head of its own.
    pub const fn embedding_element(self) -> Bytes {
        match Mix::of(self) {
            Some(mix) => Bytes::new(mix.embedding / 8.0),
            None => Self::Bf16.element(),
        }
    }
}
