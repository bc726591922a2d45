//! Formats of files for local inference, GGUF's, MLX's and EXL's, which quantise the output head as well. A GGUF file of one name
//! mixes block formats: more bits for the head and for those matrices of the layers whose rounding costs most. EXL2 and EXL3 choose
//! the bits of each matrix so that their mean meets a target.

use super::precision::Precision;

/// Bits per weight, scales included, of the block formats (ggml-org/ggml@d99724f, src/ggml-common.h).
mod block {
    pub(super) const Q8_0: f64 = 8.5;
    pub(super) const Q6_K: f64 = 6.5625;
    pub(super) const Q5_K: f64 = 5.5;
    pub(super) const Q4_K: f64 = 4.5;
    pub(super) const Q4_0: f64 = 4.5;
    pub(super) const Q3_K: f64 = 3.4375;
    pub(super) const Q2_K: f64 = 2.625;
    pub(super) const IQ4_XS: f64 = 4.25;
    pub(super) const IQ3_S: f64 = 3.4375;
}

/// The share of `attn_v` and `ffn_down` in the weights of a layer of Llama-3.1-8B. Half of them have 6 bits in the mixes `M`.
const MORE_BITS: f64 = 0.2885;

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum File {
    /// GGUF, which llama.cpp reads.
    Gguf,
    /// MLX's safetensors.
    Mlx,
    /// ExLlama's safetensors.
    Exl,
}

/// A format of such files.
pub(super) struct Mix {
    /// The kind of file.
    pub(super) file: File,
    /// Bits per weight of a layer; in GGUF files as llama.cpp's rules mix them for Llama-3.1-8B (ggml-org/llama.cpp@007dbbf,
    /// src/llama-quant.cpp).
    pub(super) layers: f64,
    /// Bits per weight of the embedding.
    pub(super) embedding: f64,
    /// Format of the output head, and of an embedding that is the head as well.
    pub(super) head: Precision,
}

impl Mix {
    const fn new(layers: f64, embedding: f64, head: Precision) -> Self {
        Self { file: File::Gguf, layers, embedding, head }
    }

    /// MLX stores a scale and an offset of 16 bits per 64 weights, in the embedding and the head too
    /// (ml-explore/mlx-lm, `mlx_lm.convert`: group size 64).
    const fn mlx(bits: f64, format: Precision) -> Self {
        let bits = bits + 32.0 / 64.0;
        Self { file: File::Mlx, layers: bits, embedding: bits, head: format }
    }

    /// The target of EXL2 and EXL3 is the mean over the layers, scales included; the embedding keeps 16 bits, and the head has 6
    /// by default (turboderp-org/exllamav3, doc/convert.md).
    const fn exl(bits: f64, head: Precision) -> Self {
        Self { file: File::Exl, layers: bits, embedding: 16.0, head }
    }

    /// The mix of a format; `None` for formats of no such file.
    pub(super) const fn of(precision: Precision) -> Option<Self> {
        use Precision as P;
        let six = P::Q6K;
        let five = P::Q5KS;
        Some(match precision {
            P::Q8_0 => Self::new(block::Q8_0, block::Q8_0, P::Q8_0),
            P::Q6K => Self::new(block::Q6_K, block::Q6_K, six),
            P::Q5KM => Self::new(with_six(block::Q5_K), block::Q5_K, six),
            P::Q5KS => Self::new(block::Q5_K, block::Q5_K, six),
            P::Q4KM => Self::new(with_six(block::Q4_K), block::Q4_K, six),
            P::Q4KS => Self::new(4.5361, block::Q4_K, six),
            P::Q4_0 => Self::new(block::Q4_0, block::Q4_0, six),
            P::Iq4Xs => Self::new(4.3162, block::IQ4_XS, six),
            P::Q3KL => Self::new(4.1911, block::Q3_K, six),
            P::Q3KM => Self::new(3.8438, block::Q3_K, six),
            P::Iq3M => Self::new(3.5755, block::IQ3_S, six),
            P::Q3KS => Self::new(block::Q3_K, block::Q3_K, six),
            P::Iq3Xxs => Self::new(3.0710, block::IQ3_S, five),
            P::Q2K => Self::new(2.9423, block::Q2_K, six),
            P::Iq2M => Self::new(2.6966, block::IQ3_S, five),
            P::Iq2Xxs => Self::new(2.1283, block::Q2_K, five),
            P::Iq1M => Self::new(1.8563, block::Q2_K, five),
            P::Mlx8 => Self::mlx(8.0, P::Mlx8),
            P::Mlx6 => Self::mlx(6.0, P::Mlx6),
            P::Mlx5 => Self::mlx(5.0, P::Mlx5),
            P::Mlx4 => Self::mlx(4.0, P::Mlx4),
            P::Mlx3 => Self::mlx(3.0, P::Mlx3),
            P::Mlx2 => Self::mlx(2.0, P::Mlx2),
            P::Exl8 => Self::exl(8.0, P::Exl6),
            P::Exl6 => Self::exl(6.0, P::Exl6),
            P::Exl5 => Self::exl(5.0, P::Exl6),
            P::Exl4 => Self::exl(4.0, P::Exl6),
            P::Exl3 => Self::exl(3.0, P::Exl6),
            P::Exl2 => Self::exl(2.0, P::Exl6),
            _ => return None,
        })
    }
}

/// Bits per weight of layers in which half of [`MORE_BITS`] have `Q6_K` instead of `base`.
const fn with_six(base: f64) -> f64 {
    base + 0.5 * MORE_BITS * (block::Q6_K - base)
}
