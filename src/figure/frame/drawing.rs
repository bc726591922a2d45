//! A finished drawing.

use crate::figure::{Figure, Read, Series};

/// A drawing, its size in CSS pixels, the values that can be read off it, and the series that its legend names.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::figure) struct Drawing {
    pub(in crate::figure) svg: String,
    pub(in crate::figure) size: (f64, f64),
    pub(in crate::figure) reads: Vec<Read>,
    pub(in crate::figure) series: Vec<Series>,
}

/// A figure that has only its drawing so far.
impl From<Drawing> for Figure {
    fn from(Drawing { svg, size: (width, height), reads, series }: Drawing) -> Self {
        Self { svg, width, height, reads, series, ..Self::default() }
    }
}
