//! Computed result of a paper's table or figure: the model's ("our") values beside the published ones, with source and
//! unit.

use std::borrow::Cow;

use super::Printed;
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

/// Layout and values of a chart.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Line chart.
    Lines(Lines),
    /// Stacked bars.
    Bars(Bars),
    /// Scatter plot of published against computed values.
    Dots(Dots),
}

/// Quantity of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Name, e.g. `Time to train`.
    pub name: &'static str,
    /// Unit; empty for a dimensionless quantity.
    pub unit: &'static str,
    /// True if the axis is logarithmic.
    pub logarithmic: bool,
}

/// A line chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// Horizontal axis.
    pub x: Quantity,
    /// Vertical axis.
    pub y: Quantity,
    /// The lines.
    pub lines: Vec<Line>,
    /// Horizontal reference lines, e.g. a memory capacity.
    pub limits: Vec<Limit>,
    /// Labelled positions on the horizontal axis, e.g. memory types on an axis of bandwidth.
    pub posts: Vec<Limit>,
}

/// A labelled value on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Label.
    pub name: String,
    /// Value, in the axis's unit.
    pub at: f64,
}

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// Style.
    pub look: Look,
    /// Points from left to right.
    pub points: Vec<Point>,
}

/// Line style. Lines with the same colour, or the same dash, belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Index of one of seven colours.
    pub colour: u8,
    /// Index of one of four dash patterns.
    pub dash: u8,
}

/// A point of a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Value on the horizontal axis.
    pub x: f64,
    /// Our value; `None` if the model gives none.
    pub ours: Option<f64>,
    /// Published value, if any.
    pub published: Option<Printed>,
    /// Configuration beyond the axis value, e.g. a parallelism plan; may be empty.
    pub what: String,
    /// The question behind the value, as a link without `#`.
    pub link: Option<String>,
}

/// Stacked bars, one per row.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// Quantity shown by a bar's length.
    pub quantity: Quantity,
    /// Names of the parts; a single name if bars have no parts.
    pub parts: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// Name.
    pub name: String,
    /// Total length.
    pub whole: Share,
    /// Parts in the order of [`Bars::parts`]; empty if bars have no parts.
    pub parts: Vec<Share>,
    /// Configuration beyond the bar's name; may be empty.
    pub what: String,
    /// The question behind the value, as a link without `#`.
    pub link: Option<String>,
}

/// Computed and published length of a bar or a part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Our value; `None` if the model gives none.
    pub ours: Option<f64>,
    /// Published value, if any.
    pub published: Option<Printed>,
}

/// A scatter plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Dots {
    /// Quantity of both axes.
    pub quantity: Quantity,
    /// The pairs.
    pub dots: Vec<Dot>,
}

/// A point of a scatter plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// Name.
    pub name: String,
    /// Name of its group.
    pub group: String,
    /// Our value.
    pub ours: f64,
    /// The published value.
    pub published: f64,
}

/// A published value and ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Our value; `None` if the model gives none.
    pub ours: Option<f64>,
    /// The published value.
    pub published: f64,
}

impl Share {
    /// Our value, without a published one.
    pub const fn ours(value: f64) -> Self {
        Self { ours: Some(value), published: None }
    }

    /// Our value and a published one, if any.
    pub const fn beside(value: f64, published: Option<Printed>) -> Self {
        Self { ours: Some(value), published }
    }

    fn pair(&self) -> Option<Pair> {
        Some(Pair { ours: self.ours, published: self.published?.value })
    }
}

impl Pair {
    /// Relative error: our value over the published one, minus 1.
    pub fn error(&self) -> Option<f64> {
        let error = self.ours? / self.published - 1.0;
        error.is_finite().then_some(error)
    }
}

impl Chart {
    /// All published values with ours. A bar contributes its total if that is published, else its parts.
    pub fn pairs(&self) -> Vec<Pair> {
        match &self.data {
            Data::Lines(Lines { lines, .. }) => {
                let points = lines.iter().flat_map(|line| &line.points);
                points.filter_map(|at| Some(Pair { ours: at.ours, published: at.published?.value })).collect()
            }
            Data::Bars(Bars { rows, .. }) => rows
                .iter()
                .flat_map(|row| match row.whole.pair() {
                    Some(whole) => vec![whole],
                    None => row.parts.iter().filter_map(Share::pair).collect(),
                })
                .collect(),
            Data::Dots(Dots { dots, .. }) => {
                let pair = |dot: &Dot| Pair { ours: Some(dot.ours), published: dot.published };
                dots.iter().map(pair).collect()
            }
        }
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
