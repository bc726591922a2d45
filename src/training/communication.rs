//! Communication outside the layers: sends between pipeline stages, and collectives over data-parallel replicas.

use super::job::TrainingJob;
use super::optimizer::WEIGHT;
use super::stage_parameters::StageParameters;
use super::stage_times::StageTimes;
use crate::plan::{ParallelAxis, TensorKind};
use crate::system::{AllReduce, Collective, Group, Operation, Work};
use crate::units::{Bytes, Seconds};

impl TrainingJob<'_> {
    /// Each microbatch crosses each chunk boundary once forward and once backward, unseen where passes run together.
    ///
    /// Software that overlaps sends computes one chunk while it sends the activations of another: what outlasts the pass over a
    /// chunk is exposed, and so are the sends that fill and drain the pipeline.
    pub(super) fn pipeline_communication(&self, times: &StageTimes) -> Seconds {
        let chunks = f64::from(self.plan.interleave);
        let all = f64::from(self.microbatches()) * chunks;
        let send = self.send();
        if !self.overlaps_sends() {
            return send * (2.0 * all - 2.0 * self.pipeline().pairs());
        }
        let alone = f64::from(self.pipeline().warm_up(0));
        let outlasting = |pass: Seconds| (send - pass / chunks).max(Seconds::ZERO);
        let beside = outlasting(times.forward) + outlasting(times.backward);
        send * (2.0 * alone) + beside * (all - alone)
    }

    /// Returns true if the software computes one chunk while it sends the activations of another.
    pub(super) fn overlaps_sends(&self) -> bool {
        self.plan.interleave > 1 && self.recipe.framework.overlaps_sends()
    }

    /// Time of one microbatch's send from a stage to the next.
    pub(super) fn send(&self) -> Seconds {
        if self.plan.pipeline == 1 {
            return Seconds::ZERO;
        }
        // The slowest boundary paces the pipeline: one link between domains is enough.
        let send = Collective {
            operation: Operation::SendReceive,
            // The receivers gather the parts inside the domain.
            bytes: self.stage_message(),
            group: self.group(ParallelAxis::Pipeline, ParallelAxis::Pipeline).neighbours(),
            algorithm: AllReduce::Library,
        };
        self.system.cost(&Work::Collective(send)).time
    }

    /// Host time of the consistency check before a collective: a ring of the members' hosts gathers its arguments in
    /// members - 1 steps.
    pub(super) fn check(&self, members: u32) -> Seconds {
        Seconds::from_micros(f64::from(self.recipe.checks_us) * f64::from(members.saturating_sub(1)))
    }

    /// Exposed collectives over the replicas in a step.
    pub(super) fn data_communication(&self, times: &StageTimes) -> Seconds {
        self.data_collectives(times).total()
    }

    /// Gradients are summed behind the last backward pass, weights gathered behind the first forward pass; the last
    /// bucket can hide behind nothing. From ZeRO-2 on every microbatch pays. Nothing hides the checks of collectives: one
    /// per bucket if communication overlaps the passes, otherwise one for all gradients or weights.
    pub(super) fn data_collectives(&self, times: &StageTimes) -> DataCollectives {
        let gradient = self.recipe.gradients.element();
        let all = self.stage_parameters();
        let trained = self.trained(all);
        let whole = |operation, element| self.over_replicas(operation, element, trained, Extent::All);
        let at_once = self.reduces_at_once();
        let overlaps = self.plan.data_overlap && !at_once;
        let by_layer = overlaps || self.plan.zero > 1;
        let checks = if by_layer { f64::from(self.fullest_layers()) * self.buckets() } else { 1.0 };
        let check = self.check(self.data_parallel()) * checks;
        let messages = self.messages();
        let exposed = |collectives: f64, total: Seconds, hidden_by: Seconds| {
            let rest = (total - hidden_by).max(total / messages);
            check * collectives + if overlaps { rest } else { total }
        };
        let once = |gradients, weights| DataCollectives { gradients, weights, times: 1.0 };
        match self.plan.zero {
            0 => once(exposed(1.0, whole(Operation::AllReduce, gradient), times.backward), Seconds::ZERO),
            1 => {
                let reduced = if at_once {
                    self.over_replicas(Operation::AllReduce, gradient, trained, Extent::Once)
                } else {
                    whole(Operation::ReduceScatter, gradient)
                };
                once(
                    exposed(1.0, reduced, times.backward),
                    exposed(1.0, whole(Operation::AllGather, WEIGHT), times.forward) + self.gathering(),
                )
            }
            _ => {
                // ZeRO-2 shards what is trained, ZeRO-3 frozen weights too, which travel as they are stored.
                let weights = if self.plan.zero == 2 { trained } else { all };
                let element = self.stored(weights) / weights.total().max(1.0);
                let gather = self.over_replicas(Operation::AllGather, element, weights, Extent::Shards);
                let scatter = self.over_replicas(Operation::ReduceScatter, gradient, trained, Extent::Shards)
                    + self.over_replicas(Operation::AllReduce, gradient, trained, Extent::Copies);
                let microbatches = f64::from(self.microbatches());
                let gathered = exposed(1.0, gather, times.forward);
                // ZeRO-2 keeps gathered weights until the step's end, ZeRO-3 gathers them for each pass.
                if self.plan.zero == 2 {
                    once(exposed(1.0, scatter, times.backward) * microbatches, gathered)
                } else {
                    let gradients = exposed(2.0, gather + scatter, times.backward);
                    DataCollectives { gradients, weights: gathered, times: microbatches }
                }
            }
        }
    }

    /// Returns true if one all-reduce after the last backward pass sums the gradients of all layers.
    fn reduces_at_once(&self) -> bool {
        self.plan.zero == 1 && self.recipe.framework.reduces_all_gradients()
    }

    /// Messages of a collective over the replicas: one per layer, or per bucket of gradients.
    fn messages(&self) -> f64 {
        (f64::from(self.fullest_layers()) * self.buckets()).max(1.0)
    }

    /// Buckets of gradients per layer: one, unless the framework fills buckets of a fixed size.
    fn buckets(&self) -> f64 {
        match self.recipe.framework.bucket() {
            Some(bucket) if self.plan.zero == 0 => {
                let weights = WEIGHT * self.trained(self.stage_parameters()).total();
                (weights / f64::from(self.fullest_layers()) / bucket).min(LARGE_TENSORS)
            }
            _ => 1.0,
        }
    }

    /// Host time of the all-gather of weights under ZeRO-1.
    fn gathering(&self) -> Seconds {
        self.overheads.gather * (f64::from(self.fullest_layers()) * f64::from(self.data_parallel()))
    }

    /// A collective over the replicas of these parameters.
    fn over_replicas(
        &self,
        operation: Operation,
        element: Bytes,
        parameters: StageParameters,
        extent: Extent,
    ) -> Seconds {
        let plan = self.plan;
        let messages = if extent == Extent::Once { 1.0 } else { self.messages() };
        // A model that runs through the pipeline both ways has each layer on two stages.
        let copies = plan.schedule.copies();
        let one = |count: f64, group: Group| {
            let replicas = Group {
                size: group.size * copies,
                near: group.near * copies,
                bridged: group.bridged && copies == 1,
                ..group
            };
            let (shards, copies) = replicas.split(plan.shard_group.unwrap_or(replicas.size));
            let (group, share) = match extent {
                Extent::All | Extent::Once => (replicas, 1.0),
                Extent::Shards => (shards, 1.0),
                Extent::Copies => (copies, f64::from(shards.size)),
            };
            let bytes = element * (count / share / messages);
            let collective = Collective { operation, bytes, group, algorithm: AllReduce::Library };
            self.system.cost(&Work::Collective(collective)).time * messages
        };
        let replicas = match plan.tensor_kind {
            TensorKind::Line => self.group(ParallelAxis::Context, ParallelAxis::Data),
            TensorKind::Grid => self.group(ParallelAxis::Data, ParallelAxis::Data),
        };
        one(parameters.dense, replicas) + one(parameters.expert, self.expert_groups().1.split(plan.expert).1)
    }
}

/// Exposed collectives over the replicas.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataCollectives {
    /// Collectives behind the backward pass: reductions of gradients, and with ZeRO-3 the second gathers of weights.
    pub(super) gradients: Seconds,
    /// Gathers of weights behind the forward pass.
    pub(super) weights: Seconds,
    /// Number of times that both occur in a step.
    pub(super) times: f64,
}

impl DataCollectives {
    /// Time of a step.
    pub(super) fn total(&self) -> Seconds {
        (self.gradients + self.weights) * self.times
    }
}

/// Most buckets per layer. A tensor is not split over buckets, so a layer of large tensors fills three: the MLP's input matrix, its
/// output matrix, and the matrices of attention.
const LARGE_TENSORS: f64 = 3.0;

/// Replicas of a collective, and whether it is one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// All replicas, layer by layer.
    All,
    /// All replicas, all layers at once.
    Once,
    /// Replicas that share one copy of the states.
    Shards,
    /// Replicas that hold the same part, each in its own copy.
    Copies,
}
