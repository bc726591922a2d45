//! Tensors of a checkpoint: shapes, storage types, and the number format that they amount to.

use crate::order;
use crate::system::Precision;

/// A tensor of a checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tensor {
    /// Name in the file.
    pub(super) name: String,
    /// Lengths of the dimensions, the contiguous one last.
    pub(super) shape: Vec<u64>,
    /// Storage type of the elements.
    pub(super) storage: Storage,
}

/// Storage type of elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Storage {
    /// Name in the file's format.
    pub(super) name: &'static str,
    /// Bits per element, including the scales of its block.
    pub(super) bits: f64,
}

/// Storage types of GGML: number, name, bytes per block, elements per block (ggml-org/ggml@d99724f, src/ggml-common.h).
const GGML: &[(u32, &str, f64, f64)] = &[
    (0, "F32", 4.0, 1.0),
    (1, "F16", 2.0, 1.0),
    (2, "Q4_0", 18.0, 32.0),
    (3, "Q4_1", 20.0, 32.0),
    (6, "Q5_0", 22.0, 32.0),
    (7, "Q5_1", 24.0, 32.0),
    (8, "Q8_0", 34.0, 32.0),
    (10, "Q2_K", 84.0, 256.0),
    (11, "Q3_K", 110.0, 256.0),
    (12, "Q4_K", 144.0, 256.0),
    (13, "Q5_K", 176.0, 256.0),
    (14, "Q6_K", 210.0, 256.0),
    (16, "IQ2_XXS", 66.0, 256.0),
    (17, "IQ2_XS", 74.0, 256.0),
    (18, "IQ3_XXS", 98.0, 256.0),
    (19, "IQ1_S", 50.0, 256.0),
    (20, "IQ4_NL", 18.0, 32.0),
    (21, "IQ3_S", 110.0, 256.0),
    (22, "IQ2_S", 82.0, 256.0),
    (23, "IQ4_XS", 136.0, 256.0),
    (29, "IQ1_M", 56.0, 256.0),
    (30, "BF16", 2.0, 1.0),
    (34, "TQ1_0", 54.0, 256.0),
    (35, "TQ2_0", 66.0, 256.0),
    (39, "MXFP4", 17.0, 32.0),
];

/// Storage types of safetensors: name, bits per element (huggingface/safetensors, safetensors/src/tensor.rs).
const SAFETENSORS: &[(&str, f64)] = &[
    ("F64", 64.0),
    ("F32", 32.0),
    ("BF16", 16.0),
    ("F16", 16.0),
    ("F8_E4M3", 8.0),
    ("F8_E5M2", 8.0),
    ("F8_E8M0", 8.0),
    ("F4", 4.0),
    ("I64", 64.0),
    ("I32", 32.0),
    ("I16", 16.0),
    ("I8", 8.0),
    ("U8", 8.0),
    ("BOOL", 8.0),
];

impl Storage {
    /// GGML's type with this number. Unknown types count with 16 bits.
    pub(super) fn of_ggml(number: u32) -> Self {
        let known = GGML.iter().find(|(known, ..)| *known == number);
        known.map_or(Self { name: "unknown", bits: 16.0 }, |(_, name, bytes, elements)| Self {
            name,
            bits: 8.0 * bytes / elements,
        })
    }

    /// The type of this name in safetensors. Unknown types count with 16 bits.
    pub(super) fn of_safetensors(name: &str) -> Self {
        let known = SAFETENSORS.iter().find(|(known, _)| *known == name);
        known.map_or(Self { name: "unknown", bits: 16.0 }, |(name, bits)| Self { name, bits: *bits })
    }
}

impl Tensor {
    /// Number of elements.
    pub(super) fn elements(&self) -> u64 {
        self.shape.iter().fold(1, |product, length| product.saturating_mul(*length))
    }
}

/// Number of elements of all tensors.
pub(super) fn elements(tensors: &[Tensor]) -> u64 {
    tensors.iter().fold(0, |sum, tensor| sum.saturating_add(tensor.elements()))
}

/// Number format of the layers' matrices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mix {
    /// The nearest modelled format.
    pub(super) format: Precision,
    /// True if the checkpoint has exactly this format.
    pub(super) exact: bool,
    /// Mean bits per element.
    pub(super) bits: f64,
    /// Names of the storage types, in descending order of elements.
    pub(super) names: Vec<&'static str>,
}

/// Modelled formats of weights, with the storage types that each mixes, the most frequent first. Mixes of fewer types come before
/// those that add others (ggml-org/llama.cpp@007dbbf, src/llama-quant.cpp).
const FORMATS: [(Precision, &[&str]); 21] = [
    (Precision::Bf16, &["BF16"]),
    (Precision::Fp16, &["F16"]),
    (Precision::Fp8, &["F8_E4M3"]),
    (Precision::Q8_0, &["Q8_0"]),
    (Precision::Q6K, &["Q6_K"]),
    (Precision::Q5KS, &["Q5_K"]),
    (Precision::Q5KM, &["Q5_K", "Q6_K"]),
    (Precision::Q4KS, &["Q4_K", "Q5_K"]),
    (Precision::Q4KM, &["Q4_K", "Q6_K"]),
    (Precision::Q4_0, &["Q4_0", "Q4_1"]),
    (Precision::Iq4Xs, &["IQ4_XS", "Q5_K"]),
    (Precision::Q3KS, &["Q3_K"]),
    (Precision::Q3KL, &["Q3_K", "Q5_K"]),
    (Precision::Q3KM, &["Q3_K", "Q4_K", "Q5_K"]),
    (Precision::Iq3M, &["IQ3_S", "Q4_K"]),
    (Precision::Iq3Xxs, &["IQ3_XXS", "IQ2_S", "IQ3_S", "Q3_K", "Q4_K"]),
    (Precision::Q2K, &["Q2_K", "Q3_K", "Q4_K"]),
    (Precision::Iq2M, &["IQ2_S", "IQ3_S", "Q4_K"]),
    (Precision::Iq2Xxs, &["IQ2_XXS", "Q2_K", "Q4_K"]),
    (Precision::Iq1M, &["IQ1_M", "IQ2_XXS", "Q2_K", "Q4_K"]),
    (Precision::Mxfp4, &["MXFP4"]),
];

/// Storage types with less than this fraction of the elements, such as routers in 32 bits, are left out of the mix.
const SMALL: f64 = 0.02;

/// The number format of the matrices among some tensors; `None` without matrices.
pub(super) fn mix<'a>(tensors: impl Iterator<Item = &'a Tensor>) -> Option<Mix> {
    let mut parts: Vec<(Storage, f64)> = Vec::new();
    for tensor in tensors.filter(|tensor| tensor.shape.len() > 1) {
        let elements = tensor.elements() as f64;
        match parts.iter_mut().find(|(storage, _)| *storage == tensor.storage) {
            Some((_, sum)) => *sum += elements,
            None => parts.push((tensor.storage, elements)),
        }
    }
    let total: f64 = parts.iter().map(|(_, elements)| elements).sum();
    order::sort(&mut parts, |one, other| other.1.total_cmp(&one.1));
    parts.retain(|(_, elements)| *elements > SMALL * total);
    let (first, _) = parts.first()?;
    let kept: f64 = parts.iter().map(|(_, elements)| elements).sum();
    let bits = parts.iter().map(|(storage, elements)| storage.bits * elements).sum::<f64>() / kept;
    let names: Vec<&'static str> = parts.iter().map(|(storage, _)| storage.name).collect();
    let same = FORMATS.iter().find(|(_, types)| {
        types.first() == Some(&first.name) && names.iter().all(|name| types.contains(name))
    });
    if let Some((format, _)) = same {
        return Some(Mix { format: *format, exact: true, bits, names });
    }
    let off = |format: Precision| (8.0 * format.element().get() - bits).abs();
    let nearest = FORMATS.iter().map(|(format, _)| *format).filter(|format| *format != Precision::Fp16);
    let format = nearest.min_by(|one, other| off(*one).total_cmp(&off(*other)))?;
    Some(Mix { format, exact: false, bits, names })
}
