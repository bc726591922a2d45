//! Number formats of matrix operands.

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

    /// Format of a mixture's other matrices where its routed experts have this one: published checkpoints with experts of 4-bit
    /// weights (Kimi K2 Thinking in INT4, gpt-oss in MXFP4) leave the rest in 16 bits.
    #[must_use]
    pub const fn beside_experts(self) -> Self {
        match self {
            Self::Int4 | Self::Mxfp4 => Self::Bf16,
            other => other,
        }
    }

    /// Returns true for floats of 16 bits.
    pub const fn is_half(self) -> bool {
        matches!(self, Self::Bf16 | Self::Fp16)
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
            Self::Int8 => "INT8",
            Self::Q8_0 => "Q8_0 (GGUF)",
            Self::Q6K => "Q6_K (GGUF)",
            Self::Q5KM => "Q5_K_M (GGUF)",
            Self::Q5KS => "Q5_K_S (GGUF)",
            Self::Q4KM => "Q4_K_M (GGUF)",
            Self::Q4KS => "Q4_K_S (GGUF)",
            Self::Q4_0 => "Q4_0 (GGUF)",
            Self::Iq4Xs => "IQ4_XS (GGUF)",
            Self::Q3KL => "Q3_K_L (GGUF)",
            Self::Q3KM => "Q3_K_M (GGUF)",
            Self::Iq3M => "IQ3_M (GGUF)",
            Self::Q3KS => "Q3_K_S (GGUF)",
            Self::Iq3Xxs => "IQ3_XXS (GGUF)",
            Self::Q2K => "Q2_K (GGUF)",
            Self::Iq2M => "IQ2_M (GGUF)",
            Self::Iq2Xxs => "IQ2_XXS (GGUF)",
            Self::Iq1M => "IQ1_M (GGUF)",
            Self::Mlx8 => "8 bits (MLX)",
            Self::Mlx6 => "6 bits (MLX)",
            Self::Mlx5 => "5 bits (MLX)",
            Self::Mlx4 => "4 bits (MLX)",
            Self::Mlx3 => "3 bits (MLX)",
            Self::Mlx2 => "2 bits (MLX)",
            Self::Exl8 => "8 bits (EXL)",
            Self::Exl6 => "6 bits (EXL)",
            Self::Exl5 => "5 bits (EXL)",
            Self::Exl4 => "4 bits (EXL)",
            Self::Exl3 => "3 bits (EXL)",
            Self::Exl2 => "2 bits (EXL)",
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
}
