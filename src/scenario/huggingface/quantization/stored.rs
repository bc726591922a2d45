//! The number format in which a checkpoint stores its weights, and the nearest format that the model has.

use crate::system::Precision;

/// Maximum number of characters of a name in a warning.
pub(super) const LONGEST_NAME: usize = 32;

/// What a stored weight is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// An integer with a scale.
    #[default]
    Integer,
    /// An integer with a scale and an offset, as in MLX.
    Affine,
    /// A floating-point number.
    Float,
    /// No plain number, e.g. an index into a codebook.
    Code,
    /// An index of bitsandbytes into a table of 16 values, in blocks of 64.
    Table {
        /// True if the table is NF4's instead of FP4's, which takes as much memory.
        normal: bool,
        /// True if scales are quantised too.
        double: bool,
    },
    /// Matrices of several widths (EXL2, EXL3).
    Mixed {
        /// True if the mean is a whole number of bits.
        whole: bool,
    },
}

/// Number format of a checkpoint's weights and activations.
#[derive(Clone, Copy, Default)]
pub(super) struct Stored<'a> {
    /// Name of the quantisation method or algorithm, as published.
    pub(super) method: &'a str,
    /// Bits of a weight.
    pub(super) bits: u32,
    /// What a weight is.
    pub(super) kind: Kind,
    /// Number of weights that share a scale; 0 for one scale per channel or tensor.
    pub(super) group: u32,
    /// True if two-dimensional blocks of weights share a scale.
    pub(super) blocks: bool,
    /// True if zero points are as narrow as weights and packed like them, as in AWQ's and GPTQ's checkpoints.
    pub(super) packed: bool,
    /// Bits of an activation; `None` if activations have 16 bits.
    pub(super) activations: Option<u32>,
}

/// The format of a checkpoint's feed-forward blocks, which hold most of its weights.
pub(super) struct Mixed<'a> {
    /// The format.
    pub(super) stored: Stored<'a>,
    /// True if other parts of the checkpoint have other formats.
    pub(super) mixed: bool,
}

impl Stored<'_> {
    /// The nearest format of the model, and true if it is the same format.
    pub(super) const fn nearest(&self) -> (Precision, bool) {
        let weights_only = self.activations.is_none();
        match self.kind {
            Kind::Affine => self.nearest_affine(),
            Kind::Float => match self.bits {
                8 if self.blocks => (Precision::Fp8Block, true),
                8 if self.group == 32 => (Precision::Mxfp8, !weights_only),
                8 => (Precision::Fp8, !weights_only),
                5..=7 => (Precision::Mxfp6, self.bits == 6 && self.group == 32),
                0..=4 if matches!(self.activations, Some(4)) => (Precision::Fp4, self.bits == 4),
                0..=4 => (Precision::Mxfp4, self.bits == 4 && self.group == 32 && weights_only),
                _ => (Precision::Bf16, false),
            },
            Kind::Table { normal, double } => {
                (if double { Precision::Nf4Double } else { Precision::Nf4 }, normal)
            }
            Kind::Mixed { whole } => match self.bits {
                0..=2 => (Precision::Exl2, whole && self.bits == 2),
                3 => (Precision::Exl3, whole),
                4 => (Precision::Exl4, whole),
                5 => (Precision::Exl5, whole),
                6 => (Precision::Exl6, whole),
                _ => (Precision::Exl8, whole && self.bits == 8),
            },
            Kind::Integer | Kind::Code => {
                let plain = matches!(self.kind, Kind::Integer);
                // A zero point of 4 bits, in the layout that AWQ and GPTQ write.
                let packed = plain && self.packed;
                match self.bits {
                    8 if !weights_only => (Precision::Int8, plain),
                    7 | 8 => (Precision::Q8_0, false),
                    6 => (Precision::Q6K, false),
                    5 => (Precision::Q5KM, false),
                    0..=4 => {
                        let format = if packed { Precision::Awq } else { Precision::Int4 };
                        (format, plain && self.bits == 4 && self.group == 128 && weights_only)
                    }
                    _ => (Precision::Bf16, false),
                }
            }
        }
    }

    /// The nearest format of MLX, whose groups have 64 weights here.
    const fn nearest_affine(&self) -> (Precision, bool) {
        let same = self.group == 64;
        match self.bits {
            0..=2 => (Precision::Mlx2, same && self.bits == 2),
            3 => (Precision::Mlx3, same),
            4 => (Precision::Mlx4, same),
            5 => (Precision::Mlx5, same),
            6 => (Precision::Mlx6, same),
            _ => (Precision::Mlx8, same && self.bits == 8),
        }
    }

    /// Describes the format, e.g. "4-bit integers in groups of 32 with 16-bit activations (`awq`)".
    pub(super) fn described(&self) -> String {
        let kind = match self.kind {
            Kind::Code | Kind::Table { .. } => "codes",
            Kind::Mixed { .. } => "codes on average",
            Kind::Float => "floats",
            Kind::Integer | Kind::Affine => "integers",
        };
        let group = match (self.blocks, self.group) {
            (true, _) => " in blocks".to_owned(),
            (_, 0) => String::new(),
            (_, group) => format!(" in groups of {group}"),
        };
        let activations = self.activations.unwrap_or(16);
        let method: String = self.method.chars().take(LONGEST_NAME).collect();
        let about = if self.kind == (Kind::Mixed { whole: false }) { "about " } else { "" };
        format!("{about}{}-bit {kind}{group} with {activations}-bit activations (`{method}`)", self.bits)
    }
}
