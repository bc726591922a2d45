//! Attention and experts on GPUs of their own (attention-expert disaggregation): MegaScale-Infer, arXiv 2504.02263; Step-3,
//! arXiv 2507.19427.
//!
//! Of a worker that decodes, one group of GPUs holds attention and caches, another the feed-forward blocks of all layers. The
//! running requests are divided into microbatches that alternate between the two groups, so that both work at the same time.

use super::job::InferenceJob;
use super::law::LoadFault;
use super::load::InferenceLoad;
use super::pass_times::PassTimes;
use super::step::Step;
use crate::catalog::architecture::Architecture;
use crate::estimate::Footprint;
use crate::estimate::tally::{Share, Tally};
use crate::system::{Cost, Group};
use crate::units::{Bytes, Seconds};
use crate::workload::{Mesh, Operator, Shard, Weights};

/// Microbatches that alternate between attention and experts. Two hide the experts behind attention, a third the way there and
/// back (arXiv 2504.02263, section 4.1: three to four suffice).
const MICROBATCHES: f64 = 3.0;

impl InferenceLoad {
    /// What expert GPUs require: a mixture of experts with at least as many experts, workers of their own for prompts, one
    /// stage and no draft.
    pub(super) fn check_expert_gpus(&self, architecture: &Architecture) -> Result<(), LoadFault> {
        let fault = |message: String| Err(LoadFault::new("inference.", "expert_gpus", message));
        let Self { expert_gpus, pipeline, draft, .. } = *self;
        if expert_gpus == 0 {
            return Ok(());
        }
        let Some(moe) = &architecture.moe else {
            return fault(format!("{} has no experts: set this to 0", architecture.name));
        };
        if expert_gpus > moe.experts {
            return fault(format!("{expert_gpus} GPUs are more than the {} experts of a layer", moe.experts));
        }
        if self.prefill_workers == 0 {
            return fault(
                "expert GPUs are modelled where workers of their own prefill: set prefill workers".to_owned(),
            );
        }
        if pipeline > 1 {
            return fault("expert GPUs are modelled with one pipeline stage".to_owned());
        }
        if draft > 0 {
            return fault("expert GPUs are modelled without drafts: propose no tokens".to_owned());
        }
        Ok(())
    }
}

impl InferenceJob<'_> {
    /// The part of one expert GPU in a pass over `tokens` tokens of all attention replicas: its own experts whole, and its share
    /// of the tokens in blocks that every expert GPU holds (shared experts, dense layers).
    fn expert_shard(&self, tokens: f64) -> Shard<'_> {
        let gpus = self.load.expert_gpus;
        Shard {
            group: Group::ALONE,
            mesh: Mesh::of_tensor(Group::ALONE),
            replicas: gpus,
            meeting: self.system.network.strided(gpus, 1),
            expert_parts: gpus,
            ..self.shard(tokens / f64::from(gpus), 1.0, 1.0)
        }
    }

    /// Memory of one expert GPU: its part of the feed-forward blocks.
    pub(super) fn expert_memory(&self) -> Footprint {
        let shard = self.expert_shard(1.0);
        let of = |layer| {
            let Weights { feed_forward, routed, .. } = shard.weights(&layer);
            (shard.dense.element() * feed_forward + shard.precision.element() * routed)
                * f64::from(layer.count)
        };
        let weights: Bytes = self.architecture.layer_kinds().map(of).sum();
        Footprint {
            weights,
            reserve: self.system.assumptions.reserve,
            capacity: self.system.device.capacity,
            ..Footprint::default()
        }
    }

    /// A decode step whose microbatches alternate between attention and experts.
    ///
    /// With m microbatches, of which attention takes Ta per layer, the experts Te and each way Tc, a layer takes
    /// max(m · max(Ta, Te, Tc), Ta + Te + 2 Tc): the slowest resource is always busy, or one microbatch's way round is longer
    /// (arXiv 2504.02263, equations 4 to 6). The router runs with the experts.
    pub(super) fn alternating(&self, step: Step, record: &mut dyn FnMut(&Operator, f64, Cost)) -> PassTimes {
        let load = self.load;
        let microbatches = step.running.clamp(1.0, MICROBATCHES);
        let each = step.running / microbatches;
        let attention = self.shard(each, 1.0, self.context());
        let tokens = each * f64::from(load.data);
        let experts = self.expert_shard(tokens);
        let readers = load.tensor.saturating_mul(load.data);
        let group = self.system.network.strided(load.worker_gpus(), 1);
        // The side with fewer GPUs sends or receives more per GPU.
        let crossing = tokens / f64::from(readers.min(load.expert_gpus));
        let mut times = self.beside_operators(&step);
        for layer in self.architecture.layer_kinds() {
            let count = f64::from(layer.count) * step.passes;
            let mut seen = |operator: &Operator| {
                let cost = self.cost(operator, false);
                record(operator, count * microbatches, cost);
                cost.time
            };
            let mut own = Tally::default();
            attention.before_feed_forward(&layer, &mut |operator| {
                own.add(Share::of(&operator), seen(&operator));
            });
            let mut blocks = Seconds::ZERO;
            experts.feed_forward(&layer, &mut |operator| blocks += seen(&operator));
            let (mut way, mut ways) = (Seconds::ZERO, Seconds::ZERO);
            experts.cross(&layer, crossing, group, &mut |operator| {
                let time = seen(&operator);
                way = way.max(time);
                ways += time;
            });
            let busy = own.total() * microbatches;
            let slowest = own.total().max(blocks).max(way) * microbatches;
            let all = slowest.max(own.total() + blocks + ways);
            times.layers.add_all(&own, microbatches * count);
            times.experts_wait += (all - busy) * count;
        }
        let whole = self.shard(step.running, 1.0, self.context());
        times.ends = self.run_ends(&whole, step, 1.0, record);
        times
    }
}
