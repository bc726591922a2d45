//! Parallelism plans: parallel degrees, pipeline schedule, microbatches, recomputation, ZeRO, offloading.

mod axis;
pub mod check;
pub mod law;
mod message;
pub mod offload;
pub mod order;
pub mod placement;
pub mod schedule;

use serde::{Deserialize, Serialize};

pub use axis::ParallelAxis;
pub use law::Law;
pub use offload::Offload;
pub use order::{Slot, StageTask};
pub use placement::Placement;
pub use schedule::{Passes, Pipeline, Schedule};

use crate::workload::{ContextKind, ExpertDispatch, Recompute};

/// Sharding of a layer's matrices by tensor parallelism.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TensorKind {
    /// Along one side: columns, then rows (Megatron). With a context-parallel group that gathers keys and values this
    /// is the two-dimensional "seqp" of arXiv 2410.00273.
    #[default]
    Line,
    /// Along both, over tensor × context GPUs, multiplied in panels (SUMMA).
    Grid,
}

impl TensorKind {
    /// All variants, in the order of the form.
    pub const ALL: [Self; 2] = [Self::Line, Self::Grid];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Line => "One-dimensional",
            Self::Grid => "Two-dimensional (SUMMA)",
        }
    }
}

/// A parallelism plan for a training job.
///
/// Data parallelism is what remains: GPUs / (tensor × context × pipeline). Ranks are placed in the order tensor,
/// context, data, pipeline unless `placement` says otherwise, and for experts expert tensor, expert, data, pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default = "Plan::usual")]
#[expect(clippy::struct_excessive_bools, reason = "switches that do not depend on each other")]
pub struct Plan {
    /// Tensor-parallel degree: GPUs that share each layer's matrices. With a SUMMA grid, the grid's columns.
    pub tensor: u32,
    /// Sharding of matrices by tensor parallelism.
    pub tensor_kind: TensorKind,
    /// Panels in which a grid multiplies; the fewest that its sides allow if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub panels: Option<u32>,
    /// Pipeline-parallel degree: stages.
    pub pipeline: u32,
    /// Pipeline schedule.
    pub schedule: Schedule,
    /// Model chunks per stage (interleaved 1F1B); 1 is plain 1F1B.
    pub interleave: u32,
    /// True if norms and dropouts are sharded along the sequence over the tensor group.
    pub sequence_parallel: bool,
    /// States sharded over replicas (ZeRO, Rajbhandari et al. 2019): 0 none, 1 the optimizer state, 2 also gradients, 3
    /// also weights (FSDP).
    pub zero: u8,
    /// Sequences that go through the pipeline together, per replica.
    pub microbatch: u32,
    /// Activations that are recomputed.
    pub recompute: Recompute,
    /// Number of recomputed layers of each stage under full recomputation, if not all (Megatron-LM's block method).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recompute_layers: Option<u32>,
    /// Data kept in the host's memory.
    #[serde(skip_serializing_if = "Offload::nothing")]
    pub offload: Offload,
    /// Context-parallel degree: GPUs that share each sequence, each with a part of the queries. With a SUMMA grid, the
    /// grid's rows.
    pub context: u32,
    /// Exchange of keys and values between the GPUs of the context-parallel group.
    pub context_kind: ContextKind,
    /// Expert-parallel degree: GPUs over which experts are distributed; tokens reach them by all-to-all.
    pub expert: u32,
    /// Tensor-parallel degree of experts, if it differs from that of the other matrices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expert_tensor: Option<u32>,
    /// Dispatch of tokens to the GPUs of their experts.
    #[serde(skip_serializing_if = "ExpertDispatch::is_usual")]
    pub expert_dispatch: ExpertDispatch,
    /// GPUs over which ZeRO-2 and 3 shard, if not over all replicas: the groups sum their gradients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard_group: Option<u32>,
    /// True if tensor-parallel communication overlaps with the adjacent matrix multiplies.
    pub tensor_overlap: bool,
    /// True if expert-parallel all-to-alls overlap the passes of another microbatch under 1F1B (Megatron Core's
    /// `overlap_moe_expert_parallel_comm`). With several stages, this needs interleaving: otherwise the last stage has no other
    /// microbatch between the two passes of one. `DualPipe` always overlaps them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expert_overlap: bool,
    /// True if gradient reduction and weight gathering overlap with the backward and forward passes.
    pub data_overlap: bool,
    /// Members of each group that share a scale-up domain.
    #[serde(skip_serializing_if = "Placement::is_usual")]
    pub placement: Placement,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            tensor: 8,
            tensor_kind: TensorKind::Line,
            panels: None,
            pipeline: 1,
            schedule: Schedule::Alternating,
            interleave: 1,
            sequence_parallel: true,
            zero: 1,
            microbatch: 1,
            recompute: Recompute::Selective,
            recompute_layers: None,
            offload: Offload::default(),
            context: 1,
            context_kind: ContextKind::Overlapped,
            expert: 1,
            expert_tensor: None,
            expert_dispatch: ExpertDispatch::AllToAll,
            shard_group: None,
            tensor_overlap: false,
            expert_overlap: false,
            data_overlap: true,
            placement: Placement::default(),
        }
    }
}

impl Plan {
    /// The default plan of documents.
    pub fn usual() -> Self {
        Self { pipeline: 4, ..Self::default() }
    }

    /// The degrees above 1 in a line, with `replicas` of the model: `TP 8, PP 4, DP 16`.
    pub fn named(&self, replicas: u32) -> String {
        let all = [
            ("TP", self.tensor),
            ("CP", self.context),
            ("PP", self.pipeline),
            ("DP", replicas),
            ("EP", self.expert),
        ];
        let parts: Vec<String> = all
            .iter()
            .filter(|(_, degree)| *degree > 1)
            .map(|(name, degree)| format!("{name} {degree}"))
            .collect();
        if parts.is_empty() { "one replica on one GPU".to_owned() } else { parts.join(", ") }
    }

    /// GPUs that hold one replica of the model.
    pub const fn replica(&self) -> u32 {
        self.tensor.saturating_mul(self.context).saturating_mul(self.pipeline)
    }

    /// GPUs that hold a part each of every matrix outside routed experts.
    pub const fn matrix_parts(&self) -> u32 {
        match self.tensor_kind {
            TensorKind::Line => self.tensor,
            TensorKind::Grid => self.tensor.saturating_mul(self.context),
        }
    }

    /// Number of panels of matrix multiplies; 0 without a grid.
    pub fn panels(&self) -> u32 {
        match self.tensor_kind {
            TensorKind::Line => 0,
            TensorKind::Grid => self.panels.unwrap_or_else(|| self.fewest_panels()),
        }
    }

    /// The least common multiple of a grid's sides: each panel comes from one column and one row.
    fn fewest_panels(&self) -> u32 {
        let (mut a, mut b) = (self.tensor, self.context);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        (self.tensor / a.max(1)).saturating_mul(self.context)
    }

    /// GPUs that share each expert's matrices.
    pub fn expert_tensor(&self) -> u32 {
        self.expert_tensor.unwrap_or(self.tensor)
    }

    /// The pipeline, for this many microbatches.
    pub const fn pipeline(&self, microbatches: u32) -> Pipeline {
        let Self { schedule, pipeline: stages, interleave, .. } = *self;
        Pipeline { schedule, stages, interleave, microbatches }
    }

    /// Share of the `microbatches` whose forward pass runs beside the backward pass of another, so that all-to-alls of one
    /// overlap the computation of the other. The others fill and drain the pipeline: those of the first stage's warm-up, and
    /// one chunk more.
    pub fn overlapping_share(&self, microbatches: u32) -> f64 {
        let steady = self.pipeline == 1 || self.interleave > 1;
        if !self.expert_overlap || self.schedule != Schedule::Alternating || !steady {
            return 0.0;
        }
        let alone = f64::from(self.pipeline(microbatches).warm_up(0)) + 1.0;
        (1.0 - alone / (f64::from(self.interleave) * f64::from(microbatches))).max(0.0)
    }

    /// Share of a stage's layers that is recomputed whole, of `layers` in the model.
    pub fn recomputed_share(&self, layers: u32) -> f64 {
        match (self.recompute, self.recompute_layers) {
            (Recompute::Full, Some(chosen)) => f64::from(chosen) / f64::from(layers.div_ceil(self.pipeline)),
            (Recompute::Full, None) => 1.0,
            _ => 0.0,
        }
    }

    /// Returns true if all stages have the same number of layers.
    pub const fn even(&self, layers: u32) -> bool {
        layers.is_multiple_of(self.pipeline)
    }
}
