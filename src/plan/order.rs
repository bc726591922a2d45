//! The tasks of each pipeline stage in the order in which it runs them.
//!
//! A model is cut into positions that a microbatch visits in turn, forward and then backward. A stage is one GPU of the
//! pipeline and has one position, several (interleaved), or one from each end (`DualPipe`). A backward pass may be split
//! into the gradient of its input, for which the position before waits, and that of its weights, which may be deferred.

use std::collections::VecDeque;

use super::schedule::{Pipeline, Schedule};

/// One microbatch at one position of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// Position, from 0 at the input.
    pub position: u32,
    /// Microbatch, from 0.
    pub microbatch: u32,
}

/// One task of a stage: a forward pass, a backward pass, a part of one, or both together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageTask {
    /// A forward pass.
    Forward(Slot),
    /// A whole backward pass.
    Backward(Slot),
    /// The gradient of the input.
    Input(Slot),
    /// The gradient of the weights.
    Weight(Slot),
    /// A forward pass and the whole backward pass of another microbatch.
    Both {
        /// Slot of the forward pass.
        forward: Slot,
        /// Slot of the backward pass.
        backward: Slot,
    },
}

impl Pipeline {
    /// Positions of the model.
    pub const fn positions(&self) -> u32 {
        self.stages * self.interleave
    }

    /// The stage that has a microbatch's position.
    pub const fn stage(&self, slot: Slot) -> u32 {
        let reverse = matches!(self.schedule, Schedule::Dualpipe) && slot.microbatch >= self.microbatches / 2;
        if reverse { self.stages.saturating_sub(1 + slot.position) } else { slot.position % self.stages }
    }

    /// Tasks of a stage, in order.
    pub fn tasks(&self, stage: u32) -> Vec<StageTask> {
        match self.schedule {
            Schedule::Dualpipe => self.both_ways(stage),
            _ => self.one_way(stage),
        }
    }

    /// Forward passes of a stage over a chunk before it alternates with backward passes: all with `GPipe`, p - 1 on the first
    /// stage with 1F1B, 2 (p - 1) + (v - 1) p with interleaving (Narayanan et al. 2021, section 2.2).
    pub const fn warm_up(&self, stage: u32) -> u32 {
        let all = self.microbatches * self.interleave;
        let behind = self.stages - 1 - stage;
        let first = match self.schedule {
            Schedule::Gpipe => all,
            _ if self.interleave > 1 => 2 * behind + (self.interleave - 1) * self.stages,
            _ => behind,
        };
        if first < all { first } else { all }
    }

    /// Some forward passes to fill the pipeline, then backward and forward passes in turn.
    fn one_way(&self, stage: u32) -> Vec<StageTask> {
        let all = self.microbatches * self.interleave;
        let first = self.warm_up(stage);
        // Weights wait on later stages, which have fewer microbatches in flight.
        let weights_after = (self.schedule == Schedule::ZeroBubble).then_some(stage.min(all));
        let mut tasks = Vec::with_capacity(3 * all as usize);
        tasks.extend((0..first).map(|turn| StageTask::Forward(self.slot(stage, turn, false))));
        for turn in 0..all {
            if turn + first < all {
                tasks.push(StageTask::Forward(self.slot(stage, turn + first, false)));
            }
            let slot = self.slot(stage, turn, true);
            let Some(after) = weights_after else {
                tasks.push(StageTask::Backward(slot));
                continue;
            };
            tasks.push(StageTask::Input(slot));
            if turn >= after {
                tasks.push(StageTask::Weight(self.slot(stage, turn - after, true)));
            }
        }
        let left = weights_after.map_or(all, |after| all - after);
        tasks.extend((left..all).map(|turn| StageTask::Weight(self.slot(stage, turn, true))));
        tasks
    }

    /// Slot of a stage's pass number `turn`. Microbatches run in groups of as many as there are stages, chunk by chunk.
    const fn slot(&self, stage: u32, turn: u32, backward: bool) -> Slot {
        if self.interleave == 1 {
            // GPipe begins with what it did last.
            let last_first = backward && matches!(self.schedule, Schedule::Gpipe);
            let microbatch = if last_first { self.microbatches - 1 - turn } else { turn };
            return Slot { position: stage, microbatch };
        }
        let round = self.positions();
        let chunk = turn % round / self.stages;
        let chunk = if backward { self.interleave - 1 - chunk } else { chunk };
        let microbatch = turn / round * self.stages + turn % self.stages;
        Slot { position: chunk * self.stages + stage, microbatch }
    }

    /// The eight phases of `DualPipe`: forward passes from the near end, from both ends, starting backward passes, both
    /// together, ending backward passes, and the deferred weight gradients.
    fn both_ways(&self, stage: u32) -> Vec<StageTask> {
        let half = self.stages / 2;
        // Distance of this stage from its end of the pipeline, and from the middle.
        let inward = stage.min(self.stages - 1 - stage);
        let outward = half.saturating_sub(1 + inward);
        let mut ends = Ends::new(self, stage);
        for _ in 0..2 * outward {
            ends.forward(NEAR);
        }
        for _ in 0..=inward {
            ends.forward(NEAR);
            ends.forward(FAR);
        }
        for _ in 0..outward {
            ends.backward(FAR, true);
            ends.weight();
            ends.forward(FAR);
        }
        for turn in 0..(self.microbatches / 2 + inward + 1).saturating_sub(self.stages) {
            // The middle stages have nothing to hide yet, and would only wait longer.
            if turn == 0 && outward == 0 {
                ends.forward(NEAR);
                ends.backward(FAR, false);
            } else {
                ends.both(NEAR, FAR);
            }
            ends.both(FAR, NEAR);
        }
        for _ in 0..outward {
            ends.backward(FAR, false);
            ends.both(FAR, NEAR);
        }
        // The later half of the remaining passes defers its weight gradients.
        for turn in 0..2 * (inward + 1) {
            ends.backward(if turn % 2 == 0 { FAR } else { NEAR }, turn > inward);
        }
        for _ in 0..outward {
            ends.weight();
            ends.backward(NEAR, true);
        }
        for _ in 0..=inward {
            ends.weight();
        }
        ends.tasks
    }
}

/// Microbatches that come from the end that this stage is nearer to.
const NEAR: usize = 0;
/// Index of microbatches that enter at the other end.
const FAR: usize = 1;

/// Task list of a stage under construction, with the slots reached from either end.
struct Ends {
    tasks: Vec<StageTask>,
    forward: [Slot; 2],
    backward: [Slot; 2],
    put_off: VecDeque<Slot>,
}

impl Ends {
    fn new(pipeline: &Pipeline, stage: u32) -> Self {
        let mirrored = pipeline.stages - 1 - stage;
        let from_first = Slot { position: stage, microbatch: 0 };
        let from_last = Slot { position: mirrored, microbatch: pipeline.microbatches / 2 };
        let next = if stage < mirrored { [from_first, from_last] } else { [from_last, from_first] };
        Self { tasks: Vec::new(), forward: next, backward: next, put_off: VecDeque::new() }
    }

    fn forward(&mut self, end: usize) {
        let slot = next(&mut self.forward[end]);
        self.tasks.push(StageTask::Forward(slot));
    }

    fn backward(&mut self, end: usize, split: bool) {
        let slot = next(&mut self.backward[end]);
        if split {
            self.put_off.push_back(slot);
        }
        self.tasks.push(if split { StageTask::Input(slot) } else { StageTask::Backward(slot) });
    }

    fn weight(&mut self) {
        self.tasks.extend(self.put_off.pop_front().map(StageTask::Weight));
    }

    fn both(&mut self, forward: usize, backward: usize) {
        let forward = next(&mut self.forward[forward]);
        let backward = next(&mut self.backward[backward]);
        self.tasks.push(StageTask::Both { forward, backward });
    }
}

/// The slot, which moves on to the next microbatch.
const fn next(slot: &mut Slot) -> Slot {
    let now = *slot;
    slot.microbatch += 1;
    now
}
