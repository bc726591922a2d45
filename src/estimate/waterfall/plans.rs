//! Ways to cut a job, and the fastest of them on a machine.

use crate::estimate::training::{TrainingJob, TrainingRecipe};
use crate::plan::{Plan, Recompute};
use crate::system::System;
use crate::units::{Bytes, Seconds};
use crate::workload::AttentionKernel;
use crate::workload::flops::ForwardFlops;

/// Plans for a job, with what does not depend on the machine.
#[derive(Clone, Debug)]
pub(super) struct Plans(Vec<Candidate>);

#[derive(Clone, Copy, Debug)]
struct Candidate {
    plan: Plan,
    /// Memory of the fullest GPU, without the runtime's reserve.
    memory: Bytes,
    /// Time over that of the job's matrix multiplies at their best: recomputation and the pipeline's bubble.
    stretch: f64,
}

/// Pipeline chunks per stage that are tried.
const INTERLEAVES: [u32; 4] = [1, 2, 3, 4];
/// Powers of two up to which microbatches are tried.
const MICROBATCHES: u32 = 5;

impl Plans {
    /// All plans that the laws allow, the least stretched first. Tensor groups stay within `domain` GPUs.
    pub(super) fn of(job: &TrainingJob<'_>, domain: u32) -> Self {
        let layers = job.architecture.layers;
        let recomputations: &[Recompute] = match job.recipe.attention {
            // A fused kernel forms its scores anew in any case: keeping them would only take memory.
            AttentionKernel::Flash => &[Recompute::Selective, Recompute::Full],
            AttentionKernel::Unfused => &[Recompute::None, Recompute::Selective, Recompute::Full],
        };
        let mut candidates = Vec::new();
        for tensor in (0..=6).map(|power| 1 << power).filter(|tensor| *tensor <= domain.max(1)) {
            for pipeline in (1..=layers.min(128)).filter(|stages| layers.is_multiple_of(*stages)) {
                for interleave in INTERLEAVES {
                    for microbatch in (0..MICROBATCHES).map(|power| 1 << power) {
                        for recompute in recomputations.iter().copied() {
                            let plan = Plan {
                                tensor,
                                pipeline,
                                interleave,
                                microbatch,
                                recompute,
                                sequence_parallel: true,
                                ..*job.plan
                            };
                            candidates.extend(Candidate::of(job, plan));
                        }
                    }
                }
            }
        }
        candidates.sort_by(|a, b| a.stretch.total_cmp(&b.stretch));
        Self(candidates)
    }

    /// Only these plans, as far as the laws allow them.
    pub(super) fn only(job: &TrainingJob<'_>, plans: &[Plan]) -> Self {
        let mut candidates: Vec<Candidate> =
            plans.iter().filter_map(|plan| Candidate::of(job, *plan)).collect();
        candidates.sort_by(|a, b| a.stretch.total_cmp(&b.stretch));
        Self(candidates)
    }

    /// The fastest plan that fits the machine. Candidates are left out where even their matrix multiplies
    /// alone, at the measured efficiency and with their bubble, would take longer.
    pub(super) fn fastest(&self, job: &TrainingJob<'_>, system: &System) -> Option<(Plan, Seconds)> {
        let capacity = system.device.capacity - system.assumptions.reserve;
        let floor = floor(job.recipe, job, system);
        let mut best: Option<(Plan, Seconds)> = None;
        for candidate in &self.0 {
            if best.is_some_and(|(_, time)| floor * candidate.stretch >= time) {
                break;
            }
            if candidate.memory > capacity {
                continue;
            }
            let time = TrainingJob { system, plan: &candidate.plan, ..*job }.step();
            if best.is_none_or(|(_, least)| time < least) {
                best = Some((candidate.plan, time));
            }
        }
        best
    }
}

impl Candidate {
    fn of(job: &TrainingJob<'_>, plan: Plan) -> Option<Self> {
        let recipe = job.recipe;
        plan.check(job.architecture, job.gpus, recipe.batch, recipe.sequence).ok()?;
        let cut = TrainingJob { plan: &plan, ..*job };
        let footprint = cut.memory();
        let again = if plan.recompute == Recompute::Full { 4.0 / 3.0 } else { 1.0 };
        let chunks = f64::from(plan.interleave) * f64::from(cut.microbatches());
        let bubble = 1.0 + (f64::from(plan.pipeline) - 1.0) / chunks;
        Some(Self { plan, memory: footprint.total() - footprint.reserve, stretch: again * bubble })
    }
}

/// What the job's matrix multiplies take at least, forward and backward, spread over all GPUs.
fn floor(recipe: &TrainingRecipe, job: &TrainingJob<'_>, system: &System) -> Seconds {
    let forward = ForwardFlops::of(job.architecture, f64::from(recipe.sequence)).matrices;
    let efficiency = system.assumptions.matmul.of(recipe.precision).compute_efficiency.max(1e-3);
    let rate = system.device.rate(recipe.precision) * (efficiency * f64::from(job.gpus));
    forward * (3.0 * f64::from(recipe.batch)) / rate
}
