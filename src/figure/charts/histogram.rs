//! Histogram of prediction errors.

use crate::figure::backend::{Ink, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::groups::{Groups, Look, look};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::{Size, blank, brief};
use crate::figure::{Cell, Dot, Figure, Table};
use crate::units::format;

/// Width of a bar.
const STEP: f64 = 0.05;

/// Range of the bars to either side; larger errors count in the outermost bars.
const REACH: f64 = 0.6;

/// Bars in all.
const BARS: usize = 24;

/// Errors of the counted rows, in bars that are stacked by group.
pub fn histogram(dots: &[Dot<'_>], size: Size) -> Figure {
    let counted: Vec<&Dot<'_>> =
        dots.iter().filter(|dot| dot.counted && !dot.own && bar(dot.error()).is_some()).collect();
    let groups = Groups::of(counted.iter().map(|dot| dot.group));
    let mut bars = vec![vec![0_u32; groups.len()]; BARS];
    for dot in &counted {
        if let Some(index) = bar(dot.error()) {
            bars[index][groups.place(dot.group)] += 1;
        }
    }
    let finding = finding(&counted);
    let drawing =
        if counted.is_empty() { blank(size, &finding) } else { drawing(&bars, &groups, &finding, size) };
    Figure {
        id: "histogram".into(),
        title: "How far predictions are off".to_owned(),
        finding,
        table: table(&bars),
        assumptions: vec![
            "Error: prediction over measurement, minus 1; right of 0 the prediction is too high".to_owned(),
            format!("The outermost bars hold everything beyond {}", brief(&format::percent(REACH))),
            "Rows that a constant was fitted on, or that another program computed, are left out".to_owned(),
        ],
        ..drawing.into()
    }
}

/// The bar that an error is counted in.
fn bar(error: f64) -> Option<usize> {
    // A prediction is never negative, so errors below -1 are invalid.
    let counts = error.is_finite() && error >= -1.0;
    let from_left = || libm::floor(error.clamp(-REACH, REACH) / STEP) + BARS as f64 / 2.0;
    counts.then(|| (from_left() as usize).min(BARS - 1))
}

fn edge(index: usize) -> f64 {
    // Through whole numbers, so that the middle is exactly 0.
    (index as f64 - BARS as f64 / 2.0) * 5.0 / 100.0
}

fn finding(counted: &[&Dot<'_>]) -> String {
    if counted.is_empty() {
        return "There is no error to count.".to_owned();
    }
    let mut errors: Vec<f64> = counted.iter().map(|dot| dot.error()).collect();
    errors.sort_by(f64::total_cmp);
    let middle = errors[errors.len() / 2];
    let (low, high) = (errors[errors.len() / 10], errors[errors.len() * 9 / 10]);
    format!(
        "The median error, with its sign, is {}; eight of ten lie between {} and {}.",
        format::signed_percent(middle),
        format::signed_percent(low),
        format::signed_percent(high)
    )
}

fn table(bars: &[Vec<u32>]) -> Table {
    let mut table = Table::new([("From", Some("%")), ("To", Some("%")), ("Rows", None)]);
    for (index, bar) in bars.iter().enumerate() {
        let cell = |index: usize, open: bool| {
            if open {
                Cell::none()
            } else {
                Cell::number(100.0 * edge(index), format::signed_percent(edge(index)))
            }
        };
        let rows = f64::from(bar.iter().sum::<u32>());
        table.push([
            cell(index, index == 0),
            cell(index + 1, index + 1 == bars.len()),
            Cell::number(rows, format::grouped(rows)),
        ]);
    }
    table
}

fn drawing(bars: &[Vec<u32>], groups: &Groups<'_>, finding: &str, size: Size) -> Drawing {
    let mut legend = Legend::default();
    for (name, Look { ink, hatch, .. }) in groups.iter() {
        legend.push(Key::Area(ink, hatch), name);
    }
    let legends = legend.height(size.width() - 24.0);
    let height = size.height() * 0.75 + legends;
    let most = bars.iter().map(|bar| f64::from(bar.iter().sum::<u32>()));
    let plot = Plot {
        x: Axis::linear(-100.0 * REACH, 100.0 * REACH),
        // Tall enough for ticks to be whole rows.
        y: Axis::from_zero(most.chain([5.0])).padded(0.0, 0.06),
        left: Plot::margin(size),
        top: 24.0,
        right: size.width() - MARGIN,
        bottom: height - 48.0 - legends,
    };
    draw((size.width(), height), finding, |canvas| {
        let percent = |value: f64| brief(&format!("{} %", format::digits(value)));
        let rows = |value: f64| brief(&format::digits(value));
        let x = Scale::new("Error (%)", &percent);
        let y = Scale::new("Rows", &rows);
        plot.axes(canvas, &x, &y);
        let names: Vec<String> = groups.iter().map(|(name, _)| name).collect();
        for (index, bar) in bars.iter().enumerate() {
            stack(canvas, &plot, (index, bar), &names);
        }
        if let Some(zero) = plot.x.at(0.0) {
            let x = plot.across(zero);
            canvas.line((x, plot.top), (x, plot.bottom), Stroke::solid(Ink::Text, 1.5));
        }
        legend.draw(canvas, (12.0, plot.bottom + 46.0), size.width() - 24.0);
    })
}

fn stack(canvas: &mut Canvas<'_>, plot: &Plot, (index, bar): (usize, &[u32]), names: &[String]) {
    let side = |index: usize| plot.x.clamped(100.0 * edge(index)).map(|share| plot.across(share));
    let (Some(left), Some(right)) = (side(index), side(index + 1)) else { return };
    let range = [edge(index), edge(index + 1)].map(format::signed_percent).join(" to ");
    let mut below = 0.0;
    for (place, count) in bar.iter().enumerate().filter(|(_, count)| **count > 0) {
        let above = below + f64::from(*count);
        let (Some(top), Some(bottom)) = (plot.y.clamped(above), plot.y.clamped(below)) else { return };
        let (top, bottom) = (plot.up(top), plot.up(bottom));
        let Look { ink, hatch, .. } = look(place);
        let name = names.get(place).map_or("", String::as_str);
        let read = format!("{range}, {name}: {} rows", format::grouped(f64::from(*count)));
        canvas.bar((left + 0.5, top), (right - left - 1.0, bottom - top), (ink, hatch), read);
        below = above;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_its_bar() {
        assert_eq!(bar(0.0), Some(BARS / 2));
        assert_eq!(bar(-1e-9), Some(BARS / 2 - 1));
        assert_eq!((bar(-1.0), bar(9.0)), (Some(0), Some(BARS - 1)));
        assert_eq!((bar(f64::NAN), bar(-1.1), bar(f64::INFINITY)), (None, None, None));
        assert!((edge(BARS / 2)).abs() < 1e-12 && (edge(BARS) - REACH).abs() < 1e-12);
    }
}
