//! Cached times and memory that several plans share, so that a search computes them once.

use super::job::TrainingJob;
use super::memory::LayerMemory;
use super::passes::LayerTimes;
use super::stage_times::StageTimes;
use crate::plan::{Offload, Plan, Schedule};
use crate::units::{Bytes, Seconds};

/// Cache of the previous plan's times and memory, for the next plan that shares them.
///
/// A memo belongs to one model, system, recipe and number of GPUs: only the plan may differ between calls. It serves
/// best where successive plans differ in few fields; every time is bit for bit that of [`TrainingJob::step`].
#[derive(Clone, Debug, Default)]
pub struct Memo {
    layer: Option<(Plan, LayerTimes)>,
    /// Layer memory, with the plan and the fraction of recomputed layers that it belongs to.
    memory: Option<((Plan, f64), LayerMemory)>,
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

    /// Lower bound of a plan's step time: the fullest stage runs its layers for every microbatch, minus the time that
    /// concurrent passes hide.
    pub fn least(&mut self, job: &TrainingJob<'_>) -> Seconds {
        let times = self.stage(job);
        let hidden = job.hidden(times) * job.pipeline().pairs();
        (times.layers.total() * f64::from(job.microbatches()) - hidden) * (1.0 - ROUNDING)
    }

    /// Memory of the fullest GPU.
    pub fn memory(&mut self, job: &TrainingJob<'_>) -> Bytes {
        let key = (of_layer(job.plan), job.plan.recomputed_share(job.architecture.layers));
        let layers = kept(&mut self.memory, key, || job.layer_memory());
        job.memory_of(layers).total()
    }

    /// Times of a stage. They are computed again unless the plan equals the last one in every field that [`of_stage`]
    /// keeps.
    fn stage(&mut self, job: &TrainingJob<'_>) -> &StageTimes {
        let Self { layer, stage, .. } = self;
        kept(stage, of_stage(job.plan), || {
            let layer = kept(layer, of_layer(job.plan), || job.layer_times(&mut |_, _, _, _| {}));
            job.stage_times(layer)
        })
    }
}

/// The fields of a plan on which a stage's times depend; the others at their defaults.
fn of_stage(plan: &Plan) -> Plan {
    let (schedule, offload) = (Schedule::default(), Offload::default());
    Plan { schedule, zero: 0, shard_group: None, data_overlap: false, offload, ..*plan }
}

/// The fields of a plan on which a layer's times and memory depend; the others at their defaults.
fn of_layer(plan: &Plan) -> Plan {
    Plan {
        pipeline: 1,
        interleave: 1,
        recompute_layers: None,
        tensor_overlap: false,
        expert_overlap: false,
        ..of_stage(plan)
    }
}

/// The kept value if its key is equal; otherwise computes and keeps a new one.
fn kept<K: PartialEq, T>(slot: &mut Option<(K, T)>, key: K, compute: impl FnOnce() -> T) -> &T {
    slot.take_if(|(known, _)| *known != key);
    &slot.get_or_insert_with(|| (key, compute())).1
}
