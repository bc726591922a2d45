//! The forward pass of one transformer layer on one GPU, operator by operator.

use super::feed_forward::Way;
use super::kernels::stream;
use super::operator::Operator;
use super::shard::Shard;
use crate::catalog::layers::{FeedForward, Layer};

/// Operations per element of a norm: mean, variance, scale and shift (9 T n for T × n elements, as the authors' code of
/// arXiv 2410.00273 counts).
pub(super) const NORM_FLOPS: f64 = 9.0;

impl Shard<'_> {
    /// All operators of the forward pass in order.
    pub fn forward(&self, layer: &Layer, visit: &mut dyn FnMut(Operator)) {
        self.before_feed_forward(layer, visit);
        if layer.ffn == FeedForward::None {
            return;
        }
        if !self.parallel(layer) && !self.dispatched(layer) {
            self.enter(visit);
        }
        let moe = layer.experts();
        if let Some(moe) = moe {
            self.meet(Way::There, moe, visit);
        }
        self.feed_forward(layer, visit);
        if let Some(moe) = moe {
            self.meet(Way::Back, moe, visit);
        }
        if !self.dispatched(layer) && (self.replicas == 1 || layer.experts().is_none()) {
            self.leave(visit);
        }
        if !self.fused {
            self.residual("MLP residual", visit);
        }
    }

    /// Operators before a layer's feed-forward block: its mixers, and the norm of the block.
    pub fn before_feed_forward(&self, layer: &Layer, visit: &mut dyn FnMut(Operator)) {
        let joined = self.parallel(layer);
        if layer.mixer.is_some() {
            self.between_blocks("Attention norm", "Residual and attention norm", visit);
            self.enter(visit);
            for mixer in layer.mixers() {
                self.mix(&mixer, visit);
            }
            if !joined {
                self.leave(visit);
                if !self.fused {
                    self.residual("Attention residual", visit);
                }
            }
        }
        if layer.ffn != FeedForward::None && !joined {
            self.between_blocks("MLP norm", "Residual and MLP norm", visit);
        }
    }

    /// Operators of a layer's feed-forward block on the GPUs that hold it, without the exchange of tokens.
    pub fn feed_forward(&self, layer: &Layer, visit: &mut dyn FnMut(Operator)) {
        match &layer.ffn {
            FeedForward::Experts(moe) => self.experts(moe, visit),
            FeedForward::Dense(width) => self.mlp(f64::from(*width), visit),
            FeedForward::None => {}
        }
    }

    /// Returns true for a parallel block, both halves of which read the output of one norm and are summed before one
    /// collective.
    fn parallel(&self, layer: &Layer) -> bool {
        self.architecture.parallel_block && layer.mixer.is_some() && layer.ffn != FeedForward::None
    }

    /// Returns true if a block's tokens go from each member of the tensor group straight to their experts and back, so
    /// that the group need not gather them.
    fn dispatched(&self, layer: &Layer) -> bool {
        let routed_alone = layer.experts().is_some_and(|moe| moe.shared_ffn == 0);
        routed_alone && self.sequence_parallel && self.mesh.expert_tensor.size != self.group.size
    }

    /// The norm at a block's entrance, which a fused kernel joins with the residual before it.
    fn between_blocks(&self, alone: &'static str, fused: &'static str, visit: &mut dyn FnMut(Operator)) {
        self.statistics(visit);
        let elements = self.local_tokens() * f64::from(self.architecture.hidden);
        // Backward reads the input, the gradient and the residual's gradient, and writes one.
        if self.fused {
            stream(fused, elements, 4.0, NORM_FLOPS + 1.0, 2.0, visit);
        } else {
            stream(alone, elements, 2.0, NORM_FLOPS, 2.0, &mut |norm| visit(norm.expanding()));
        }
    }

    /// Bias, dropout and residual at a block's end, in one kernel.
    fn residual(&self, name: &'static str, visit: &mut dyn FnMut(Operator)) {
        let elements = self.local_tokens() * f64::from(self.architecture.hidden);
        let mask = if self.dropout { 0.5 } else { 0.0 };
        // Backward, the residual's gradient passes through; only the dropout mask is applied.
        let backward = if self.dropout { 0.7 } else { 0.0 };
        stream(name, elements, 3.0 + mask, 2.0, backward, visit);
    }
}
