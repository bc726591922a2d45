//! The number format of weights, between checkpoints and flags.

use super::command::Line;
use crate::scenario::{Scenario, names};
use crate::system::Precision;
use crate::words::Word;

/// How a server comes to a format of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weights {
    /// The published checkpoint has it.
    Native,
    /// 16 bits of another kind than the checkpoint's.
    Half(Precision),
    /// The server quantises a 16-bit checkpoint to FP8 when it loads it.
    Online,
    /// Only another checkpoint has it.
    Checkpoint(Precision),
}

impl Weights {
    /// How a question's format is reached.
    pub(super) fn of(question: &Scenario) -> Self {
        let (asked, native) = (question.inference.precision, question.native_precision());
        match asked {
            same if same == native => Self::Native,
            Precision::Bf16 | Precision::Fp16 if native == Precision::Bf16 => Self::Half(asked),
            Precision::Fp8 if native == Precision::Bf16 => Self::Online,
            other => Self::Checkpoint(other),
        }
    }

    /// What a checkpoint's name ends with, so that its format is read from there.
    pub(super) fn suffix(self) -> String {
        match self {
            Self::Checkpoint(format) => format!("-{}", format.word()),
            Self::Native | Self::Half(_) | Self::Online => String::new(),
        }
    }

    /// The flags by which vLLM and SGLang change a checkpoint's format.
    pub(super) fn flags(self, line: &mut Line) {
        match self {
            Self::Online => line.value("--quantization", "fp8"),
            Self::Half(Precision::Fp16) => line.value("--dtype", "float16"),
            Self::Half(_) | Self::Native | Self::Checkpoint(_) => {}
        }
    }

    /// The format that a tool can only take from a checkpoint, in a sentence.
    pub(super) fn note(self, tool: &str) -> Option<String> {
        let Self::Checkpoint(format) = self else { return None };
        Some(format!("{tool} takes {} from the checkpoint: use a checkpoint in that format", format.name()))
    }
}

/// The format that a server's arguments mean: a flag's, else the checkpoint's by its name, else the model's own.
pub(super) fn read(flags: [Option<&str>; 2], checkpoint: &str, native: Precision) -> &'static str {
    let stated = flags.into_iter().flatten().find_map(names::precision);
    stated.or_else(|| names::precision(checkpoint)).unwrap_or_else(|| native.word())
}
