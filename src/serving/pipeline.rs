//! Pipeline stages in a stream: each works on another group of requests, and they pass the groups on in turn.

use crate::inference::InferenceJob;
use crate::units::Seconds;

/// Number of bisections for the prompts of a round.
const HALVINGS: u32 = 32;

/// Probability below which further numbers of prompts are left out.
const NEGLIGIBLE: f64 = 1e-12;

impl InferenceJob<'_> {
    /// Pipeline stages that work on groups of their own: no more than the requests for which a replica has room.
    pub(super) fn stages(&self) -> f64 {
        match self.load.pipeline {
            1 => 1.0,
            stages => libm::floor(self.places().min(self.overheads.slots)).min(f64::from(stages)).max(1.0),
        }
    }

    /// Groups of requests that decode together, on all workers: one for each of these stages of each attention replica.
    pub(super) fn groups(&self) -> f64 {
        self.load.replicas() * self.stages()
    }

    /// Groups of prompts that are read at once; those of workers that only prefill have one stage.
    pub(super) fn reading_groups(&self) -> f64 {
        let stages = if self.load.prefill_workers == 0 { self.stages() } else { 1.0 };
        self.readers() * stages
    }

    /// Requests that one group has room for: a share of the KV cache and of the engine's slots.
    pub(super) fn group_places(&self) -> f64 {
        self.places().min(self.overheads.slots) / self.stages()
    }

    /// Factor on the time that prompts add to the steps of a group, because prompts of the other groups add to them too.
    ///
    /// Groups pass through the stages one behind another, so that a round of all p groups is as long as the longest of
    /// their steps. A step takes the prompts that wait, whose number has Poisson's distribution, and each makes it as much
    /// longer. The factor is the mean of the largest number of p groups over the mean number: p where prompts are rare, and
    /// near 1 where every step has as many as it holds.
    ///
    /// `each`: time that a prompt adds to a `plain` step. `rate`: prompts per second in one group. `most`: prompts that a step
    /// holds.
    pub(super) fn delays(&self, plain: Seconds, each: Seconds, rate: f64, most: f64) -> f64 {
        let stages = self.stages();
        if stages <= 1.0 {
            return 1.0;
        }
        // Prompts that arrive in a round of this many prompts for each group, beyond these: falls through 0 once, since the
        // largest number gains less and less on the mean.
        let beyond = |prompts: f64| rate * (plain + each * largest_of(stages, prompts, most)).get() - prompts;
        if beyond(most) >= 0.0 {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, most);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if beyond(middle) > 0.0 { low = middle } else { high = middle }
        }
        (largest_of(stages, high, most) / high).clamp(1.0, stages)
    }

    /// Prompts, or parts of one, that a step holds beside `running` requests.
    pub(super) fn most_prompts(&self, running: f64) -> f64 {
        libm::floor(self.budget(running) / self.fresh()).max(1.0)
    }
}

/// Mean of the largest of `count` independent numbers with Poisson's distribution around `mean`, none above `most`: the sum
/// over n of the probability that one of them is larger than n.
fn largest_of(count: f64, mean: f64, most: f64) -> f64 {
    let mut exactly = libm::exp(-mean);
    let (mut within, mut sum, mut number) = (0.0_f64, 0.0, 0.0);
    while number < most {
        within += exactly;
        sum += 1.0 - libm::pow(within.min(1.0), count);
        number += 1.0;
        exactly *= mean / number;
        if number > mean && exactly < NEGLIGIBLE {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use crate::scenario::Scenario;
    use crate::units::Seconds;

    #[test]
    fn rare_prompts_delay_every_group_and_frequent_ones_coincide() {
        let mut scenario = Scenario::default();
        let factor = |scenario: &Scenario, rate: f64| {
            let delays = |job: &crate::inference::InferenceJob<'_>| {
                job.delays(Seconds::new(0.01), Seconds::new(0.1), rate, 1.0)
            };
            scenario.with_inference(delays).expect("a load")
        };
        assert!((factor(&scenario, 5.0) - 1.0).abs() < 1e-12);
        scenario.inference.pipeline = 4;
        assert!((factor(&scenario, 1e-6) - 4.0).abs() < 1e-3);
        assert!((factor(&scenario, 200.0) - 1.0).abs() < 1e-12);
        let between = factor(&scenario, 3.0);
        assert!(1.0 < between && between < 4.0, "{between}");
    }
}
