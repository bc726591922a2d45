//! Pipeline schedules: bubble time, overlap of passes, and microbatches in flight.

use std::ops::Add;

use crate::units::Seconds;

/// Order in which pipeline stages process microbatches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// All forward passes, then all backward passes (`GPipe`, Huang et al. 2018).
    Gpipe,
    /// One backward pass after each forward pass as soon as the pipeline is full (`PipeDream` flush, Narayanan et al.
    /// 2021), with several chunks per stage where the plan interleaves.
    #[default]
    Alternating,
    /// 1F1B with the gradients of weights deferred into the bubble at the step's end (ZB-H1, Qi et al. 2023, arXiv
    /// 2401.10241).
    ZeroBubble,
    /// Microbatches from both ends, each GPU with two stages, forward and backward passes together so that each hides
    /// the other's communication (`DeepSeek`-V3 report, arXiv 2412.19437, section 3.2.1).
    Dualpipe,
}

/// Time of one microbatch on one stage, by pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Passes {
    /// Forward.
    pub forward: Seconds,
    /// Part of the backward pass that the previous stage waits for: gradients of inputs, and recomputation.
    pub input: Seconds,
    /// Backward: gradients of weights.
    pub weight: Seconds,
}

impl Passes {
    /// Sum of all passes.
    pub fn total(self) -> Seconds {
        self.forward + self.input + self.weight
    }
}

impl Add for Passes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            forward: self.forward + other.forward,
            input: self.input + other.input,
            weight: self.weight + other.weight,
        }
    }
}

/// A schedule of a given size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// The order.
    pub schedule: Schedule,
    /// Stages, at least 1.
    pub stages: u32,
    /// Positions per stage, at least 1; more than 1 only with [`Schedule::Alternating`].
    pub interleave: u32,
    /// Number of microbatches, as required by [`super::law`].
    pub microbatches: u32,
}

impl Schedule {
    /// All schedules.
    pub const ALL: [Self; 4] = [Self::Gpipe, Self::Alternating, Self::ZeroBubble, Self::Dualpipe];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gpipe => "GPipe",
            Self::Alternating => "1F1B",
            Self::ZeroBubble => "Zero bubble (ZB-H1)",
            Self::Dualpipe => "DualPipe",
        }
    }

    /// Returns true if gradients of weights are deferred, at least in part.
    pub const fn splits(self) -> bool {
        matches!(self, Self::ZeroBubble | Self::Dualpipe)
    }

    /// Copies of the model that one pipeline holds.
    pub const fn copies(self) -> u32 {
        match self {
            Self::Dualpipe => 2,
            Self::Gpipe | Self::Alternating | Self::ZeroBubble => 1,
        }
    }
}

impl Pipeline {
    /// Duration of a step beyond the work of one stage, where `others` is the time of all other stages for one
    /// microbatch.
    ///
    /// With p even stages, others = (p - 1)(F + B + W), and the step is exactly what the order of [`Self::tasks`] makes
    /// it (`tests/it/schedules.rs`): p - 1 times F + B + W with 1F1B and `GPipe` (Narayanan et al. 2021, section 2.2), that divided by the
    /// interleave, F + B - W with ZB-H1 (Qi et al. 2023, table 2) where neither B < W nor F < W, and with `DualPipe`
    /// (p/2 - 1)(2F + B - W), which is the report's (p/2 - 1)(F&B + B - 3W) where F = B.
    pub fn bubble(&self, others: Seconds, passes: Passes) -> Seconds {
        let Passes { forward, input, weight } = passes;
        let late = (input - weight).max(Seconds::ZERO);
        let whole = passes.total();
        if whole <= Seconds::ZERO {
            return others;
        }
        match self.schedule {
            Schedule::Gpipe | Schedule::Alternating => others / f64::from(self.interleave),
            Schedule::ZeroBubble => others * ((forward + late).max(input) / whole),
            Schedule::Dualpipe => {
                // The middle stages begin last: they wait for half of the pipeline, from either end.
                let half = f64::from(self.stages) / 2.0;
                let wait =
                    forward * (half - 2.0) + late * (half - 1.0) + (forward * half).max(input * (half - 1.0));
                others * (wait / whole / (2.0 * half - 1.0).max(1.0))
            }
        }
    }

    /// Number of times that a forward and a backward pass run concurrently on the slowest stage.
    pub fn pairs(&self) -> f64 {
        match self.schedule {
            Schedule::Dualpipe => f64::from(self.microbatches) - f64::from(self.stages) / 2.0 - 2.0,
            Schedule::Gpipe | Schedule::Alternating | Schedule::ZeroBubble => 0.0,
        }
    }

    /// Microbatches in flight on the last stage, which holds the logits.
    ///
    /// One with 1F1B; as many as on the first stage where gradients of weights are deferred; with interleaving also those
    /// of the stage's earlier chunks.
    pub fn in_flight_last(&self) -> f64 {
        let (stages, chunks) = (f64::from(self.stages), f64::from(self.interleave));
        match self.schedule {
            Schedule::Alternating => {
                (((chunks - 1.0) * stages + 1.0) / chunks).min(f64::from(self.microbatches))
            }
            Schedule::Gpipe | Schedule::ZeroBubble | Schedule::Dualpipe => self.in_flight(),
        }
    }

    /// Microbatches whose logits are kept at once: one, since its backward pass follows, but with `GPipe` all.
    pub fn logits(&self) -> f64 {
        match self.schedule {
            Schedule::Gpipe => f64::from(self.microbatches),
            Schedule::Alternating | Schedule::ZeroBubble | Schedule::Dualpipe => 1.0,
        }
    }

    /// Microbatches whose activations the stage with the most of them keeps at once, as a multiple of what one
    /// microbatch leaves on a stage.
    ///
    /// 1F1B p, interleaved p + (p - 1)/v (Korthikanti et al. 2022, section 4.2.3), ZB-H1 p, `DualPipe` p + 1, never more
    /// than all of them, which `GPipe` keeps.
    pub fn in_flight(&self) -> f64 {
        let stages = f64::from(self.stages);
        let all = f64::from(self.microbatches);
        match self.schedule {
            Schedule::Gpipe => all,
            Schedule::Alternating if self.interleave > 1 => {
                let factor = 1.0 + (stages - 1.0) / (stages * f64::from(self.interleave));
                (stages.min(all) * factor).min(all)
            }
            Schedule::Alternating | Schedule::ZeroBubble => stages.min(all),
            Schedule::Dualpipe => (stages + 1.0).min(all),
        }
    }
}
