//! The number format of the weights, which is set by the checkpoint or by a flag.

use super::line::Line;
use crate::scenario::{Scenario, names};
use crate::system::Precision;
use crate::words::Word;

/// Source of the weights in the requested number format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weights {
    /// The published checkpoint has the format.
    Native,
    /// A 16-bit format other than the checkpoint's, converted at load time.
    Half(Precision),
    /// FP8, quantised from a 16-bit checkpoint at load time.
    Online,
    /// The format needs a checkpoint other than the published one.
    Checkpoint(Precision),
}

impl Weights {
    /// The source of a question's weights in their number format.
    pub(super) fn of(question: &Scenario) -> Self {
        let (asked, native) = (question.inference.precision, question.native_precision());
        match asked {
            same if same == native => Self::Native,
            Precision::Bf16 | Precision::Fp16 if native == Precision::Bf16 => Self::Half(asked),
            Precision::Fp8 if native == Precision::Bf16 => Self::Online,
            other => Self::Checkpoint(other),
        }
    }

    /// The end of the checkpoint's name that gives its format, so that the reader finds it; empty for the published
    /// checkpoint.
    pub(super) fn suffix(self) -> String {
        match self {
            Self::Checkpoint(format) => format!("-{}", format.word()),
            Self::Native | Self::Half(_) | Self::Online => String::new(),
        }
    }

    /// Appends the flags with which vLLM and SGLang convert weights at load time.
    pub(super) fn flags(self, line: &mut Line) {
        match self {
            Self::Online => line.value("--quantization", "fp8"),
            Self::Half(Precision::Fp16) => line.value("--dtype", "float16"),
            Self::Half(_) | Self::Native | Self::Checkpoint(_) => {}
        }
    }

    /// A sentence without a full stop if the format needs another checkpoint.
    pub(super) fn note(self, tool: &str) -> Option<String> {
        let Self::Checkpoint(format) = self else { return None };
        Some(format!("{tool} needs a checkpoint in {}", format.name()))
    }
}

/// The weight format of a server: that of a flag, else that in the checkpoint's name, else the model's published one.
pub(super) fn read(flags: [Option<&str>; 2], checkpoint: &str, native: Precision) -> &'static str {
    let stated = flags.into_iter().flatten().find_map(names::precision);
    stated.or_else(|| names::precision(checkpoint)).unwrap_or_else(|| native.word())
}
