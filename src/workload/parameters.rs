//! The layers of a model by kind, and the parameters of one layer.

use super::layer::LayerKind;
use crate::catalog::architecture::{Architecture, Kind, Moe};

impl Architecture {
    /// Each kind of layer with its number of layers, which may be 0.
    ///
    /// Windowed layers are spread over dense and expert layers in proportion.
    pub fn layer_kinds(&self) -> [(LayerKind, u32); 4] {
        let dense = self.dense_layers();
        let sparse = self.layers - dense;
        let windowed = self.window.as_ref().map_or(0, |window| window.layers.min(self.layers));
        let windowed_dense = u64::from(windowed) * u64::from(dense) / u64::from(self.layers.max(1));
        let windowed_dense = windowed_dense as u32;
        let windowed_sparse = (windowed - windowed_dense).min(sparse);
        [
            (LayerKind { experts: false, windowed: false }, dense - windowed_dense),
            (LayerKind { experts: false, windowed: true }, windowed_dense),
            (LayerKind { experts: true, windowed: false }, sparse - windowed_sparse),
            (LayerKind { experts: true, windowed: true }, windowed_sparse),
        ]
    }

    /// Returns true if a token sees only the tokens before it.
    pub fn is_causal(&self) -> bool {
        self.kind == Kind::Decoder
    }

    /// Elements of one layer's matrices: attention, feed-forward or all experts, router.
    pub fn matrix_parameters(&self, experts: bool) -> f64 {
        let counted = self.counted(experts, |moe| moe.experts);
        (self.attention_matrices() + self.feed_forward_matrices(counted)) as f64
    }

    /// Elements of one layer's matrices that one token is multiplied with.
    pub fn active_matrix_parameters(&self, experts: bool) -> f64 {
        let counted = self.counted(experts, |moe| moe.top_k);
        (self.attention_matrices() + self.feed_forward_matrices(counted)) as f64
    }

    /// Elements of one layer's routed experts, which expert parallelism spreads.
    pub fn routed_parameters(&self) -> f64 {
        let all = |count| self.feed_forward_matrices(Some(count)) as f64;
        self.moe.as_ref().map_or(0.0, |moe| all(moe.experts) - all(0))
    }

    /// Elements of one layer's norms and biases.
    pub fn vector_parameters(&self, experts: bool) -> f64 {
        self.vectors(self.counted(experts, |moe| moe.experts)) as f64
    }

    /// Parameters outside the layers on the first stage: the embedding, and without a pipeline the head.
    pub fn end_parameters(&self, stages: u32) -> f64 {
        let parameters = self.parameters();
        let head = if stages == 1 { parameters.head } else { 0 };
        (parameters.embedding + head) as f64
    }

    fn counted(&self, experts: bool, count: impl Fn(&Moe) -> u32) -> Option<u32> {
        self.moe.as_ref().filter(|_| experts).map(count)
    }
}
