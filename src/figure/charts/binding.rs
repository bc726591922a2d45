//! Charts of limiting resources: a map over process nodes and memories, and stacked shares over machines.

use crate::estimate::{Binding, Shares};
use crate::figure::backend::{Hatch, Ink, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Drawing, draw};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::tick_labels::Level;
use crate::figure::frame::ticks::Grid;
use crate::figure::frame::typography::{Align, Type};
use crate::figure::frame::{Size, blank, within};
use crate::figure::{Cell, Figure, Table};
use crate::generations::frontier::NodeCurve;
use crate::units::format;

const fn style(binding: Binding) -> (Ink, Hatch) {
    match binding {
        Binding::Compute => (Ink::Series(1), Hatch::Plain),
        Binding::Power => (Ink::Series(2), Hatch::Rising),
        Binding::Dram => (Ink::Series(3), Hatch::Level),
        Binding::L2 => (Ink::Series(4), Hatch::Crossed),
        Binding::ScaleUp => (Ink::Series(5), Hatch::Falling),
        Binding::ScaleOut => (Ink::Series(6), Hatch::Upright),
        Binding::Pipeline => (Ink::Series(7), Hatch::Plain),
        Binding::Launch => (Ink::Series(8), Hatch::Rising),
    }
}

/// Name of the limiting resource in a cell. The legend explains abbreviations.
const fn short(binding: Binding, size: Size) -> &'static str {
    match (size, binding) {
        (Size::Wide, _) => binding.name(),
        (Size::Narrow, Binding::Compute) => "C",
        (Size::Narrow, Binding::Power) => "P",
        (Size::Narrow, Binding::Dram) => "D",
        (_, Binding::Compute) => "Comp.",
        (_, Binding::Power) => "Power",
        (_, Binding::Dram) => "DRAM",
        (_, Binding::L2) => "L2",
        (_, Binding::ScaleUp) => "Up",
        (_, Binding::ScaleOut) => "Out",
        (_, Binding::Pipeline) => "Pipe",
        (_, Binding::Launch) => "L",
    }
}

/// Common alphabetic prefix of the names, e.g. `HBM` of HBM2 and HBM3E; empty if a name has nothing after it.
fn common<'a>(names: &[&'a str]) -> &'a str {
    let Some(first) = names.first() else { return "" };
    let letters = first.find(|letter: char| !letter.is_alphabetic()).unwrap_or(0);
    let prefix = &first[..letters];
    let shared = names.len() > 1 && names.iter().all(|name| name.len() > letters && name.starts_with(prefix));
    if shared { prefix } else { "" }
}

/// A share that can be drawn as a length.
fn length(share: f64) -> f64 {
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

fn legend(used: impl Fn(Binding) -> bool) -> Legend {
    let mut legend = Legend::default();
    for binding in Binding::ALL.into_iter().filter(|binding| used(*binding)) {
        let (ink, hatch) = style(binding);
        legend.push(Key::Area(ink, hatch), binding.name());
    }
    legend
}

const TOP: f64 = 30.0;
/// Maximum number of legible rows, and of columns.
const MOST_ROWS: usize = 24;
const MOST_COLUMNS: usize = 8;

/// Figure of the resource that binds most of a workload's time, on the best accelerator of each process node and memory
/// (or kind of links).
pub fn binding_map(workload: &str, lines: &[NodeCurve], size: Size) -> Figure {
    let columns = &lines[..lines.len().min(MOST_COLUMNS)];
    let rows = columns.iter().map(|line| line.points.len()).max().unwrap_or(0).min(MOST_ROWS);
    let at = |row: usize, column: &NodeCurve| column.points.get(row)?.as_ref().map(|point| point.binding);
    let found = || (0..rows).flat_map(|row| columns.iter().filter_map(move |column| at(row, column)));
    let finding = map_finding(workload, found().map(|shares| shares.largest()));
    let node = |row: usize| {
        let point = columns.iter().find_map(|line| line.points.get(row)?.as_ref());
        point.map_or("", |point| point.node.as_str())
    };
    let drawing = if found().next().is_some() {
        let mut key = Legend::default();
        let binds = |binding: &Binding| found().any(|shares| shares.largest() == *binding);
        for binding in Binding::ALL.into_iter().filter(binds) {
            let meaning = match short(binding, size) {
                name if name == binding.name() => name.to_owned(),
                name => format!("{name}: {}", within(binding.name())),
            };
            key.push(Key::Area(style(binding).0, Hatch::Plain), meaning);
        }
        let (left, heading) = match size {
            Size::Wide | Size::Medium => (64.0, Type::label()),
            Size::Narrow => (44.0, Type::small(Ink::Text)),
        };
        let (width, pitch) = (size.width(), 34.0);
        let cell = (width - left - 12.0) / columns.len() as f64;
        let bottom = TOP + pitch * rows as f64;
        let height = bottom + 12.0 + key.height(width - 24.0) + 4.0;
        draw((width, height), &finding, |canvas| {
            let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
            // If a head is wider than its column, the common prefix is drawn once, left of all heads.
            let cramped = names.iter().any(|name| heading.width(name) > cell - 4.0);
            let prefix = if cramped { common(&names) } else { "" };
            if !prefix.is_empty() {
                canvas.text((left - 8.0, TOP / 2.0), prefix, heading.align(Align::Right));
            }
            let heading = heading.align(Align::Centre);
            for (place, name) in names.iter().enumerate() {
                let middle = left + cell * (place as f64 + 0.5);
                let name = heading.fit(&name[prefix.len()..], cell - 4.0);
                canvas.text((middle, TOP / 2.0), &name, heading);
            }
            for row in 0..rows {
                let top = TOP + pitch * row as f64;
                let name = Type::label().align(Align::Right);
                canvas.text((left - 8.0, top + pitch / 2.0), &name.fit(node(row), left - 12.0), name);
                for (place, column) in columns.iter().enumerate() {
                    let corner = (left + cell * place as f64 + 1.0, top + 1.0);
                    let area = (cell - 2.0, pitch - 2.0);
                    canvas.outline(corner, area, Stroke::solid(Ink::Grid, 1.0));
                    let label = Type::small(Ink::Text);
                    let Some(shares) = at(row, column) else {
                        let none = label.fit("–", cell);
                        canvas.text((corner.0 + 6.0, top + pitch / 2.0), &none, label);
                        continue;
                    };
                    let binding = shares.largest();
                    let (ink, _) = style(binding);
                    let percent = format::percent(length(shares.get(binding)));
                    let read = format!(
                        "{}, {}: {} for {percent} of the time",
                        node(row),
                        column.name,
                        within(binding.name())
                    );
                    canvas.area(corner, area, read, "");
                    // The bar below the name has the length of the resource's share of the time.
                    let share = length(shares.get(binding));
                    canvas.rectangle(
                        (corner.0, corner.1 + area.1 - 6.0),
                        (area.0 * share, 6.0),
                        ink,
                        Hatch::Plain,
                    );
                    let name = label.fit(short(binding, size), cell - 8.0);
                    canvas.text((corner.0 + 4.0, corner.1 + 13.0), &name, label);
                }
            }
            key.draw(canvas, (12.0, bottom + 12.0), width - 24.0);
        })
    } else {
        blank(size, &finding)
    };
    let cells = columns.iter().flat_map(|line| line.points.iter().take(MOST_ROWS).flatten());
    let rows =
        cells.map(|point| (format!("{}, {}, {}", point.node, point.memory, point.fabric), point.binding));
    Figure {
        id: "binding-map".into(),
        title: format!("{workload}: limiting resource by node and memory or links"),
        finding,
        table: table("Accelerator", rows),
        assumptions: vec![
            "Every cell is the best accelerator for this workload at equal area, power and die edge"
                .to_owned(),
            "A cell's bar is the share of time that the named resource limits".to_owned(),
        ],
        ..drawing.into()
    }
}

fn map_finding(workload: &str, found: impl Iterator<Item = Binding>) -> String {
    let mut counts = [0_usize; Binding::ALL.len()];
    let mut cells = 0;
    for binding in found {
        counts[binding as usize] += 1;
        cells += 1;
    }
    let most = Binding::ALL.into_iter().max_by_key(|binding| counts[*binding as usize]);
    match most {
        Some(binding) if cells > 0 => format!(
            "{workload} is limited by {} on {} of {cells} accelerators.",
            within(binding.name()),
            counts[binding as usize]
        ),
        _ => format!("{workload} fits on none of the accelerators."),
    }
}

/// Shares of a workload's time by limiting resource, one row per machine.
pub fn binding_shares(workload: &str, machines: &[(String, Shares)], size: Size) -> Figure {
    let shown = &machines[..machines.len().min(MOST_ROWS)];
    let finding = shares_finding(workload, shown);
    let sums = |shares: &Shares| shares.parts().map(|(_, share)| length(share)).sum::<f64>();
    let drawable = shown.iter().any(|(_, shares)| sums(shares) > 0.0);
    let drawing = if drawable { stack(shown, &finding, size) } else { blank(size, &finding) };
    Figure {
        id: "binding-shares".into(),
        title: format!("{workload}: limiting resource on each machine"),
        finding,
        table: table("Machine", machines.iter().cloned()),
        assumptions: vec!["The whole time of an operator counts for the resource that limits it".to_owned()],
        ..drawing.into()
    }
}

fn stack(machines: &[(String, Shares)], finding: &str, size: Size) -> Drawing {
    let (left, right, pitch, bar) = match size {
        Size::Wide => (196.0, 776.0, 30.0, 15.0),
        Size::Medium | Size::Narrow => (18.0, size.width() - 24.0, 42.0, 29.0),
    };
    let key = legend(|binding| machines.iter().any(|(_, shares)| length(shares.get(binding)) > 0.0));
    let width = size.width();
    let top = 8.0;
    let bottom = top + pitch * machines.len() as f64;
    let height = bottom + 44.0 + key.height(width - 24.0) + 4.0;
    let axis = Axis::linear(0.0, 1.0);
    draw((width, height), finding, |canvas| {
        let muted = Type::small(Ink::Muted).align(Align::Centre);
        // Five steps of 20 %.
        let each = (right - left) / 5.5;
        Level { axis, grid: Grid::Decimal, each, ends: (left, right), lines: (top, bottom), below: 12.0 }
            .draw(canvas, &|share| format!("{} %", format::grouped(share * 100.0)));
        canvas.text((f64::midpoint(left, right), bottom + 30.0), "Share of the time", muted);
        for (row, (name, shares)) in machines.iter().enumerate() {
            let row_top = top + pitch * row as f64;
            let label = Type::label();
            match size {
                Size::Wide => {
                    let name = label.fit(name, left - 16.0);
                    canvas.text((left - 8.0, row_top + bar), &name, label.align(Align::Right));
                }
                Size::Medium | Size::Narrow => {
                    canvas.text((left, row_top + 10.0), &label.fit(name, right - left), label);
                }
            }
            let mut from = 0.0;
            for (binding, share) in shares.parts() {
                let share = length(share).min(1.0 - from);
                let corner = (left + from * (right - left), row_top + bar - 8.0);
                let read = format!("{name}, {}: {}", within(binding.name()), format::percent(share));
                canvas.bar(corner, (share * (right - left), 16.0), style(binding), read);
                from += share;
            }
        }
        key.draw(canvas, (12.0, bottom + 40.0), width - 24.0);
    })
}

fn shares_finding(workload: &str, machines: &[(String, Shares)]) -> String {
    let says = |(name, shares): &(String, Shares)| {
        let binding = shares.largest();
        let share = format::percent(length(shares.get(binding)));
        format!("{share} of the time by {} on {name}", within(binding.name()))
    };
    match machines {
        [] => format!("{workload} runs on none of the machines."),
        [only] => format!("{workload} is limited {}.", says(only)),
        [first, .., last] => format!("{workload} is limited {}, and {}.", says(first), says(last)),
    }
}

fn table(what: &str, rows: impl Iterator<Item = (String, Shares)>) -> Table {
    let name = |binding: Binding| (binding.name(), Some("%"));
    let [a, b, c, d, e, f, g, h] = Binding::ALL.map(name);
    let mut table = Table::new([(what, None), a, b, c, d, e, f, g, h]);
    for (machine, shares) in rows {
        let cell = |binding| {
            let share: f64 = shares.get(binding);
            Cell::number(share * 100.0, format::percent(share))
        };
        let [a, b, c, d, e, f, g, h] = Binding::ALL.map(cell);
        table.push([Cell::text(machine), a, b, c, d, e, f, g, h]);
    }
    table
}
