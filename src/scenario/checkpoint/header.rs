//! The header of a checkpoint, in the form that both formats share.

use super::tensors::Tensor;

/// Metadata and tensors of a checkpoint, both in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Header {
    /// Keys and values; empty for safetensors.
    pub(super) metadata: Vec<(String, Value)>,
    /// Descriptions of the tensors.
    pub(super) tensors: Vec<Tensor>,
}

/// Value of a metadata key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A number.
    Number(f64),
    /// A Boolean.
    Flag(bool),
    /// A string.
    Text(String),
    /// A short list of numbers.
    Numbers(Vec<f64>),
    /// Length of any other list.
    Length(u64),
}

/// Reasons why a header could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The header is longer than the given bytes.
    Short,
    /// The bytes are not a valid header; a clause with the reason.
    Invalid(String),
}

impl Header {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.metadata.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The first tensor whose name ends with `suffix`.
    pub(super) fn tensor(&self, suffix: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|tensor| tensor.name.ends_with(suffix))
    }
}
