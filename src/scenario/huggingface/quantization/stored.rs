//! The number format in which a checkpoint stores its weights, and the nearest format that the model has.

use crate::system::Precision;

/// Number format of a checkpoint's weights and activations.
#[derive(Clone, Copy, Default)]
pub(super) struct Stored<'a> {
    /// Name of the quantisation method or algorithm, as published.
    pub(super) method: &'a str,
    /// Bits of a weight.
    pub(super) bits: u32,
    /// True if weights are floating-point numbers, false for integers.
    pub(super) float: bool,
    /// Number of weights that share a scale; 0 for one scale per channel or tensor.
    pub(super) group: u32,
    /// True if two-dimensional blocks of weights share a scale.
    pub(super) blocks: bool,
    /// Bits of an activation; `None` if activations have 16 bits.
    pub(super) activations: Option<u32>,
    /// True if weights are not plain numbers, e.g. the indices of NF4 into a table of 16 values.
    pub(super) coded: bool,
}

impl Stored<'_> {
    /// The nearest format of the model, and true if it is the same format.
    pub(super) const fn nearest(&self) -> (Precision, bool) {
        let weights_only = self.activations.is_none();
        let plain = !self.coded;
        match (self.float, self.bits) {
            (true, 8) if self.blocks => (Precision::Fp8Block, plain),
            (true, 8) if self.group == 32 => (Precision::Mxfp8, plain && !weights_only),
            (true, 8) => (Precision::Fp8, plain && !weights_only),
            (true, 5..=7) => (Precision::Mxfp6, plain && self.bits == 6 && self.group == 32),
            (true, 0..=4) if matches!(self.activations, Some(4)) => (Precision::Fp4, plain && self.bits == 4),
            (true, 0..=4) => (Precision::Mxfp4, plain && self.bits == 4 && self.group == 32 && weights_only),
            (false, 8) if !weights_only => (Precision::Int8, plain),
            (false, 7 | 8) => (Precision::Q8_0, false),
            (false, 6) => (Precision::Q6K, false),
            (false, 5) => (Precision::Q5KM, false),
            (false, 0..=4) => (Precision::Int4, plain && self.bits == 4 && self.group == 128 && weights_only),
            _ => (Precision::Bf16, false),
        }
    }

    /// Describes the format, e.g. "4-bit integers in groups of 32 with 16-bit activations (`awq`)".
    pub(super) fn described(&self) -> String {
        let kind = if self.coded {
            "codes"
        } else if self.float {
            "floats"
        } else {
            "integers"
        };
        let group = match (self.blocks, self.group) {
            (true, _) => " in blocks".to_owned(),
            (_, 0) => String::new(),
            (_, group) => format!(" in groups of {group}"),
        };
        let activations = self.activations.unwrap_or(16);
        let method: String = self.method.chars().take(super::LONGEST_NAME).collect();
        format!("{}-bit {kind}{group} with {activations}-bit activations (`{method}`)", self.bits)
    }
}
