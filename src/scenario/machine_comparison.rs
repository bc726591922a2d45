//! The two machines that a scenario compares, and the second one's configuration.

use serde::{Deserialize, Serialize};

use crate::system::Precision;

/// Id of the question's own device, as opposed to the catalogue's devices.
pub const OWN: &str = "own";

/// Two machines. The first runs the question's job as asked; the second may run it otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename = "Comparison")]
pub struct MachineComparison {
    /// The first device: a catalogue id, or `own` for the question's.
    pub from: String,
    /// True if the first device runs its best plan instead of the question's.
    pub tuned: bool,
    /// The second device: a catalogue id, or `own` for the question's.
    pub to: String,
    /// GPUs in a scale-up domain of the second, instead of the catalogue's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<u32>,
    /// Factor on the number of sequences per step of the second machine.
    pub batch: u32,
    /// The format in which the second multiplies.
    pub precision: Precision,
}

impl Default for MachineComparison {
    fn default() -> Self {
        Self {
            from: "a100-sxm-80gb".to_owned(),
            tuned: false,
            to: "b200".to_owned(),
            domain: None,
            batch: 1,
            precision: Precision::Bf16,
        }
    }
}
