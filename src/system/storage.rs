//! Storage of weights and activations by number format.

use super::mixes::{File, Mix};
use super::precision::Precision;
use crate::units::Bytes;

impl Precision {
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

    /// Whole bits of a weight, without those of the scales that a block of weights shares.
    pub(crate) fn operand_bits(self) -> u32 {
        libm::floor(self.element().get() * 8.0) as u32
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
