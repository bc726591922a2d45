//! The sentence of each law: what is wrong, and which values are allowed.

use std::fmt;

use super::law::Law;
use super::schedule::Schedule;

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
