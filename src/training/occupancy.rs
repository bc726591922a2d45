//! Memory of each pipeline stage over the course of a step.

use super::job::TrainingJob;
use super::timeline::{Span, Timeline};
use crate::estimate::Footprint;
use crate::plan::{Slot, StageTask};
use crate::units::{Bytes, Seconds};

/// Temporary memory of a GPU, from one moment until the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment {
    /// Start time of this state.
    pub at: Seconds,
    /// Activations of microbatches in flight, kept for their backward passes.
    pub activations: Bytes,
    /// Logits and their gradient, on the stage that has the head, with activations of prediction modules.
    pub logits: Bytes,
    /// Working memory of the running layer: recomputed activations, and keys and values of other GPUs.
    pub working: Bytes,
}

impl Moment {
    /// Sum of all temporary memory.
    pub fn total(&self) -> Bytes {
        self.activations + self.logits + self.working
    }
}

/// One GPU of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct StageMemory {
    /// Permanent memory: weights, gradients, optimizer state, runtime and communication buffers. It has no activations.
    pub states: Footprint,
    /// Part of the weights that belongs to other replicas and is gathered for the running layer and the next one.
    pub gathered: Bytes,
    /// Temporary memory over time, in order.
    pub moments: Vec<Moment>,
}

impl StageMemory {
    /// The moment of the largest temporary memory.
    pub fn fullest(&self) -> Moment {
        let fuller = |most: Moment, next: &Moment| if next.total() > most.total() { *next } else { most };
        self.moments.iter().fold(Moment::default(), fuller)
    }

    /// Permanent and temporary memory at a moment.
    pub fn at(&self, moment: &Moment) -> Footprint {
        Footprint { activations: moment.total(), ..self.states }
    }

    /// Equal stretches of a step that ends at `end`, as shares of it, with the most temporary memory within each.
    pub fn columns(&self, end: Seconds, count: usize) -> Vec<(f64, f64, Moment)> {
        let mut next = self.moments.iter().peekable();
        let mut now = Moment::default();
        let mut columns = Vec::with_capacity(count);
        for column in 0..count {
            let share = |column: usize| column as f64 / count as f64;
            let until = end * share(column + 1);
            let mut most = now;
            while let Some(moment) = next.next_if(|moment| moment.at < until) {
                now = *moment;
                if now.total() > most.total() {
                    most = now;
                }
            }
            columns.push((share(column), share(column + 1), most));
        }
        columns
    }
}

/// Memory of all stages over the tasks of a timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Occupancy {
    /// One GPU of each stage.
    pub stages: Vec<StageMemory>,
    /// When the last of the tasks shown is over.
    pub end: Seconds,
    /// Microbatches that repeat the steady state and are not shown.
    pub skipped: u32,
}

impl Occupancy {
    /// The stage with the highest peak memory, the moment of that peak, and the footprint there.
    pub fn peak(&self) -> Option<(usize, Moment, Footprint)> {
        let stages = self.stages.iter().enumerate().map(|(stage, memory)| {
            let moment = memory.fullest();
            (stage, moment, memory.at(&moment))
        });
        stages.reduce(|most, next| if next.2.total() > most.2.total() { next } else { most })
    }
}

/// Memory that one microbatch occupies on a stage.
#[derive(Clone, Copy)]
struct MicrobatchMemory {
    activations: Bytes,
    logits: Bytes,
    working: Bytes,
    buffers: Bytes,
    /// Part that stays on the accelerator, for any number of microbatches, if the host keeps the rest.
    resident: Option<Bytes>,
}

impl TrainingJob<'_> {
    /// Memory of the stages over a timeline.
    ///
    /// Activations of a position are there from the beginning of the forward pass to the end of the backward pass; where
    /// the gradient of weights is put off, to its end, though a part of them could go before. The head's own weights are
    /// not put off, so that logits go with the backward pass.
    pub fn occupancy(&self, timeline: &Timeline) -> Occupancy {
        let pipeline = timeline.pipeline;
        let last = pipeline.positions() - 1;
        let excess = self.overheads.activations;
        let stage = |(stage, spans): (usize, &Vec<Span>)| {
            let stage = stage as u32;
            let share = f64::from(self.stage_layers(stage)) / f64::from(self.fullest_layers());
            let leaves = MicrobatchMemory {
                activations: self.layer_activations() * (share * excess / f64::from(pipeline.interleave)),
                logits: self.head_memory(),
                working: self.working() * excess,
                buffers: self.shard().context_buffers(),
                resident: self.plan.offload.activations.then(|| self.kept(1.0) * excess),
            };
            let layers = f64::from(self.stage_layers(stage));
            let (states, gathered) = self.states(self.parameters_of(stage), layers);
            StageMemory { states, gathered, moments: moments(spans, last, leaves) }
        };
        let stages = timeline.stages.iter().enumerate().map(stage).collect();
        Occupancy { stages, end: timeline.shown(), skipped: timeline.skipped }
    }
}

/// Temporary memory over the tasks of a stage.
fn moments(spans: &[Span], last: u32, leaves: MicrobatchMemory) -> Vec<Moment> {
    let logits = |slot: Slot| if slot.position == last { leaves.logits } else { Bytes::ZERO };
    let mut now = Moment::default();
    let mut moments = vec![now];
    let on_device = |moment: Moment| match leaves.resident {
        Some(part) => Moment { activations: moment.activations.min(part), ..moment },
        None => moment,
    };
    for span in spans {
        if let StageTask::Forward(slot) | StageTask::Both { forward: slot, .. } = span.task {
            now.activations += leaves.activations;
            now.logits += logits(slot);
        }
        now.working = match span.task {
            StageTask::Forward(_) => leaves.buffers,
            StageTask::Weight(_) => Bytes::ZERO,
            StageTask::Backward(_) | StageTask::Input(_) | StageTask::Both { .. } => {
                leaves.working + leaves.buffers
            }
        };
        moments.push(on_device(Moment { at: span.start, ..now }));
        now.working = Bytes::ZERO;
        if let StageTask::Backward(slot) | StageTask::Input(slot) | StageTask::Both { backward: slot, .. } =
            span.task
        {
            now.logits = now.logits - logits(slot);
        }
        if let StageTask::Backward(_) | StageTask::Weight(_) | StageTask::Both { .. } = span.task {
            now.activations = now.activations - leaves.activations;
        }
        moments.push(on_device(Moment { at: span.end, ..now }));
    }
    moments
}
