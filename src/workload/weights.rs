//! Weights of a layer that one GPU stores: a part if the group shards the matrix, all of it if every member needs it.

use super::shard::{Mesh, Shard};
use crate::catalog::layers::{FeedForward, Layer};

/// Elements of weights on one GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// Matrices of the attention block.
    pub projections: f64,
    /// Matrices of the feed-forward block, or of the experts that process every token.
    pub feed_forward: f64,
    /// Matrices of the experts to which tokens are routed.
    pub routed: f64,
    /// Parameters that stay in 16 bits: norms, biases and the router.
    pub rest: f64,
}

impl Shard<'_> {
    /// One layer's weights on one GPU; where layers share weights, its share of them.
    ///
    /// Fewer key-value heads than GPUs are replicated, and so are the latents' down-projections, which all heads
    /// share, the router and the norms. Replicas of the attention block share the experts, not the rest.
    pub fn weights(&self, layer: &Layer) -> Weights {
        let architecture = self.architecture;
        let hidden = f64::from(architecture.hidden);
        let tensor = self.matrix_parts();
        let mut projections = 0.0;
        for mixer in layer.mixers() {
            let Some(law) = mixer.law() else { continue };
            law.matrices(u64::from(architecture.hidden), &mut |matrix| {
                let (rows, columns) = matrix.part(tensor);
                let whole = matrix.elements() as f64;
                projections += if self.mesh.panels > 0 { whole / tensor } else { rows * columns };
            });
        }
        let gates = if architecture.gated { 3.0 } else { 2.0 };
        let block = |width: u32| gates * hidden * f64::from(width);
        let vectors = architecture.vector_parameters(layer);
        let (feed_forward, routed, rest) = match &layer.ffn {
            FeedForward::Experts(moe) => {
                let Mesh { expert, expert_tensor, .. } = self.mesh;
                let gpus = f64::from(expert.size) * f64::from(expert_tensor.size) * f64::from(self.replicas);
                let routed = architecture.routed_parameters(layer) / gpus;
                let latent = 2.0 * hidden * f64::from(moe.latent);
                let router = hidden * f64::from(moe.experts + moe.idle_experts);
                ((block(moe.shared_ffn) + latent) / tensor, routed, vectors + router)
            }
            FeedForward::Dense(width) => (block(*width) / tensor, 0.0, vectors),
            FeedForward::None => (0.0, 0.0, vectors),
        };
        let stored = layer.weight_sets_per_layer();
        Weights {
            projections: projections * stored,
            feed_forward: feed_forward * stored,
            routed: routed * stored,
            rest: rest * stored,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::architecture;
    use crate::system::{AllReduce, Group, Precision, ScanLibrary};
    use crate::units::Bytes;
    use crate::workload::{AttentionKernel, ExpertExchange, Mesh, SelectedPrompts};

    fn total(id: &str, tensor: u32, replicas: u32) -> Option<f64> {
        let architecture = architecture(id)?;
        let group = Group::strided(tensor, 1, 8);
        let shard = Shard {
            architecture,
            group,
            mesh: Mesh::of_tensor(group),
            sequence_parallel: false,
            batch: 1.0,
            queries: 1.0,
            keys: 1.0,
            precision: Precision::Bf16,
            dense: Precision::Bf16,
            replicas,
            meeting: Group::strided(tensor * replicas, 1, 8),
            expert_parts: replicas,
            exchange: ExpertExchange::Fused,
            kv_element: Bytes::new(2.0),
            kept_input: Bytes::ZERO,
            kernel: AttentionKernel::Flash,
            score: Bytes::new(2.0),
            selected: SelectedPrompts::Gathered,
            scans: ScanLibrary::default(),
            dropout: false,
            fused: true,
            all_reduce: AllReduce::Automatic,
        };
        let layers = architecture.layer_kinds().map(|layer| {
            let Weights { projections, feed_forward, routed, rest } = shard.weights(&layer);
            f64::from(layer.count) * (projections + feed_forward + routed + rest)
        });
        Some(layers.sum())
    }

    #[test]
    fn one_gpu_holds_every_layer() {
        for id in ["llama-3.1-70b", "zamba2-7b", "deepseek-v3", "qwen3-235b-a22b", "gpt-3-175b"] {
            let parameters = architecture(id).map(crate::catalog::Architecture::parameters);
            let extra = architecture(id).map_or(0, |model| model.extra);
            let ends = parameters.map(|parameters| parameters.embedding + parameters.head + extra);
            let all = parameters.map(|parameters| parameters.total).zip(ends);
            let expected = all.map_or(0.0, |(total, ends)| (total - ends) as f64);
            let held = total(id, 1, 1).unwrap_or_default();
            assert!((held / expected - 1.0).abs() < 1e-6, "{id}: {held} for {expected}");
        }
    }

    #[test]
    fn what_is_replicated_does_not_shrink() {
        let share = |id, tensor, replicas| {
            total(id, tensor, replicas).unwrap_or_default() / total(id, 1, 1).unwrap_or(1.0)
        };
        // Eight key-value heads over 16 GPUs: each has one.
        assert!(share("llama-3.1-70b", 16, 1) > 1.015 / 16.0);
        // Latents are whole on every GPU.
        assert!(share("deepseek-v3", 8, 1) > 1.01 / 8.0);
        // Attention replicas hold all of their blocks and a part of the experts.
        assert!(share("deepseek-v3", 1, 8) > share("deepseek-v3", 8, 1));
        assert!(share("deepseek-v3", 1, 8) < 0.2);
    }
}
