//! Pairs of values as marks about the line of equality.

use crate::figure::charts::scatter::{self, Measure};
use crate::figure::frame::Size;
use crate::figure::{Dot, Figure};
use crate::papers::Dots;
use crate::units::{Seconds, format};

/// The figure of pairs.
pub(super) fn figure(dots: &Dots, size: Size) -> Figure {
    let marks: Vec<Dot<'_>> = dots
        .dots
        .iter()
        .map(|dot| Dot {
            name: &dot.name,
            group: &dot.group,
            measured: dot.published,
            predicted: dot.ours,
            counted: true,
            link: "".into(),
            own: false,
        })
        .collect();
    let show: fn(f64) -> String = match dots.quantity.unit {
        "s" => |seconds| format::time(Seconds::new(seconds)),
        _ => format::digits,
    };
    let measure = Measure { name: dots.quantity.name, unit: dots.quantity.unit, show };
    scatter::scatter(&marks, measure, size)
}
