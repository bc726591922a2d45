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
    /// Name as written.
    pub(super) name: &'static str,
    /// Bits per weight of a layer; in GGUF files as llama.cpp's rules mix them for Llama-3.1-8B (ggml-org/llama.cpp@007dbbf,
    /// src/llama-quant.cpp).
    pub(super) layers: f64,
    /// Bits per weight of the embedding.
    pub(super) embedding: f64,
    /// Format of the output head, and of an embedding that is the head as well.
    pub(super) head: Precision,
}

impl Mix {
    const fn new(name: &'static str, layers: f64, embedding: f64, head: Precision) -> Self {
        Self { file: File::Gguf, name, layers, embedding, head }
    }

    /// MLX stores a scale and an offset of 16 bits per 64 weights, in the embedding and the head too
    /// (ml-explore/mlx-lm, `mlx_lm.convert`: group size 64).
    const fn mlx(name: &'static str, bits: f64, format: Precision) -> Self {
        let bits = bits + 32.0 / 64.0;
        Self { file: File::Mlx, name, layers: bits, embedding: bits, head: format }
    }

    /// The target of EXL2 and EXL3 is the mean over the layers, scales included; the embedding keeps 16 bits, and the head has 6
    /// by default (turboderp-org/exllamav3, doc/convert.md).
    const fn exl(name: &'static str, bits: f64, head: Precision) -> Self {
        Self { file: File::Exl, name, layers: bits, embedding: 16.0, head }
    }

    /// The mix of a format; `None` for formats of no such file.
    pub(super) const fn of(precision: Precision) -> Option<Self> {
        use Precision as P;
        let six = P::Q6K;
        let five = P::Q5KS;
        Some(match precision {
            P::Q8_0 => Self::new("Q8_0 (GGUF)", block::Q8_0, block::Q8_0, P::Q8_0),
            P::Q6K => Self::new("Q6_K (GGUF)", block::Q6_K, block::Q6_K, six),
            P::Q5KM => Self::new("Q5_K_M (GGUF)", with_six(block::Q5_K), block::Q5_K, six),
            P::Q5KS => Self::new("Q5_K_S (GGUF)", block::Q5_K, block::Q5_K, six),
            P::Q4KM => Self::new("Q4_K_M (GGUF)", with_six(block::Q4_K), block::Q4_K, six),
            P::Q4KS => Self::new("Q4_K_S (GGUF)", 4.5361, block::Q4_K, six),
            P::Q4_0 => Self::new("Q4_0 (GGUF)", block::Q4_0, block::Q4_0, six),
            P::Iq4Xs => Self::new("IQ4_XS (GGUF)", 4.3162, block::IQ4_XS, six),
            P::Q3KL => Self::new("Q3_K_L (GGUF)", 4.1911, block::Q3_K, six),
            P::Q3KM => Self::new("Q3_K_M (GGUF)", 3.8438, block::Q3_K, six),
            P::Iq3M => Self::new("IQ3_M (GGUF)", 3.5755, block::IQ3_S, six),
            P::Q3KS => Self::new("Q3_K_S (GGUF)", block::Q3_K, block::Q3_K, six),
            P::Iq3Xxs => Self::new("IQ3_XXS (GGUF)", 3.0710, block::IQ3_S, five),
            P::Q2K => Self::new("Q2_K (GGUF)", 2.9423, block::Q2_K, six),
            P::Iq2M => Self::new("IQ2_M (GGUF)", 2.6966, block::IQ3_S, five),
            P::Iq2Xxs => Self::new("IQ2_XXS (GGUF)", 2.1283, block::Q2_K, five),
            P::Iq1M => Self::new("IQ1_M (GGUF)", 1.8563, block::Q2_K, five),
            P::Mlx8 => Self::mlx("8 bits (MLX)", 8.0, P::Mlx8),
            P::Mlx6 => Self::mlx("6 bits (MLX)", 6.0, P::Mlx6),
            P::Mlx5 => Self::mlx("5 bits (MLX)", 5.0, P::Mlx5),
            P::Mlx4 => Self::mlx("4 bits (MLX)", 4.0, P::Mlx4),
            P::Mlx3 => Self::mlx("3 bits (MLX)", 3.0, P::Mlx3),
            P::Mlx2 => Self::mlx("2 bits (MLX)", 2.0, P::Mlx2),
            P::Exl8 => Self::exl("8 bits (EXL)", 8.0, P::Exl6),
            P::Exl6 => Self::exl("6 bits (EXL)", 6.0, P::Exl6),
            P::Exl5 => Self::exl("5 bits (EXL)", 5.0, P::Exl6),
            P::Exl4 => Self::exl("4 bits (EXL)", 4.0, P::Exl6),
            P::Exl3 => Self::exl("3 bits (EXL)", 3.0, P::Exl6),
            P::Exl2 => Self::exl("2 bits (EXL)", 2.0, P::Exl6),
            _ => return None,
        })
    }
}

/// Bits per weight of layers in which half of [`MORE_BITS`] have `Q6_K` instead of `base`.
const fn with_six(base: f64) -> f64 {
    base + 0.5 * MORE_BITS * (block::Q6_K - base)
}

#[cfg(test)]
mod tests {
    use super::Precision;
    use crate::catalog::architecture;

    /// Bits per weight of llama.cpp's files of Llama-3.1-8B (ggml-org/llama.cpp@311c2c9, tools/quantize/README.md; Q4_0 and
    /// Q3_K_M, which it does not list, by the rules of src/llama-quant.cpp).
    #[test]
    fn files_have_their_published_sizes() {
        let parameters = architecture("llama-3.1-8b").map(crate::catalog::Architecture::parameters);
        let Some(parameters) = parameters else { panic!("no Llama") };
        let (embedding, head) = (parameters.embedding as f64, parameters.head as f64);
        for (format, published) in [
            (Precision::Q8_0, 8.5008),
            (Precision::Q6K, 6.5633),
            (Precision::Q5KM, 5.7036),
            (Precision::Q5KS, 5.5704),
            (Precision::Q4KM, 4.8944),
            (Precision::Q4KS, 4.6672),
            (Precision::Q4_0, 4.6358),
            (Precision::Iq4Xs, 4.4597),
            (Precision::Q3KL, 4.2979),
            (Precision::Q3KM, 3.9960),
            (Precision::Iq3M, 3.7628),
            (Precision::Q3KS, 3.6429),
            (Precision::Iq3Xxs, 3.2548),
            (Precision::Q2K, 3.1593),
            (Precision::Iq2M, 2.9294),
            (Precision::Iq2Xxs, 2.3824),
            (Precision::Iq1M, 2.1460),
        ] {
            let layers = parameters.total as f64 - embedding - head;
            let ends = format.embedding_element() * embedding + format.head_element() * head;
            let bytes = format.element() * layers + ends;
            let bits = 8.0 * bytes.get() / parameters.total as f64;
            assert!((bits / published - 1.0).abs() < 0.002, "{}: {bits} for {published}", format.name());
        }
    }

    /// Llama-3.1-8B has 218,103,808 weights in each of 32 layers, beside norms, and 128,256 × 4,096 in the embedding and in the head.
    #[test]
    fn checkpoints_have_sizes_worked_by_hand() {
        let (layers, table) = (32.0 * 218_103_808.0, 128_256.0 * 4096.0);
        for (format, layer_bits, embedding_bits, head_bits) in [
            (Precision::Awq, 4.156_25, 16.0, 16.0),
            (Precision::Nf4, 4.5, 16.0, 16.0),
            (Precision::Nf4Double, 4.126_953_125, 16.0, 16.0),
            (Precision::Exl6, 6.0, 16.0, 6.0),
            (Precision::Exl4, 4.0, 16.0, 6.0),
            (Precision::Exl3, 3.0, 16.0, 6.0),
        ] {
            let ends = format.embedding_element() * table + format.head_element() * table;
            let bytes = (format.element() * layers + ends).get();
            let by_hand = (layer_bits * layers + (embedding_bits + head_bits) * table) / 8.0;
            assert!((bytes / by_hand - 1.0).abs() < 1e-9, "{}: {bytes} for {by_hand}", format.name());
        }
        // Files of turboderp/ERNIE-4.5-300B-A47B-PT-exl3 without their embedding, GiB; the head is a copy of it.
        let parameters = architecture("ernie-4.5-300b-a47b").map(crate::catalog::Architecture::parameters);
        let Some(parameters) = parameters else { panic!("no ERNIE") };
        let shared = parameters.embedding as f64;
        for (format, published) in
            [(Precision::Exl2, 70.2), (Precision::Exl3, 104.9), (Precision::Exl4, 139.5)]
        {
            let head = (format.tied_element() - format.embedding_element()) * shared;
            let gib = (format.element() * (parameters.total as f64 - shared) + head).to_gib();
            assert!((gib / published - 1.0).abs() < 0.005, "{}: {gib} for {published}", format.name());
        }
        // 5.7 GB is published of AWQ's checkpoint (n-shot.com, "Llama 3.1 8B quantised").
        let awq = Precision::Awq.element() * layers + Precision::Bf16.element() * (2.0 * table);
        assert!((awq.get() / 5.7e9 - 1.0).abs() < 0.01, "{awq:?}");
    }
}
