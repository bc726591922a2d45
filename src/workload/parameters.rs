//! The parameters of one layer, as the model's work and memory need them.

use crate::catalog::architecture::{Architecture, Kind};
use crate::catalog::layers::{Layer, Moe};

impl Architecture {
    /// Returns true if a token attends only to the tokens before it.
    pub fn is_causal(&self) -> bool {
        self.kind == Kind::Decoder
    }

    /// Elements of one layer's matrices that one token is multiplied with.
    pub fn active_matrix_parameters(&self, layer: &Layer) -> f64 {
        (layer.mixer_matrices(self.hidden) + self.feed_forward_matrices(layer, Moe::active)) as f64
    }

    /// Elements of one layer's routed experts, which expert parallelism spreads.
    pub fn routed_parameters(&self, layer: &Layer) -> f64 {
        let all = |count: fn(&Moe) -> u32| self.feed_forward_matrices(layer, count) as f64;
        all(|moe| moe.experts) - all(|_| 0)
    }

    /// Elements of one layer's norms and biases.
    pub fn vector_parameters(&self, layer: &Layer) -> f64 {
        self.vectors(layer, |moe| moe.experts) as f64
    }

    /// Parameters outside the layers on the first stage: the embedding, and without a pipeline the head.
    pub fn end_parameters(&self, stages: u32) -> f64 {
        let (embedding, head) = self.ends();
        let head = if stages == 1 { head } else { 0 };
        (embedding + head + self.extra) as f64
    }
}
