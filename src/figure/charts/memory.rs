//! Chart of a GPU's memory by class, against its capacity.

use crate::estimate::Footprint;
use crate::figure::backend::{Dash, Hatch, Ink, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::legend::Key;
use crate::figure::frame::tick_labels::Level;
use crate::figure::frame::ticks::Grid;
use crate::figure::frame::typography::{Align, Type};
use crate::figure::frame::{Size, blank, brief, part_of, positive, within};
use crate::figure::{Cell, Figure, MOST_PINNED, Pinned, Table};
use crate::units::{Bytes, format};

/// Figure of the memory of the fullest GPU by class, stacked, against its capacity; below it that of pinned questions.
pub fn memory(footprint: &Footprint, pinned: &[Pinned<Footprint>], size: Size) -> Figure {
    let finding = finding(footprint);
    let drawing = if positive(footprint.total().get()) || positive(footprint.capacity.get()) {
        drawing(footprint, &pinned[..pinned.len().min(MOST_PINNED)], &finding, size)
    } else {
        blank(size, &finding)
    };
    Figure {
        id: "memory".into(),
        title: "Memory of the fullest GPU".to_owned(),
        finding,
        table: Pinned::tables(footprint, pinned, table),
        assumptions: vec!["1 GiB is 2³⁰ bytes".to_owned()],
        ..drawing.into()
    }
}

fn share(footprint: &Footprint, bytes: Bytes) -> String {
    format::percent(bytes / footprint.capacity)
}

fn finding(footprint: &Footprint) -> String {
    let total = footprint.total();
    let classes = footprint.classes();
    let Some((label, most)) = classes.iter().max_by(|a, b| a.1.get().total_cmp(&b.1.get())) else {
        return "Nothing is in memory.".to_owned();
    };
    let verdict = if footprint.fits() {
        format!("leaves {} free", format::memory(footprint.capacity - total))
    } else {
        format!("does not fit by {}", format::memory(total - footprint.capacity))
    };
    format!(
        "The fullest GPU needs {} of {} ({}) and {verdict}; the largest part is {} ({}).",
        format::memory(total),
        format::memory(footprint.capacity),
        share(footprint, total),
        within(label),
        format::memory(*most),
    )
}

fn table(footprint: &Footprint) -> Table {
    let mut table = Table::new([("Part", None), ("Memory", Some("GiB")), ("Of capacity", Some("%"))]);
    let total = ("Total", footprint.total());
    for (label, bytes) in footprint.classes().into_iter().chain([total, ("Capacity", footprint.capacity)]) {
        table.push([
            Cell::text(label),
            Cell::number(bytes.to_gib(), format::memory(bytes)),
            Cell::number(bytes / footprint.capacity * 100.0, share(footprint, bytes)),
        ]);
    }
    table
}

/// Styles of the classes, in the order of [`Footprint::classes`].
pub(super) const STYLES: [(Ink, Hatch); 6] = [
    (Ink::Series(1), Hatch::Plain),
    (Ink::Series(2), Hatch::Rising),
    (Ink::Series(3), Hatch::Falling),
    (Ink::Series(4), Hatch::Crossed),
    (Ink::Series(5), Hatch::Upright),
    (Ink::Series(7), Hatch::Level),
];

const TOP: f64 = 44.0;
const THICKNESS: f64 = 56.0;
const LEGEND: f64 = TOP + THICKNESS + 56.0;
const LINE: f64 = 24.0;

/// Height of a pinned question's bar with the space around it, of the bar, and of a line of its name.
const PINNED_PITCH: f64 = 35.0;
const PINNED_THICKNESS: f64 = 20.0;
const NAME: f64 = 15.0;

fn drawing(footprint: &Footprint, pinned: &[Pinned<Footprint>], finding: &str, size: Size) -> Drawing {
    let all = || std::iter::once(footprint).chain(pinned.iter().map(|pinned| &pinned.of));
    let used = |class: usize| all().any(|of| positive(of.classes()[class].1.get()));
    let parts: Vec<((Ink, Hatch), &str, Bytes)> = footprint
        .classes()
        .into_iter()
        .zip(STYLES)
        .enumerate()
        .filter(|(class, _)| used(*class))
        .map(|(_, ((label, bytes), style))| (style, label, bytes))
        .collect();
    // One more line for free memory.
    let columns = if size == Size::Wide { 2 } else { 1 };
    let lines = (parts.len() + 1).div_ceil(columns);
    let style = Type::small(Ink::Text);
    let name = |pinned: &Pinned<Footprint>| {
        let [used, of] = [pinned.of.total(), pinned.of.capacity].map(format::memory);
        style.two_lines(&format!("{used} of {of}, {}", pinned.label()), size.width() - 24.0)
    };
    let names: Vec<Vec<String>> = pinned.iter().map(name).collect();
    let below: f64 = names.iter().map(|lines| PINNED_PITCH + NAME * lines.len() as f64).sum();
    let legend = LEGEND + below;
    let height = legend + LINE * lines as f64 + 4.0;
    let extent = all().flat_map(|memory| [memory.total().to_gib(), memory.capacity.to_gib()]);
    let bar = Bar { axis: Axis::from_zero(extent).padded(0.0, 0.04), left: 12.0, right: size.width() - 12.0 };
    draw((size.width(), height), finding, |canvas| {
        bar.axis(canvas, (TOP - 6.0, TOP + THICKNESS + below + 6.0));
        bar.stack(canvas, footprint, (TOP, THICKNESS), "");
        bar.capacity(canvas, footprint);
        let mut top = TOP + THICKNESS + 4.0;
        for (pinned, lines) in pinned.iter().zip(&names) {
            for line in lines {
                top += NAME;
                canvas.text((bar.left, top), line, style);
            }
            let extent = (top + 11.0, PINNED_THICKNESS);
            bar.stack(canvas, &pinned.of, extent, &format!("{}, ", pinned.label()));
            bar.rest(canvas, &pinned.of, extent);
            top += PINNED_PITCH;
        }
        let free = footprint.capacity - footprint.total();
        let rest = if footprint.fits() {
            ("Free", free)
        } else {
            ("Over capacity", footprint.total() - footprint.capacity)
        };
        let keys = parts.iter().map(|((ink, hatch), label, bytes)| (Key::Area(*ink, *hatch), *label, *bytes));
        for (index, (key, label, bytes)) in keys.chain([(Key::Outline(OUTLINE), rest.0, rest.1)]).enumerate()
        {
            let x = bar.left + (index / lines) as f64 * size.width() / 2.0;
            let y = legend + LINE * ((index % lines) as f64 + 0.5);
            key.draw(canvas, (x, y));
            canvas.text((x + 34.0, y), &part(footprint, label, bytes), Type::label());
        }
    })
}

/// A part of the memory with its share of the capacity.
pub(super) fn part(footprint: &Footprint, label: &str, bytes: Bytes) -> String {
    format!("{label}: {} ({})", format::memory(bytes), part_of(bytes / footprint.capacity))
}

/// Outline of free memory.
pub(super) const OUTLINE: Stroke = Stroke::solid(Ink::Text, 1.25).dashed(Dash::Short);

/// Axis and extent of a bar of memory.
pub(super) struct Bar {
    pub(super) axis: Axis,
    pub(super) left: f64,
    pub(super) right: f64,
}

impl Bar {
    pub(super) fn x(&self, gib: f64) -> f64 {
        self.left + self.axis.clamped(gib).unwrap_or(0.0) * (self.right - self.left)
    }

    /// Draws grid lines between two heights, with the axis below.
    pub(super) fn axis(&self, canvas: &mut Canvas<'_>, (top, bottom): (f64, f64)) {
        let style = Type::small(Ink::Muted).align(Align::Centre);
        let (ends, lines) = ((self.left, self.right), (top, bottom));
        Level { axis: self.axis, grid: Grid::Decimal, each: 60.0, ends, lines, below: 10.0 }
            .draw(canvas, &|gib| brief(&format::digits(gib)));
        canvas.text((f64::midpoint(self.left, self.right), bottom + 30.0), "Memory (GiB)", style);
    }

    /// Draws the classes of a memory, stacked from `top`. `whose` precedes their read-outs.
    pub(super) fn stack(
        &self,
        canvas: &mut Canvas<'_>,
        memory: &Footprint,
        (top, thickness): (f64, f64),
        whose: &str,
    ) {
        let mut start = 0.0;
        for ((label, bytes), style) in memory.classes().into_iter().zip(STYLES) {
            if !positive(bytes.get()) {
                continue;
            }
            let end = start + bytes.to_gib();
            let (from, to) = (self.x(start), self.x(end));
            let read = format!("{whose}{}", part(memory, label, bytes));
            canvas.bar((from, top), (to - from, thickness), style, read);
            // A gap separates neighbours of similar colour.
            canvas.line((to, top), (to, top + thickness), Stroke::solid(Ink::Paper, 1.5));
            start = end;
        }
    }

    /// Draws the capacity of a stacked memory, and an outline around what is free.
    pub(super) fn rest(&self, canvas: &mut Canvas<'_>, memory: &Footprint, (top, thickness): (f64, f64)) {
        let (used, capacity) = (self.x(memory.total().to_gib()), self.x(memory.capacity.to_gib()));
        if memory.fits() {
            canvas.outline((used, top), (capacity - used, thickness), OUTLINE);
        }
        let (above, below) = (top - 4.0, top + thickness + 4.0);
        canvas.line((capacity, above), (capacity, below), Stroke::solid(Ink::Text, 2.5));
    }

    /// Draws the capacity: a line across the bar with its value above, and an outline around free memory.
    fn capacity(&self, canvas: &mut Canvas<'_>, footprint: &Footprint) {
        let capacity = self.x(footprint.capacity.to_gib());
        let used = self.x(footprint.total().to_gib());
        canvas.outline((used.min(capacity), TOP), ((capacity - used).abs(), THICKNESS), OUTLINE);
        canvas.line((capacity, TOP - 12.0), (capacity, TOP + THICKNESS + 6.0), Stroke::solid(Ink::Text, 2.5));
        let text = format!("Capacity {}", format::memory(footprint.capacity));
        let style = Type::label().bold_if(true);
        let align = if capacity - style.width(&text) > 0.0 { Align::Right } else { Align::Left };
        canvas.text((capacity, TOP - 24.0), &text, style.align(align));
    }
}
