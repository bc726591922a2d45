//! One batch from its beginning to its end: the steps of its phases, TTFT, TPOT and latency.

use super::job::{InferenceJob, Phase};
use super::pass_times::PassTimes;
use super::step::Step;
use crate::system::Cost;
use crate::units::Seconds;
use crate::workload::Operator;

impl InferenceJob<'_> {
    /// The step that a phase of one batch consists of.
    ///
    /// Several stages work on as many parts of the batch at once where it has them. A prompt that is longer than the
    /// engine's slice is read slice by slice, on which stages work at once too.
    pub(crate) fn phase(&self, phase: Phase) -> Step {
        let batch = self.load.dealt(self.load.batch);
        let input = self.prompt();
        let fresh = self.fresh();
        let stages = f64::from(self.load.pipeline);
        let groups = batch.min(stages);
        if batch > self.overheads.pass {
            let passes = libm::ceil(batch / self.overheads.pass);
            let few = Step { prompts: 0.0, chunk: 0.0, keys: 0.0, running: batch / passes, passes };
            return match phase {
                Phase::Prefill => {
                    Step { prompts: few.running, chunk: fresh, keys: input, running: 0.0, ..few }
                }
                Phase::Decode => few,
            };
        }
        if phase == Phase::Decode {
            let running = (batch / groups / f64::from(self.load.context)).max(1.0);
            return Step { prompts: 0.0, chunk: 0.0, keys: 0.0, running, passes: 1.0 };
        }
        let slices = self.slices(fresh * batch / groups).min(fresh);
        let passes = self.passes_of(groups * slices);
        let whole = Step { prompts: batch / groups, chunk: fresh, keys: input, running: 0.0, passes };
        whole.divided(slices)
    }

    /// Mean context length at the end of a prompt chunk: the input length less half of the uncached tokens that are not
    /// in the chunk.
    pub(crate) fn seen(&self, chunk: f64) -> f64 {
        self.prompt() - 0.5 * (self.fresh() - chunk)
    }

    /// Runs one pass of one batch; with disaggregated serving, prefill runs on the prefill workers.
    pub(crate) fn pass(&self, phase: Phase, record: &mut dyn FnMut(&Operator, f64, Cost)) -> PassTimes {
        if phase == Phase::Decode {
            return self.step(self.phase(phase), record);
        }
        let prefilling = self.load.prefilling();
        let reader = self.reader(&prefilling);
        reader
            .step(reader.phase(phase), record)
            .and_transfer(self.transfers())
            .and_reload(self.batch_reload_time())
    }

    /// TTFT or TPOT of one batch alone, for sweeps.
    pub fn time(&self, phase: Phase) -> Seconds {
        self.per_token(phase, self.pass(phase, &mut |_, _, _| {}).total())
    }

    /// TTFT or TPOT from the time of one pass: a decode pass is shared by the tokens that it yields per request.
    pub(crate) fn per_token(&self, phase: Phase, pass: Seconds) -> Seconds {
        match phase {
            Phase::Prefill => pass,
            Phase::Decode => pass / self.load.yielded(),
        }
    }

    /// The whole request from its two phases.
    pub fn latency(&self, ttft: Seconds, tpot: Seconds) -> Seconds {
        self.load.request_latency(ttft, tpot)
    }
}
