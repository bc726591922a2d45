//! What one GPU holds of a layer's weights: cut where the group cuts them, whole where every member needs all.

use super::layer::LayerKind;
use super::shard::{Mesh, Shard};

/// Elements of weights on one GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// Matrices of the attention block.
    pub projections: f64,
    /// Matrices of the feed-forward block, or of the experts that every token goes through.
    pub feed_forward: f64,
    /// Matrices of the experts to which tokens are routed.
    pub routed: f64,
    /// What stays in 16 bits: norms, biases, the router.
    pub rest: f64,
}

impl Shard<'_> {
    /// One layer's weights on one GPU.
    ///
    /// Fewer key-value heads than GPUs are replicated, and so are the latents' down-projections, which all heads
    /// share, the router and the norms. Replicas of the attention block share the experts, not the rest.
    pub fn weights(&self, kind: LayerKind) -> Weights {
        let architecture = self.architecture;
        let hidden = f64::from(architecture.hidden);
        let tensor = self.matrix_parts();
        let heads = f64::from(architecture.heads) / tensor;
        let kv_heads =
            if self.mesh.panels > 0 { f64::from(architecture.kv_heads) / tensor } else { self.kv_heads() };
        let positions =
            if architecture.relative_position_projection { hidden * hidden / tensor } else { 0.0 };
        let projections = if let Some(mla) = &architecture.mla {
            let query = heads * f64::from(mla.qk_nope + mla.qk_rope);
            let latent = f64::from(mla.q_lora);
            let queries = if latent > 0.0 { hidden * latent + latent * query } else { hidden * query };
            let down = hidden * f64::from(mla.kv_lora + mla.qk_rope);
            let up = f64::from(mla.kv_lora) * heads * f64::from(mla.qk_nope + mla.v);
            queries + down + up + heads * f64::from(mla.v) * hidden
        } else {
            hidden * f64::from(architecture.head_dim) * 2.0 * (heads + kv_heads) + positions
        };
        let gates = if architecture.gated { 3.0 } else { 2.0 };
        let block = |width: u32| gates * hidden * f64::from(width);
        let vectors = architecture.vector_parameters(kind.experts);
        let (feed_forward, routed, rest) = match (&architecture.moe, kind.experts) {
            (Some(moe), true) => {
                let Mesh { expert, expert_tensor, .. } = self.mesh;
                let gpus = f64::from(expert.size) * f64::from(expert_tensor.size) * f64::from(self.replicas);
                let routed = f64::from(moe.experts) * block(moe.ffn) / gpus;
                (block(moe.shared_ffn) / tensor, routed, vectors + hidden * f64::from(moe.experts))
            }
            _ => (block(architecture.ffn) / tensor, 0.0, vectors),
        };
        Weights { projections, feed_forward, routed, rest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::architecture;
    use crate::system::{AllReduce, Group, Precision};
    use crate::units::Bytes;
    use crate::workload::{AttentionKernel, Mesh};

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
            projection: Precision::Bf16,
            replicas,
            meeting: Group::strided(tensor * replicas, 1, 8),
            expert_parts: replicas,
            kv_element: Bytes::new(2.0),
            kernel: AttentionKernel::Flash,
            score: Bytes::new(2.0),
            dropout: false,
            fused: true,
            all_reduce: AllReduce::Automatic,
        };
        let layers = architecture.layer_kinds().into_iter().map(|(kind, layers)| {
            let Weights { projections, feed_forward, routed, rest } = shard.weights(kind);
            f64::from(layers) * (projections + feed_forward + routed + rest)
        });
        Some(layers.sum())
    }

    #[test]
    fn one_gpu_holds_every_layer() {
        for id in ["llama-3.1-70b", "deepseek-v3", "qwen3-235b-a22b", "gpt-3-175b"] {
            let parameters = architecture(id).map(crate::catalog::Architecture::parameters);
            let ends = parameters.map(|parameters| parameters.embedding + parameters.head);
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
