//! Step time and memory from the layer times, as the authors' code adds them.

use super::collective::{CollectiveKind, Placed};
use super::layer::Layer;
use super::{Machine, Plan, Strategy, Transformer};
use crate::units::{Bytes, Seconds};

/// Size of the optimizer state relative to 16-bit weights: 12 bytes per parameter.
const OPTIMIZER: f64 = 6.0;

/// Time and memory of one training step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Total time.
    pub time: Seconds,
    /// Arithmetic and kernel launches.
    pub compute: Seconds,
    /// DRAM time of kernels in excess of their arithmetic.
    pub dram: Seconds,
    /// Tensor-parallel communication inside layers.
    pub tensor: Seconds,
    /// Exposed data-parallel communication of gradients and weights.
    pub data: Seconds,
    /// Pipeline communication: activations sent between stages.
    pub pipeline: Seconds,
    /// Pipeline bubble.
    pub bubble: Seconds,
    /// Memory per GPU.
    pub memory: Memory,
}

/// Memory per GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// 16-bit weights.
    pub weights: Bytes,
    /// 16-bit gradients.
    pub gradients: Bytes,
    /// Optimizer state, sharded over data-parallel replicas.
    pub optimizer: Bytes,
    /// Activations of all microbatches in flight.
    pub activations: Bytes,
}

impl Memory {
    /// Total memory.
    pub fn total(&self) -> Bytes {
        self.weights + self.gradients + self.optimizer + self.activations
    }
}

impl Machine {
    /// A step with a global batch of `batch` sequences.
    pub fn step(&self, model: &Transformer, plan: &Plan, batch: u32) -> Step {
        self.step_of(&self.layer(model, plan), model, plan, batch)
    }

    /// A step of a plan whose layer is already timed.
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

    /// Memory per GPU of a plan with this layer; independent of the machine.
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

    /// Time of a message between pipeline stages, averaged over stage boundaries. As in the authors' code, boundaries
    /// between domains cost nothing if other boundaries lie inside a domain.
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

/// The group that reduces gradients. With tokens sharded over `second`, the members of `second` hold the same weights
/// and belong to it.
fn replicas(plan: &Plan) -> Placed {
    let (degrees, inside) = (plan.degrees, plan.inside);
    match plan.strategy {
        Strategy::Context => {
            Placed { size: degrees.data * degrees.second, inside: inside.data * inside.second }
        }
        _ => Placed { size: degrees.data, inside: inside.data },
    }
}
