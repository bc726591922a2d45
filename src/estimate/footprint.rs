//! Memory of one GPU by class.

use serde::Serialize;

use crate::units::{Bytes, format};

/// The memory of the fullest GPU, by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Footprint {
    /// Model weights.
    pub weights: Bytes,
    /// Gradients (training).
    pub gradients: Bytes,
    /// Optimizer state: master weights and two moments (training).
    pub optimizer: Bytes,
    /// Activations: kept for the backward pass in training, in flight in inference.
    pub activations: Bytes,
    /// Keys and values of all cached tokens (inference).
    pub kv_cache: Bytes,
    /// Runtime reserve: CUDA context, communication buffers, an engine's buffers for sampling.
    pub reserve: Bytes,
    /// Memory capacity of the device.
    pub capacity: Bytes,
}

impl Footprint {
    /// Sum over all classes.
    pub fn total(&self) -> Bytes {
        self.weights + self.gradients + self.optimizer + self.activations + self.kv_cache + self.reserve
    }

    /// Returns true if the total is within the capacity.
    pub fn fits(&self) -> bool {
        self.total() <= self.capacity
    }

    /// The required memory and the capacity, if the total exceeds it: `needs 92.3 GiB of 80.0 GiB`.
    pub fn shortage(&self) -> Option<String> {
        (!self.fits()).then(|| {
            let [needed, there] = [self.total(), self.capacity].map(format::memory);
            format!("needs {needed} of {there}")
        })
    }

    /// The classes with their labels, in the order in which they are stacked.
    pub fn classes(&self) -> [(&'static str, Bytes); 6] {
        [
            ("Weights", self.weights),
            ("Gradients", self.gradients),
            ("Optimizer", self.optimizer),
            ("Activations", self.activations),
            ("KV cache", self.kv_cache),
            ("Runtime reserve", self.reserve),
        ]
    }
}
