//! The laws that a plan must obey, each named by the field that breaks it.

use super::axis::ParallelAxis;
use super::schedule::Schedule;

/// A violated law of parallelism plans, with the allowed values.
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
    /// Only the 1F1B schedule supports several chunks per stage.
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
    /// `DualPipe` gives each GPU about as many layers of one end as of the other.
    DualpipeNeedsEvenLayers {
        /// Layers of the model.
        layers: u32,
        /// Pipeline stages asked for.
        pipeline: u32,
    },
    /// Deferred gradients of weights need the activations that recomputation would free.
    SplitExcludesFull {
        /// The schedule asked for.
        schedule: Schedule,
    },
    /// Chosen layers are recomputed whole.
    ChosenLayersNeedFull,
    /// The number of recomputed layers must not exceed the layers of a stage.
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
    /// Both sides of a grid must divide the matrix dimensions that they shard.
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
        axis: ParallelAxis,
        /// Size of the group.
        degree: u32,
        /// Members per domain asked for.
        part: u32,
    },
    /// The groups placed in one scale-up domain must fit into it.
    PlacementWithinDomain {
        /// The first group that is placed.
        axis: ParallelAxis,
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
