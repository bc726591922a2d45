//! What a row of the form is: where its field lies in the document, what it is called, what it may be.

use super::options::Opt;
use crate::scenario::{Scenario, View};

/// Rows that stand together, in the same views.
#[derive(Debug)]
pub(super) struct Part {
    /// The heading.
    pub(super) group: Group,
    /// The views whose answer they change.
    pub(super) views: &'static [View],
    /// Whether they hide behind a further click.
    pub(super) advanced: bool,
    /// The rows, in order.
    pub(super) rows: &'static [Row],
}

/// A control of the form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The document path of its field, which has a link key: e.g. `parallelism.tensor`.
    pub(super) path: &'static str,
    /// Its name.
    pub(super) label: &'static str,
    /// The unit of what is entered, if it has one.
    pub(super) unit: &'static str,
    /// What it means, and what changing it does.
    pub(super) help: &'static str,
    /// The views in which it takes a row of its own: what it holds is long, or nothing stands beside it.
    pub(super) wide: &'static [View],
    /// What can be entered.
    pub(super) kind: Kind,
}

/// What can be entered into a control.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A number.
    Number(Number),
    /// One of several.
    Select(fn(&Scenario) -> Vec<Opt>),
    /// On or off.
    Switch,
}

/// A number as a field. Its range is that of [`crate::scenario::range`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    /// Whether fractions are refused.
    pub(super) whole: bool,
    /// How far one press of an arrow key goes; without it, to twice or half.
    pub(super) step: Option<f64>,
    /// How many of the document's units are one shown unit.
    pub(super) scale: f64,
    /// For a field that may stay empty: what holds instead, in the shown unit or in a word.
    pub(super) otherwise: Option<fn(&Scenario) -> Option<String>>,
}

/// A heading of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// Which errors are shown.
    Errors,
    /// What is searched for.
    Search,
    /// What accelerator is built.
    Technology,
    /// What runs, on what.
    Hardware,
    /// How it is cut over GPUs.
    Parallelism,
    /// What is trained.
    Job,
    /// What is served.
    Load,
    /// What it costs.
    Cost,
    /// Which machines are compared.
    Comparison,
}

impl Group {
    /// All of them, in the order of the form.
    pub(super) const ALL: [Self; 9] = [
        Self::Errors,
        Self::Search,
        Self::Technology,
        Self::Hardware,
        Self::Parallelism,
        Self::Job,
        Self::Load,
        Self::Cost,
        Self::Comparison,
    ];

    /// As it is shown.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Errors => "Errors",
            Self::Search => "Search",
            Self::Technology => "Accelerator",
            Self::Hardware => "Model and hardware",
            Self::Parallelism => "Parallelism",
            Self::Job => "Job",
            Self::Load => "Load",
            Self::Cost => "Cost",
            Self::Comparison => "From one to another",
        }
    }

    /// Its name in the page.
    pub(super) const fn id(self) -> &'static str {
        match self {
            Self::Errors => "group-errors",
            Self::Search => "group-search",
            Self::Technology => "group-technology",
            Self::Hardware => "group-hardware",
            Self::Parallelism => "group-parallelism",
            Self::Job => "group-job",
            Self::Load => "group-load",
            Self::Cost => "group-cost",
            Self::Comparison => "group-comparison",
        }
    }
}

type Text = &'static str;

/// A row with a whole number, which arrow keys double and halve.
pub(super) const fn whole(path: Text, label: Text, unit: Text, help: Text) -> Row {
    let number = Number { whole: true, step: None, scale: 1.0, otherwise: None };
    Row { path, label, unit, help, wide: &[], kind: Kind::Number(number) }
}

/// A row with a number.
pub(super) const fn number(path: Text, label: Text, unit: Text, help: Text) -> Row {
    let number = Number { whole: false, step: None, scale: 1.0, otherwise: None };
    Row { path, label, unit, help, wide: &[], kind: Kind::Number(number) }
}

/// A row with one of several.
pub(super) const fn select(path: Text, label: Text, help: Text, options: fn(&Scenario) -> Vec<Opt>) -> Row {
    Row { path, label, unit: "", help, wide: &[], kind: Kind::Select(options) }
}

/// A row that is on or off.
pub(super) const fn switch(path: Text, label: Text, help: Text) -> Row {
    Row { path, label, unit: "", help, wide: &[], kind: Kind::Switch }
}

impl Row {
    /// Arrow keys go so far.
    pub(super) const fn by(mut self, step: f64) -> Self {
        if let Kind::Number(number) = &mut self.kind {
            number.step = Some(step);
        }
        self
    }

    /// One shown unit is so many of the document's.
    pub(super) const fn scaled(mut self, scale: f64) -> Self {
        if let Kind::Number(number) = &mut self.kind {
            number.scale = scale;
        }
        self
    }

    /// It may stay empty, and this holds then: a number in the shown unit, or a word.
    pub(super) const fn otherwise(mut self, otherwise: fn(&Scenario) -> Option<String>) -> Self {
        if let Kind::Number(number) = &mut self.kind {
            number.otherwise = Some(otherwise);
        }
        self
    }

    /// It takes a row of its own in these views.
    pub(super) const fn wide(mut self, views: &'static [View]) -> Self {
        self.wide = views;
        self
    }
}

/// Views of a training job.
pub(super) const TRAINED: &[View] = &[View::Training, View::Search, View::Generations, View::Technology];
/// Views of a job of any kind.
pub(super) const ESTIMATED: &[View] =
    &[View::Training, View::Inference, View::Search, View::Generations, View::Technology];
/// Views of one device.
pub(super) const ONE_DEVICE: &[View] = &[View::Training, View::Inference, View::Search];
/// Views of a batch of requests.
pub(super) const BATCHED: &[View] = &[View::Inference, View::Technology];
/// The view of served requests.
pub(super) const SERVED: &[View] = &[View::Inference];
/// The view of generations.
pub(super) const RANKED: &[View] = &[View::Generations];
/// The view of all plans.
pub(super) const SEARCHED: &[View] = &[View::Search];
/// The view of accelerators that nobody has built.
pub(super) const BUILT: &[View] = &[View::Technology];
/// The view of errors.
pub(super) const COMPARED: &[View] = &[View::Validation];
