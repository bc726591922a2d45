//! Messages of the laws: the violation and the allowed values.

use std::fmt;

use super::law::Law;
use super::schedule::Schedule;
use crate::units::format;

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
                    "{chunks} pipeline chunks are more than the {layers} layers of this model plus embedding and output head"
                )
            }
            Self::DegreesDivideGpus { gpus, degrees } => write!(
                f,
                "{} cannot be divided by tensor × context × pipeline = {degrees}: {}",
                format::counted(gpus, "GPUs"),
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
                write!(f, "{} has one chunk per stage: set interleave to 1, or use 1F1B", schedule.name())
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
                write!(f, "DualPipe pairs its stages, and {pipeline} is odd: use an even number of stages")
            }
            Self::DualpipeNeedsEvenLayers { layers, pipeline } => write!(
                f,
                "DualPipe needs stages of nearly equal size, and {pipeline} do not divide {layers} layers: use {}",
                Divisors::of(layers)
            ),
            Self::SplitExcludesFull { schedule } => write!(
                f,
                "{} defers the gradients of weights, which keeps the activations that recomputation of layers or operators would free: use selective or no recomputation",
                schedule.name()
            ),
            Self::ChosenLayersNeedFull => {
                write!(
                    f,
                    "a number of recomputed layers applies only to full recomputation: recompute every layer"
                )
            }
            Self::ChosenLayersWithinStage { chosen, layers } => {
                write!(f, "{chosen} recomputed layers are more than the {layers} layers of a stage")
            }
            Self::TensorDividesSequence { sequence, tensor } => {
                write!(f, "{tensor}-way sequence parallelism does not divide {sequence} tokens")
            }
            Self::ContextDividesSequence { sequence, context } => {
                write!(f, "{context}-way context parallelism does not divide {sequence} tokens")
            }
            Self::ExpertDividesExperts { experts: 0, .. } => {
                write!(f, "expert parallelism needs a mixture-of-experts model; this model is dense")
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
                    "shard groups of {group} replicas do not divide {replicas} replicas: use {}",
                    Divisors::of(replicas)
                )
            }
            Self::ZeroStage => write!(f, "ZeRO has stages 0 to 3"),
            Self::ContextDividesHeads { heads, context } => write!(
                f,
                "{context}-way context parallelism (Ulysses) does not divide the {heads} attention heads of a GPU: use {}",
                Divisors::of(heads)
            ),
            Self::GridNeedsDenseLayers => {
                write!(
                    f,
                    "two-dimensional tensor parallelism (SUMMA) needs dense layers: no experts, latent attention or projected positions"
                )
            }
            Self::GridDividesWidths { hidden, ffn, side } => {
                write!(
                    f,
                    "a SUMMA grid with a side of {side} GPUs does not divide the widths {hidden} and {ffn}"
                )
            }
            Self::PanelsFitGrid { hidden, fewest, panels } => write!(
                f,
                "{panels} panels are not a multiple of {fewest}, or do not divide the width of {hidden}"
            ),
            Self::GridOverlapsItself => {
                write!(
                    f,
                    "SUMMA already overlaps the transfer of panels with multiplies: turn tensor-parallel overlap off"
                )
            }
            Self::PlacementDividesGroup { degree, part, .. } => write!(
                f,
                "{part} members per scale-up domain do not divide a group of {degree}: use {}",
                Divisors::of(degree)
            ),
            Self::PlacementWithinDomain { domain, members, .. } => {
                write!(f, "the placement needs {members} GPUs per scale-up domain, which has {domain}")
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
