//! The data of a chart: computed values beside the published ones, as lines, bars or dots.

use super::Printed;

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

impl Data {
    /// All published values with ours. A bar contributes its total if that is published, else its parts.
    pub(super) fn pairs(&self) -> Vec<Pair> {
        match self {
            Self::Lines(Lines { lines, .. }) => {
                let points = lines.iter().flat_map(|line| &line.points);
                points.filter_map(|at| Some(Pair { ours: at.ours, published: at.published?.value })).collect()
            }
            Self::Bars(Bars { rows, .. }) => rows
                .iter()
                .flat_map(|row| match row.whole.pair() {
                    Some(whole) => vec![whole],
                    None => row.parts.iter().filter_map(Share::pair).collect(),
                })
                .collect(),
            Self::Dots(Dots { dots, .. }) => {
                let pair = |dot: &Dot| Pair { ours: Some(dot.ours), published: dot.published };
                dots.iter().map(pair).collect()
            }
        }
    }
}
