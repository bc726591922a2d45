//! A step's time and memory from its layers (section 4 of the paper's model).

use super::collective::{CollectiveKind, Placed};
use super::layer::Layer;
use super::{Machine, Plan, Strategy, Transformer};
use crate::units::{Bytes, Seconds};

/// Optimizer state relative to 16-bit weights: 12 bytes per parameter.
const OPTIMIZER: f64 = 6.0;

/// One step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// All of it.
    pub time: Seconds,
    /// Arithmetic with launches.
    pub compute: Seconds,
    /// What DRAM takes beyond that.
    pub dram: Seconds,
    /// Communication inside layers.
    pub tensor: Seconds,
    /// Gradients and weights over replicas, where nothing hides them.
    pub data: Seconds,
    /// Activations between stages.
    pub pipeline: Seconds,
    /// Stages that wait.
    pub bubble: Seconds,
    /// Memory of one GPU.
    pub memory: Memory,
}

/// Memory of one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// 16-bit weights.
    pub weights: Bytes,
    /// 16-bit gradients.
    pub gradients: Bytes,
    /// Optimizer state, sharded over replicas.
    pub optimizer: Bytes,
    /// Activations of the microbatches in flight.
    pub activations: Bytes,
}

impl Memory {
    /// All of it.
    pub fn total(&self) -> Bytes {
        self.weights + self.gradients + self.optimizer + self.activations
    }
}

impl Machine {
    /// A step over a global batch of this many sequences.
    pub fn step(&self, model: &Transformer, plan: &Plan, batch: u32) -> Step {
        self.step_of(&self.layer(model, plan), model, plan, batch)
    }

    /// The step of a plan whose layer has been timed already.
    pub fn step_of(&self, layer: &Layer, model: &Transformer, plan: &Plan, batch: u32) -> Step {
        let degrees = plan.degrees;
        let layers = f64::from(model.depth / degrees.pipeline);
        let microbatches = f64::from(batch / degrees.data / plan.microbatch);
        let passes = microbatches * layers;
        let (forward, backward) = (layer.forward, layer.backward);
        let work = (forward.time() + backward.time()) * passes;
        let pipeline = self.stages(layer.message, plan) * (2.0 * microbatches);
        let bubble = (work + pipeline) * (f64::from(degrees.pipeline - 1) / microbatches);
        let group = replicas(plan);
        let exposed = |kind, behind: Seconds| {
            let once = self.collective(kind, layer.weights, group);
            once + (once - behind).max(Seconds::ZERO) * (layers - 1.0)
        };
        let data = exposed(CollectiveKind::AllGather, forward.time())
            + exposed(CollectiveKind::ReduceScatter, backward.time());
        Step {
            time: work + pipeline + bubble + data,
            compute: (forward.compute + backward.compute) * passes,
            dram: (forward.memory + backward.memory) * passes,
            tensor: (forward.communication + backward.communication) * passes,
            data,
            pipeline,
            bubble,
            memory: Self::memory_of(layer, model, plan, batch),
        }
    }

    /// Memory of a plan with this layer. It does not depend on the machine.
    pub(super) fn memory_of(layer: &Layer, model: &Transformer, plan: &Plan, batch: u32) -> Memory {
        let degrees = plan.degrees;
        let layers = f64::from(model.depth / degrees.pipeline);
        let microbatches = f64::from(batch / degrees.data / plan.microbatch);
        let weights = layer.weights * layers;
        Memory {
            weights,
            gradients: weights,
            optimizer: weights * (OPTIMIZER / f64::from(replicas(plan).size)),
            activations: layer.activations * (layers * f64::from(degrees.pipeline).min(microbatches)),
        }
    }

    /// One message between stages, averaged over boundaries; as in the authors' code those between domains
    /// cost nothing where some lie inside.
    fn stages(&self, message: Bytes, plan: &Plan) -> Seconds {
        let (stages, inside) = (plan.degrees.pipeline, plan.inside.pipeline);
        if stages <= 1 {
            return Seconds::ZERO;
        }
        let send = |inside| self.collective(CollectiveKind::Send, message, Placed { size: 2, inside });
        if inside <= 1 {
            return send(1);
        }
        let slow = (stages / inside).saturating_sub(1);
        let fast = stages - 1 - slow;
        send(inside) * (f64::from(fast) / f64::from(stages - 1))
    }
}

/// GPUs that share gradients: with tokens sharded over `second`, its members hold the same weights.
fn replicas(plan: &Plan) -> Placed {
    let (degrees, inside) = (plan.degrees, plan.inside);
    match plan.strategy {
        Strategy::Context => {
            Placed { size: degrees.data * degrees.second, inside: inside.data * inside.second }
        }
        _ => Placed { size: degrees.data, inside: inside.data },
    }
}
