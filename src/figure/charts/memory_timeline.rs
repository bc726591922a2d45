//! Memory of a pipeline's stages over a step, against a GPU's capacity.

use crate::figure::backend::{Dash, Hatch, Ink, Marker, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::labels::{Labels, Mark};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::{Size, blank, brief, positive};
use crate::figure::{Cell, Figure, Table};
use crate::training::occupancy::{Moment, Occupancy, StageMemory};
use crate::units::{Bytes, format};

/// Figure of the memory of the fullest stage over a step by class, with the first and the last stage.
pub fn memory_timeline(occupancy: &Occupancy, size: Size) -> Figure {
    let finding = finding(occupancy);
    let drawing = match occupancy.peak() {
        Some((stage, ..)) if positive(occupancy.end.get()) => {
            Chart::new(occupancy, stage, size).drawing(&finding)
        }
        _ => blank(size, &finding),
    };
    let mut assumptions = vec![
        "1 GiB is 2³⁰ bytes".to_owned(),
        "Activations are kept from the beginning of a forward pass to the end of the backward pass"
            .to_owned(),
        "Buffers for gradients are allocated during the whole step".to_owned(),
    ];
    if occupancy.skipped > 0 {
        let skipped = format::grouped(f64::from(occupancy.skipped));
        assumptions.push(format!("{skipped} microbatches that repeat the steady state are left out"));
    }
    Figure {
        id: "memory-timeline".into(),
        title: "Memory of the stages over a step".to_owned(),
        finding,
        table: table(occupancy),
        assumptions,
        ..drawing.into()
    }
}

fn finding(occupancy: &Occupancy) -> String {
    let Some((stage, moment, footprint)) = occupancy.peak() else {
        return "The timeline has no stages.".to_owned();
    };
    let total = footprint.total();
    let verdict = if footprint.fits() {
        format!("leaves {} free", format::memory(footprint.capacity - total))
    } else {
        format!("does not fit by {}", format::memory(total - footprint.capacity))
    };
    let others = occupancy.stages.iter().map(|memory| memory.at(&memory.fullest()).total());
    let least = others.fold(total, Bytes::min);
    let when = if positive(moment.at.get()) {
        format!("{} after the step began", format::time(moment.at))
    } else {
        "from the beginning of the step".to_owned()
    };
    format!(
        "Stage {} is fullest, {when}: it needs {} of {} and {verdict}; the emptiest stage needs at most {}.",
        stage + 1,
        format::memory(total),
        format::memory(footprint.capacity),
        format::memory(least),
    )
}

fn table(occupancy: &Occupancy) -> Table {
    let mut table = Table::new([
        ("Stage", None),
        ("Weights", Some("GiB")),
        ("Gathered weights", Some("GiB")),
        ("Gradients", Some("GiB")),
        ("Optimizer", Some("GiB")),
        ("Runtime and buffers", Some("GiB")),
        ("Activations", Some("GiB")),
        ("Logits", Some("GiB")),
        ("Running layer", Some("GiB")),
        ("Peak", Some("GiB")),
        ("Time of the peak", Some("s")),
    ]);
    let bytes = |bytes: Bytes| Cell::number(bytes.to_gib(), format::memory(bytes));
    for (stage, memory) in occupancy.stages.iter().enumerate() {
        let (states, most) = (&memory.states, memory.fullest());
        table.push([
            Cell::number(stage as f64 + 1.0, format!("{}", stage + 1)),
            bytes(states.weights - memory.gathered),
            bytes(memory.gathered),
            bytes(states.gradients),
            bytes(states.optimizer),
            bytes(states.reserve),
            bytes(most.activations),
            bytes(most.logits),
            bytes(most.working),
            bytes(memory.at(&most).total()),
            Cell::number(most.at.get(), format::time(most.at)),
        ]);
    }
    table
}

/// Columns of a drawing: each shows the most of what it spans.
const COLUMNS: usize = 160;

/// Classes of the fullest stage's area: permanent memory from below, then temporary memory.
const CLASSES: [(&str, Ink, Hatch); 6] = [
    ("Weights", Ink::Series(1), Hatch::Plain),
    ("Gradients", Ink::Series(2), Hatch::Rising),
    ("Optimizer", Ink::Series(3), Hatch::Falling),
    ("Runtime and buffers", Ink::Series(7), Hatch::Level),
    ("Activations", Ink::Series(4), Hatch::Plain),
    ("Logits, running layer", Ink::Series(6), Hatch::Plain),
];

struct Chart<'a> {
    occupancy: &'a Occupancy,
    stage: usize,
    size: Size,
    plot: Plot,
    legend: Legend,
}

impl<'a> Chart<'a> {
    fn new(occupancy: &'a Occupancy, stage: usize, size: Size) -> Self {
        let mut legend = Legend::default();
        let memory = &occupancy.stages[stage];
        for ((name, ink, hatch), bytes) in CLASSES.iter().zip(classes(memory, &memory.fullest())) {
            if positive(bytes.get()) {
                legend.push(Key::Area(*ink, *hatch), format!("{name}, stage {}", stage + 1));
            }
        }
        for (other, stroke) in others(occupancy, stage) {
            legend.push(Key::Line(stroke), format!("Stage {}, total", other + 1));
        }
        legend.push(Key::Line(CAPACITY), "Capacity");
        legend.push(Key::Point(Marker::Diamond, Ink::Text), "Peak");
        let totals = occupancy.stages.iter().map(|memory| memory.at(&memory.fullest()).total().to_gib());
        let capacity = memory.states.capacity.to_gib();
        let plot = Plot {
            x: Axis::linear(0.0, occupancy.end.get()),
            y: Axis::from_zero(totals.chain([capacity])).padded(0.0, 0.06),
            left: Plot::margin(size),
            top: 28.0,
            right: size.width() - MARGIN,
            bottom: size.height() - 60.0,
        };
        Self { occupancy, stage, size, plot, legend }
    }

    fn drawing(&self, finding: &str) -> Drawing {
        let width = self.size.width() - 24.0;
        let top = self.plot.bottom + 48.0;
        draw((self.size.width(), top + self.legend.height(width) + 4.0), finding, |canvas| {
            self.areas(canvas);
            let gib = |value: f64| brief(&format::digits(value));
            self.plot.axes(canvas, &Scale::time("Time"), &Scale::new("Memory (GiB)", &gib));
            for (stage, stroke) in others(self.occupancy, self.stage) {
                self.total(canvas, &self.occupancy.stages[stage], stroke);
            }
            self.marks(canvas);
            self.legend.draw(canvas, (12.0, top), width);
        })
    }

    /// Draws the fullest stage: permanent memory as bands, temporary memory as columns on top of them.
    fn areas(&self, canvas: &mut Canvas<'_>) {
        let memory = &self.occupancy.stages[self.stage];
        let (left, right) = (self.plot.left, self.plot.right);
        let mut below = 0.0;
        for ((_, ink, hatch), bytes) in CLASSES.iter().zip(classes(memory, &Moment::default())).take(4) {
            let above = below + bytes.to_gib();
            let (low, high) = (self.height(below), self.height(above));
            canvas.rectangle((left, high), (right - left, low - high), *ink, *hatch);
            canvas.line((left, high), (right, high), Stroke::solid(Ink::Paper, 1.0));
            below = above;
        }
        let mut columns = memory.columns(self.occupancy.end, COLUMNS).into_iter().peekable();
        while let Some((from, mut to, moment)) = columns.next() {
            // Columns of one height are one.
            while let Some((_, end, _)) = columns.next_if(|(.., next)| next.total() == moment.total()) {
                to = end;
            }
            let x = |share: f64| self.plot.across(share);
            let kept = below + moment.activations.to_gib();
            let (low, middle) = (self.height(below), self.height(kept));
            let top = self.height(below + moment.total().to_gib());
            let size = |height: f64| (x(to) - x(from), height);
            canvas.rectangle((x(from), middle), size(low - middle), CLASSES[4].1, CLASSES[4].2);
            canvas.rectangle((x(from), top), size(middle - top), CLASSES[5].1, CLASSES[5].2);
            let end = self.occupancy.end;
            let [start, stop] = [from, to].map(|share| format::time(end * share));
            let total = format::memory(memory.at(&moment).total());
            let read = format!(
                "{start} to {stop}: {total} in all, {} of activations",
                format::memory(moment.activations)
            );
            canvas.area((x(from), top), size(low - top), read, "");
        }
    }

    fn height(&self, gib: f64) -> f64 {
        self.plot.up(self.plot.y.clamped(gib).unwrap_or(0.0))
    }

    /// All that another stage keeps, as a line.
    fn total(&self, canvas: &mut Canvas<'_>, memory: &StageMemory, stroke: Stroke) {
        let mut points = Vec::new();
        for (from, to, moment) in memory.columns(self.occupancy.end, COLUMNS) {
            let y = self.height(memory.at(&moment).total().to_gib());
            points.extend([(self.plot.across(from), y), (self.plot.across(to), y)]);
        }
        // Corners only.
        points.dedup_by(|next, before| next == before);
        let mut corners: Vec<(f64, f64)> = Vec::new();
        for point in points {
            if let [.., first, second] = corners[..]
                && (first.1 - second.1).abs() < 1e-9
                && (second.1 - point.1).abs() < 1e-9
            {
                corners.pop();
            }
            corners.push(point);
        }
        // A pale edge keeps the line legible on any area.
        canvas.path(&corners, Stroke::solid(Ink::Paper, 4.0));
        canvas.path(&corners, stroke);
    }

    /// The capacity and the peak, with labels that cover neither.
    fn marks(&self, canvas: &mut Canvas<'_>) {
        let plot = &self.plot;
        let mut labels = Labels::within([plot.left, plot.top, plot.right, plot.bottom]);
        let capacity = self.occupancy.stages[self.stage].states.capacity;
        let y = self.height(capacity.to_gib());
        canvas.line((plot.left, y), (plot.right, y), CAPACITY);
        labels.take_line((plot.left, y), (plot.right, y));
        let peak = self.occupancy.peak().map(|(_, moment, footprint)| {
            let share = plot.x.clamped(moment.at.get()).unwrap_or(0.0);
            let at = (plot.across(share), self.height(footprint.total().to_gib()));
            (format!("Peak {}", format::memory(footprint.total())), Mark { at, radius: 5.0 })
        });
        if let Some((_, mark)) = &peak {
            canvas.marker(mark.at, Marker::Diamond, Ink::Text, mark.radius);
            labels.mark(*mark);
        }
        labels.write_on_line(canvas, y, &format!("Capacity {}", format::memory(capacity)), None);
        if let Some((name, mark)) = &peak {
            // Above the areas, where there is room for a line of text.
            let ceiling = if y < mark.at.1 { y } else { plot.top };
            if mark.at.1 - ceiling > 24.0 {
                labels.take([plot.left, mark.at.1, plot.right, plot.bottom]);
            }
            labels.write(canvas, &[(name, *mark)]);
        }
    }
}

const CAPACITY: Stroke = Stroke::solid(Ink::Text, 2.5);

/// The first, a middle and the last stage, but for the fullest.
fn others(occupancy: &Occupancy, fullest: usize) -> Vec<(usize, Stroke)> {
    let count = occupancy.stages.len();
    let mut stages = vec![0, count / 2, count.saturating_sub(1)];
    stages.dedup();
    stages.retain(|stage| *stage != fullest);
    let looks = [(Ink::Series(8), Dash::Long), (Ink::Series(5), Dash::Short), (Ink::Text, Dash::Dotted)];
    stages
        .into_iter()
        .zip(looks)
        .map(|(stage, (ink, dash))| (stage, Stroke::solid(ink, 2.0).dashed(dash)))
        .collect()
}

/// Bytes of [`CLASSES`] at a moment.
fn classes(memory: &StageMemory, moment: &Moment) -> [Bytes; 6] {
    let states = &memory.states;
    [
        states.weights,
        states.gradients,
        states.optimizer,
        states.reserve,
        moment.activations,
        moment.logits + moment.working,
    ]
}
