//! Results as drawings, with the same data as a table and the finding in a sentence.
//!
//! Shapes carry classes, which `style/figure.css` colours for light, dark and print; without a style sheet they have
//! the light theme's colours. Nothing depends on measured text or on the platform, so that a figure is the same
//! string natively and in the browser. Any numbers can be drawn: values that are not finite are left out, and a
//! figure without anything to draw says so.

mod backend;
mod cell;
mod charts;
mod comparable;
mod frame;
mod registry;
mod table;

pub use backend::width as text_width;
pub use cell::Cell;
pub use charts::*;
pub use comparable::Comparable;
pub use frame::Size;
pub(crate) use frame::{sentence_case, within};
pub use registry::{FIGURES, Listed};
pub use table::{Column, Row, Table};

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Data of another question that is drawn beside the figure's own, for comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Pinned<T> {
    /// Settings in which the question differs, e.g. `tensor 4 GPUs`.
    pub name: String,
    /// The data to draw.
    pub of: T,
}

impl<T> Pinned<T> {
    /// Label of the question's curves and table rows, e.g. `pinned: tensor 4 GPUs`.
    pub fn label(&self) -> String {
        format!("pinned: {}", self.name)
    }

    /// Other data of the same question.
    pub fn map<U>(self, of: impl FnOnce(T) -> U) -> Pinned<U> {
        Pinned { name: self.name, of: of(self.of) }
    }

    /// The table of a figure's own data, followed by the tables of pinned data.
    fn tables<'a>(own: &T, pinned: impl IntoIterator<Item = &'a Self>, table: fn(&T) -> Table) -> Table
    where
        T: 'a,
    {
        table(own).beside(pinned.into_iter().map(|pinned| (pinned.label(), table(&pinned.of))))
    }
}

/// Maximum number of pinned questions; with more, curves are hard to tell apart.
pub const MOST_PINNED: usize = 2;

/// Ids of the figures on which questions can be pinned.
pub const PINNABLE: [&str; 16] = [
    "step-breakdown",
    "prefill-breakdown",
    "decode-breakdown",
    "memory",
    "roofline",
    "load",
    "tradeoff",
    "dram-latency",
    "link-latency",
    "capacity",
    "prefix-cache",
    "sensitivity",
    "scaling",
    "fleet-costs",
    "run-costs",
    "node-speedup",
];

/// A figure with its drawing, its main statement and its table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Machine name, e.g. `speedup`; the same for every figure of its kind.
    pub id: Cow<'static, str>,
    /// Heading.
    pub title: String,
    /// Main statement, in one sentence with numbers; also the accessible label of the drawing.
    pub finding: String,
    /// The drawing: an `svg` element that scales to its container and is styled by `style/figure.css`.
    pub svg: String,
    /// Width of the drawing in CSS pixels.
    pub width: f64,
    /// Height of the drawing in CSS pixels.
    pub height: f64,
    /// The values that can be read off the drawing, line by line.
    pub reads: Vec<Read>,
    /// The entries of the legend that name a series; a reader can show one series alone.
    pub series: Vec<Series>,
    /// The data behind the drawing.
    pub table: Table,
    /// Values that a comparison of several questions draws; empty if no comparison uses the figure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<Comparable>,
    /// Assumptions needed to interpret the figure, one sentence each.
    pub assumptions: Vec<String>,
}

/// A value at a place of a drawing, or of an area around it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Read {
    /// Distance from the left edge, in CSS pixels of the drawing.
    pub x: f64,
    /// Distance from the upper edge.
    pub y: f64,
    /// Width and height of an area around that place, such as a bar; 0 for a point.
    pub extent: (f64, f64),
    /// Text of the mark, e.g. `4 GPUs: Latency 731 ms, DRAM bandwidth 3.35 TB/s`.
    pub text: String,
    /// Series and value alone, for lists of marks at the same distance from the left edge; empty for marks of no line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub brief: String,
    /// Link of the question that the mark opens, without `#`; empty if it opens none.
    pub link: String,
}

/// An entry of the legend that names a series, with its place in the drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Number of the series. A number up to 8 is that of its colour: shapes have the class `fig-fill-N` or `fig-stroke-N`.
    /// If series share colours, numbers are above 8, and shapes have the attribute `data-series`.
    pub number: u8,
    /// Name.
    pub name: String,
    /// Upper left corner of the entry, in CSS pixels of the drawing.
    pub at: (f64, f64),
    /// Width and height of the entry.
    pub extent: (f64, f64),
}

impl Figure {
    /// The drawing as a file of its own: with its title, fixed dimensions and the light theme's colours.
    pub fn standalone_svg(&self) -> String {
        backend::file(&self.svg, (self.width, self.height), &self.title)
    }
}
