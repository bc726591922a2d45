//! Memory of each pipeline stage over the course of a step.

use super::job::TrainingJob;
use super::timeline::{Span, Timeline};
use crate::estimate::Footprint;
use crate::plan::{Slot, StageTask};
use crate::units::{Bytes, Seconds};

/// What comes and goes on a GPU, from a moment until the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment {
    /// When it is so first.
    pub at: Seconds,
    /// What the backward passes of microbatches in flight need.
    pub activations: Bytes,
    /// Logits and their gradient, on the stage that has the head.
    pub logits: Bytes,
    /// What the layer that runs needs beside: what it leaves when it is run again, keys and values of other GPUs.
    pub working: Bytes,
}

impl Moment {
    /// All of it.
    pub fn total(&self) -> Bytes {
        self.activations + self.logits + self.working
    }
}

/// One GPU of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct StageMemory {
    /// What stays: weights, gradients, optimizer state, runtime and communication buffers. No activations.
    pub states: Footprint,
    /// What of the weights are other replicas' parts, gathered for the layer that runs and the next one.
    pub gathered: Bytes,
    /// What comes and goes, in order.
    pub moments: Vec<Moment>,
}

impl StageMemory {
    /// The moment at which most is kept.
    pub fn fullest(&self) -> Moment {
        let fuller = |most: Moment, next: &Moment| if next.total() > most.total() { *next } else { most };
        self.moments.iter().fold(Moment::default(), fuller)
    }

    /// Everything at a moment.
    pub fn at(&self, moment: &Moment) -> Footprint {
        Footprint { activations: moment.total(), ..self.states }
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
    /// The stage that is fullest, when, and with what.
    pub fn peak(&self) -> Option<(usize, Moment, Footprint)> {
        let stages = self.stages.iter().enumerate().map(|(stage, memory)| {
            let moment = memory.fullest();
            (stage, moment, memory.at(&moment))
        });
        stages.reduce(|most, next| if next.2.total() > most.2.total() { next } else { most })
    }
}

/// What one microbatch leaves on a stage.
#[derive(Clone, Copy)]
struct Leaves {
    activations: Bytes,
    logits: Bytes,
    working: Bytes,
    buffers: Bytes,
    /// What stays on the accelerator of any number of microbatches, where the host keeps the rest.
    resident: Option<Bytes>,
}

impl TrainingJob<'_> {
    /// What the stages keep while they do this.
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
            let leaves = Leaves {
                activations: self.layer_activations() * (share * excess / f64::from(pipeline.interleave)),
                logits: self.logits(),
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

/// How what is kept changes with a stage's tasks.
fn moments(spans: &[Span], last: u32, leaves: Leaves) -> Vec<Moment> {
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
