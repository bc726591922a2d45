//! The constants that are fitted: their bounds, and the loss of their predictions.

use std::collections::BTreeMap;

use foretoken::system::System;
use foretoken::training::{Execution, Framework, FrameworkOverheads, TrainingJob};
use foretoken::units::Seconds;

use super::row::{AMD, GENERATIONS, HELD, Row};

/// Slow-down of 16-bit arithmetic on devices without a fit (`SustainedConstants::unmeasured`).
const UNMEASURED_WIDE: f64 = 1.149;

/// The constants that are fitted.
#[derive(Clone)]
pub(crate) struct Constants {
    /// Factors by generation: on the time of 16-bit arithmetic, of narrower arithmetic, and of attention kernels of the
    /// generation before.
    pub(crate) sustained: [[f64; 3]; GENERATIONS.len()],
    /// Overheads by framework, in the order of [`Constants::predict`]: host time per operator, µs; time per step, layer
    /// and level of nodes, ms; time per collective and member of groups that leave a scale-up domain, µs; factor on the
    /// time of elementwise kernels relative to fused ones; host time of the all-gather of weights under ZeRO-1 per layer and
    /// replica, µs.
    pub(crate) overheads: [[f64; PER_FRAMEWORK]; Framework::MEASURED.len()],
    /// Exponent that joins the times of host and device, of all frameworks: fitted to each, it trades against its host
    /// time per operator, and neither holds elsewhere.
    pub(crate) uneven: f64,
    /// Host time per message between pipeline stages, ms, of all frameworks. Fits to each differ, with equal errors.
    pub(crate) send: f64,
}

/// Number of constants fitted per framework.
pub(crate) const PER_FRAMEWORK: usize = 5;

/// Number of fitted constants: clocks by generation, overheads by framework, and the time of a message.
pub(crate) const SLOTS: usize = SEND + 1;

/// Index of the time of a message, after all constants of generations and frameworks.
const SEND: usize = GENERATIONS.len() * 3 + Framework::MEASURED.len() * PER_FRAMEWORK;

impl Constants {
    /// Starting point of the fit.
    pub(crate) fn new(uneven: f64) -> Self {
        let mut sustained = [[1.05, 1.05, 2.0]; GENERATIONS.len()];
        for of_amd in &mut sustained[AMD..] {
            of_amd[0] = UNMEASURED_WIDE;
        }
        Self {
            sustained,
            uneven,
            send: 0.5,
            overheads: [[75.0, 0.4, 0.0, 1.0, 0.0]; Framework::MEASURED.len()],
        }
    }

    /// Predicted step time of a row with these constants, s.
    pub(crate) fn predict(&self, row: &Row) -> Option<f64> {
        let framework = row.scenario.recipe.framework;
        let mut fitted = place(framework).map(|place| self.overheads[place]);
        if let (Some(own), Some(from)) = (&mut fitted, place(framework.issues_as())) {
            own[0] = self.overheads[from][0];
        }
        let answer = row.scenario.with_training(|job| {
            let mut system: System = job.system.clone();
            if !HELD.contains(&row.generation) {
                let sustained = &mut system.assumptions.sustained;
                [sustained.wide, sustained.narrow, sustained.earlier_attention] =
                    self.sustained[row.generation];
            }
            let mut job = TrainingJob { system: &system, ..*job };
            if let Some([issue, step, hop, elementwise, gather]) = fitted {
                job.overheads = FrameworkOverheads {
                    issue: Seconds::from_micros(issue),
                    step: Seconds::new(step * 1e-3),
                    hop: Seconds::from_micros(hop),
                    elementwise,
                    uneven: self.uneven,
                    send: Seconds::new(self.send * 1e-3),
                    gather: Seconds::from_micros(gather),
                    ..job.overheads
                };
            }
            job.step().get()
        });
        answer.ok()
    }

    /// Mean over sources of the mean |ln(prediction / measurement)|, each source weighted by the square root of its
    /// rows.
    ///
    /// For clocks, the square of the logarithm replaces its absolute value, so that the fit is a mean over their few
    /// and unlike sources, not a median.
    pub(crate) fn loss(&self, rows: &[&Row], clock: bool) -> f64 {
        let mut sources: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for row in rows {
            let Some(predicted) = self.predict(row) else { continue };
            let sum = sources.entry(&row.source).or_default();
            let error = libm::log(predicted / row.measured);
            sum.0 += if clock { error * error } else { error.abs() };
            sum.1 += 1.0;
        }
        let weight: f64 = sources.values().map(|(_, rows)| libm::sqrt(*rows)).sum();
        sources.values().map(|(sum, rows)| sum / libm::sqrt(*rows)).sum::<f64>() / weight.max(1.0)
    }

    /// The constant of an index, with its lower and upper bound.
    pub(crate) fn slot(&mut self, index: usize) -> (&mut f64, f64, f64) {
        let generations = GENERATIONS.len() * 3;
        if index < generations {
            let high = if index % 3 == 2 { 4.0 } else { 2.0 };
            return (&mut self.sustained[index / 3][index % 3], 1.0, high);
        }
        if index == SEND {
            return (&mut self.send, 0.0, 10.0);
        }
        let index = index - generations;
        // Only Nanotron has runs with tensor groups beyond a domain, and a host time of the all-gather.
        let framework = Framework::MEASURED[index / PER_FRAMEWORK];
        let own = framework == Framework::Nanotron;
        let most = match framework {
            // Norms, rotations and gates of Transformers are each several kernels.
            Framework::Transformers => 10.0,
            _ if framework.execution() == Some(Execution::Eager) => 3.0,
            _ => 1.0,
        };
        let (low, high) = match index % PER_FRAMEWORK {
            0 if framework.issues_as() != framework => (0.0, 0.0),
            2 | 4 if !own => (0.0, 0.0),
            3 => (1.0, most),
            1 => (0.0, 4.0),
            // At the bound the host limits whatever a larger value would: Composer's runs keep the device busy.
            _ => (0.0, 150.0),
        };
        (&mut self.overheads[index / PER_FRAMEWORK][index % PER_FRAMEWORK], low, high)
    }

    /// Returns true if a row's prediction depends on a constant.
    pub(crate) fn concerns(row: &Row, index: usize) -> bool {
        let generations = GENERATIONS.len() * 3;
        if index < generations {
            // The attention factor is fitted on all rows of a generation: it shows at long sequences, whatever the
            // software.
            let clock = index % 3 < 2;
            let fitted = !HELD.contains(&row.generation) && (row.generation < AMD || index % 3 == 1);
            return fitted && row.generation == index / 3 && (!clock || row.shows_clock);
        }
        if index == SEND {
            return row.scenario.parallelism.pipeline > 1 && place(row.scenario.recipe.framework).is_some();
        }
        row.generation < AMD
            && place(row.scenario.recipe.framework) == Some((index - generations) / PER_FRAMEWORK)
    }
}

/// Index of a framework whose overheads are fitted; `None` for kernels alone.
pub(crate) fn place(framework: Framework) -> Option<usize> {
    Framework::MEASURED.iter().position(|other| *other == framework)
}
