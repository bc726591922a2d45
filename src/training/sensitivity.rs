//! Sensitivity of the step time to each property of the hardware.

use serde::Serialize;

use super::job::TrainingJob;
use crate::order::largest_first;
use crate::system::System;
use crate::units::Seconds;

/// A property of the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parameter {
    /// The rate of matrix units, in all formats.
    Matrix,
    /// The rate of vector units.
    Vector,
    /// DRAM bandwidth.
    Dram,
    /// L2 bandwidth.
    L2,
    /// Bandwidth inside a scale-up domain.
    ScaleUp,
    /// Bandwidth between domains.
    ScaleOut,
}

impl Parameter {
    /// All resources.
    pub const ALL: [Self; 6] =
        [Self::Matrix, Self::Vector, Self::Dram, Self::L2, Self::ScaleUp, Self::ScaleOut];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Matrix => "Matrix rate",
            Self::Vector => "Vector rate",
            Self::Dram => "DRAM bandwidth",
            Self::L2 => "L2 bandwidth",
            Self::ScaleUp => "Scale-up bandwidth",
            Self::ScaleOut => "Scale-out bandwidth",
        }
    }

    /// The system with this number times `factor`; all else stays, efficiencies and latencies too.
    fn scaled(self, system: &System, factor: f64) -> System {
        let mut system = system.clone();
        let (device, network) = (&mut system.device, &mut system.network);
        match self {
            Self::Matrix => {
                for rate in device.matrix.iter_mut().flatten() {
                    *rate = *rate * factor;
                }
            }
            Self::Vector => device.vector = device.vector * factor,
            Self::Dram => device.dram = device.dram * factor,
            Self::L2 => {
                if let Some(l2) = &mut device.l2 {
                    l2.bandwidth = l2.bandwidth * factor;
                }
            }
            Self::ScaleUp => {
                network.scale_up = network.scale_up * factor;
                if let Some(bridge) = &mut network.bridge {
                    bridge.bandwidth = bridge.bandwidth * factor;
                }
            }
            Self::ScaleOut => network.scale_out = network.scale_out * factor,
        }
        system
    }
}

/// Step times with one property of the hardware decreased and increased.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sensitivity {
    /// The property that is varied.
    pub parameter: Parameter,
    /// Step time with the property decreased.
    pub less: Seconds,
    /// Step time with the property increased.
    pub more: Seconds,
}

impl Sensitivity {
    /// Difference of the two step times, s.
    pub fn swing(&self) -> f64 {
        (self.less - self.more).get().abs()
    }
}

/// Step times with each property decreased and increased by the fraction `change`, between 0 and 1, ordered by
/// descending difference. The plan stays the same.
pub fn sensitivities(job: &TrainingJob<'_>, change: f64) -> Vec<Sensitivity> {
    let step = |parameter: Parameter, factor: f64| {
        let system = parameter.scaled(job.system, factor);
        TrainingJob { system: &system, ..*job }.step()
    };
    let all = Parameter::ALL.map(|parameter| Sensitivity {
        parameter,
        less: step(parameter, 1.0 - change),
        more: step(parameter, 1.0 + change),
    });
    largest_first(&all, Sensitivity::swing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;
    use crate::system::AssumptionSet;

    fn found(question: &Scenario, change: f64) -> (f64, Vec<Sensitivity>) {
        question
            .with_training(|job| (job.step().get(), sensitivities(job, change)))
            .expect("the default question has an answer")
    }

    #[test]
    fn more_of_anything_takes_no_longer() {
        let (step, all) = found(&Scenario::default(), 0.1);
        assert_eq!(all.len(), Parameter::ALL.len());
        for Sensitivity { parameter, less, more } in all {
            assert!(more.get() <= step && step <= less.get(), "{parameter:?}: {more:?} {step} {less:?}");
        }
    }

    #[test]
    fn where_nothing_but_rates_counts_they_share_the_whole_step() {
        // Without latencies a step is homogeneous in all rates, so that its derivatives sum to itself (Euler).
        let ideal = Scenario { assumptions: AssumptionSet::Ideal, ..Scenario::default() };
        let (step, all) = found(&ideal, 1e-6);
        let slopes: f64 = all.iter().map(|one| (one.less - one.more).get() / 2e-6).sum();
        assert!((slopes / step - 1.0).abs() < 1e-3, "{slopes} of {step}");
    }
}
