//! Parallelism plans of a job, and the fastest of them on a machine.

use crate::order;
use crate::plan::{Offload, Plan, Schedule};
use crate::training::{TrainingJob, TrainingRecipe};
use crate::units::{Bytes, Seconds};
use crate::workload::{AttentionKernel, Recompute};

/// Plans for a job, with what does not depend on the machine.
#[derive(Clone, Debug)]
pub(super) struct Plans {
    /// Tensor degree and microbatch of each slice.
    slices: Vec<(u32, u32)>,
    candidates: Vec<Candidate>,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    plan: Plan,
    /// Memory of the fullest GPU, without the runtime's reserve.
    memory: Bytes,
    /// The slice that it repeats.
    slice: usize,
    /// Number of executions: microbatches and the pipeline's bubble, over the stages.
    repeats: f64,
}

/// One microbatch through all layers on one tensor group, forward and backward.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slice {
    /// Kernels.
    pub(super) kernels: Seconds,
    /// Kernels of the forward pass a second time, added by full recomputation.
    pub(super) kernels_again: Seconds,
    /// Collectives of the tensor group.
    pub(super) links: Seconds,
    /// Collectives of the forward pass a second time.
    pub(super) links_again: Seconds,
}

/// Pipeline chunks per stage that are tried.
const INTERLEAVES: [u32; 4] = [1, 2, 3, 4];
/// Microbatches that are tried.
const MICROBATCHES: [u32; 5] = [1, 2, 4, 8, 16];
/// Tensor degrees that are tried, as far as they stay within a domain.
const TENSORS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// The plan with 1F1B, whole stages recomputed or none, and nothing on the host: what the bounds below hold for.
fn plain(plan: &Plan) -> Plan {
    Plan { schedule: Schedule::default(), recompute_layers: None, offload: Offload::default(), ..*plan }
}

impl Plans {
    /// All plans that the laws allow. Tensor groups stay within `domain` GPUs.
    pub(super) fn of(job: &TrainingJob<'_>, domain: u32) -> Self {
        let layers = job.architecture.layers;
        let recomputations: &[Recompute] = match job.recipe.attention {
            // A fused kernel forms its scores anew in any case: keeping them would only take memory.
            AttentionKernel::Flash | AttentionKernel::Flash2 => &[Recompute::Selective, Recompute::Full],
            AttentionKernel::Unfused => &[Recompute::None, Recompute::Selective, Recompute::Full],
        };
        let plain = plain(job.plan);
        let mut plans = Self { slices: Vec::new(), candidates: Vec::new() };
        for tensor in TENSORS.into_iter().filter(|tensor| *tensor <= domain.max(1)) {
            for microbatch in MICROBATCHES {
                let slice = plans.slices.len();
                let before = plans.candidates.len();
                for pipeline in (1..=layers.min(128)).filter(|stages| layers.is_multiple_of(*stages)) {
                    for interleave in INTERLEAVES {
                        for recompute in recomputations.iter().copied() {
                            let cut = Plan { tensor, pipeline, interleave, microbatch, recompute, ..plain };
                            let plan = Plan { sequence_parallel: true, ..cut };
                            plans.candidates.extend(Candidate::of(job, plan, slice));
                        }
                    }
                }
                if plans.candidates.len() > before {
                    plans.slices.push((tensor, microbatch));
                }
            }
        }
        plans
    }

    /// Tensor degree and microbatch of each slice.
    pub(super) fn slices(&self) -> &[(u32, u32)] {
        &self.slices
    }

    /// The fastest plan that fits the machine, on which the slices take these times; `given` is one that need
    /// not be among them.
    ///
    /// A step takes at least its slices, one after another with the pipeline's bubble; what is missing are the
    /// ends and communication between stages and replicas. From the most promising on, every plan is tried
    /// until none can be faster any more: the best is exact.
    pub(super) fn fastest(
        &self,
        job: &TrainingJob<'_>,
        slices: &[Slice],
        given: Option<(Plan, Seconds)>,
    ) -> Option<(Plan, Seconds)> {
        let capacity = job.system.device.capacity - job.system.assumptions.reserve;
        let fitting = self.candidates.iter().filter(|candidate| candidate.memory <= capacity);
        let mut bounded: Vec<(Seconds, Plan)> =
            fitting.map(|candidate| (candidate.least(slices), candidate.plan)).collect();
        order::sort(&mut bounded, |a, b| a.0.get().total_cmp(&b.0.get()));
        let mut best = given;
        for (least, plan) in bounded {
            if best.is_some_and(|(_, time)| least >= time) {
                break;
            }
            let time = TrainingJob { plan: &plan, ..*job }.step();
            if best.is_none_or(|(_, fastest)| time < fastest) {
                best = Some((plan, time));
            }
        }
        best
    }
}

impl Candidate {
    fn of(job: &TrainingJob<'_>, plan: Plan, slice: usize) -> Option<Self> {
        let recipe = job.recipe;
        plan.check(job.architecture, job.gpus, recipe.batch, recipe.sequence).ok()?;
        let cut = TrainingJob { plan: &plan, ..*job };
        let footprint = cut.memory();
        let stages = f64::from(plan.pipeline);
        let repeats = f64::from(cut.microbatches()) + (stages - 1.0) / f64::from(plan.interleave);
        let memory = footprint.total() - footprint.reserve;
        Some(Self { plan, memory, slice, repeats: repeats / stages })
    }

    /// Lower bound of the step time, with a margin for rounding, because a step sums its terms in another order.
    fn least(&self, slices: &[Slice]) -> Seconds {
        let slice = slices[self.slice];
        let full = self.plan.recompute == Recompute::Full;
        let again = if full { slice.kernels_again + slice.links_again } else { Seconds::ZERO };
        (slice.kernels + slice.links + again) * (self.repeats * (1.0 - 1e-9))
    }
}

impl Slice {
    /// The slice of a job on its machine.
    pub(super) fn of(job: &TrainingJob<'_>, (tensor, microbatch): (u32, u32)) -> Self {
        let whole = Plan { tensor, pipeline: 1, interleave: 1, microbatch, ..plain(job.plan) };
        let plan = Plan { sequence_parallel: true, recompute: Recompute::Full, ..whole };
        let recipe = TrainingRecipe { batch: microbatch, ..*job.recipe };
        let alone = TrainingJob { plan: &plan, recipe: &recipe, gpus: plan.replica(), ..*job };
        let estimate = alone.estimate();
        let mut slice = Self::default();
        for term in &estimate.terms {
            match term.id {
                "matmul" | "attention" | "elementwise" => slice.kernels += term.time,
                // Time hidden behind kernels depends on both, so the bound excludes it.
                "tensor_parallel" if !plan.tensor_overlap => slice.links += term.time,
                _ => {}
            }
        }
        for row in estimate.operators.iter().filter(|row| row.phase == "recompute") {
            let sent = row.cost.network > Seconds::ZERO;
            if sent && plan.tensor_overlap {
                continue;
            }
            *(if sent { &mut slice.links_again } else { &mut slice.kernels_again }) +=
                row.cost.time * row.count;
        }
        slice
    }
}
