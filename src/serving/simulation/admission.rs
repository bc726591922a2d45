//! The steps in which an engine looks for new requests while others decode.

use super::scheduler::Scheduler;

/// The decode steps between two admissions of new requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct AdmissionInterval {
    /// Steps so far: since the last look for requests, or since the first one waits.
    steps: u32,
}

impl AdmissionInterval {
    /// An interval that begins.
    pub(super) const fn new() -> Self {
        Self { steps: 0 }
    }

    /// Returns true if the step that begins may admit requests beside running ones: each may after a step with prompts,
    /// others only at the end of an interval.
    pub(super) const fn admits(self, rules: &Scheduler) -> bool {
        let over = if rules.holds { self.steps >= rules.admission } else { self.steps == 0 };
        rules.admission <= 1 || over
    }

    /// Counts a step with or without prompts, after which requests wait or none does.
    pub(super) const fn pass(&mut self, rules: &Scheduler, prompts: bool, none_waits: bool) {
        self.steps = if prompts || rules.holds && none_waits {
            0
        } else if rules.holds {
            self.steps + 1
        } else {
            (self.steps + 1) % rules.admission
        };
    }
}
