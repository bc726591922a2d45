//! Computed result of a paper's table or figure: the model's ("our") values beside the published ones, with source and
//! unit.

use std::borrow::Cow;

use super::data::{Data, Pair};
use crate::validation::Score;

/// A computed result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Charts, the most important first.
    pub charts: Vec<Chart>,
    /// Links to questions, in addition to those of the points.
    pub questions: Vec<Question>,
    /// The result in a sentence without a full stop. If empty, the page states the error against the published values.
    pub lead: String,
}

/// A link from a result to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Text of the link.
    pub text: String,
    /// The question, as a link without `#`.
    pub link: String,
}

/// Computed and published values on the same axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Id of the figure.
    pub id: Cow<'static, str>,
    /// Heading.
    pub title: String,
    /// Main finding: sentences whose numbers are all computed. If empty, the page states the error against the
    /// published values.
    pub finding: String,
    /// Source of the published values.
    pub source: Source,
    /// The values.
    pub data: Data,
    /// Conditions under which values were computed or published: one sentence each, without a full stop.
    pub assumptions: Vec<String>,
}

/// Source of published values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Kind of the values.
    pub origin: Origin,
    /// Table, figure, or repository and commit.
    pub place: &'static str,
}

/// Kind of a published value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Measurement.
    Measured,
    /// Output of the authors' code, which is a prediction, not a measurement.
    Code,
    /// Prediction printed in the paper.
    Predicted,
    /// Value found in another source, and very probably the authors' prediction.
    Inferred,
    /// Value that we derived by hand from the paper's inputs: what its method must give, not a value that it prints.
    Derived,
}

impl Origin {
    /// Name in legends.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Code => "authors' code",
            Self::Predicted => "authors' prediction",
            Self::Inferred => "authors' prediction, inferred",
            Self::Derived => "worked out by hand",
        }
    }
}

impl Chart {
    /// All published values with ours.
    pub fn pairs(&self) -> Vec<Pair> {
        self.data.pairs()
    }

    /// Errors of our values against the published ones.
    pub fn score(&self) -> Score {
        score(&self.pairs())
    }
}

impl Found {
    /// Charts that enter the error: measured values if there are any, otherwise output of the authors' code and printed
    /// predictions. Inferred and derived values are shown but excluded, because the paper does not print them.
    pub fn counted(&self) -> impl Iterator<Item = &Chart> {
        let measured = |chart: &Chart| chart.source.origin == Origin::Measured;
        let any = self.charts.iter().any(|chart| measured(chart) && !chart.pairs().is_empty());
        self.charts.iter().filter(move |chart| match chart.source.origin {
            Origin::Measured => true,
            Origin::Code | Origin::Predicted => !any,
            Origin::Inferred | Origin::Derived => false,
        })
    }

    /// All published values that enter the error, with ours.
    pub fn pairs(&self) -> Vec<Pair> {
        self.counted().flat_map(Chart::pairs).collect()
    }

    /// Error of our values against the published ones.
    pub fn score(&self) -> Score {
        score(&self.pairs())
    }

    /// Largest absolute relative error.
    pub fn largest(&self) -> Option<f64> {
        self.pairs().iter().filter_map(Pair::error).map(f64::abs).max_by(f64::total_cmp)
    }
}

fn score(pairs: &[Pair]) -> Score {
    Score::of(pairs.iter().filter_map(|pair| Some((pair.ours?, pair.published))))
}
