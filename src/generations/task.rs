//! A task that is compared between machines: a training step, a prefill, a decode step.

use crate::estimate::Shares;
use crate::inference::{InferenceJob, Phase};
use crate::system::{Bound, Cost, Precision, System};
use crate::training::TrainingJob;
use crate::units::{Bytes, Flops, Seconds};

/// A kind of task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TaskKind {
    /// A training step.
    #[default]
    Training,
    /// All prompt tokens of a batch.
    Prefill,
    /// One further token of each request of a batch.
    Decode,
}

impl TaskKind {
    /// All tasks.
    pub const ALL: [Self; 3] = [Self::Training, Self::Prefill, Self::Decode];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Training => "Training",
            Self::Prefill => "Prefill",
            Self::Decode => "Decode",
        }
    }
}

/// A task; [`Self::time`] and the others replace the machine in its job.
#[derive(Clone, Copy, Debug)]
pub enum Task<'a> {
    /// One training step.
    Training(TrainingJob<'a>),
    /// All prompt tokens of a batch.
    Prefill(InferenceJob<'a>),
    /// One further token of each request of a batch.
    Decode(InferenceJob<'a>),
}

/// Operations and traffic of one GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Operations, counted as the 16-bit ones that take the same time.
    pub flops: Flops,
    /// DRAM traffic.
    pub dram: Bytes,
    /// Link traffic.
    pub links: Bytes,
}

impl Task<'_> {
    /// Label on the page.
    pub const fn name(&self) -> &'static str {
        let kind = match self {
            Self::Training(_) => TaskKind::Training,
            Self::Prefill(_) => TaskKind::Prefill,
            Self::Decode(_) => TaskKind::Decode,
        };
        kind.name()
    }

    /// Time on a machine; `None` where the task does not fit into memory.
    pub fn time(&self, system: &System) -> Option<Seconds> {
        match *self {
            Self::Training(job) => {
                let job = TrainingJob { system, ..job };
                job.memory().fits().then(|| job.step())
            }
            Self::Prefill(ref job) => serve(job, system, Phase::Prefill),
            Self::Decode(ref job) => serve(job, system, Phase::Decode),
        }
    }

    /// Shares of its time on a machine by limiting resource.
    pub fn binding(&self, system: &System) -> Shares {
        match *self {
            Self::Training(job) => TrainingJob { system, ..job }.binding(),
            Self::Prefill(job) => InferenceJob { system, ..job }.binding(Phase::Prefill),
            Self::Decode(job) => InferenceJob { system, ..job }.binding(Phase::Decode),
        }
    }

    /// Tokens that one GPU's part of it amounts to.
    pub fn tokens_per_gpu(&self) -> f64 {
        match *self {
            Self::Training(job) => {
                f64::from(job.recipe.batch) * f64::from(job.recipe.sequence) / f64::from(job.gpus)
            }
            Self::Prefill(job) => {
                let prefilling = job.load.prefilling();
                let load = job.reader(&prefilling).load;
                load.dealt(load.batch) * job.prompt() / f64::from(load.tensor)
            }
            Self::Decode(job) => job.load.batched() / f64::from(job.load.tensor),
        }
    }

    /// Work of one GPU on a machine: computation, memory traffic and communication. Gradients, weights and activations
    /// that training sends between replicas and stages, and the optimizer, are left out: they amount to a few per cent.
    pub fn traffic(&self, system: &System) -> Traffic {
        let mut traffic = Traffic::default();
        match *self {
            Self::Training(job) => {
                let job = TrainingJob { system, ..job };
                let microbatches = f64::from(job.microbatches());
                for row in job.estimate().operators {
                    traffic.add(&row.cost, row.count * microbatches, job.recipe.precision);
                }
            }
            Self::Prefill(ref job) => traffic.serve(job, system, Phase::Prefill),
            Self::Decode(ref job) => traffic.serve(job, system, Phase::Decode),
        }
        traffic
    }
}

fn serve(job: &InferenceJob<'_>, system: &System, phase: Phase) -> Option<Seconds> {
    let job = InferenceJob { system, ..*job };
    job.fits(job.load.batch).then(|| job.time(phase))
}

impl Traffic {
    fn serve(&mut self, job: &InferenceJob<'_>, system: &System, phase: Phase) {
        let job = InferenceJob { system, ..*job };
        job.pass(phase, &mut |_, count, cost| self.add(&cost, count, job.load.precision));
    }

    fn add(&mut self, cost: &Cost, count: f64, precision: Precision) {
        if cost.bound == Bound::Network || cost.network > Seconds::ZERO {
            self.links += cost.bytes * count;
            return;
        }
        // A narrower operand takes its share of a multiprocessor's time, and of its energy.
        let share = (precision.element() / Precision::Bf16.element()).min(1.0);
        self.flops += cost.flops * (count * share);
        self.dram += cost.bytes * count;
    }
}
