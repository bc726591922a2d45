//! Bytes that a step communicates, by kind of collective.

use super::job::TrainingJob;
use crate::system::{Collective, Work};
use crate::units::Bytes;
use crate::workload::ACTIVATION;

/// Bytes that collectives of one GPU work on, as their libraries count them: the whole tensor that is gathered, reduced
/// or scattered, and one message between stages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Volumes {
    /// Around the blocks of all layers of a stage, forward, for one microbatch.
    pub forward: Bytes,
    /// Bytes communicated in the backward pass.
    pub backward: Bytes,
    /// Bytes communicated by recomputed operators.
    pub recompute: Bytes,
    /// Bytes sent to the next stage for one microbatch and chunk; gradients of the same size return.
    pub stage: Bytes,
    /// Gradients over replicas, once.
    pub replicas: Bytes,
}

impl TrainingJob<'_> {
    /// Communication volumes of a step.
    pub fn volumes(&self) -> Volumes {
        let mut volumes = Volumes { stage: self.stage_message(), ..Volumes::default() };
        self.layer_times(&mut |phase, operator, count, _| {
            if let Work::Collective(Collective { bytes, .. }) = operator.work {
                let sum = match phase {
                    "forward" => &mut volumes.forward,
                    "recompute" => &mut volumes.recompute,
                    _ => &mut volumes.backward,
                };
                *sum += bytes * count;
            }
        });
        let parameters = self.trained(self.stage_parameters());
        let stage = self.holders();
        let spread = |parameters: f64, stride: u32| if stage > stride { parameters } else { 0.0 };
        let reduced = spread(parameters.dense, self.plan.tensor)
            + spread(parameters.expert, self.plan.expert * self.plan.expert_tensor());
        volumes.replicas = self.recipe.gradients.element() * reduced;
        volumes
    }

    /// Bytes that a GPU sends to the next stage for one microbatch: each member of the tensor-parallel group sends its
    /// part.
    pub(super) fn stage_message(&self) -> Bytes {
        if self.plan.pipeline == 1 {
            return Bytes::ZERO;
        }
        let shard = self.shard();
        Bytes::new(shard.tokens() * f64::from(self.architecture.hidden) * ACTIVATION / shard.tensor())
    }
}
