//! Pipeline parallelism in a stream of requests: each stage works on another group of them.

use super::crossing::crossing;
use crate::inference::InferenceJob;
use crate::units::Seconds;

/// Relative tolerance of the mean number of prompts in a step.
const SETTLED: f64 = 1e-9;

/// Probability below which larger numbers of prompts are neglected.
const NEGLIGIBLE: f64 = 1e-12;

impl InferenceJob<'_> {
    /// Pipeline stages that have a group of requests to work on: at most as many as requests fit on a replica.
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

    /// Rounds in which steps without prompts take `plain`, and a step that reads `prompts` prompts beside `running` requests
    /// takes `own`.
    pub(super) fn rounds(&self, plain: Seconds, (own, prompts): (Seconds, f64), running: f64) -> Rounds {
        let each = (own - plain).max(Seconds::ZERO) * prompts.recip();
        Rounds { stages: self.stages(), plain, each, most: self.most_prompts(running) }
    }

    /// Largest number of prompts, or of parts of a longer one, in a step with `running` decoding requests.
    pub(super) fn most_prompts(&self, running: f64) -> f64 {
        let most = self.budget(running) / self.fresh();
        if self.overheads.prompt_steps.split() { most.max(1.0) } else { libm::floor(most).max(1.0) }
    }
}

/// Rounds of a pipeline, in each of which every group takes one step. Groups pass through the stages one behind another, so
/// that a round is as long as the longest step of its groups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    /// Groups in the pipeline.
    stages: f64,
    /// Time of a step without prompts.
    plain: Seconds,
    /// Time that a prompt, or a part of a longer one, adds to a step.
    each: Seconds,
    /// Largest number of prompts in a step.
    most: f64,
}

impl Rounds {
    /// Factor on the time that prompts add to the steps of a group. Prompts of the other groups add to it too.
    ///
    /// A step takes all prompts that wait. Their number is Poisson-distributed, and the step grows in proportion. The factor
    /// is the expected maximum over the groups, divided by the mean of one group: the number of groups if prompts are rare,
    /// and almost 1 if every step is full of prompts.
    ///
    /// `rate`: prompts per second in one group.
    pub(super) fn delays(&self, rate: f64) -> f64 {
        let Self { stages, plain, each, most } = *self;
        if stages <= 1.0 {
            return 1.0;
        }
        let (alone, slope) = (rate * plain.get(), 1.0 - rate * each.get() * stages);
        if alone <= 0.0 {
            return stages;
        }
        // The maximum is at most the sum over the groups, so that a step has at most this mean number of prompts.
        let bound = if slope > 0.0 { (alone / slope).min(most) } else { most };
        let largest = |prompts: f64| largest_of(stages, prompts, most);
        // A step takes the prompts that arrive during a round. The expected maximum is concave in their mean, so that one mean
        // balances both.
        let prompts = crossing(bound, SETTLED, |prompts| rate * (plain + each * largest(prompts)).get());
        (largest(prompts) / prompts).clamp(1.0, stages)
    }

    /// Fraction of the time in which prompts of other groups hold up this group.
    pub(super) fn held_up(&self, rate: f64) -> f64 {
        rate * self.each.get() * (self.delays(rate) - 1.0)
    }
}

/// Expected maximum of `count` independent Poisson variables of mean `mean`, capped at `most`, which need not be whole: the sum
/// over n of the probability that one of them exceeds n.
fn largest_of(count: f64, mean: f64, most: f64) -> f64 {
    let mut exactly = libm::exp(-mean);
    let (mut within, mut sum, mut number) = (0.0_f64, 0.0, 0.0);
    while number < most {
        within += exactly;
        sum += (1.0 - power(within.min(1.0), count as u32)) * (most - number).min(1.0);
        number += 1.0;
        exactly *= mean / number;
        if number > mean && exactly < NEGLIGIBLE {
            break;
        }
    }
    sum
}

/// A whole power by multiplication, which takes a tenth of the time of `libm::pow` where searches spend most of theirs.
fn power(mut base: f64, mut exponent: u32) -> f64 {
    let mut product = 1.0;
    while exponent > 0 {
        if exponent % 2 == 1 {
            product *= base;
        }
        base *= base;
        exponent /= 2;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::{Rounds, largest_of, power};
    use crate::units::Seconds;

    #[test]
    fn rare_prompts_delay_every_group_and_frequent_ones_coincide() {
        let factor = |stages: f64, rate: f64| {
            Rounds { stages, plain: Seconds::new(0.01), each: Seconds::new(0.1), most: 1.0 }.delays(rate)
        };
        assert!((factor(1.0, 5.0) - 1.0).abs() < 1e-12);
        assert!((factor(4.0, 1e-6) - 4.0).abs() < 1e-3);
        assert!((factor(4.0, 200.0) - 1.0).abs() < 1e-12);
        let between = factor(4.0, 3.0);
        assert!(1.0 < between && between < 4.0, "{between}");
    }

    #[test]
    fn powers_are_products() {
        for count in [1, 2, 3, 4, 8, 13] {
            let (own, exact) = (power(0.9, count), libm::pow(0.9, f64::from(count)));
            assert!((own / exact - 1.0).abs() < 1e-14, "{count}: {own}, {exact}");
        }
    }

    /// The root that is searched for, by plain bisection.
    #[test]
    fn a_round_is_as_long_as_what_arrives_in_it() {
        for (stages, most) in [(2.0, 1.0), (2.0, 3.5), (4.0, 16.0), (8.0, 64.0)] {
            for rate in [1e-4, 0.1, 0.8, 2.0, 5.0, 8.0, 9.9] {
                let (plain, each) = (Seconds::new(0.02), Seconds::new(0.1));
                let found = Rounds { stages, plain, each, most }.delays(rate);
                let excess = |mean: f64| rate * (plain + each * largest_of(stages, mean, most)).get() - mean;
                let (mut low, mut high) = (0.0, most);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if excess(middle) > 0.0 { low = middle } else { high = middle }
                }
                let bisected = (largest_of(stages, high, most) / high).clamp(1.0, stages);
                let bisected = if excess(most) >= 0.0 { 1.0 } else { bisected };
                assert!(
                    (found / bisected - 1.0).abs() < 1e-6,
                    "{stages}, {most}, {rate}: {found}, {bisected}"
                );
            }
        }
    }
}
