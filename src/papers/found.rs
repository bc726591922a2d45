//! What the computation of a paper's table or figure gives: our values, the published ones, their source and unit.

use std::borrow::Cow;

use super::Printed;
use crate::validation::Score;

/// A computed result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Its charts, the most important first.
    pub charts: Vec<Chart>,
    /// Questions that it opens beside those of its points.
    pub questions: Vec<Question>,
    /// The result in a sentence without a full stop; where it is empty, the distance from the published values is said.
    pub lead: String,
}

/// A question that a result opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What it asks, as a link's text.
    pub text: String,
    /// The question, as a link without `#`.
    pub link: String,
}

/// Computed values and the published ones beside them, on the same axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Machine name of its figure.
    pub id: Cow<'static, str>,
    /// What it shows, as a heading.
    pub title: String,
    /// What it says in a sentence with numbers, all of them computed; where it is empty, the comparison with the
    /// published values is said.
    pub finding: String,
    /// Where the published values come from.
    pub source: Source,
    /// The values.
    pub data: Data,
    /// What has to be known to read it rightly, a sentence each without a full stop.
    pub assumptions: Vec<String>,
}

/// Where published values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// What kind of value it is.
    pub origin: Origin,
    /// Table, figure, or repository and commit.
    pub place: &'static str,
}

/// What kind of value a published one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Measured.
    Measured,
    /// Output of the authors' code: no measurement.
    Code,
    /// Printed in a paper as its authors' prediction.
    Predicted,
    /// Read elsewhere, and very probably the authors' prediction.
    Inferred,
    /// Worked out by hand from what the paper computes on: it says what the paper has to find, not what it prints.
    Derived,
}

impl Origin {
    /// As legends name it.
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

/// How the values of a chart are laid out.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Lines over an axis.
    Lines(Lines),
    /// Rows of bars, each a sum of parts.
    Bars(Bars),
    /// A mark for each pair of a published value and ours.
    Dots(Dots),
}

/// A quantity on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Its name, e.g. `Time to train`.
    pub name: &'static str,
    /// Its unit; empty where it has none.
    pub unit: &'static str,
    /// Whether its axis is logarithmic.
    pub logarithmic: bool,
}

/// Lines over an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// The level axis.
    pub x: Quantity,
    /// The upright axis.
    pub y: Quantity,
    /// The lines.
    pub lines: Vec<Line>,
    /// Levels of the upright axis that mean something.
    pub limits: Vec<Limit>,
    /// Places of the level axis that have a name, e.g. memories on an axis of bandwidth.
    pub posts: Vec<Limit>,
}

/// A value with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// What it is.
    pub name: String,
    /// Where it is.
    pub at: f64,
}

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// How it is drawn.
    pub look: Look,
    /// Its points from left to right.
    pub points: Vec<Point>,
}

/// How a line is drawn: lines of one colour or of one dash belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// One of seven colours.
    pub colour: u8,
    /// One of four dashes.
    pub dash: u8,
}

/// A point of a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Where it is on the level axis.
    pub x: f64,
    /// Our value; none where the model has none.
    pub ours: Option<f64>,
    /// The published value, where there is one.
    pub published: Option<Printed>,
    /// What it is computed for beyond its place, e.g. a plan; empty where there is nothing to say.
    pub what: String,
    /// The question that it opens, as a link without `#`.
    pub link: Option<String>,
}

/// Rows of bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// What lengths mean.
    pub quantity: Quantity,
    /// Names of the parts; one name where bars have no parts.
    pub parts: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// Its name.
    pub name: String,
    /// The whole.
    pub whole: Share,
    /// Its parts in the order of [`Bars::parts`]; empty where bars have no parts.
    pub parts: Vec<Share>,
    /// What it is computed for beyond its name; empty where there is nothing to say.
    pub what: String,
    /// The question that it opens, as a link without `#`.
    pub link: Option<String>,
}

/// A length, ours and the published one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Our value; none where the model has none.
    pub ours: Option<f64>,
    /// The published value, where there is one.
    pub published: Option<Printed>,
}

/// Pairs of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Dots {
    /// What both are.
    pub quantity: Quantity,
    /// The pairs.
    pub dots: Vec<Dot>,
}

/// A pair of a published value and ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// Its name.
    pub name: String,
    /// What it is grouped with.
    pub group: String,
    /// Our value.
    pub ours: f64,
    /// The published value.
    pub published: f64,
}

/// One published value beside ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Our value; none where the model has none.
    pub ours: Option<f64>,
    /// The published value.
    pub published: f64,
}

impl Share {
    /// Our value alone.
    pub const fn ours(value: f64) -> Self {
        Self { ours: Some(value), published: None }
    }

    /// Our value beside a published one.
    pub const fn beside(value: f64, published: Option<Printed>) -> Self {
        Self { ours: Some(value), published }
    }

    fn pair(&self) -> Option<Pair> {
        Some(Pair { ours: self.ours, published: self.published?.value })
    }
}

impl Pair {
    /// Ours over the published value, minus one.
    pub fn error(&self) -> Option<f64> {
        let error = self.ours? / self.published - 1.0;
        error.is_finite().then_some(error)
    }
}

impl Chart {
    /// Every published value beside ours. Of bars the whole counts; parts count where no whole is published.
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

    /// How far our values are from the published ones.
    pub fn score(&self) -> Score {
        score(&self.pairs())
    }
}

impl Found {
    /// Charts whose published values count. Where something was measured, only measurements do; inferred and derived values
    /// are shown but prove nothing.
    pub fn counted(&self) -> impl Iterator<Item = &Chart> {
        let measured = |chart: &Chart| chart.source.origin == Origin::Measured;
        let any = self.charts.iter().any(|chart| measured(chart) && !chart.pairs().is_empty());
        self.charts.iter().filter(move |chart| match chart.source.origin {
            Origin::Measured => true,
            Origin::Code | Origin::Predicted => !any,
            Origin::Inferred | Origin::Derived => false,
        })
    }

    /// Every published value that counts beside ours.
    pub fn pairs(&self) -> Vec<Pair> {
        self.counted().flat_map(Chart::pairs).collect()
    }

    /// How far our values are from the published ones.
    pub fn score(&self) -> Score {
        score(&self.pairs())
    }

    /// The largest error, without its sign.
    pub fn largest(&self) -> Option<f64> {
        self.pairs().iter().filter_map(Pair::error).map(f64::abs).max_by(f64::total_cmp)
    }
}

fn score(pairs: &[Pair]) -> Score {
    Score::of(pairs.iter().filter_map(|pair| Some((pair.ours?, pair.published))))
}
