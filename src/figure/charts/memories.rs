//! Chart of two memories by class: that of a GPU, and that of its host or of a second GPU, which hold the other layers.

use super::memory::{Bar, OUTLINE, STYLES};
use crate::estimate::Footprint;
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::typography::Type;
use crate::figure::frame::{Size, blank, positive};
use crate::figure::{Cell, Figure, Table};
use crate::inference::Place;
use crate::units::{Bytes, format};

/// Texts of the figure for one place of the other layers.
struct Texts {
    title: &'static str,
    /// Labels of the two memories.
    names: [&'static str; 2],
    /// The two memories in the finding.
    spoken: [&'static str; 2],
    /// Where the other layers are, in the finding.
    place: &'static str,
    assumption: &'static str,
}

impl Texts {
    const HOST: Self = Self {
        title: "Memory of the GPU and of the host",
        names: ["Fullest GPU", "Host"],
        spoken: ["The fullest GPU", "the host"],
        place: "in host memory",
        assumption: "The host's runtime reserve is memory of the operating system and of the program",
    };
    const SECOND_GPU: Self = Self {
        title: "Memory of both GPUs",
        names: ["First GPU", "Second GPU"],
        spoken: ["The first GPU", "the second"],
        place: "on the second",
        assumption: "The output head is on the second GPU, the input embedding on the first",
    };
    const EXPERT_GPU: Self = Self {
        title: "Memory of the GPUs of attention and of experts",
        names: ["Attention GPU", "Expert GPU"],
        spoken: ["An attention GPU", "an expert GPU"],
        place: "on it",
        assumption: "Attention GPUs hold caches, projections, embedding and output head, expert GPUs the feed-forward blocks",
    };
}

/// Figure of the memory of the fullest GPU and of the host or second GPU that holds the other layers, by class, each against its
/// capacity.
pub fn memories(gpu: &Footprint, (place, apart): (Place, Footprint), size: Size) -> Figure {
    let both = [gpu, &apart];
    let texts = match place {
        Place::Host => &Texts::HOST,
        Place::SecondGpu => &Texts::SECOND_GPU,
        Place::ExpertGpu => &Texts::EXPERT_GPU,
    };
    let finding = finding(texts, both);
    let drawn = both.iter().any(|memory| positive(memory.total().get()) || positive(memory.capacity.get()));
    let drawing = if drawn { drawing(texts, both, &finding, size) } else { blank(size, &finding) };
    Figure {
        id: "memories".into(),
        title: texts.title.to_owned(),
        finding,
        table: table(texts, both),
        assumptions: vec!["1 GiB is 2³⁰ bytes".to_owned(), texts.assumption.to_owned()],
        ..drawing.into()
    }
}

/// What is free; negative if more is needed than there is.
fn free(memory: &Footprint) -> Bytes {
    memory.capacity - memory.total()
}

fn finding(texts: &Texts, [gpu, apart]: [&Footprint; 2]) -> String {
    let needs = |memory: &Footprint| {
        let verdict = if memory.fits() {
            format!("{} free", format::memory(free(memory)))
        } else {
            format!("{} too much", format::memory(memory.total() - memory.capacity))
        };
        format!("{} of {} ({verdict})", format::memory(memory.total()), format::memory(memory.capacity))
    };
    let share = apart.weights / (gpu.weights + apart.weights);
    let weights = if share.is_finite() {
        format!("; {} of the weights are {}", format::percent(share), texts.place)
    } else {
        String::new()
    };
    let [first, second] = texts.spoken;
    format!("{first} needs {}, {second} {}{weights}.", needs(gpu), needs(apart))
}

/// Classes that either memory has, with their place in the order of styles.
fn classes(both: [&Footprint; 2]) -> Vec<(usize, &'static str)> {
    let all = both.map(Footprint::classes);
    let labels = all[0].into_iter().map(|(label, _)| label).enumerate();
    labels.filter(|(place, _)| all.iter().any(|of| positive(of[*place].1.get()))).collect()
}

fn table(texts: &Texts, both: [&Footprint; 2]) -> Table {
    let names = texts.names;
    let mut table = Table::new([("Part", None), (names[0], Some("GiB")), (names[1], Some("GiB"))]);
    let mut push = |label: &str, values: [Bytes; 2]| {
        let [gpu, apart] = values.map(|bytes| Cell::number(bytes.to_gib(), format::memory(bytes)));
        table.push([Cell::text(label), gpu, apart]);
    };
    for (place, label) in classes(both) {
        push(label, both.map(|memory| memory.classes()[place].1));
    }
    push("Total", both.map(Footprint::total));
    push("Capacity", both.map(|memory| memory.capacity));
    push("Free", both.map(free));
    table
}

const TOP: f64 = 30.0;
const THICKNESS: f64 = 40.0;
/// Height of a bar with the line of text above it.
const PITCH: f64 = THICKNESS + 46.0;
const BOTTOM: f64 = TOP + 2.0 * PITCH - 30.0;

fn drawing(texts: &Texts, both: [&Footprint; 2], finding: &str, size: Size) -> Drawing {
    let mut legend = Legend::default();
    for (place, label) in classes(both) {
        let (ink, hatch) = STYLES[place];
        legend.push(Key::Area(ink, hatch), label);
    }
    legend.push(Key::Outline(OUTLINE), "Free");
    let extent = both.iter().flat_map(|memory| [memory.total().to_gib(), memory.capacity.to_gib()]);
    let bar = Bar { axis: Axis::from_zero(extent).padded(0.0, 0.04), left: 12.0, right: size.width() - 12.0 };
    let (width, top) = (size.width(), BOTTOM + 52.0);
    let room = width - 24.0;
    draw((width, top + legend.height(room) + 4.0), finding, |canvas| {
        bar.axis(canvas, (TOP - 4.0, BOTTOM));
        for (index, (name, memory)) in texts.names.into_iter().zip(both).enumerate() {
            stacked(&bar, canvas, name, memory, TOP + PITCH * index as f64);
        }
        legend.draw(canvas, (12.0, top), room);
    })
}

/// Draws one memory: its name and total, its classes stacked, its capacity, and an outline around what is free.
fn stacked(bar: &Bar, canvas: &mut Canvas<'_>, name: &str, memory: &Footprint, top: f64) {
    let text = format!("{name}: {} of {}", format::memory(memory.total()), format::memory(memory.capacity));
    canvas.text((bar.left, top - 12.0), &text, Type::label());
    bar.stack(canvas, memory, (top, THICKNESS), &format!("{name}, "));
    bar.rest(canvas, memory, (top, THICKNESS));
}
