//! The laws that a plan must obey, each named by the field that breaks it.

use std::fmt;

use super::{Axis, Plan, TensorKind};
use crate::catalog::architecture::Architecture;
use crate::workload::ContextKind;

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
    /// Pipeline stages cannot outnumber layers.
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
            Self::InterleaveNeedsMicrobatches { .. } | Self::InterleaveNeedsStages => {
                "parallelism.interleave"
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
                write!(f, "{chunks} pipeline chunks need at least as many layers; this model has {layers}")
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
        if chunks > layers {
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
