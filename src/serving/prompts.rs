//! Steps with prefill: the tokens and prompts that fit into one step, and the work that they add.

use super::served::plain_step;
use crate::inference::InferenceJob;
use crate::inference::step::Step;
use crate::units::Seconds;

impl InferenceJob<'_> {
    /// Time of one engine step.
    pub(super) fn time_of(&self, step: Step) -> Seconds {
        self.step(step, &mut |_, _, _| {}).total()
    }

    /// Time from a request's arrival to the scheduler, and of the response to the client.
    pub(super) fn arrival(&self) -> Seconds {
        let overheads = &self.overheads;
        let experts = if self.architecture.moe.is_some() { overheads.experts } else { Seconds::ZERO };
        overheads.arrival + overheads.token * f64::from(self.load.input) + experts
    }

    /// Prompt tokens that fit in a step beside the running requests.
    pub(super) fn budget(&self, running: f64) -> f64 {
        let running = if self.overheads.mixes { running * (1.0 + f64::from(self.load.draft)) } else { 0.0 };
        let budget = self.overheads.budget;
        (budget - running).max(budget / 4.0) * f64::from(self.load.context)
    }

    /// A step that reads `prompts` prompts, or a part of one, among running requests; and in how many such steps one
    /// is read.
    pub(super) fn reading(&self, prompts: f64, running: f64) -> (Step, f64) {
        let fresh = self.fresh();
        let room = self.budget(running);
        let steps = libm::ceil(fresh / room);
        let chunk = fresh / steps;
        let prompts = if steps > 1.0 { 1.0 } else { prompts.min(self.most_prompts(running)).max(1.0) };
        // Chunk by chunk a token sees more.
        let running = if self.overheads.mixes { running } else { 0.0 };
        (Step { prompts, chunk, keys: self.seen(chunk), running, passes: 1.0 }, steps)
    }

    /// Work that a prompt in a step adds for the replicas that read it, all of which share it.
    pub(super) fn added(&self, own: Seconds, plain: Seconds) -> Seconds {
        // A step that mixes advances the running requests too.
        let extra = if self.overheads.mixes { own - plain } else { own };
        extra.max(Seconds::ZERO) * f64::from(self.load.context)
    }

    /// Replica time of one prompt over all of its steps.
    pub(super) fn prompt_time(&self, step: Step, own: Seconds) -> Seconds {
        let plain = if step.running > 0.0 { self.time_of(plain_step(step.running)) } else { Seconds::ZERO };
        let steps = libm::ceil(self.fresh() / step.chunk - 1e-9);
        self.added(own, plain) * (steps / step.prompts)
    }
}
