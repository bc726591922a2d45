//! The model's answer to the question of a row, and the value of a quantity in it.

use std::borrow::Cow;

use super::case::{Question, Skip};
use super::quantity::Quantity;
use crate::inference::{EngineOverheads, InferenceJob, InferenceLoad};
use crate::published::subramanian;
use crate::scenario::{Scenario, SystemChoice, View};
use crate::serving::InferenceEstimate;
use crate::system::calibration::Measured;
use crate::system::{Assumed, AssumptionSet, Assumptions, KernelLibrary, Network, System, Work};
use crate::training::{FrameworkOverheads, TrainingEstimate, TrainingJob};
use crate::units::Seconds;

/// Constants in place of those that were fitted to a row's own software or device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Replaced {
    /// Overheads of the serving engine.
    pub engine: Option<EngineOverheads>,
    /// Overheads of the training framework.
    pub framework: Option<FrameworkOverheads>,
    /// Measured devices whose kernel, link and clock constants the device takes.
    pub device: Measured,
}

impl Replaced {
    /// The system with its device's constants, or those of an unmeasured one, with the multiplies of a library.
    fn system<'a>(
        self,
        system: &'a System,
        choice: &SystemChoice,
        library: KernelLibrary,
    ) -> Result<Cow<'a, System>, Skip> {
        if self.device == Measured::All {
            return Ok(Cow::Borrowed(system));
        }
        let accelerator = choice.accelerator().map_err(|problem| Skip::refused(&[problem]))?;
        let assumptions = Assumptions::unmeasured(&accelerator, self.device, library)
            .corrected(system.assumptions.corrections);
        let network = Network { constants: assumptions.links, ..system.network };
        Ok(Cow::Owned(System { network, assumptions, ..system.clone() }))
    }
}

/// Predicts a quantity of a scenario, with the constants of its software and device replaced. It refuses the same
/// scenarios as the page.
pub fn predicted(scenario: &Scenario, quantity: Quantity, replaced: &Replaced) -> Result<f64, Skip> {
    Predicted::of(scenario, replaced)?.value(quantity)
}

/// Answer of the model to a question.
pub(crate) enum Predicted {
    Training(Box<TrainingEstimate>),
    Inference(Box<InferenceEstimate>, InferenceLoad),
    Runs(Vec<Self>),
    Work(Work, Seconds),
    /// Step time, and whether the plan fits into memory; `None` if no plan does.
    Subramanian(Option<subramanian::Step>, bool),
}

impl Predicted {
    /// Answer to a scenario: serving in the Inference view, a training step in all others.
    pub(crate) fn of(scenario: &Scenario, replaced: &Replaced) -> Result<Self, Skip> {
        let corrections = scenario.corrections().map_err(|problem| Skip::refused(&[problem]))?;
        if scenario.view == View::Inference {
            let estimate = scenario.with_inference(|job| {
                let limited = |engine: EngineOverheads| {
                    engine.corrected(&corrections).limited_as(&scenario.inference, &job.overheads)
                };
                let other = replaced.engine.map(limited);
                let overheads = other.unwrap_or(job.overheads);
                let library = scenario.assumed().library;
                let library = replaced.engine.map_or(library, |_| KernelLibrary::Usual);
                let system = &*replaced.system(job.system, &scenario.system, library)?;
                Ok(InferenceJob { system, overheads, ..*job }.estimate())
            });
            let answer = |estimate| Self::Inference(Box::new(estimate), scenario.inference);
            return estimate.map_err(|problems| Skip::refused(&problems))?.map(answer);
        }
        let estimate = scenario.with_training(|job| {
            let other = replaced.framework.map(|framework| framework.corrected(&corrections));
            let overheads = other.unwrap_or(job.overheads);
            let system = &*replaced.system(job.system, &scenario.system, KernelLibrary::Usual)?;
            Ok(TrainingJob { system, overheads, ..*job }.estimate())
        });
        estimate.map_err(|problems| Skip::refused(&problems))?.map(Box::new).map(Self::Training)
    }

    /// Value of a quantity.
    pub(crate) fn value(&self, quantity: Quantity) -> Result<f64, Skip> {
        quantity.of(self).ok_or_else(|| Skip::NotModelled(quantity.name().to_owned()))
    }
}

impl Question {
    /// The model's answer, with the constants of software and device replaced.
    pub(super) fn answer(&self, replaced: &Replaced) -> Result<Predicted, Skip> {
        match self {
            Self::Scenario(scenario) => Predicted::of(scenario, replaced),
            Self::Runs(runs) => {
                let answers = runs.iter().map(|scenario| Predicted::of(scenario, replaced));
                answers.collect::<Result<_, _>>().map(Predicted::Runs)
            }
            Self::Work { system: choice, work, library } => {
                let accelerator = choice.accelerator().map_err(|problem| Skip::refused(&[problem]))?;
                let assumed = Assumed { library: *library, ..AssumptionSet::Calibrated.into() };
                let own = System::new(&accelerator, assumed);
                Ok(Predicted::Work(*work, replaced.system(&own, choice, *library)?.cost(work).time))
            }
            Self::Subramanian { machine, model, plan, batch } => {
                let step = machine.step(model, plan, *batch);
                Ok(Predicted::Subramanian(Some(step), step.memory.total() <= machine.capacity))
            }
            Self::SubramanianSearch { machine, model, space } => {
                let fastest = machine.search(model, space).fastest.map(|(_, step)| step);
                Ok(Predicted::Subramanian(fastest, fastest.is_some()))
            }
        }
    }
}

impl Quantity {
    /// Value of this quantity in an answer; `None` if the answer lacks it.
    pub(super) fn of(self, answer: &Predicted) -> Option<f64> {
        match answer {
            Predicted::Training(estimate) => Some(match self {
                Self::IterTime => estimate.step.get(),
                Self::TokensPerSecond => estimate.tokens_per_second,
                Self::TokensPerSecondPerGpu => estimate.tokens_per_second_per_gpu,
                // Software reports the memory of its allocator, without that of the driver.
                Self::PeakMemory => (estimate.memory.total() - estimate.memory.reserve).to_gib(),
                Self::Fits => f64::from(u8::from(estimate.memory.fits())),
                _ => return None,
            }),
            Predicted::Inference(estimate, load) => Some(match self {
                Self::Ttft => estimate.ttft.get() * 1e3,
                Self::Tpot | Self::DecodePerToken => estimate.tpot.get() * 1e3,
                Self::RequestLatency => estimate.latency.get() * 1e3,
                Self::OutputTokensPerSecond => estimate.tokens_per_second,
                Self::OutputTokensPerSecondPerGpu => estimate.tokens_per_second / f64::from(load.gpus()),
                Self::PrefillTokensPerSecond => {
                    f64::from(load.batch) * f64::from(load.input) / estimate.ttft.get()
                }
                _ => return None,
            }),
            Predicted::Runs(answers) => {
                let values: Option<Vec<f64>> = answers.iter().map(|answer| self.of(answer)).collect();
                let mean = |rates: &mut dyn Iterator<Item = f64>| rates.sum::<f64>() / answers.len() as f64;
                let values = values.filter(|values| !values.is_empty())?;
                match self {
                    Self::PrefillTokensPerSecond => Some(mean(&mut values.into_iter())),
                    // The mean of the rates, as a time.
                    Self::DecodePerToken => Some(mean(&mut values.into_iter().map(f64::recip)).recip()),
                    _ => None,
                }
            }
            Predicted::Subramanian(step, fits) => match self {
                Self::Fits => Some(f64::from(u8::from(*fits))),
                Self::IterTime => step.map(|step| step.time.get()),
                Self::PeakMemory => step.map(|step| step.memory.total().to_gib()),
                _ => None,
            },
            Predicted::Work(work, time) => {
                let time = time.get();
                Some(match (self, work) {
                    (Self::Latency, _) => time * 1e6,
                    (Self::AchievedTflops, Work::Matmul(matmul)) => matmul.flops().get() / time * 1e-12,
                    (Self::AchievedTflops, Work::Attention(attention)) => {
                        attention.flops().get() / time * 1e-12
                    }
                    (Self::AchievedBandwidth, Work::Stream(stream)) => stream.bytes.get() / time * 1e-9,
                    (Self::BusBandwidth, Work::Collective(collective)) => {
                        collective.traffic().get() / time * 1e-9
                    }
                    _ => return None,
                })
            }
        }
    }
}
