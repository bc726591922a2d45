//! Activations that the backward pass needs, in bytes.
//!
//! Korthikanti et al. 2022, section 4, tensor by tensor, which also covers grouped-query attention, gated
//! and expert feed-forward blocks. For their models the sum is sbh (10 + 24/t + 5as/ht) with tensor
//! parallelism, (sbh/t)(34 + 5as/h) with sequence parallelism, without the 5as/h part where the attention
//! core is recomputed or fused, and 2sbh where the layer is.

use super::layer::LayerKind;
use super::recompute::Recompute;
use super::shard::{AttentionKernel, Shard};
use crate::units::Bytes;

/// Activations are 16-bit.
const ACTIVATION: f64 = 2.0;
/// A dropout mask is a byte.
const MASK: f64 = 1.0;

impl Shard<'_> {
    /// What one layer keeps for its backward pass, for one microbatch.
    pub fn saved(&self, kind: LayerKind, recompute: Recompute) -> Bytes {
        let input = self.tokens() * f64::from(self.architecture.hidden);
        // Outside the blocks: sharded with sequence parallelism only.
        let outside = if self.sequence_parallel { input / self.tensor() } else { input };
        if recompute == Recompute::Full {
            return Bytes::new(outside * ACTIVATION);
        }
        // A parallel block has one norm and one input for both of its halves.
        let blocks = if self.architecture.parallel_block { 1.0 } else { 2.0 };
        let mask = if self.dropout { MASK } else { 0.0 };
        let norms = blocks * ACTIVATION * outside;
        let block_inputs = blocks * ACTIVATION * outside;
        let residual_masks = blocks * mask * outside;
        Bytes::new(norms + block_inputs + residual_masks)
            + self.saved_attention(recompute, mask)
            + self.saved_feed_forward(kind)
    }

    /// Queries, keys, values, the core's output, and the scores where they are written and kept.
    fn saved_attention(&self, recompute: Recompute, mask: f64) -> Bytes {
        let heads = f64::from(self.architecture.heads) / self.tensor();
        let widths = match &self.architecture.mla {
            Some(mla) => {
                let query = f64::from(mla.qk_nope + mla.qk_rope);
                let latents = f64::from(mla.q_lora + mla.kv_lora + mla.qk_rope);
                heads * (2.0 * query + 2.0 * f64::from(mla.v)) + latents
            }
            None => f64::from(self.architecture.head_dim) * (2.0 * heads + 2.0 * self.kv_heads()),
        };
        let streams = self.tokens() * widths * ACTIVATION;
        let scores = self.batch * heads * self.queries * self.keys;
        let core = match (self.kernel, recompute) {
            // The log-sum-exp of each row, 32-bit.
            (AttentionKernel::Flash | AttentionKernel::Flash2, _) => 4.0 * self.batch * heads * self.queries,
            (AttentionKernel::Unfused, Recompute::None) => {
                // Softmax output, and with dropout its mask and its output.
                scores * if self.dropout { 2.0 * ACTIVATION + mask } else { ACTIVATION }
            }
            (AttentionKernel::Unfused, _) => 0.0,
        };
        Bytes::new(streams + core)
    }

    /// The activation function's input and output.
    fn saved_feed_forward(&self, kind: LayerKind) -> Bytes {
        let kept = if self.architecture.gated { 3.0 } else { 2.0 };
        let width = match (&self.architecture.moe, kind.experts) {
            (Some(moe), true) => f64::from(moe.top_k) * f64::from(moe.ffn) + f64::from(moe.shared_ffn),
            _ => f64::from(self.architecture.ffn),
        };
        let dispatched = match (&self.architecture.moe, kind.experts) {
            // Each expert's copy of its tokens.
            (Some(moe), true) => self.tokens() * f64::from(moe.top_k) * f64::from(self.architecture.hidden),
            _ => 0.0,
        };
        Bytes::new((self.tokens() * width * kept / self.tensor() + dispatched) * ACTIVATION)
    }
}
