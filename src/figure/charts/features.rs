//! Days of training against two features of a system.

use crate::figure::backend::{Dash, Ink, Marker, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Drawing, draw};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::{Size, blank, brief, positive};
use crate::figure::{Cell, Column, Figure, Table};
use crate::published::subramanian::{Feature, Map};
use crate::units::format;

/// Texts about a feature.
struct About {
    /// Machine names for each of the authors' two runs, and for any other job.
    ids: [&'static str; 3],
    title: &'static str,
    /// The level axis.
    across: &'static str,
    /// Unit inside a sentence.
    unit: &'static str,
    /// Parameter that distinguishes the lines.
    lines: &'static str,
}

const fn about(feature: Feature) -> About {
    match feature {
        Feature::Dram => About {
            ids: ["dram-llm", "dram-vit", "sweep-dram"],
            title: "DRAM bandwidth and capacity",
            across: "DRAM bandwidth (GB/s)",
            unit: "GB/s",
            lines: "GB",
        },
        Feature::Rate => About {
            ids: ["rate-llm", "rate-vit", "sweep-rate"],
            title: "arithmetic and DRAM capacity",
            across: "Matrix rate (TFLOP/s)",
            unit: "TFLOP/s",
            lines: "GB",
        },
        Feature::Domain => About {
            ids: ["domain-llm", "domain-vit", "sweep-domain"],
            title: "GPUs and scale-up domain",
            across: "GPUs",
            unit: "GPUs",
            lines: "GPUs per domain",
        },
    }
}

/// Figure of a run's days against a feature, with one line per value of the other feature and the best plan at each
/// point. `second` selects the second run's figure.
pub fn features(map: &Map, second: bool, size: Size) -> Figure {
    figure(map, usize::from(second), size, &|_, _| None)
}

/// Figure of a sweep for any job on any machine. `plan` gives the best plan of a row and column, and the link of its
/// question.
pub fn sweep(map: &Map, size: Size, plan: &dyn Fn(usize, usize) -> Option<(String, String)>) -> Figure {
    figure(map, 2, size, plan)
}

fn figure(
    map: &Map,
    which: usize,
    size: Size,
    plan: &dyn Fn(usize, usize) -> Option<(String, String)>,
) -> Figure {
    let About { ids, title, across, unit, lines } = about(map.feature);
    let finding = finding(map, unit, lines);
    let some = map.days.iter().flatten().any(|days| positive(*days));
    let drawing = if some {
        Chart::of(map, lines, size).drawing(across, &finding, plan)
    } else {
        blank(size, &finding)
    };
    let mut assumptions = vec![
        format!(
            "The model of arXiv 2410.00273 as its authors' code computes it, with {} for the rest",
            map.job.device
        ),
        format!("Each point is the fastest plan that fits of {}", strategies(map)),
    ];
    let domains = format!(
        "{} GPUs in scale-up domains of {}",
        format::grouped(f64::from(map.job.gpus)),
        map.job.domain
    );
    assumptions.push(match map.feature {
        Feature::Dram => domains,
        Feature::Rate => format!(
            "{domains}; DRAM bandwidth grows with capacity, and vector units with matrix units, as between A100, H200, \
             B200"
        ),
        Feature::Domain => {
            "Their plans fill domains completely, and no degree is a multiple of 9: of 72 GPUs 64 are used".to_owned()
        }
    });
    if drawn(map).count() < map.rows.len() {
        assumptions.push("Lines are drawn for some of the values; the data has all".to_owned());
    }
    Figure {
        id: ids[which].into(),
        title: format!("{}: days of training against {title}", map.job.name),
        finding,
        table: table(map, across, lines),
        assumptions,
        ..drawing.into()
    }
}

fn strategies(map: &Map) -> String {
    let names: Vec<&str> = map.job.methods.iter().map(|method| method.name()).collect();
    names.join(", ")
}

/// Maximum number of lines that can be distinguished.
const LINES: usize = 8;

/// The rows that are drawn, evenly from the first to the last.
fn drawn(map: &Map) -> impl Iterator<Item = usize> {
    let (rows, lines) = (map.rows.len(), map.rows.len().min(LINES));
    (0..lines).map(move |line| line * (rows - 1) / lines.saturating_sub(1).max(1))
}

fn days(value: f64) -> String {
    format!("{} days", format::digits(value))
}

/// Compares the corner with the least of both features with the corner with the most, as far as plans fit.
fn finding(map: &Map, unit: &str, lines: &str) -> String {
    let point = |index: usize| {
        let (row, column) = (index / map.columns.len(), index % map.columns.len());
        map.at(row, column).map(|days| (map.rows[row], map.columns[column], days))
    };
    let found = || (0..map.days.len()).filter_map(point);
    let (Some(least), Some(most)) = (found().next(), found().next_back()) else {
        return format!("Of {} points none has a plan that fits.", map.points());
    };
    let say = |(row, column, time): (f64, f64, f64)| {
        format!("{} with {} {unit} and {} {lines}", days(time), format::grouped(column), format::grouped(row))
    };
    format!("Training takes {}, and {}.", say(least), say(most))
}

fn table(map: &Map, across: &str, lines: &str) -> Table {
    let mut table = Table::new([(across, None)]);
    table.columns.extend(map.rows.iter().map(|row| Column {
        label: format!("{} {lines}", format::grouped(*row)),
        unit: Some("days".into()),
        ..Column::default()
    }));
    for (column, value) in map.columns.iter().enumerate() {
        let times = (0..map.rows.len()).map(|row| {
            map.at(row, column).map_or_else(Cell::none, |time| Cell::number(time, format::digits(time)))
        });
        table.rows.push(
            [Cell::number(*value, format::grouped(*value))]
                .into_iter()
                .chain(times)
                .collect::<Vec<_>>()
                .into(),
        );
    }
    table
}

struct Chart<'a> {
    map: &'a Map,
    size: Size,
    height: f64,
    plot: Plot,
    legend: Legend,
}

/// Lines differ in more than colour.
fn look(row: usize) -> (Stroke, Marker) {
    const DASHES: [Dash; 4] = [Dash::Solid, Dash::Long, Dash::Short, Dash::Dotted];
    const MARKERS: [Marker; 5] =
        [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Cross];
    let ink = Ink::Series((row % 8 + 1) as u8);
    (Stroke::solid(ink, 2.0).dashed(DASHES[row % DASHES.len()]), MARKERS[row % MARKERS.len()])
}

impl<'a> Chart<'a> {
    fn of(map: &'a Map, lines: &str, size: Size) -> Self {
        let mut legend = Legend::default();
        for (line, row) in drawn(map).enumerate() {
            let (stroke, marker) = look(line);
            let value = format::grouped(map.rows[row]);
            legend.push(Key::Point(marker, stroke.ink), format!("{value} {lines}"));
        }
        let legends = legend.height(size.width() - 24.0);
        let height = size.height() + legends;
        let plot = Plot {
            x: Axis::around(map.columns.iter().copied()).padded(0.03, 0.03),
            y: Axis::around(map.days.iter().flatten().copied()).padded(0.06, 0.06),
            left: Plot::margin(size),
            right: size.width() - MARGIN,
            top: 24.0,
            bottom: height - 48.0 - legends,
        };
        Self { map, size, height, plot, legend }
    }

    fn drawing(
        &self,
        across: &str,
        finding: &str,
        plan: &dyn Fn(usize, usize) -> Option<(String, String)>,
    ) -> Drawing {
        draw((self.size.width(), self.height), finding, |canvas| {
            let value = |value: f64| brief(&format::grouped(value));
            let time = |value: f64| brief(&format::digits(value));
            let x = Scale::new(across, &value);
            let y = Scale::new("Days", &time);
            self.plot.axes(canvas, &x, &y);
            for (line, row) in drawn(self.map).enumerate() {
                let (stroke, marker) = look(line);
                let points = || {
                    let columns = self.map.columns.iter().enumerate();
                    columns.filter_map(|(column, value)| Some((*value, self.map.at(row, column)?)))
                };
                self.plot.curve(canvas, points(), stroke);
                let name = format::grouped(self.map.rows[row]);
                for (column, value) in self.map.columns.iter().enumerate() {
                    if let Some(days) = self.map.at(row, column) {
                        let opens = plan(row, column).unwrap_or_default();
                        self.plot.open_on_line(canvas, &name, (*value, days), (&x, &y), opens);
                    }
                }
                for (value, days) in points() {
                    if let Some(at) = self.plot.place(value, days) {
                        canvas.marker(at, marker, stroke.ink, 4.0);
                    }
                }
            }
            self.legend.draw(canvas, (12.0, self.plot.bottom + 46.0), self.size.width() - 24.0);
        })
    }
}
