//! Pipeline stages in a stream: each works on another group of requests, and they pass the groups on in turn.

use crate::inference::InferenceJob;
use crate::units::Seconds;

/// Number of bisections for the prompts of a round.
const HALVINGS: u32 = 32;

/// Prompts in a round from which on their number hardly varies, and the fullest group has half a prompt more than others.
const MANY: f64 = 200.0;

impl InferenceJob<'_> {
    /// Requests that one of the groups of a replica has room for: a share of the KV cache and of the engine's slots.
    pub(super) fn group_places(&self) -> f64 {
        self.places().min(self.overheads.slots) / f64::from(self.load.pipeline)
    }

    /// Factor on the time that prompts add to the steps of a group, because prompts of the other groups add to them too.
    ///
    /// Groups pass through the stages one behind another, so that a round of all p groups is as long as the longest of
    /// their steps. The prompts that arrive in a round have Poisson's distribution and are dealt to the groups in turn, and
    /// each makes a step as much longer. The factor is the mean number of prompts of the group with the most, over the mean
    /// of all groups: p where prompts are rare, and near 1 where every step has as many as it holds.
    ///
    /// `each`: time that a prompt adds to a `plain` step. `rate`: prompts per second in one group. `most`: prompts that a step
    /// holds.
    pub(super) fn delays(&self, plain: Seconds, each: Seconds, rate: f64, most: f64) -> f64 {
        let stages = f64::from(self.load.pipeline);
        if stages <= 1.0 {
            return 1.0;
        }
        // Prompts that arrive in a round of this many prompts for each group, beyond these: falls through 0 once, since the
        // fullest group gains less and less on the others.
        let beyond = |prompts: f64| rate * (plain + each * fullest(stages, prompts, most)).get() - prompts;
        if beyond(most) >= 0.0 {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, most);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if beyond(middle) > 0.0 { low = middle } else { high = middle }
        }
        (fullest(stages, high, most) / high).clamp(1.0, stages)
    }

    /// Prompts, or parts of one, that a step holds beside `running` requests.
    pub(super) fn most_prompts(&self, running: f64) -> f64 {
        libm::floor(self.budget(running) / self.fresh()).max(1.0)
    }
}

/// Mean number of prompts of the group with the most, if a number with Poisson's distribution around `mean` for each of
/// `groups` groups is dealt to them in turn, and none gets more than `most`: the sum over n of the probability that there
/// are more than n for each.
fn fullest(groups: f64, mean: f64, most: f64) -> f64 {
    let all = groups * mean;
    if all > MANY {
        return (mean + 0.5).min(most);
    }
    let mut exactly = libm::exp(-all);
    let (mut within, mut sum, mut dealt, mut each) = (exactly, 1.0 - exactly, 0.0_f64, 1.0);
    while each < most && within < 1.0 - 1e-12 {
        for _ in 0..groups as u32 {
            dealt += 1.0;
            exactly *= all / dealt;
            within += exactly;
        }
        sum += (1.0 - within).max(0.0);
        each += 1.0;
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
