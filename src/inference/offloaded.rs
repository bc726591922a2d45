//! Offloaded layers: those that the first GPU does not hold. They are in host memory, or on a second GPU of another kind.
//! (llama.cpp itself calls the other layers offloaded, those on the GPU.)
//!
//! llama.cpp runs layers where their weights are, one device after the other. `host_layers.rs` says which layers are in host
//! memory, `second_gpu.rs` which are on a second GPU.

use super::encoders::Recorder;
use super::job::InferenceJob;
use super::pass_times::PassTimes;
use super::step::Step;
use crate::catalog::layers::Layer;
use crate::estimate::Footprint;
use crate::system::{Bound, Cost, HostMemory, Stream, System, Work};
use crate::units::Bytes;
use crate::workload::{Operator, Role};

/// Fewest tokens of a step for which weights are copied from host memory to the GPU: `op_offload_min_batch_size` in
/// `ggml/src/ggml-cuda/ggml-cuda.cu`, by which `ggml_backend_cuda_device_offload_op` decides.
pub(crate) const COPIED: f64 = 32.0;

/// Where layers are that the first GPU does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Host memory; the CPU computes, or weights are copied to the GPU.
    #[default]
    Host,
    /// A second GPU of another kind.
    SecondGpu,
    /// GPUs of a worker that hold its feed-forward blocks.
    ExpertGpu,
}

/// The layers of a model that are offloaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OffloadedLayers {
    /// The memory that they are in.
    pub(super) place: Place,
    /// Number of whole layers: the first layers of the model in host memory, the last ones on a second GPU.
    pub(super) whole: u32,
    /// Number of layers, from the first one, whose routed experts are offloaded; whole layers among them count too.
    pub(super) experts: u32,
    /// True if the output head is offloaded.
    pub(super) head: bool,
}

impl OffloadedLayers {
    /// Returns true if anything but the input embedding is offloaded.
    pub(crate) const fn any(self) -> bool {
        self.whole > 0 || self.experts > 0 || self.head
    }

    /// Returns true if anything but the input embedding is in host memory.
    pub(super) fn on_host(self) -> bool {
        self.any() && self.place == Place::Host
    }
}

/// How many of a set of equal layers are offloaded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct OffloadedCounts {
    /// Whole layers.
    pub(super) whole: f64,
    /// Layers whose routed experts are offloaded, and nothing else.
    pub(super) experts: f64,
}

impl OffloadedCounts {
    /// Number of layers whose weights for an operator are offloaded.
    fn of(self, operator: &Operator) -> f64 {
        self.whole + if matches!(operator.work, Work::Experts(_)) { self.experts } else { 0.0 }
    }
}

impl InferenceJob<'_> {
    /// The model's offloaded layers.
    pub(crate) fn offloaded_layers(&self) -> OffloadedLayers {
        self.on_second().unwrap_or_else(|| self.load.on_host(self.architecture))
    }

    /// How many of a set of equal layers are offloaded. In a mixture of experts the dense layers come first in the model; other kinds
    /// of layers take turns, so that each memory has the same share of each kind.
    pub(super) fn offloaded_counts(&self, layer: &Layer) -> OffloadedCounts {
        let offloaded = self.offloaded_layers();
        if !offloaded.any() {
            return OffloadedCounts::default();
        }
        let (layers, dense) = (self.architecture.layers, self.architecture.dense_layers());
        let leading = self.architecture.stack.is_empty() && self.architecture.moe.is_some();
        let (first, last) = match layer.experts() {
            _ if !leading => (0, layers),
            Some(_) => (dense, layers),
            None => (0, dense),
        };
        let before = match offloaded.place {
            Place::Host | Place::ExpertGpu => first,
            Place::SecondGpu => layers.saturating_sub(last),
        };
        let share = |count: u32| {
            let size = f64::from(last.saturating_sub(first).max(1));
            (f64::from(count.saturating_sub(before)) / size).min(1.0)
        };
        let (count, whole) = (f64::from(layer.count), share(offloaded.whole));
        let experts =
            if layer.experts().is_some() { (share(offloaded.experts) - whole).max(0.0) } else { 0.0 };
        OffloadedCounts { whole: count * whole, experts: count * experts }
    }

    /// Cost of an operator on the CPU or on the second GPU.
    pub(super) fn cost_offloaded(&self, operator: &Operator, prompts: bool) -> Cost {
        match self.second() {
            Some(system) => InferenceJob { system, ..*self }.cost(operator, prompts),
            None => self.system.cost_on_host(&operator.work),
        }
    }

    /// Adds the executions of an operator in offloaded layers to `pass`; returns the number of layers that run it on the first GPU.
    pub(super) fn divide(
        &self,
        operator: &Operator,
        (count, prompts): (u32, bool),
        counts: OffloadedCounts,
        pass: &mut OffloadedPass,
    ) -> f64 {
        let (all, offloaded) = (f64::from(count), counts.of(operator));
        if offloaded <= 0.0 {
            return all;
        }
        if pass.copied {
            // Attention's keys and values are copied once for all its operators.
            if !operator.is_core() {
                pass.read(operator.work.stored() * offloaded);
            }
            return all;
        }
        pass.run(&self.cost_offloaded(operator, prompts), offloaded);
        all - offloaded
    }

    /// Counts the copies of keys, values and states of equal layers that a step's prompts see.
    pub(super) fn copy_cache(
        &self,
        layer: &Layer,
        counts: OffloadedCounts,
        step: &Step,
        pass: &mut OffloadedPass,
    ) {
        if pass.copied && counts.whole > 0.0 {
            let shard = self.shard(1.0, 1.0, 1.0);
            pass.read(self.layer_cache(&shard, layer, step.keys) * (step.prompts * counts.whole));
        }
    }

    /// The offloaded layers in one pass over a step's tokens. A pass of more tokens than the engine's slice copies weights from host
    /// memory once for each slice.
    pub(super) fn offloaded_pass(&self, step: &Step, tokens: f64) -> OffloadedPass {
        let place = self.offloaded_layers().place;
        let copied = place == Place::Host && tokens >= COPIED;
        OffloadedPass {
            place,
            copied,
            slices: self.slices(tokens),
            passes: step.passes,
            cost: Cost::default(),
        }
    }

    /// Memory of the host, of the second GPU or of an expert GPU with `batch` requests of `length` tokens each; `None` if
    /// nothing is offloaded.
    pub(super) fn offloaded_memory_at(&self, batch: f64, length: f64) -> Option<Footprint> {
        if self.load.expert_gpus > 0 {
            return Some(self.expert_memory());
        }
        let kept = self.offloaded_layers().any().then(|| Footprint {
            weights: self.offloaded_weights(),
            kv_cache: self.offloaded_kv_cache(length) * batch,
            ..Footprint::default()
        })?;
        Some(match self.second() {
            Some(second) => Footprint {
                activations: self.activations(batch),
                reserve: second.assumptions.reserve,
                capacity: second.device.capacity,
                ..kept
            },
            None => Footprint { reserve: HostMemory::RESERVE, capacity: self.system.host.capacity, ..kept },
        })
    }

    /// Weights of the offloaded layers, with the input embedding or output head in the same memory. A second GPU has a copy of the
    /// input embedding if the output head is tied to it.
    fn offloaded_weights(&self) -> Bytes {
        let shard = self.shard(1.0, 1.0, 1.0);
        let layers: Bytes = self
            .architecture
            .layer_kinds()
            .map(|layer| {
                let (counts, each) = (self.offloaded_counts(&layer), self.layer_weights(&shard, &layer));
                each.all * counts.whole + each.routed * counts.experts
            })
            .sum();
        let ((embedding, head), offloaded) = (self.architecture.ends(), self.offloaded_layers());
        let (embedding, head) = match offloaded.place {
            Place::Host | Place::ExpertGpu => (embedding, if offloaded.head { head } else { 0 }),
            Place::SecondGpu if head == 0 => (embedding, 0),
            Place::SecondGpu => (0, head),
        };
        layers + self.ends(embedding, head)
    }

    /// Keys, values and states of one request in offloaded layers.
    pub(super) fn offloaded_kv_cache(&self, length: f64) -> Bytes {
        let shard = self.shard(1.0, 1.0, 1.0);
        let mut all = Bytes::ZERO;
        for layer in self.architecture.layer_kinds() {
            all += self.layer_cache(&shard, &layer, length) * self.offloaded_counts(&layer).whole;
        }
        all
    }
}

/// The offloaded layers in one pass: copies of weights to the first GPU, or work of the CPU or the second GPU.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OffloadedPass {
    place: Place,
    /// True if the pass has enough tokens for the weights to be copied from host memory to the GPU.
    copied: bool,
    /// Copies of the weights in one pass.
    slices: f64,
    passes: f64,
    cost: Cost,
}

impl OffloadedPass {
    /// Counts bytes that are copied.
    fn read(&mut self, bytes: Bytes) {
        self.cost.bytes += bytes * self.slices;
    }

    /// Counts work of `layers` layers.
    fn run(&mut self, cost: &Cost, layers: f64) {
        self.cost.flops += cost.flops * layers;
        self.cost.bytes += cost.bytes * layers;
        self.cost.dram += cost.dram * layers;
        self.cost.compute += cost.compute * layers;
        self.cost.time += cost.time * layers;
    }

    /// Records the copies, or the work, as one operator, and adds its time to the pass.
    pub(super) fn record(self, system: &System, record: Recorder<'_>, times: &mut PassTimes) {
        let bytes = self.cost.bytes;
        if bytes <= Bytes::ZERO {
            return;
        }
        let work = Work::Stream(Stream { bytes, flops: self.cost.flops, backward: 0.0 });
        let (name, cost) = match self.place {
            _ if self.copied => ("Copy of weights to the GPU", system.cost_of_copy(bytes)),
            Place::Host => ("Layers on the CPU", self.cost.bounded()),
            Place::SecondGpu | Place::ExpertGpu => ("Layers on the second GPU", self.cost.bounded()),
        };
        record(&Operator { name, work, role: Role::Plain }, self.passes, cost);
        let time = cost.time * self.passes;
        match self.place {
            Place::SecondGpu | Place::ExpertGpu => times.second += time,
            Place::Host if cost.bound == Bound::Network => times.copies += time,
            Place::Host => times.cpu += time,
        }
    }
}
