//! Admission of new requests in intervals of decode steps.
//!
//! SGLang's scheduler looks for new requests every k-th decode step (`--scheduler-recv-interval`). TensorRT-LLM's holds
//! prompts for k steps from the first that waits (`batch_wait_timeout_iters`). Both admit at once after a step with prompts
//! and on an idle replica.

use crate::inference::InferenceJob;
use crate::units::Seconds;

/// The state of an admission interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Admission {
    /// Decode steps of an interval, at least 1.
    every: f64,
    /// True if the first waiting request begins an interval, false if intervals follow one another.
    holds: bool,
    /// Decode steps of the interval so far.
    passed: f64,
}

impl Admission {
    /// Admission in each step.
    pub(super) const AT_ONCE: Self = Self { every: 1.0, holds: false, passed: 0.0 };

    /// Returns true if the step that begins may admit requests; `idle` if none is running.
    pub(super) fn is_open(&self, idle: bool) -> bool {
        let over = if self.holds { self.passed >= self.every } else { self.passed <= 0.0 };
        idle || self.every <= 1.0 || over
    }

    /// Returns true if requests that arrive are seen by the step that begins.
    pub(super) fn sees(&self, idle: bool) -> bool {
        self.holds || self.is_open(idle)
    }

    /// Decode steps until a request is admitted: one of those that wait, or the next, which arrives after `arrival` steps.
    pub(super) fn steps_until(&self, arrival: f64, waiting: bool) -> f64 {
        let left = self.every - self.passed;
        if self.every <= 1.0 {
            arrival.max(1.0)
        } else if !self.holds {
            left + libm::ceil((arrival - left).max(0.0) / self.every) * self.every
        } else if waiting {
            left
        } else {
            arrival.max(1.0)
        }
    }

    /// Counts decode steps; `waiting` if a request waits.
    pub(super) fn pass(&mut self, steps: f64, waiting: bool) {
        self.passed = match (self.holds, waiting) {
            (true, false) => 0.0,
            (true, true) => self.passed + steps,
            (false, _) => {
                let passed = self.passed + steps;
                passed - libm::floor(passed / self.every) * self.every
            }
        };
    }

    /// Ends the interval, after a step with prompts.
    pub(super) const fn end(&mut self) {
        self.passed = 0.0;
    }
}

impl InferenceJob<'_> {
    /// The admission intervals of this job, the first of which begins.
    pub(super) fn admission(&self) -> Admission {
        Admission { every: self.load.admission_steps(), holds: self.overheads.holds, passed: 0.0 }
    }

    /// Mean time of decode steps, each of `plain`, between the end of the step under way and the admission of a request, where
    /// `rate` requests per second come to the replica.
    pub(super) fn admission_wait(&self, plain: Seconds, rate: f64) -> Seconds {
        let every = self.load.admission_steps();
        if every <= 1.0 || !self.overheads.holds {
            return plain * (0.5 * (every - 1.0));
        }
        // The first waits for the whole interval, those that come in it, to any replica of the worker, for half of it.
        let first = 1.0 / (1.0 + rate * f64::from(self.load.data) * every * plain.get());
        plain * (every * 0.5 * (1.0 + first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every(steps: f64, holds: bool) -> Admission {
        Admission { every: steps, holds, passed: 0.0 }
    }

    #[test]
    fn a_scheduler_that_looks_in_intervals_is_open_at_their_ends() {
        let mut admission = every(10.0, false);
        assert!(admission.is_open(false));
        admission.pass(4.0, false);
        assert!(!admission.is_open(false) && admission.is_open(true) && !admission.sees(false));
        let until = [0.5, 6.0, 6.5, 17.0].map(|arrival| admission.steps_until(arrival, false) as u32);
        assert_eq!(until, [6, 6, 16, 26]);
        admission.pass(6.0, false);
        assert!(admission.is_open(false));
        admission.pass(23.0, false);
        assert!((admission.steps_until(0.0, false) - 7.0).abs() < 1e-12);
        admission.end();
        assert!(admission.is_open(false));
    }

    #[test]
    fn a_scheduler_that_holds_prompts_counts_from_the_first() {
        let mut admission = every(10.0, true);
        assert!(!admission.is_open(false) && admission.sees(false));
        admission.pass(50.0, false);
        assert!((admission.steps_until(3.0, false) - 3.0).abs() < 1e-12);
        assert!((admission.steps_until(3.0, true) - 10.0).abs() < 1e-12);
        admission.pass(10.0, true);
        assert!(admission.is_open(false));
    }

    #[test]
    fn admission_in_each_step_is_always_open() {
        let mut admission = Admission::AT_ONCE;
        admission.pass(3.0, true);
        assert!(admission.is_open(false) && (admission.steps_until(0.2, true) - 1.0).abs() < 1e-12);
    }
}
