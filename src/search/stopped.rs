//! Counts of infeasible and redundant plans by reason.

use std::mem::discriminant;

use super::AXES;
use crate::plan::{Law, Plan};
use crate::units::Bytes;

/// Why a plan is infeasible or redundant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// The plan violates this law; the numbers are those of the first such plan.
    Law(Law),
    /// The plan does not fit into memory; the smallest need among such plans.
    Memory(Bytes),
    /// The plan differs from another one only in settings without effect.
    Same,
}

/// Number of plans that each reason excludes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stopped(Vec<(Reason, u64)>);

impl Stopped {
    /// Reasons with their counts, in the order in which they came up.
    pub fn iter(&self) -> impl Iterator<Item = &(Reason, u64)> {
        self.0.iter()
    }

    /// All plans that were stopped.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// Counts plans.
    pub(super) fn add(&mut self, reason: Reason, plans: u64) {
        for (known, count) in &mut self.0 {
            let alike = match (&mut *known, reason) {
                (Reason::Law(known), Reason::Law(law)) => discriminant(known) == discriminant(&law),
                (Reason::Memory(least), Reason::Memory(memory)) => {
                    *least = least.min(memory);
                    true
                }
                (known, reason) => discriminant(known) == discriminant(&reason),
            };
            if alike {
                *count += plans;
                return;
            }
        }
        self.0.push((reason, plans));
    }
}

/// The last axis that a law depends on: what differs behind it breaks the law too.
pub(super) fn deepest(law: &Law, plan: &Plan, gpus: u32) -> usize {
    let name = match law {
        Law::TensorDividesHeads { .. } => "tensor",
        Law::ContextDividesSequence { .. } => "context",
        Law::DegreesDivideGpus { .. } if !gpus.is_multiple_of(plan.tensor * plan.context) => "context",
        Law::ContextDividesHeads { .. } => "context_kind",
        Law::GridNeedsDenseLayers | Law::GridDividesWidths { .. } | Law::PanelsFitGrid { .. } => {
            "tensor_kind"
        }
        Law::GridOverlapsItself => "tensor_overlap",
        Law::ExpertDividesExperts { .. } => "expert",
        Law::TensorDividesFfn { .. } => "expert_tensor",
        Law::TensorDividesSequence { .. } => "sequence_parallel",
        Law::DegreesDivideGpus { .. }
        | Law::ReplicasDivideBatch { .. }
        | Law::ExpertDegreesDivideStage { .. } => "pipeline",
        Law::StagesWithinLayers { .. }
        | Law::InterleaveNeedsStages
        | Law::InterleaveNeedsMicrobatches { .. } => "interleave",
        Law::ChosenLayersNeedFull | Law::ChosenLayersWithinStage { .. } => "recompute_layers",
        Law::InterleaveNeedsAlternating { .. }
        | Law::ScheduleNeedsMicrobatches { .. }
        | Law::DualpipeNeedsEvenStages { .. }
        | Law::DualpipeNeedsEvenLayers { .. }
        | Law::SplitExcludesFull { .. } => "schedule",
        // Only this plan is known to be excluded.
        _ => return AXES.len() - 1,
    };
    AXES.iter().position(|axis| axis.id == name).unwrap_or(AXES.len() - 1)
}
