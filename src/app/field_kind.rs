//! What a form control is: where it lies in the document, what it is called, what it may be.

use super::entry::Place;
use super::number::Range;
use super::options::Opt;
use crate::catalog::Accelerator;
use crate::scenario::{Scenario, View, resolve};

/// A control of the form.
pub(crate) struct Field {
    /// What it reads and writes.
    pub(crate) place: Place,
    /// Its name.
    pub(crate) label: &'static str,
    /// The unit of what is entered, if it has one.
    pub(crate) unit: &'static str,
    /// What it means, and what changing it does.
    pub(crate) help: &'static str,
    /// The heading that it stands under.
    pub(crate) group: Group,
    /// The views whose answer it changes.
    pub(crate) views: &'static [View],
    /// Whether it hides behind a further click.
    pub(crate) advanced: bool,
    /// What can be entered.
    pub(crate) kind: Kind,
}

/// The table holds each field once.
impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.place.path == other.place.path
    }
}

impl Field {
    /// The id of its control: the path with dashes.
    pub(crate) fn id(&self) -> String {
        self.place.path.replace(['.', '_'], "-")
    }

    /// Whether it takes a row of its own: what it holds is long, or nothing stands beside it.
    pub(crate) fn wide(&self, view: View) -> bool {
        match self.place.path {
            "model" | "assumptions" | "errors.of" | "errors.by" => true,
            "system.accelerator" => matches!(view, View::Inference | View::Validation),
            _ => false,
        }
    }
}

/// A heading of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// What runs, on what.
    Hardware,
    /// How it is cut over GPUs.
    Parallelism,
    /// What is trained.
    Job,
    /// What is served.
    Load,
    /// Which errors are shown.
    Errors,
}

impl Group {
    /// All of them, in the order of the form.
    pub(crate) const ALL: [Self; 5] =
        [Self::Errors, Self::Hardware, Self::Parallelism, Self::Job, Self::Load];

    /// As it is shown.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Hardware => "Model and hardware",
            Self::Parallelism => "Parallelism",
            Self::Job => "Job",
            Self::Load => "Load",
            Self::Errors => "Errors",
        }
    }
}

/// What can be entered into a control.
pub(crate) enum Kind {
    /// A number.
    Number(Number),
    /// One of several.
    Select(fn(&Scenario) -> Vec<Opt>),
    /// On or off.
    Switch,
}

/// A number as a field.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    /// Whether fractions are refused.
    pub(crate) whole: bool,
    /// How far one press of an arrow key goes.
    pub(crate) step: Step,
    /// How many of the document's units are one shown unit.
    pub(crate) scale: f64,
    /// For a field that may stay empty: what the catalogue says instead, in the shown unit.
    pub(crate) otherwise: Option<fn(&Accelerator) -> f64>,
}

/// How far one press of an arrow key goes.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// Twice or half.
    Double,
    /// This much more or less.
    By(f64),
}

impl Number {
    /// The number at this path may be this, in the shown unit.
    pub(crate) fn range(self, place: Place) -> Range {
        let (min, max) = resolve::range(place.path).unwrap_or((0.0, f64::MAX));
        Range { min: min / self.scale, max: max / self.scale, whole: self.whole }
    }

    /// The next value up or down, within the range.
    pub(crate) fn next(self, value: f64, up: bool, range: Range) -> f64 {
        let next = match (self.step, up) {
            (Step::Double, true) => value * 2.0,
            (Step::Double, false) => value / 2.0,
            (Step::By(step), true) => value + step,
            (Step::By(step), false) => value - step,
        };
        let next = if self.whole { next.round() } else { next };
        next.clamp(range.min, range.max)
    }
}
