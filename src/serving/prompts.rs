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

    /// Times per prompt of a worker that only prefills: of a prompt alone, and at the largest rate of all attention replicas.
    pub(crate) fn prompt_times(&self) -> [Seconds; 2] {
        let read = |prompts: f64| {
            let (step, parts) = self.reading(prompts, 0.0);
            (self.time_of(step) * parts, step.prompts)
        };
        let ((alone, _), (full, prompts)) = (read(1.0), read(f64::INFINITY));
        [alone, full / (prompts * f64::from(self.load.data))]
    }

    /// Time from a request's arrival to the scheduler, and of the response to the client.
    pub(super) fn arrival(&self) -> Seconds {
        let overheads = &self.overheads;
        let mixtures = self.architecture.layer_kinds().filter(|layer| layer.experts().is_some());
        let layers: u32 = mixtures.map(|layer| layer.count).sum();
        overheads.arrival
            + overheads.token * f64::from(self.load.input)
            + overheads.experts * f64::from(layers)
    }

    /// Prompt tokens that fit in a step beside the running requests.
    pub(super) fn budget(&self, running: f64) -> f64 {
        let running = if self.overheads.prompt_steps.mix() { running * self.checked() } else { 0.0 };
        let budget = self.overheads.budget;
        (budget - running).max(1.0) * f64::from(self.load.context)
    }

    /// Number of decoding requests at which every step is as full as the token budget allows. A request takes the tokens of its
    /// prompt once, and the tokens to check in each of its decode steps.
    pub(super) fn token_places(&self) -> f64 {
        let steps = self.load.passes();
        if !self.overheads.prompt_steps.mix() || steps <= 0.0 {
            return f64::INFINITY;
        }
        if self.load.prefill_workers > 0 {
            return self.overheads.budget / self.checked();
        }
        let places = self.overheads.budget * steps / (self.fresh() + steps * self.checked());
        if self.overheads.prompt_steps.split() {
            return places;
        }
        // A step of whole prompts has room for a number of them: one for each request, over the steps in which it decodes.
        let context = f64::from(self.load.context);
        libm::floor(places * context / steps).max(1.0) * steps / context
    }

    /// Tokens that a step checks for a decoding request: its own, and those of the draft.
    fn checked(&self) -> f64 {
        1.0 + f64::from(self.load.draft)
    }

    /// A step that reads `prompts` prompts, or a part of one, among running requests; and how many such steps one prompt
    /// fills. Engines fill a step before they begin another, so that this number need not be whole.
    pub(super) fn reading(&self, prompts: f64, running: f64) -> (Step, f64) {
        let fresh = self.fresh();
        let split = self.overheads.prompt_steps.split();
        let chunk = if split { fresh.min(self.budget(running)) } else { fresh };
        let steps = fresh / chunk;
        let prompts = if steps > 1.0 { 1.0 } else { prompts.min(self.most_prompts(running)).max(1.0) };
        // Chunk by chunk a token sees more.
        let running = if self.overheads.prompt_steps.mix() { running } else { 0.0 };
        (Step { prompts, chunk, keys: self.seen(chunk), running, passes: 1.0 }, steps)
    }

    /// Time from one step with prompts to the next: that step, the decode steps between two admissions, and one more decode step
    /// in engines with separate steps for prompts.
    pub(super) fn between_admissions(&self, own: Seconds, plain: Seconds) -> Seconds {
        let apart = if self.overheads.prompt_steps.mix() { 0.0 } else { 1.0 };
        own + plain * (self.load.admission_steps() - 1.0 + apart)
    }

    /// Work that a prompt in a step adds for the replicas that read it, all of which share it.
    pub(super) fn added(&self, own: Seconds, plain: Seconds) -> Seconds {
        // A step that mixes advances the running requests too.
        let extra = if self.overheads.prompt_steps.mix() { own - plain } else { own };
        extra.max(Seconds::ZERO) * f64::from(self.load.context)
    }

    /// Time of all steps of one prompt that fills `parts` steps of a time of `own`. The last one holds the rest, and takes at
    /// least as long as a step without prompts.
    pub(super) fn span(own: Seconds, plain: Seconds, parts: f64) -> Seconds {
        let whole = libm::floor(parts);
        let rest = parts - whole;
        own * whole + if rest > 0.0 { (own * rest).max(plain.min(own)) } else { Seconds::ZERO }
    }

    /// Replica time of one prompt over all of its steps.
    pub(super) fn prompt_time(&self, step: Step, own: Seconds) -> Seconds {
        let plain = if step.running > 0.0 { self.time_of(plain_step(step.running)) } else { Seconds::ZERO };
        let steps = self.fresh() / step.chunk;
        self.added(own, plain) * (steps / step.prompts)
    }
}
