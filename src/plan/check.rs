//! Checks a plan against every law.

use super::law::Law;
use super::schedule::Schedule;
use super::{Plan, TensorKind};
use crate::catalog::architecture::Architecture;
use crate::catalog::layers;
use crate::workload::{ContextKind, Recompute};

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

    /// Checks the laws of pipeline schedules and of recomputation.
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
                // A quarter of the stages may be one layer short (DeepSeek-V3: 61 layers on 16 stages).
                let missing = layers.div_ceil(pipeline).saturating_mul(pipeline).saturating_sub(layers);
                if missing > pipeline / 4 {
                    return Err(Law::DualpipeNeedsEvenLayers { layers, pipeline });
                }
                microbatches.is_multiple_of(2) && microbatches / 2 >= pipeline
            }
        };
        if !enough {
            return Err(Law::ScheduleNeedsMicrobatches { schedule, microbatches, pipeline });
        }
        if schedule.splits() && matches!(self.recompute, Recompute::Operators | Recompute::Full) {
            return Err(Law::SplitExcludesFull { schedule });
        }
        let stage = layers.div_ceil(pipeline);
        match self.recompute_layers {
            Some(_) if self.recompute != Recompute::Full => Err(Law::ChosenLayersNeedFull),
            Some(chosen) if chosen > stage => Err(Law::ChosenLayersWithinStage { chosen, layers: stage }),
            _ => Ok(()),
        }
    }

    /// Checks the laws of sharding over replicas: experts, and states with ZeRO.
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
    for layer in architecture.layer_kinds() {
        for mixer in layer.mixers() {
            let heads = mixer.law().map_or(0, layers::Law::heads);
            if !heads.is_multiple_of(tensor) {
                return Err(Law::TensorDividesHeads { heads, tensor });
            }
        }
    }
    Ok(())
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
