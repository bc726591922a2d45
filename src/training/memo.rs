//! Cached times that several plans share, so that a search computes them once.

use super::job::TrainingJob;
use super::passes::{LayerTimes, StageTimes};
use crate::plan::{Offload, Plan, Schedule};
use crate::units::Seconds;

/// Cache of the previous plan's times, for the next plan that shares them.
///
/// A memo belongs to one model, system, recipe and number of GPUs: only the plan may differ between calls. It serves
/// best where successive plans differ in few fields; every time is bit for bit that of [`TrainingJob::step`].
#[derive(Clone, Debug, Default)]
pub struct Memo {
    layer: Option<(Plan, LayerTimes)>,
    stage: Option<(Plan, StageTimes)>,
}

/// Room for rounding, as a step sums in another order than its bound.
const ROUNDING: f64 = 1e-9;

impl Memo {
    /// One optimizer step.
    pub fn step(&mut self, job: &TrainingJob<'_>) -> Seconds {
        let times = self.stage(job);
        job.terms(times).map(|term| term.time).sum()
    }

    /// What a step takes at least: the fullest stage does its layers for every microbatch, less what passes that run
    /// together hide, whatever else there is.
    pub fn least(&mut self, job: &TrainingJob<'_>) -> Seconds {
        let times = self.stage(job);
        let hidden = job.hidden(times) * job.pipeline().pairs();
        (times.layers.total() * f64::from(job.microbatches()) - hidden) * (1.0 - ROUNDING)
    }

    /// What differs between plans without being named here counts as if it mattered.
    fn stage(&mut self, job: &TrainingJob<'_>) -> &StageTimes {
        let schedule = Schedule::default();
        let offload = Offload::default();
        let of_stage =
            Plan { schedule, zero: 0, shard_group: None, data_overlap: false, offload, ..*job.plan };
        let of_layer =
            Plan { pipeline: 1, interleave: 1, recompute_layers: None, tensor_overlap: false, ..of_stage };
        let Self { layer, stage } = self;
        kept(stage, of_stage, || {
            let layer = kept(layer, of_layer, || job.layer_times(&mut |_, _, _, _| {}));
            job.stage_times(layer)
        })
    }
}

/// What is kept for this plan, or else is computed for it.
fn kept<T>(slot: &mut Option<(Plan, T)>, plan: Plan, compute: impl FnOnce() -> T) -> &T {
    slot.take_if(|(known, _)| *known != plan);
    &slot.get_or_insert_with(|| (plan, compute())).1
}
