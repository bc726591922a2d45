//! Time of each pipeline stage: its layers, the embedding on the first stage, the output head on the last.

use super::balance::Balance;
use super::job::TrainingJob;
use super::stage_times::StageTimes;
use super::timeline::{Pace, Timeline};
use crate::estimate::tally::Share;
use crate::plan::{Passes, Pipeline, Schedule};

/// Tasks of one kind of pass beyond which the steady state is cut short.
const MOST_SLOTS: u32 = 1 << 15;

/// Stages beyond which a step is not simulated.
const MOST_STAGES: u32 = 256;

impl TrainingJob<'_> {
    /// The step's passes as the schedule orders them; nothing for pipelines of more than 256 stages, and for `GPipe`
    /// with tens of thousands of passes.
    ///
    /// Where there are very many microbatches, as many as reach the steady state are worked on.
    pub fn timeline(&self) -> Option<Timeline> {
        if self.plan.pipeline > MOST_STAGES {
            return None;
        }
        let whole = self.pipeline();
        // Laws require multiples of the stages; DualPipe requires an even number, at least two per stage.
        let unit = 2 * whole.stages;
        let most = (MOST_SLOTS / whole.positions() / unit).max(2) * unit;
        let skipped = whole.microbatches.saturating_sub(most) / unit * unit;
        // GPipe has no steady state: it keeps more with every microbatch.
        if skipped > 0 && whole.schedule == Schedule::Gpipe {
            return None;
        }
        let pipeline = Pipeline { microbatches: whole.microbatches - skipped, ..whole };
        let times = self.stage_times(&self.layer_times(&mut |_, _, _, _| {}));
        Some(Timeline { skipped, ..Timeline::new(pipeline, self.pace(&times)) })
    }

    /// Times of the pipeline's positions, from the time of a stage with the most layers.
    fn pace(&self, times: &StageTimes) -> Pace {
        let pipeline = self.pipeline();
        let positions = pipeline.positions();
        let fullest = f64::from(self.fullest_layers());
        let layers_of_stage = times.passes() + self.stalls(times);
        let of = |position: u32| {
            let layers = f64::from(self.stage_layers(position % pipeline.stages));
            let share = layers / fullest / f64::from(pipeline.interleave);
            let mut passes = scaled(layers_of_stage, share);
            for (there, end) in
                [(position == 0, times.embedding_passes), (position + 1 == positions, times.head_passes)]
            {
                if there {
                    passes.forward += end.forward;
                    // The head's weight gradient is not deferred, because the gradient of the logits would have to be
                    // kept.
                    passes.input += end.input + end.weight;
                }
            }
            passes
        };
        let again = times.layers.get(Share::Recompute) / layers_of_stage.input;
        Pace {
            positions: (0..positions).map(of).collect(),
            again: if again.is_finite() { again.clamp(0.0, 1.0) } else { 0.0 },
            hidden: self.hidden(times),
            send: self.send(),
            overlaps_sends: self.overlaps_sends(),
        }
    }

    /// Layers of the stage that has most.
    pub(super) fn fullest_layers(&self) -> u32 {
        self.balance().map_or_else(|| self.divided().div_ceil(self.plan.pipeline), Balance::fullest)
    }

    /// Layers that the head's stage has fewer than the fullest.
    pub(super) fn missing_layers(&self) -> u32 {
        self.balance().map_or_else(
            || self.fullest_layers() - self.stage_layers(self.plan.pipeline - 1),
            |balance| balance.fullest() - balance.beside_head(),
        )
    }

    /// Layers and modules that stages divide. Where layers alone would be uneven, prediction modules count as one more layer,
    /// so that the head's stage, which has them, gets fewer layers (DeepSeek-V3, arXiv 2412.19437, section 3.2.3).
    fn divided(&self) -> u32 {
        self.architecture.layers + self.counted_module()
    }

    fn counted_module(&self) -> u32 {
        let uneven = !self.plan.even(self.architecture.layers);
        u32::from(uneven && self.recipe.predicts() && self.architecture.prediction.is_some())
    }

    fn balance(&self) -> Option<Balance> {
        let balances = self.recipe.framework.balances() && self.plan.pipeline > 1;
        balances.then(|| Balance::of(self.architecture, self.plan.pipeline))
    }

    /// Layers of a stage: where they cannot be even, the last stage and the first have one less, then those beside
    /// them.
    pub fn stage_layers(&self, stage: u32) -> u32 {
        if let Some(balance) = self.balance() {
            return balance.stage(stage);
        }
        let stages = self.plan.pipeline;
        let most = self.fullest_layers();
        let missing = most * stages - self.divided();
        let from_end = stages - 1 - stage;
        let turn = if from_end <= stage { 2 * from_end } else { 2 * stage + 1 };
        let module = if from_end == 0 { self.counted_module() } else { 0 };
        most - u32::from(turn < missing) - module
    }
}

fn scaled(passes: Passes, share: f64) -> Passes {
    Passes { forward: passes.forward * share, input: passes.input * share, weight: passes.weight * share }
}
