//! The laws that a plan must obey, each named by the field that breaks it.

use std::fmt;

use super::{Axis, Plan, Schedule, TensorKind};
use crate::catalog::architecture::Architecture;
use crate::workload::{ContextKind, Recompute};

/// What is wrong with a plan, and what would be allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Tensor parallelism must divide the attention heads.
    TensorDividesHeads {
        /// Attention heads of the model.
        heads: u32,
        /// Tensor-parallel degree asked for.
        tensor: u32,
    },
    /// Tensor parallelism must divide the feed-forward width.
    TensorDividesFfn {
        /// Feed-forward width.
        ffn: u32,
        /// Tensor-parallel degree asked for.
        tensor: u32,
    },
    /// Pipeline stages cannot outnumber layers, where embedding and head may each take the place of one (Megatron-Core's
    /// `account_for_embedding_in_pipeline_split` and `account_for_loss_in_pipeline_split`).
    StagesWithinLayers {
        /// Layers of the model.
        layers: u32,
        /// Stages times chunks asked for.
        chunks: u32,
    },
    /// GPUs must be a multiple of tensor × context × pipeline.
    DegreesDivideGpus {
        /// GPUs.
        gpus: u32,
        /// Tensor × context × pipeline.
        degrees: u32,
    },
    /// The batch must be a multiple of data-parallel replicas × microbatch.
    ReplicasDivideBatch {
        /// Global batch in sequences.
        batch: u32,
        /// Replicas × microbatch.
        unit: u32,
    },
    /// Interleaving needs the microbatches of a replica in multiples of the stages.
    InterleaveNeedsMicrobatches {
        /// Microbatches per replica.
        microbatches: u32,
        /// Pipeline stages.
        pipeline: u32,
    },
    /// Interleaving needs at least two stages.
    InterleaveNeedsStages,
    /// Only 1F1B has several chunks per stage.
    InterleaveNeedsAlternating {
        /// The schedule asked for.
        schedule: Schedule,
    },
    /// A zero-bubble schedule needs as many microbatches as stages, `DualPipe` twice as many and an even number.
    ScheduleNeedsMicrobatches {
        /// The schedule asked for.
        schedule: Schedule,
        /// Microbatches per replica.
        microbatches: u32,
        /// Pipeline stages.
        pipeline: u32,
    },
    /// `DualPipe` pairs each stage with another.
    DualpipeNeedsEvenStages {
        /// Pipeline stages asked for.
        pipeline: u32,
    },
    /// `DualPipe` gives each GPU as many layers of one end as of the other.
    DualpipeNeedsEvenLayers {
        /// Layers of the model.
        layers: u32,
        /// Pipeline stages asked for.
        pipeline: u32,
    },
    /// The gradient of weights, where it is put off, needs what recomputation would free.
    SplitExcludesFull {
        /// The schedule asked for.
        schedule: Schedule,
    },
    /// Chosen layers are recomputed whole.
    ChosenLayersNeedFull,
    /// No more layers can be recomputed than a stage has.
    ChosenLayersWithinStage {
        /// Layers asked for.
        chosen: u32,
        /// Layers of the fullest stage.
        layers: u32,
    },
    /// Sequence parallelism must divide the sequence.
    TensorDividesSequence {
        /// Tokens per sequence.
        sequence: u32,
        /// Tensor-parallel degree asked for.
        tensor: u32,
    },
    /// Context parallelism must divide the sequence.
    ContextDividesSequence {
        /// Tokens per sequence.
        sequence: u32,
        /// Context-parallel degree asked for.
        context: u32,
    },
    /// Expert parallelism needs experts, which it must divide.
    ExpertDividesExperts {
        /// Experts per layer; 0 where the model has none.
        experts: u32,
        /// Expert-parallel degree asked for.
        expert: u32,
    },
    /// The GPUs of a stage must be a multiple of expert × expert tensor.
    ExpertDegreesDivideStage {
        /// GPUs of one pipeline stage.
        stage: u32,
        /// Expert × expert tensor.
        degrees: u32,
    },
    /// The groups over which weights are sharded must divide the replicas.
    ShardGroupDividesReplicas {
        /// Replicas × context.
        replicas: u32,
        /// Size of a group asked for.
        group: u32,
    },
    /// There are ZeRO stages 0 to 3.
    ZeroStage,
    /// An exchange of heads needs heads for all members of the context group.
    ContextDividesHeads {
        /// Attention heads on one GPU of the tensor group.
        heads: u32,
        /// Context-parallel degree asked for.
        context: u32,
    },
    /// A grid cuts dense layers with keys and values of their own.
    GridNeedsDenseLayers,
    /// Both sides of a grid must divide the widths that it cuts.
    GridDividesWidths {
        /// Hidden width.
        hidden: u32,
        /// Feed-forward width.
        ffn: u32,
        /// The side that does not.
        side: u32,
    },
    /// Each panel comes from one column and one row of the grid, and all are equally wide.
    PanelsFitGrid {
        /// Hidden width.
        hidden: u32,
        /// The fewest panels: the least common multiple of the sides.
        fewest: u32,
        /// Panels asked for.
        panels: u32,
    },
    /// A grid overlaps its panels already.
    GridOverlapsItself,
    /// Whole parts of a group share a domain.
    PlacementDividesGroup {
        /// The group.
        axis: Axis,
        /// Its size.
        degree: u32,
        /// Members per domain asked for.
        part: u32,
    },
    /// What shares a domain must have room in it.
    PlacementWithinDomain {
        /// The first group that is placed.
        axis: Axis,
        /// GPUs of a domain.
        domain: u32,
        /// GPUs asked for.
        members: u32,
    },
}

impl Law {
    /// The document path of the field that breaks the law.
    pub const fn field(&self) -> &'static str {
        match self {
            Self::TensorDividesHeads { .. }
            | Self::TensorDividesFfn { .. }
            | Self::GridDividesWidths { .. } => "parallelism.tensor",
            Self::StagesWithinLayers { .. } => "parallelism.pipeline",
            Self::DegreesDivideGpus { .. } => "system.gpus",
            Self::ReplicasDivideBatch { .. } => "recipe.batch",
            Self::InterleaveNeedsMicrobatches { .. }
            | Self::InterleaveNeedsStages
            | Self::InterleaveNeedsAlternating { .. } => "parallelism.interleave",
            Self::ScheduleNeedsMicrobatches { .. }
            | Self::DualpipeNeedsEvenStages { .. }
            | Self::DualpipeNeedsEvenLayers { .. } => "parallelism.schedule",
            Self::SplitExcludesFull { .. } => "parallelism.recompute",
            Self::ChosenLayersNeedFull | Self::ChosenLayersWithinStage { .. } => {
                "parallelism.recompute_layers"
            }
            Self::TensorDividesSequence { .. } => "recipe.sequence",
            Self::ContextDividesSequence { .. } | Self::ContextDividesHeads { .. } => "parallelism.context",
            Self::GridNeedsDenseLayers => "parallelism.tensor_kind",
            Self::PanelsFitGrid { .. } => "parallelism.panels",
            Self::GridOverlapsItself => "parallelism.tensor_overlap",
            Self::PlacementDividesGroup { axis, .. } | Self::PlacementWithinDomain { axis, .. } => {
                axis.field()
            }
            Self::ExpertDividesExperts { .. } | Self::ExpertDegreesDivideStage { .. } => "parallelism.expert",
            Self::ShardGroupDividesReplicas { .. } => "parallelism.shard_group",
            Self::ZeroStage => "parallelism.zero",
        }
    }
}

impl fmt::Display for Law {
    #[expect(clippy::too_many_lines, reason = "an arm for each law")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TensorDividesHeads { heads, tensor } => write!(
                f,
                "{tensor}-way tensor parallelism does not divide {heads} attention heads: use {}",
                Divisors::of(heads)
            ),
            Self::TensorDividesFfn { ffn, tensor } => {
                write!(f, "{tensor}-way tensor parallelism does not divide the feed-forward width of {ffn}")
            }
            Self::StagesWithinLayers { layers, chunks } => {
                write!(
                    f,
                    "{chunks} pipeline chunks need at least as many layers; this model has {layers}, and two places more \
                 for embedding and head"
                )
            }
            Self::DegreesDivideGpus { gpus, degrees } => write!(
                f,
                "{gpus} GPUs are not a multiple of tensor × context × pipeline = {degrees}: {}",
                Multiples { number: gpus, unit: degrees }
            ),
            Self::ReplicasDivideBatch { batch, unit } => write!(
                f,
                "a batch of {batch} is not a multiple of replicas × microbatch = {unit}: {}",
                Multiples { number: batch, unit }
            ),
            Self::InterleaveNeedsMicrobatches { microbatches, pipeline } => write!(
                f,
                "interleaving needs microbatches in multiples of {pipeline} stages; each replica has {microbatches}"
            ),
            Self::InterleaveNeedsStages => write!(f, "interleaving needs at least 2 pipeline stages"),
            Self::InterleaveNeedsAlternating { schedule } => {
                write!(f, "{} has one chunk per stage: interleave 1, or use 1F1B", schedule.name())
            }
            Self::ScheduleNeedsMicrobatches { schedule, microbatches, pipeline } => {
                let (least, even) = match schedule {
                    Schedule::Dualpipe => (pipeline.saturating_mul(2), "an even number of "),
                    _ => (pipeline, ""),
                };
                write!(
                    f,
                    "{} over {pipeline} stages needs {even}microbatches, at least {least}; each replica has {microbatches}",
                    schedule.name()
                )
            }
            Self::DualpipeNeedsEvenStages { pipeline } => {
                write!(f, "DualPipe pairs its stages, which {pipeline} cannot be: use an even number")
            }
            Self::DualpipeNeedsEvenLayers { layers, pipeline } => write!(
                f,
                "DualPipe needs stages of equal size, and {pipeline} do not divide {layers} layers: use {}",
                Divisors::of(layers)
            ),
            Self::SplitExcludesFull { schedule } => write!(
                f,
                "{} puts gradients of weights off, which keeps what recomputing every layer would free: recompute less",
                schedule.name()
            ),
            Self::ChosenLayersNeedFull => {
                write!(
                    f,
                    "a number of layers is recomputed only where whole layers are: recompute every layer"
                )
            }
            Self::ChosenLayersWithinStage { chosen, layers } => {
                write!(f, "{chosen} layers to recompute are more than the {layers} of a stage")
            }
            Self::TensorDividesSequence { sequence, tensor } => write!(
                f,
                "sequence parallelism cuts {sequence} tokens into {tensor} parts, which must be whole"
            ),
            Self::ContextDividesSequence { sequence, context } => write!(
                f,
                "context parallelism cuts {sequence} tokens into {context} parts, which must be whole"
            ),
            Self::ExpertDividesExperts { experts: 0, .. } => {
                write!(f, "this model has no experts that could be spread")
            }
            Self::ExpertDividesExperts { experts, expert } => write!(
                f,
                "{expert}-way expert parallelism does not divide {experts} experts: use {}",
                Divisors::of(experts)
            ),
            Self::ExpertDegreesDivideStage { stage, degrees } => write!(
                f,
                "the {stage} GPUs of a stage are not a multiple of expert × expert tensor = {degrees}"
            ),
            Self::ShardGroupDividesReplicas { replicas, group } => {
                write!(
                    f,
                    "groups of {group} do not divide {replicas} replicas: use {}",
                    Divisors::of(replicas)
                )
            }
            Self::ZeroStage => write!(f, "there are ZeRO stages 0 to 3"),
            Self::ContextDividesHeads { heads, context } => write!(
                f,
                "{context} GPUs do not divide the {heads} heads that they exchange: use {}",
                Divisors::of(heads)
            ),
            Self::GridNeedsDenseLayers => {
                write!(
                    f,
                    "a grid cuts dense layers only: no experts, latent attention or projected positions"
                )
            }
            Self::GridDividesWidths { hidden, ffn, side } => {
                write!(f, "{side} GPUs on a side of the grid do not divide the widths {hidden} and {ffn}")
            }
            Self::PanelsFitGrid { hidden, fewest, panels } => write!(
                f,
                "{panels} panels are not a multiple of {fewest}, or do not divide the width of {hidden}"
            ),
            Self::GridOverlapsItself => {
                write!(
                    f,
                    "a grid's panels travel while others are multiplied: there is nothing else to overlap"
                )
            }
            Self::PlacementDividesGroup { degree, part, .. } => write!(
                f,
                "{part} members in a domain do not divide a group of {degree}: use {}",
                Divisors::of(degree)
            ),
            Self::PlacementWithinDomain { domain, members, .. } => {
                write!(f, "a domain has {domain} GPUs, the parts of all groups together {members}")
            }
        }
    }
}

/// The first few divisors, as advice.
struct Divisors(u32);

impl Divisors {
    const fn of(number: u32) -> Self {
        Self(number)
    }
}

impl fmt::Display for Divisors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let divisors = (1..=self.0).filter(|divisor| self.0.is_multiple_of(*divisor));
        for (position, divisor) in divisors.take(12).enumerate() {
            write!(f, "{}{divisor}", if position > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// The multiples of `unit` around a number, as advice.
struct Multiples {
    number: u32,
    unit: u32,
}

impl fmt::Display for Multiples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = self.number / self.unit * self.unit;
        let above = below.saturating_add(self.unit);
        if below > 0 {
            write!(f, "the nearest are {below} and {above}")
        } else {
            write!(f, "the least is {above}")
        }
    }
}

/// Embedding and head.
const ENDS: u32 = 2;

impl Plan {
    /// Checks every law; the first one broken is returned. All numbers must be at least 1.
    pub fn check(
        &self,
        architecture: &Architecture,
        gpus: u32,
        batch: u32,
        sequence: u32,
    ) -> Result<(), Law> {
        let Self { tensor, context, pipeline, .. } = *self;
        check_tensor(architecture, tensor, self.expert_tensor())?;
        let chunks = pipeline.saturating_mul(self.interleave);
        let layers = architecture.layers;
        if chunks > layers.saturating_add(if pipeline > 1 { ENDS } else { 0 }) {
            return Err(Law::StagesWithinLayers { layers, chunks });
        }
        if self.interleave > 1 && pipeline < 2 {
            return Err(Law::InterleaveNeedsStages);
        }
        let degrees = self.replica();
        if !gpus.is_multiple_of(degrees) {
            return Err(Law::DegreesDivideGpus { gpus, degrees });
        }
        let unit = (gpus / degrees).saturating_mul(self.microbatch);
        if !batch.is_multiple_of(unit) {
            return Err(Law::ReplicasDivideBatch { batch, unit });
        }
        let microbatches = batch / unit;
        if self.interleave > 1 && !microbatches.is_multiple_of(pipeline) {
            return Err(Law::InterleaveNeedsMicrobatches { microbatches, pipeline });
        }
        self.check_schedule(layers, microbatches)?;
        if !sequence.is_multiple_of(context) {
            return Err(Law::ContextDividesSequence { sequence, context });
        }
        let cut = self.sequence_parallel && self.tensor_kind == TensorKind::Line;
        if cut && !(sequence / context).is_multiple_of(tensor) {
            return Err(Law::TensorDividesSequence { sequence: sequence / context, tensor });
        }
        let heads = architecture.heads / tensor;
        if self.context_kind == ContextKind::Ulysses && !heads.is_multiple_of(context) {
            return Err(Law::ContextDividesHeads { heads, context });
        }
        if self.tensor_kind == TensorKind::Grid {
            self.check_grid(architecture)?;
        }
        self.check_sharding(architecture, gpus)
    }

    /// The laws of matrices cut over tensor × context.
    fn check_grid(&self, architecture: &Architecture) -> Result<(), Law> {
        let (hidden, ffn) = (architecture.hidden, architecture.ffn);
        let dense = architecture.moe.is_none() && architecture.mla.is_none();
        if !dense || architecture.relative_position_projection {
            return Err(Law::GridNeedsDenseLayers);
        }
        for side in [self.tensor, self.context] {
            if !hidden.is_multiple_of(side) || !ffn.is_multiple_of(side) {
                return Err(Law::GridDividesWidths { hidden, ffn, side });
            }
        }
        let (panels, fewest) = (self.panels(), self.fewest_panels());
        if !panels.is_multiple_of(fewest) || !hidden.is_multiple_of(panels) {
            return Err(Law::PanelsFitGrid { hidden, fewest, panels });
        }
        if self.tensor_overlap { Err(Law::GridOverlapsItself) } else { Ok(()) }
    }

    /// The laws of the order in which stages work, and of what they recompute.
    fn check_schedule(&self, layers: u32, microbatches: u32) -> Result<(), Law> {
        let Self { schedule, pipeline, .. } = *self;
        if self.interleave > 1 && schedule != Schedule::Alternating {
            return Err(Law::InterleaveNeedsAlternating { schedule });
        }
        let enough = match schedule {
            Schedule::Gpipe | Schedule::Alternating => true,
            Schedule::ZeroBubble => microbatches >= pipeline,
            Schedule::Dualpipe => {
                if !pipeline.is_multiple_of(2) {
                    return Err(Law::DualpipeNeedsEvenStages { pipeline });
                }
                if !self.even(layers) {
                    return Err(Law::DualpipeNeedsEvenLayers { layers, pipeline });
                }
                microbatches.is_multiple_of(2) && microbatches / 2 >= pipeline
            }
        };
        if !enough {
            return Err(Law::ScheduleNeedsMicrobatches { schedule, microbatches, pipeline });
        }
        if schedule.splits() && self.recompute == Recompute::Full {
            return Err(Law::SplitExcludesFull { schedule });
        }
        let stage = layers.div_ceil(pipeline);
        match self.recompute_layers {
            Some(_) if self.recompute != Recompute::Full => Err(Law::ChosenLayersNeedFull),
            Some(chosen) if chosen > stage => Err(Law::ChosenLayersWithinStage { chosen, layers: stage }),
            _ => Ok(()),
        }
    }

    /// The laws of what is spread over replicas: experts, and states with ZeRO.
    fn check_sharding(&self, architecture: &Architecture, gpus: u32) -> Result<(), Law> {
        let experts = architecture.moe.as_ref().map_or(0, |moe| moe.experts);
        let expert = self.expert;
        if expert > 1 && (experts == 0 || !experts.is_multiple_of(expert)) {
            return Err(Law::ExpertDividesExperts { experts, expert });
        }
        let stage = gpus / self.pipeline;
        let degrees = expert.saturating_mul(self.expert_tensor());
        if experts > 0 && !stage.is_multiple_of(degrees) {
            return Err(Law::ExpertDegreesDivideStage { stage, degrees });
        }
        let replicas = stage / self.matrix_parts();
        match self.shard_group {
            Some(group) if !replicas.is_multiple_of(group) => {
                Err(Law::ShardGroupDividesReplicas { replicas, group })
            }
            _ if self.zero > 3 => Err(Law::ZeroStage),
            _ => Ok(()),
        }
    }
}

/// The law of tensor parallelism in attention, which inference shares.
pub fn check_heads(architecture: &Architecture, tensor: u32) -> Result<(), Law> {
    if architecture.heads.is_multiple_of(tensor) {
        return Ok(());
    }
    Err(Law::TensorDividesHeads { heads: architecture.heads, tensor })
}

/// The laws of tensor parallelism alone; experts may be cut otherwise than the rest.
fn check_tensor(architecture: &Architecture, tensor: u32, expert_tensor: u32) -> Result<(), Law> {
    check_heads(architecture, tensor)?;
    let (ffn, tensor) = match &architecture.moe {
        Some(moe) => (moe.ffn, expert_tensor),
        None => (architecture.ffn, tensor),
    };
    if !ffn.is_multiple_of(tensor) {
        return Err(Law::TensorDividesFfn { ffn, tensor });
    }
    Ok(())
}
