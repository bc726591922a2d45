//! The phases of a step as software times them, and the communication that a step hides.

use super::job::TrainingJob;
use super::stage_times::StageTimes;
use crate::units::Seconds;

/// Time of a step by phase, in the order in which the phases run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepPhases {
    /// Forward passes of all microbatches, with the exposed gathers of weights before them in ZeRO-3.
    pub forward: Seconds,
    /// Backward passes of all microbatches.
    pub backward: Seconds,
    /// Gradient reduction that backward passes do not hide.
    pub reduction: Seconds,
    /// Optimizer step, with the exposed gathers of the updated weights in ZeRO-1 and ZeRO-2.
    pub optimizer: Seconds,
    /// Work of the software between steps.
    pub between: Seconds,
}

impl StepPhases {
    /// Time of the step.
    pub fn total(&self) -> Seconds {
        self.forward + self.backward + self.reduction + self.optimizer + self.between
    }
}

impl TrainingJob<'_> {
    /// The phases of a step; `None` with pipeline parallelism, where forward and backward passes of several stages overlap.
    pub fn phases(&self) -> Option<StepPhases> {
        if self.plan.pipeline > 1 {
            return None;
        }
        let times = self.stage_times(&self.layer_times(&mut |_, _, _, _| {}));
        let (stalls, data) = (self.stalls(&times), self.data_collectives(&times));
        let microbatches = f64::from(self.microbatches());
        let ends = [times.embedding_passes, times.head_passes];
        let forward: Seconds = ends.iter().map(|passes| passes.forward).sum();
        let backward: Seconds = ends.iter().map(|passes| passes.input + passes.weight).sum();
        let weights = data.weights * data.times;
        let (before, after) =
            if self.plan.zero > 2 { (weights, Seconds::ZERO) } else { (Seconds::ZERO, weights) };
        let term = |id: &str| -> Seconds {
            self.terms(&times).filter(|term| term.id == id).map(|term| term.time).sum()
        };
        let optimizer = term("optimizer");
        Some(StepPhases {
            forward: (times.forward + stalls.forward + forward) * microbatches + before,
            backward: (times.backward + stalls.input + stalls.weight + backward) * microbatches,
            reduction: data.gradients * data.times,
            optimizer: optimizer + self.optimizer_stall(optimizer) + after,
            between: term("framework"),
        })
    }

    /// Communication of a step that computation hides: collectives of the layers, and those over the replicas.
    pub fn hidden_communication(&self) -> Seconds {
        let layer = self.layer_times(&mut |_, _, _, _| {});
        let times = self.stage_times(&layer);
        let of_layers = self.overlapped(&layer, &times) * f64::from(self.microbatches());
        // Collectives are fully exposed behind passes of zero duration.
        let of_replicas = self.data_communication(&StageTimes::default()) - self.data_communication(&times);
        of_layers + self.hidden(&times) * self.pipeline().pairs() + of_replicas.max(Seconds::ZERO)
    }
}
