//! Results as drawings, with the same data as a table and the finding in a sentence.
//!
//! Shapes carry classes, which `style/figure.css` colours for light, dark and print; without a style sheet they have
//! the light theme's colours. Nothing depends on measured text or on the platform, so that a figure is the same
//! string natively and in the browser. Any numbers can be drawn: values that are not finite are left out, and a
//! figure without anything to draw says so.

mod backend;
mod charts;
mod frame;
mod registry;
mod table;

pub use charts::*;
pub use frame::Size;
pub use registry::{FIGURES, Listed};
pub use table::{Cell, Column, Row, Table};

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use frame::canvas::Drawing;

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

/// A figure that has only its drawing so far.
impl From<Drawing> for Figure {
    fn from(Drawing { svg, size: (width, height) }: Drawing) -> Self {
        Self { svg, width, height, ..Self::default() }
    }
}
