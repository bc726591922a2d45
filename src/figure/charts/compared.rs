//! Charts that compare questions: terms of time, memory, and curves.

use crate::estimate::{Footprint, Term};
use crate::figure::frame::lines::{Line, Lines};
use crate::figure::frame::plot::Scale;
use crate::figure::frame::stacks::{Stack, Stacks};
use crate::figure::frame::{Size, brief, positive, within};
use crate::figure::{Cell, Column, Figure, Row, Table};
use crate::order;
use crate::units::{Amount, Bytes, Seconds, Unit, format};

/// One of the questions.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared<T> {
    /// Short name, unique within the comparison, e.g. `2. tensor 4 GPUs`.
    pub name: String,
    /// Link to the question, without `#`.
    pub link: String,
    /// The data to draw.
    pub of: T,
}

/// A point of a question's curve.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoint {
    /// Coordinates.
    pub at: (f64, f64),
    /// Configuration, e.g. `64 concurrent requests`.
    pub what: String,
    /// Link to the question with this configuration, without `#`.
    pub link: String,
}

/// Quantity of an axis of curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurveAxis<'a> {
    /// Title.
    pub title: &'a str,
    /// Unit of the values: seconds, a count, US dollars (of a vertical axis) or none.
    pub unit: Unit,
}

impl<'a> CurveAxis<'a> {
    fn is_time(self) -> bool {
        self.unit == Unit::Seconds
    }

    fn scale(self, number: &'a dyn Fn(f64) -> String) -> Scale<'a> {
        if self.is_time() { Scale::time(self.title) } else { Scale::new(self.title, number) }
    }

    fn column(self) -> (&'a str, Option<&'static str>) {
        (self.title, self.is_time().then_some("s"))
    }

    fn cell(self, value: f64) -> Cell {
        Cell::amount(Amount::new(value, self.unit))
    }
}

/// Maximum number of named parts of a bar; more colours are hard to tell apart.
const MOST_PARTS: usize = 6;
/// Name of the part that collects the smaller ones.
const OTHER: &str = "Other";

/// Stacked bars of time by term, one for each question.
pub fn compared_terms((id, title): (&'static str, &str), sides: &[Compared<&[Term]>], size: Size) -> Figure {
    let time_of = |side: &Compared<&[Term]>, label: &str| -> f64 {
        side.of.iter().filter(|term| term.label == label).map(|term| term.time.get()).sum()
    };
    let labels = by_size(sides.iter().flat_map(|side| side.of).map(|term| (term.label, term.time.get())));
    let (shown, rest) = labels.split_at(labels.len().min(MOST_PARTS));
    let total = |side: &Compared<&[Term]>| side.of.iter().map(|term| term.time.get()).sum::<f64>();
    let parts_of = |side: &Compared<&[Term]>| -> Vec<f64> {
        let other = (!rest.is_empty()).then(|| rest.iter().map(|label| time_of(side, label)).sum());
        shown.iter().map(|label| time_of(side, label)).chain(other).collect()
    };
    let stacks = Stacks {
        parts: shown.iter().copied().chain((!rest.is_empty()).then_some(OTHER)).collect(),
        rows: sides
            .iter()
            .map(|side| Stack {
                name: &side.name,
                parts: parts_of(side),
                whole: Some(total(side)),
                mark: None,
                link: &side.link,
            })
            .collect(),
        scale: Scale::time("Time"),
        value: &time,
        mark: "",
    };
    let finding = difference(sides, &total, &labels, &time_of);
    let drawing = stacks.drawing(&finding, size);
    let mut table = sided("Term", "s", sides);
    let cell = |value: f64| Cell::number(value, time(value));
    for label in &labels {
        push(&mut table, label, sides.iter().map(|side| cell(time_of(side, label))));
    }
    push(&mut table, "Total", sides.iter().map(|side| cell(total(side))));
    Figure {
        id: id.into(),
        title: title.to_owned(),
        finding,
        table,
        assumptions: vec!["Terms are exposed time: they do not overlap, and add up to the total".to_owned()],
        ..drawing.into()
    }
}

/// Figure of the memory of the fullest GPU by class, a bar for each question, with capacities as marks.
pub fn compared_memory(sides: &[Compared<Footprint>], size: Size) -> Figure {
    let classes: Vec<&str> = sides
        .first()
        .map_or_else(Vec::new, |side| side.of.classes().iter().map(|(label, _)| *label).collect());
    let used: Vec<&str> = classes
        .into_iter()
        .filter(|label| sides.iter().any(|side| positive(class(&side.of, label).get())))
        .collect();
    let share = |side: &Compared<Footprint>| side.of.total() / side.of.capacity;
    let fullest = sides.iter().max_by(|a, b| share(a).total_cmp(&share(b)));
    let filled = |side: &Compared<Footprint>| {
        let [total, capacity] = [side.of.total(), side.of.capacity].map(format::memory);
        format!("{total} of {capacity} ({})", format::percent(share(side)))
    };
    let finding = fullest.map_or_else(String::new, |side| {
        let filled_by_it = filled(side);
        if sides.len() > 1 && sides.iter().all(|other| filled(other) == filled_by_it) {
            format!("Each question fills {filled_by_it}.")
        } else {
            format!("{} fills its GPUs most: {filled_by_it}.", side.name)
        }
    });
    let stacks = Stacks {
        parts: used.clone(),
        rows: sides
            .iter()
            .map(|side| Stack {
                name: &side.name,
                parts: used.iter().map(|label| class(&side.of, label).to_gib()).collect(),
                whole: Some(side.of.total().to_gib()),
                mark: Some(side.of.capacity.to_gib()),
                link: &side.link,
            })
            .collect(),
        scale: Scale::new("Memory (GiB)", &|value| brief(&format::digits(value))),
        value: &|value| format!("{} GiB", format::digits(value)),
        mark: "Capacity",
    };
    let drawing = stacks.drawing(&finding, size);
    let mut table = sided("Part", "GiB", sides);
    let cell = |bytes: Bytes| Cell::number(bytes.to_gib(), format::memory(bytes));
    for label in &used {
        push(&mut table, label, sides.iter().map(|side| cell(class(&side.of, label))));
    }
    push(&mut table, "Total", sides.iter().map(|side| cell(side.of.total())));
    push(&mut table, "Capacity", sides.iter().map(|side| cell(side.of.capacity)));
    Figure {
        id: "compared-memory".into(),
        title: "Memory of the fullest GPU".to_owned(),
        finding,
        table,
        assumptions: vec!["1 GiB is 2³⁰ bytes".to_owned()],
        ..drawing.into()
    }
}

/// Figure of curves, one for each question.
pub fn compared_curves(
    (id, title): (&'static str, &str),
    (x, y): (CurveAxis<'_>, CurveAxis<'_>),
    sides: &[Compared<Vec<CurvePoint>>],
    (finding, assumption): (String, &str),
    size: Size,
) -> Figure {
    let number = |value: f64| brief(&format::digits(value));
    let amount = |value: f64| brief(&Amount::new(value, y.unit).to_string());
    let chart = Lines {
        x: x.scale(&number),
        y: y.scale(&amount),
        curves: sides
            .iter()
            .map(|side| Line {
                name: side.name.clone(),
                points: side.of.iter().map(|point| point.at).collect(),
                opens: side.of.iter().map(|point| (point.what.clone(), point.link.clone())).collect(),
            })
            .collect(),
        marks: Vec::new(),
        pinned: Vec::new(),
        dots: None,
        limits: Vec::new(),
        posts: Vec::new(),
    };
    let drawing = chart.drawing(size, &finding);
    let mut table = Table::new([("Question", None), ("Configuration", None), x.column(), y.column()]);
    for side in sides {
        for CurvePoint { at, what, link } in &side.of {
            table.push([Cell::text(&side.name), Cell::text(what).opening(link), x.cell(at.0), y.cell(at.1)]);
        }
    }
    Figure {
        id: id.into(),
        title: title.to_owned(),
        finding,
        table,
        assumptions: vec![assumption.to_owned()],
        ..drawing.into()
    }
}

/// Labels with a positive sum, the largest first.
fn by_size<'a>(terms: impl Iterator<Item = (&'a str, f64)>) -> Vec<&'a str> {
    let mut sums: Vec<(&str, f64)> = Vec::new();
    for (label, time) in terms.filter(|(_, time)| positive(*time)) {
        match sums.iter_mut().find(|(known, _)| *known == label) {
            Some((_, sum)) => *sum += time,
            None => sums.push((label, time)),
        }
    }
    order::sort(&mut sums, |a, b| b.1.total_cmp(&a.1));
    sums.into_iter().map(|(label, _)| label).collect()
}

/// States how much faster the fastest question is than the slowest, and in which term they differ most.
fn difference(
    sides: &[Compared<&[Term]>],
    total: &dyn Fn(&Compared<&[Term]>) -> f64,
    labels: &[&str],
    time_of: &dyn Fn(&Compared<&[Term]>, &str) -> f64,
) -> String {
    let fastest = sides.iter().min_by(|a, b| total(a).total_cmp(&total(b)));
    let slowest = sides.iter().max_by(|a, b| total(a).total_cmp(&total(b)));
    let (Some(fastest), Some(slowest)) = (fastest, slowest) else { return String::new() };
    let (least, most) = (total(fastest), total(slowest));
    if sides.len() < 2 || !positive(least) {
        return format!("{} takes {}.", fastest.name, time(least));
    }
    if most <= least {
        return format!("Each takes {}.", time(least));
    }
    let apart = |label: &str| time_of(slowest, label) - time_of(fastest, label);
    let cause = labels.iter().copied().max_by(|a, b| apart(a).abs().total_cmp(&apart(b).abs()));
    let cause = cause.map_or_else(String::new, |label| {
        let (from, to) = (time_of(fastest, label), time_of(slowest, label));
        format!("; they differ most in {} ({} instead of {})", within(label), time(to), time(from))
    });
    format!(
        "{} takes {}, {} the {} of {}{cause}.",
        slowest.name,
        time(most),
        format::times(most / least),
        time(least),
        fastest.name,
    )
}

fn time(seconds: f64) -> String {
    format::time(Seconds::new(seconds))
}

fn class(footprint: &Footprint, label: &str) -> Bytes {
    footprint.classes().into_iter().find(|(known, _)| *known == label).map_or(Bytes::ZERO, |(_, bytes)| bytes)
}

/// A table with a column for each question.
pub(super) fn sided<T>(first: &'static str, unit: &'static str, sides: &[Compared<T>]) -> Table {
    let mut table = Table::new([(first, None)]);
    table.columns.extend(sides.iter().map(|side| Column::of(&side.name, unit)));
    table
}

/// Adds a row of one cell for each question.
pub(super) fn push(table: &mut Table, label: &str, cells: impl Iterator<Item = Cell>) {
    let cells: Vec<Cell> = std::iter::once(Cell::text(label)).chain(cells).collect();
    table.rows.push(Row::from(cells));
}
