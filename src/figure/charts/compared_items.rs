//! Charts that compare questions item by item: accelerators, process nodes.

use super::compared::{Compared, push, sided};
use crate::figure::frame::clusters::{Cluster, Clusters};
use crate::figure::frame::places::{PlacedLine, Places};
use crate::figure::frame::plot::Scale;
use crate::figure::frame::{Size, positive};
use crate::figure::{Cell, Figure, Table};
use crate::units::format::times;
use crate::units::{Seconds, format};

/// A question's value of one item.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemValue {
    /// Name of the item, e.g. `H100 SXM`.
    pub item: String,
    /// Value.
    pub value: f64,
    /// Link to the question behind the value, without `#`; empty if it opens none.
    pub link: String,
}

type Side = Compared<Vec<ItemValue>>;

/// Figure of speed-ups over each question's first accelerator: a cluster of bars for each accelerator.
pub fn compared_speedups(sides: &[Side], size: Size) -> Figure {
    let finding = best(sides, |a, b| a > b).map_or_else(String::new, |(side, most)| {
        let first = side.of.first().map_or("", |first| &first.item);
        format!("{} gains most: {} trains it {} as fast as {first}.", side.name, most.item, times(most.value))
    });
    let items = items(sides);
    let clusters = Clusters {
        title: "Tokens per second per GPU, relative to the first accelerator",
        series: sides.iter().map(|side| side.name.as_str()).collect(),
        items: items
            .iter()
            .map(|item| Cluster {
                name: item,
                bars: sides
                    .iter()
                    .map(|side| of(side, item).map(|found| (found.value, &*found.link)))
                    .collect(),
            })
            .collect(),
        value: &times,
    };
    let drawing = clusters.drawing(&finding, size);
    Figure {
        id: "compared-speedups".into(),
        title: "How much faster each generation trains".to_owned(),
        finding,
        table: table(("Accelerator", "×"), sides, &items, &times),
        assumptions: vec![
            "Each accelerator is at its own best, relative to the best of the question's first accelerator"
                .to_owned(),
        ],
        ..drawing.into()
    }
}

/// Figure of time on the best accelerator of each process node: a line for each question.
pub fn compared_nodes(sides: &[Side], size: Size) -> Figure {
    let time = |seconds: f64| format::time(Seconds::new(seconds));
    let finding = best(sides, |a, b| a < b).map_or_else(String::new, |(side, least)| {
        format!("{} takes least: {} on {}.", side.name, time(least.value), least.item)
    });
    let items = items(sides);
    let points = |side: &Side| {
        let places = items.iter().enumerate();
        let points = places.filter_map(|(place, item)| Some((place as f64, of(side, item)?.value)));
        points.filter(|(_, value)| positive(*value)).collect()
    };
    let places = Places {
        title: "Process node",
        names: items.clone(),
        y: Scale::time("Time"),
        lines: sides.iter().map(|side| PlacedLine { name: &side.name, points: points(side) }).collect(),
    };
    let drawing = places.drawing(&finding, size);
    Figure {
        id: "compared-nodes".into(),
        title: "Time with each process node".to_owned(),
        finding,
        table: table(("Node", "s"), sides, &items, &time),
        assumptions: vec![
            "Every point is the best accelerator for its question at the question's area, power, memory and links"
                .to_owned(),
            "Time is that of the question's task: a training step, a prefill or a decode step".to_owned(),
        ],
        ..drawing.into()
    }
}

/// The items of all questions. Those that only later questions have stand before the items that follow them there.
fn items(sides: &[Side]) -> Vec<&str> {
    let mut items: Vec<&str> = Vec::new();
    for side in sides {
        let mut next = 0;
        for ItemValue { item, .. } in &side.of {
            let known = items.iter().position(|known| known == item);
            let place = known.unwrap_or_else(|| {
                items.insert(next, item);
                next
            });
            next = place + 1;
        }
    }
    items
}

fn of<'a>(side: &'a Side, item: &str) -> Option<&'a ItemValue> {
    side.of.iter().find(|found| found.item == item)
}

/// The value that is better than all others, with its question.
fn best(sides: &[Side], better: impl Fn(f64, f64) -> bool) -> Option<(&Side, &ItemValue)> {
    let all = sides.iter().flat_map(|side| side.of.iter().map(move |found| (side, found)));
    let drawn = all.filter(|(_, found)| positive(found.value));
    drawn.reduce(|best, other| if better(other.1.value, best.1.value) { other } else { best })
}

fn table(
    (first, unit): (&'static str, &'static str),
    sides: &[Side],
    items: &[&str],
    text: &dyn Fn(f64) -> String,
) -> Table {
    let mut table = sided(first, unit, sides);
    let cell = |found: &ItemValue| {
        let cell = Cell::number(found.value, text(found.value));
        if found.link.is_empty() { cell } else { cell.opening(&found.link) }
    };
    for item in items {
        push(&mut table, item, sides.iter().map(|side| of(side, item).map_or_else(Cell::none, cell)));
    }
    table
}
