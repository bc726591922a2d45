//! One published measurement, and the scenario that predicts it.

use std::borrow::Cow;
use std::fmt;

use super::Outcome;
use super::quantity::Quantity;
use crate::catalog::Architecture;
use crate::inference::{EngineOverheads, InferenceJob, InferenceLoad};
use crate::published::subramanian;
use crate::scenario::{Problem, Scenario, SystemChoice, View};
use crate::serving::InferenceEstimate;
use crate::system::calibration::Measured;
use crate::system::{AssumptionSet, Assumptions, Network, System, Work};
use crate::training::{FrameworkOverheads, TrainingEstimate, TrainingJob};
use crate::units::Seconds;

/// One published row.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Id of the row in the collection of measurements.
    pub id: String,
    /// Source of the row; for a served request, the server and the system.
    pub source: String,
    /// Publication: title, place, revision.
    pub origin: String,
    /// The device: the catalogue's id, or the published name where the catalogue has none.
    pub device: String,
    /// The model as published; for a kernel, which one.
    pub model: String,
    /// Kind of model.
    pub family: Family,
    /// Number format as published.
    pub precision: String,
    /// Completeness of the description.
    pub tier: Tier,
    /// The question for the model, or the reason why there is none.
    pub question: Result<Question, Skip>,
    /// Measured quantities and values.
    pub measured: Vec<(Quantity, f64)>,
    /// True if a constant was fitted on this row.
    pub used_in_fit: bool,
}

/// Completeness of the description of a row's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Everything that the model needs is stated.
    A,
    /// Something is missing.
    B,
    /// A headline number only.
    C,
}

impl Tier {
    /// Name in files and on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
        }
    }

    /// The tier of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::A, Self::B, Self::C].into_iter().find(|tier| tier.name() == name)
    }
}

/// Kind of model of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Every token passes every weight.
    Dense,
    /// Each token passes some experts.
    Moe,
    /// No model: a single kernel or collective.
    Kernel,
}

impl Family {
    /// The kind of a language model.
    pub const fn of(model: &Architecture) -> Self {
        if model.moe.is_some() { Self::Moe } else { Self::Dense }
    }

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Moe => "mixture of experts",
            Self::Kernel => "kernel",
        }
    }
}

/// Question for the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// A scenario, as on the page.
    Scenario(Box<Scenario>),
    /// Runs of different lengths with the same software on the same device, of which the mean rate is published.
    Runs(Vec<Scenario>),
    /// Time of a single kernel or collective on a catalogue device.
    Work {
        /// The device, with its differences from the catalogue.
        system: Box<SystemChoice>,
        /// Work of the kernel or collective.
        work: Work,
    },
    /// One plan under the model of arXiv 2410.00273.
    Subramanian {
        /// The machine.
        machine: Box<subramanian::Machine>,
        /// The model.
        model: subramanian::Transformer,
        /// The plan.
        plan: subramanian::Plan,
        /// Sequences per step.
        batch: u32,
    },
    /// The fastest of all plans under the model of arXiv 2410.00273.
    SubramanianSearch {
        /// The machine.
        machine: Box<subramanian::Machine>,
        /// The model.
        model: subramanian::Transformer,
        /// Space of plans that is searched.
        space: subramanian::Space,
    },
}

/// Why a row has no prediction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// The row lacks this field.
    Missing(&'static str),
    /// The row has a defect that a written rule names.
    Defect(&'static str),
    /// The row is about something that the model has no term for.
    NotModelled(String),
    /// The model refuses the scenario.
    Refused(String),
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(field) => write!(f, "missing: {field}"),
            Self::Defect(rule) => write!(f, "known defect: {rule}"),
            Self::NotModelled(what) => write!(f, "not modelled: {what}"),
            Self::Refused(problem) => write!(f, "refused: {problem}"),
        }
    }
}

impl Skip {
    /// The reason without what differs from row to row.
    pub fn kind(&self) -> String {
        match self {
            Self::Refused(problem) => format!("refused: {}", problem.split(':').next().unwrap_or(problem)),
            other => other.to_string(),
        }
    }

    fn refused(problems: &[Problem]) -> Self {
        let sentences: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Self::Refused(sentences.join("; "))
    }
}

impl Case {
    /// Predictions of each measured quantity.
    pub fn outcomes(&self) -> Vec<Outcome<'_>> {
        self.outcomes_with(&Replaced::default())
    }

    /// Predictions against measurements with other constants in place of those of the row's software and device.
    pub fn outcomes_with(&self, replaced: &Replaced) -> Vec<Outcome<'_>> {
        let question = self.question.as_ref().map_err(Clone::clone);
        let answer = question.and_then(|question| question.answer(replaced));
        let predicted = |quantity: Quantity| match &answer {
            Ok(answer) => {
                let absent = || Skip::NotModelled(quantity.name().to_owned());
                quantity.of(answer).ok_or_else(absent)
            }
            Err(skip) => Err(skip.clone()),
        };
        self.measured
            .iter()
            .map(|&(quantity, measured)| Outcome {
                case: self,
                quantity,
                measured,
                predicted: predicted(quantity),
            })
            .collect()
    }
}

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
    /// The system with its device's constants, or those of an unmeasured one.
    fn system<'a>(self, system: &'a System, choice: &SystemChoice) -> Result<Cow<'a, System>, Skip> {
        if self.device == Measured::All {
            return Ok(Cow::Borrowed(system));
        }
        let accelerator = choice.accelerator().map_err(|problem| Skip::refused(&[problem]))?;
        let assumptions =
            Assumptions::unmeasured(&accelerator, self.device).corrected(system.assumptions.corrections);
        let network = Network { constants: assumptions.links, ..system.network };
        Ok(Cow::Owned(System { network, assumptions, ..system.clone() }))
    }
}

/// Predicts a quantity of a scenario, with the constants of its software and device replaced. It refuses the same
/// scenarios as the page.
pub fn predicted(scenario: &Scenario, quantity: Quantity, replaced: &Replaced) -> Result<f64, Skip> {
    let answer = of_scenario(scenario, replaced)?;
    quantity.of(&answer).ok_or_else(|| Skip::NotModelled(quantity.name().to_owned()))
}

/// Answer of the model to a question.
pub(super) enum Predicted {
    Training(Box<TrainingEstimate>),
    Inference(Box<InferenceEstimate>, InferenceLoad),
    Runs(Vec<Self>),
    Work(Work, Seconds),
    /// Step time, and whether the plan fits into memory; `None` if no plan does.
    Subramanian(Option<subramanian::Step>, bool),
}

impl Question {
    /// The scenario, or the first of several runs; `None` if there is none.
    pub fn scenario(&self) -> Option<&Scenario> {
        match self {
            Self::Scenario(scenario) => Some(scenario),
            Self::Runs(runs) => runs.first(),
            Self::Work { .. } | Self::Subramanian { .. } | Self::SubramanianSearch { .. } => None,
        }
    }

    pub(super) fn answer(&self, replaced: &Replaced) -> Result<Predicted, Skip> {
        match self {
            Self::Scenario(scenario) => of_scenario(scenario, replaced),
            Self::Runs(runs) => {
                let answers = runs.iter().map(|scenario| of_scenario(scenario, replaced));
                answers.collect::<Result<_, _>>().map(Predicted::Runs)
            }
            Self::Work { system: choice, work } => {
                let accelerator = choice.accelerator().map_err(|problem| Skip::refused(&[problem]))?;
                let own = System::new(&accelerator, AssumptionSet::Calibrated);
                Ok(Predicted::Work(*work, replaced.system(&own, choice)?.cost(work).time))
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

/// Answer of the model to a scenario: serving in the Inference view, a training step in all others.
fn of_scenario(scenario: &Scenario, replaced: &Replaced) -> Result<Predicted, Skip> {
    let corrections = scenario.corrections().map_err(|problem| Skip::refused(&[problem]))?;
    if scenario.view == View::Inference {
        let estimate = scenario.with_inference(|job| {
            let limited = |engine: EngineOverheads| {
                engine.corrected(&corrections).limited_as(&scenario.inference, &job.overheads)
            };
            let other = replaced.engine.map(limited);
            let overheads = other.unwrap_or(job.overheads);
            let system = &*replaced.system(job.system, &scenario.system)?;
            Ok(InferenceJob { system, overheads, ..*job }.estimate())
        });
        let answer = |estimate| Predicted::Inference(Box::new(estimate), scenario.inference);
        return estimate.map_err(|problems| Skip::refused(&problems))?.map(answer);
    }
    let estimate = scenario.with_training(|job| {
        let other = replaced.framework.map(|framework| framework.corrected(&corrections));
        let overheads = other.unwrap_or(job.overheads);
        let system = &*replaced.system(job.system, &scenario.system)?;
        Ok(TrainingJob { system, overheads, ..*job }.estimate())
    });
    estimate.map_err(|problems| Skip::refused(&problems))?.map(Box::new).map(Predicted::Training)
}
