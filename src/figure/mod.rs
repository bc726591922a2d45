//! Results as drawings, with the same data as a table and the finding in a sentence.
//!
//! Shapes carry classes, which `style/figure.css` colours for light, dark and print; without a style sheet they have
//! the light theme's colours. Nothing depends on measured text or on the platform, so that a figure is the same
//! string natively and in the browser. Any numbers can be drawn: values that are not finite are left out, and a
//! figure without anything to draw says so.

mod axis;
mod backend;
mod binding;
mod breakdown;
mod canvas;
mod features;
mod groups;
mod hardware;
mod histogram;
mod labels;
mod latency;
mod legend;
mod lines;
mod load;
mod memory;
mod memory_timeline;
mod node;
mod order;
mod plans;
mod plot;
mod roofline;
mod rows;
mod scaling;
mod scatter;
mod speedup;
mod table;
mod timeline;
mod tornado;
mod tradeoff;
mod waterfall;

pub(crate) use backend::escape;
pub use binding::{binding_map, binding_shares};
pub use breakdown::{decode_breakdown, prefill_breakdown, step_breakdown};
pub use features::features;
pub use hardware::{capacity, link_latency};
pub use histogram::histogram;
pub use latency::dram_latency;
pub use load::load;
pub use memory::memory;
pub use memory_timeline::memory_timeline;
pub use node::{node_energy, node_speedup};
pub use plans::plans;
pub use roofline::roofline;
pub use scaling::{Scaled, scaling};
pub use scatter::{Dot, Measure, scatter};
pub use speedup::speedup;
pub use table::{Cell, Column, Row, Table};
pub use timeline::timeline;
pub use tornado::tornado;
pub use tradeoff::tradeoff;
pub use waterfall::waterfall;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use backend::Ink;
use canvas::{Align, Drawing, Type};

/// One finding: drawn, said and tabulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Machine name, e.g. `speedup`; the same for every figure of its kind.
    pub id: Cow<'static, str>,
    /// What it shows, as a heading.
    pub title: String,
    /// What it says, in one sentence with numbers; also the drawing's label for who cannot see it.
    pub finding: String,
    /// The drawing: an `svg` element that scales to its container and is styled by `style/figure.css`.
    pub svg: String,
    /// Width of the drawing in CSS pixels.
    pub width: f64,
    /// Height of the drawing in CSS pixels.
    pub height: f64,
    /// The data behind the drawing.
    pub table: Table,
    /// What has to be known to read it rightly, a sentence each.
    pub assumptions: Vec<String>,
}

impl Figure {
    /// The drawing as a file of its own: with its title, fixed dimensions and the light theme's colours.
    pub fn standalone_svg(&self) -> String {
        backend::file(&self.svg, (self.width, self.height), &self.title)
    }
}

/// The shape of the space a figure is drawn for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// 800 by about 420 CSS pixels, where there are at least 560.
    #[default]
    Wide,
    /// 360 by about 400 CSS pixels: fewer ticks, labels above bars.
    Narrow,
}

impl Size {
    /// Width of the drawing's view box.
    pub const fn width(self) -> f64 {
        match self {
            Self::Wide => 800.0,
            Self::Narrow => 360.0,
        }
    }

    /// Height of the view box of charts with two axes. Charts of bars are as high as their rows need.
    pub const fn height(self) -> f64 {
        match self {
            Self::Wide => 420.0,
            Self::Narrow => 400.0,
        }
    }
}

/// A drawing that says that there is nothing to draw.
fn blank(size: Size, label: &str) -> Drawing {
    const HEIGHT: f64 = 120.0;
    canvas::draw((size.width(), HEIGHT), label, |canvas| {
        let style = Type::label().align(Align::Centre);
        canvas.text((size.width() / 2.0, HEIGHT / 2.0), "Nothing to draw", Type { ink: Ink::Muted, ..style });
    })
}

/// Whether a number can be drawn as a positive length.
fn positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// A label within a sentence: `pipeline bubble` for `Pipeline bubble`, but `KV cache` as it is.
fn within(label: &str) -> String {
    let mut characters = label.chars();
    match (characters.next(), characters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            [first.to_ascii_lowercase(), second].into_iter().chain(characters).collect()
        }
        _ => label.to_owned(),
    }
}

/// A formatted quantity without zeros behind the point, as ticks are labelled: `5 ms` for `5.00 ms`.
fn brief(text: &str) -> String {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let number =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    if number == "0" || unit.is_empty() { number.to_owned() } else { format!("{number} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_fit_into_sentences() {
        assert_eq!(within("Pipeline bubble"), "pipeline bubble");
        assert_eq!(within("KV cache"), "KV cache");
        assert_eq!(within(""), "");
    }

    #[test]
    fn ticks_have_no_trailing_zeros() {
        assert_eq!(brief("5.00 ms"), "5 ms");
        assert_eq!(brief("0.250"), "0.25");
        assert_eq!(brief("100 s"), "100 s");
        assert_eq!(brief("0.000 ns"), "0");
        assert_eq!(brief("–"), "–");
    }
}
