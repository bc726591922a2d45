//! Pipeline parallelism in a stream of requests: each stage works on another group of them.

use crate::inference::InferenceJob;
use crate::units::Seconds;

/// Number of bisections for the mean number of prompts in a step.
const HALVINGS: u32 = 32;

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
        // Arrivals during a round with this mean number of prompts per group, minus that number. The expected maximum is
        // concave in the mean, so that there is one root.
        let excess = |prompts: f64| rate * (plain + each * largest_of(stages, prompts, most)).get() - prompts;
        if excess(most) >= 0.0 {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, most);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if excess(middle) > 0.0 { low = middle } else { high = middle }
        }
        (largest_of(stages, high, most) / high).clamp(1.0, stages)
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
        sum += (1.0 - libm::pow(within.min(1.0), count)) * (most - number).min(1.0);
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
    use super::Rounds;
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
}
