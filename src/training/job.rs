//! A training job and one GPU's part of it.

use super::overheads::FrameworkOverheads;
use super::recipe::TrainingRecipe;
use crate::catalog::architecture::Architecture;
use crate::plan::{ParallelAxis, Pipeline, Plan};
use crate::system::{AllReduce, Group, ScanLibrary, System};
use crate::units::Bytes;
use crate::workload::{ExpertExchange, Mesh, SelectedPrompts, Shard};

/// A resolved training job: the catalogue entries are looked up and the plan obeys every law.
#[derive(Clone, Copy, Debug)]
pub struct TrainingJob<'a> {
    /// The model.
    pub architecture: &'a Architecture,
    /// The accelerator and its network.
    pub system: &'a System,
    /// The parallelism plan.
    pub plan: &'a Plan,
    /// Batch, sequence length, formats and framework.
    pub recipe: &'a TrainingRecipe,
    /// Number of GPUs.
    pub gpus: u32,
    /// Overheads of the training framework.
    pub overheads: FrameworkOverheads,
}

impl TrainingJob<'_> {
    /// Layers of the fullest stage as a share of all layers, 0 to 1.
    pub(super) fn fullest_share(&self) -> f64 {
        f64::from(self.fullest_layers()) / f64::from(self.architecture.layers)
    }

    /// Data-parallel replicas: GPUs / (tensor × context × pipeline).
    pub fn data_parallel(&self) -> u32 {
        self.gpus / self.plan.replica()
    }

    /// Microbatches per replica and step.
    pub fn microbatches(&self) -> u32 {
        self.recipe.batch / (self.data_parallel() * self.plan.microbatch)
    }

    /// The pipeline schedule with this job's number of microbatches.
    pub fn pipeline(&self) -> Pipeline {
        self.plan.pipeline(self.microbatches())
    }

    /// The group of GPUs that spans the plan's axes from `first` to `last`.
    pub(super) fn group(&self, first: ParallelAxis, last: ParallelAxis) -> Group {
        self.plan.group(first, last, self.gpus, &self.system.network)
    }

    /// The tensor-parallel group of an expert's matrices, and the GPUs of a stage that hold replicas of the same shard.
    pub(super) fn expert_groups(&self) -> (Group, Group) {
        let sharers = self.plan.expert_tensor();
        if sharers == self.plan.tensor {
            return (
                self.group(ParallelAxis::Tensor, ParallelAxis::Tensor),
                self.group(ParallelAxis::Context, ParallelAxis::Data),
            );
        }
        self.group(ParallelAxis::Tensor, ParallelAxis::Data).split(sharers)
    }

    /// One microbatch on one GPU.
    pub fn shard(&self) -> Shard<'_> {
        let (expert_tensor, spread) = self.expert_groups();
        let panels = self.plan.panels();
        Shard {
            architecture: self.architecture,
            group: self.group(ParallelAxis::Tensor, ParallelAxis::Tensor),
            mesh: Mesh {
                context: self.group(ParallelAxis::Context, ParallelAxis::Context),
                exchange: self.plan.context_kind,
                panels,
                expert: spread.split(self.plan.expert).0,
                expert_tensor,
                dispatch: self.plan.expert_dispatch,
            },
            // A grid shards widths instead of the sequence; norms are divided just as evenly.
            sequence_parallel: (self.plan.sequence_parallel || panels > 0) && self.plan.tensor > 1,
            batch: f64::from(self.plan.microbatch),
            queries: f64::from(self.recipe.sequence / self.plan.context),
            keys: f64::from(self.recipe.sequence),
            precision: self.recipe.precision,
            dense: self.recipe.precision,
            replicas: 1,
            meeting: Group::ALONE,
            expert_parts: 1,
            // Training keeps no cache: keys and values are read once.
            exchange: ExpertExchange::Fused,
            kv_element: Bytes::ZERO,
            kept_input: self.recipe.kept_input(),
            kernel: self.recipe.attention,
            score: Bytes::new(2.0),
            selected: SelectedPrompts::Gathered,
            scans: ScanLibrary::Triton,
            dropout: self.recipe.dropout,
            fused: false,
            all_reduce: AllReduce::Library,
        }
    }
}
