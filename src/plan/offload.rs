//! Offloading of tensors to host memory.

use serde::{Deserialize, Serialize};

/// Tensors that a training plan keeps in host memory and transfers over the host link when they are needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Offload {
    /// Activations for the backward pass: those of each layer are offloaded while the next layer runs, and fetched
    /// while the layer after it runs backward.
    pub activations: bool,
    /// The 16-bit weights: each layer's come before either of its passes.
    pub weights: bool,
    /// Master weights and moments, which come and go while the optimizer runs on the accelerator.
    pub optimizer: bool,
}

impl Offload {
    /// Returns true if anything is offloaded.
    pub const fn any(self) -> bool {
        self.activations || self.weights || self.optimizer
    }

    /// Returns true if nothing is offloaded.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    pub(super) const fn nothing(&self) -> bool {
        !self.any()
    }
}
