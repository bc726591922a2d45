//! Predicted against measured, one mark for each row.

use std::borrow::Cow;

use crate::figure::backend::{Dash, Ink, Marker, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::groups::{Groups, Look, look};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::typography::{Align, Type};
use crate::figure::frame::{Size, blank, brief, positive};
use crate::figure::{Cell, Figure, Table};
use crate::units::format;

/// A measured row and its prediction.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot<'a> {
    /// The row's name.
    pub name: &'a str,
    /// Group of the row, which sets the marker.
    pub group: &'a str,
    /// Published value.
    pub measured: f64,
    /// Predicted value.
    pub predicted: f64,
    /// False for a row that a constant was fitted on and for another program's output: drawn hollow, and left out of the
    /// statistics.
    pub counted: bool,
    /// Link of the row's question, without `#`; empty if it has none.
    pub link: Cow<'a, str>,
    /// True for the visitor's own measurement: drawn above the published rows, and counted nowhere.
    pub own: bool,
}

impl Dot<'_> {
    /// Prediction over measurement, minus one.
    pub fn error(&self) -> f64 {
        self.predicted / self.measured - 1.0
    }

    fn drawable(&self) -> bool {
        positive(self.measured) && positive(self.predicted)
    }
}

/// Measured quantity of a scatter plot: name, unit, and format of values.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// Name, e.g. `Training step`.
    pub name: &'static str,
    /// The unit of the values, e.g. `s`.
    pub unit: &'static str,
    /// A value with its unit.
    pub show: fn(f64) -> String,
}

/// Maximum number of marks; more would overlap and slow down the page.
const MOST: usize = 2000;

/// Predictions this close to the measurement count as near.
const NEAR: f64 = 0.2;

/// Predicted against measured on logarithmic axes, with the line of equality.
pub fn scatter(dots: &[Dot<'_>], measure: Measure, size: Size) -> Figure {
    let finding = finding(dots, measure);
    let (own, drawable): (Vec<&Dot<'_>>, Vec<&Dot<'_>>) =
        dots.iter().filter(|dot| dot.drawable()).partition(|dot| dot.own);
    // Evenly thinned, so that no group vanishes.
    let stride = drawable.len().div_ceil(MOST).max(1);
    let mut assumptions = vec![
        format!(
            "A mark on the line is predicted exactly; between the dashed lines the error is below {}",
            brief(&format::percent(NEAR))
        ),
        "Hollow marks are not counted: a constant was fitted on the row, or another program computed it"
            .to_owned(),
    ];
    if stride > 1 {
        assumptions.push(format!(
            "Of {} rows, one in {stride} is drawn; the statistics include all rows",
            format::grouped(drawable.len() as f64)
        ));
    }
    let drawing = if drawable.is_empty() {
        blank(size, &finding)
    } else {
        // The legend counts all rows, as the tables do.
        let groups = Groups::of(drawable.iter().map(|dot| dot.group));
        let shown: Vec<&Dot<'_>> = drawable.into_iter().step_by(stride).collect();
        Chart::of(&shown, &own, groups, measure, size).drawing(&finding)
    };
    Figure {
        id: "scatter".into(),
        title: format!("{}: predicted against measured", measure.name),
        finding,
        table: table(dots, measure),
        assumptions,
        ..drawing.into()
    }
}

fn finding(dots: &[Dot<'_>], measure: Measure) -> String {
    let errors: Vec<f64> = dots
        .iter()
        .filter(|dot| dot.drawable() && dot.counted && !dot.own)
        .map(|dot| dot.error().abs())
        .collect();
    if errors.is_empty() {
        return "There is no row to compare with.".to_owned();
    }
    let count = errors.len() as f64;
    let near = errors.iter().filter(|error| **error <= NEAR).count() as f64;
    format!(
        "{}: of {} rows that no constant was fitted on, {} are predicted within {}; the mean error is {}.",
        measure.name,
        format::grouped(count),
        format::percent(near / count),
        brief(&format::percent(NEAR)),
        format::percent(errors.iter().sum::<f64>() / count),
    )
}

fn table(dots: &[Dot<'_>], measure: Measure) -> Table {
    let mut table = Table::new([
        ("Row", None),
        ("Group", None),
        ("Measured", Some(measure.unit)),
        ("Predicted", Some(measure.unit)),
        ("Error", Some("%")),
        ("Counted", None),
    ]);
    for dot in dots {
        let value = |value: f64| Cell::number(value, (measure.show)(value));
        table.push([
            Cell::text(dot.name),
            Cell::text(dot.group),
            value(dot.measured),
            value(dot.predicted),
            Cell::number(100.0 * dot.error(), format::signed_percent(dot.error())),
            Cell::text(if dot.counted { "yes" } else { "no" }),
        ]);
    }
    table
}

struct Chart<'a> {
    dots: &'a [&'a Dot<'a>],
    own: &'a [&'a Dot<'a>],
    groups: Groups<'a>,
    measure: Measure,
    size: Size,
    height: f64,
    plot: Plot,
    legend: Legend,
}

/// The visitor's own measurement, larger than the published rows.
const OWN: (Marker, Ink) = (Marker::Diamond, Ink::Text);
const OWN_RADIUS: f64 = 7.0;

const EQUAL: Stroke = Stroke::solid(Ink::Text, 1.5);
const OFF: Stroke = Stroke::solid(Ink::Muted, 1.0).dashed(Dash::Long);

impl<'a> Chart<'a> {
    fn of(
        dots: &'a [&'a Dot<'a>],
        own: &'a [&'a Dot<'a>],
        groups: Groups<'a>,
        measure: Measure,
        size: Size,
    ) -> Self {
        let mut legend = Legend::default();
        for (name, Look { marker, ink, .. }) in groups.iter() {
            legend.push(Key::Point(marker, ink), name);
        }
        if !own.is_empty() {
            legend.push(Key::Point(OWN.0, OWN.1), "your measurement");
        }
        legend.push(Key::Line(EQUAL), "equal");
        legend.push(Key::Line(OFF), "20 % off");
        let legends = legend.height(size.width() - 24.0);
        let height = size.height() + legends;
        // One axis for both, so that the line of equality is the diagonal.
        let values = dots.iter().chain(own).flat_map(|dot| [dot.measured, dot.predicted]);
        let axis = Axis::around(values).padded(0.04, 0.04);
        let left = Plot::margin(size);
        let plot = Plot {
            x: axis,
            y: axis,
            left,
            right: size.width() - MARGIN,
            top: 24.0,
            bottom: height - 48.0 - legends,
        };
        Self { dots, own, groups, measure, size, height, plot, legend }
    }

    fn drawing(&self, finding: &str) -> Drawing {
        draw((self.size.width(), self.height), finding, |canvas| {
            let label = |value: f64| brief(&(self.measure.show)(value));
            // Times have their units at the ticks.
            let title = match self.measure.unit {
                "s" => "Measured".to_owned(),
                unit => format!("Measured ({unit})"),
            };
            let (x, y) = if self.measure.unit == "s" {
                (Scale::time(&title), Scale::time("Predicted"))
            } else {
                (Scale::new(&title, &label), Scale::new("Predicted", &label))
            };
            self.plot.axes(canvas, &x, &y);
            self.lines(canvas);
            let radius = if self.dots.len() > 300 { 3.0 } else { 4.5 };
            for dot in self.dots {
                let Some(at) = self.plot.place(dot.measured, dot.predicted) else { continue };
                let Look { marker, ink, .. } = look(self.groups.place(dot.group));
                canvas.marker(at, marker, ink, radius);
                if !dot.counted {
                    canvas.marker(at, marker, Ink::Paper, radius * 0.6);
                }
                canvas.open(at, self.read(dot), dot.link.to_string());
            }
            for dot in self.own {
                let Some(at) = self.plot.place(dot.measured, dot.predicted) else { continue };
                canvas.marker(at, OWN.0, Ink::Paper, OWN_RADIUS + 2.0);
                canvas.marker(at, OWN.0, OWN.1, OWN_RADIUS);
                canvas.open(at, self.read(dot), dot.link.to_string());
            }
            self.legend.draw(canvas, (12.0, self.plot.bottom + 46.0), self.size.width() - 24.0);
        })
    }

    /// Read-out of a row.
    fn read(&self, dot: &Dot<'_>) -> String {
        let [measured, predicted] = [dot.measured, dot.predicted].map(self.measure.show);
        let error = format::signed_percent(dot.error());
        format!("{}: measured {measured}, predicted {predicted} ({error})", dot.name)
    }

    fn lines(&self, canvas: &mut Canvas<'_>) {
        let (low, high) = (self.plot.x.low(), self.plot.x.high());
        for (factor, stroke) in [(1.0 - NEAR, OFF), (1.0 + NEAR, OFF), (1.0, EQUAL)] {
            // Each line from where it enters the square of the axes to where it leaves it.
            let from = low.max(low / factor);
            let to = high.min(high / factor);
            if let (Some(start), Some(end)) =
                (self.plot.place(from, from * factor), self.plot.place(to, to * factor))
            {
                canvas.line(start, end, stroke);
            }
        }
        let style = Type::small(Ink::Muted);
        let (left, top) = (self.plot.left + 8.0, self.plot.top + 12.0);
        canvas.text((left, top), "predicted too high", style);
        let (right, bottom) = (self.plot.right - 8.0, self.plot.bottom - 12.0);
        canvas.text((right, bottom), "predicted too low", style.align(Align::Right));
        // A mark of the hollow kind, next to what it means.
        if self.dots.iter().any(|dot| !dot.counted) {
            let text = "hollow: not counted";
            canvas.text((left + 14.0, top + 16.0), text, style);
            canvas.marker((left + 4.0, top + 16.0), Marker::Circle, Ink::Muted, 4.5);
            canvas.marker((left + 4.0, top + 16.0), Marker::Circle, Ink::Paper, 2.7);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_counts_rows_that_are_not_drawn_too() {
        let dot = |index: usize| Dot {
            name: "row",
            group: if index < 3000 { "many" } else { "few" },
            measured: 1.0 + index as f64,
            predicted: 2.0 + index as f64,
            counted: true,
            link: "".into(),
            own: false,
        };
        let dots: Vec<Dot<'_>> = (0..3500).map(dot).collect();
        let measure = Measure { name: "Training step", unit: "s", show: format::digits };
        let figure = scatter(&dots, measure, Size::Wide);
        assert!(
            figure.svg.contains("many (3,000)") && figure.svg.contains("few (500)"),
            "{:?}",
            figure.series
        );
        assert!(figure.assumptions.iter().any(|line| line.starts_with("Of 3,500 rows, one in 2 is drawn")));
    }
}
