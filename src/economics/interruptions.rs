//! Time that failures and checkpoints take from a training run.

use crate::units::Seconds;

/// Least interval between checkpoints.
const LEAST: Seconds = Seconds::new(1.0);

/// Failures and checkpoints of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interruptions {
    /// Mean time between failures of the job.
    pub(super) between_failures: Seconds,
    /// Time for which writing a checkpoint stops the job.
    pub(super) write: Seconds,
    /// Time from a failure to the first new step, without repeating lost steps.
    pub(super) restart: Seconds,
}

impl Interruptions {
    /// The interval between checkpoints that balances writing them against repeating steps: √(2 · write · failure)
    /// (Young 1974).
    pub(super) fn interval(&self) -> Seconds {
        let balanced = Seconds::new(libm::sqrt(2.0 * self.write.get() * self.between_failures.get()));
        balanced.max(self.write).max(LEAST)
    }

    /// Fraction of the time spent on steps whose results are kept. Each interval ends with one checkpoint. Each failure costs a
    /// restart and, on average, half an interval of lost steps.
    pub(super) fn goodput(&self, interval: Seconds) -> f64 {
        let written = interval / (interval + self.write);
        let lost = interval * 0.5 + self.restart;
        written / (1.0 + lost / self.between_failures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_loses_least() {
        let interruptions = Interruptions {
            between_failures: Seconds::new(1e5),
            write: Seconds::new(60.0),
            restart: Seconds::new(600.0),
        };
        let best = interruptions.interval();
        for factor in [0.5, 0.8, 1.25, 2.0] {
            assert!(
                interruptions.goodput(best * factor) <= interruptions.goodput(best) * 1.000_1,
                "{factor}"
            );
        }
    }
}
