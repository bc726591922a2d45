//! The predicted training step as a Chrome trace, which Perfetto and `chrome://tracing` open.
//!
//! Each pipeline stage is a process with two threads: passes, and messages to the next stage. After the passes come the
//! parts of the step that happen once. A counter has the memory of one GPU of the stage.

use serde::Serialize;

use crate::estimate::Term;
use crate::plan::{Slot, StageTask};
use crate::scenario::{Problem, Scenario, View, link};
use crate::training::AFTER_PASSES;
use crate::training::occupancy::{Moment, Occupancy, StageMemory};
use crate::training::timeline::{Span, Timeline};
use crate::units::{Bytes, Seconds};

/// Threads of a stage.
const THREADS: [&str; 2] = ["Passes", "Sends to other stages"];

/// A trace in Chrome's JSON object format. The metadata comes first: by the beginning of a file,
/// [`import`](crate::scenario::import()) tells a predicted timeline from a profiler's.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    other_data: Other,
    display_time_unit: &'static str,
    #[serde(rename = "traceEvents")]
    events: Vec<Event>,
}

/// Metadata of a trace.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Other {
    /// The question, as a link without `#`.
    question: String,
    /// Number of microbatches left out; each adds the slowest stage's work to the step.
    microbatches_left_out: u32,
    /// The whole step with them, µs.
    step_us: f64,
}

/// An event; times are in µs.
#[derive(Debug, Serialize)]
#[serde(tag = "ph")]
enum Event {
    /// The name of a process or a thread.
    #[serde(rename = "M")]
    Name { name: &'static str, pid: usize, tid: usize, args: Named },
    /// Something that takes time.
    #[serde(rename = "X")]
    Slice { name: String, cat: &'static str, pid: usize, tid: usize, ts: f64, dur: f64 },
    /// Memory from a moment on.
    #[serde(rename = "C")]
    Memory { name: &'static str, pid: usize, ts: f64, args: Memory },
}

#[derive(Debug, Serialize)]
struct Named {
    name: String,
}

/// Memory of one GPU, GiB.
#[derive(Debug, Serialize)]
struct Memory {
    states: f64,
    activations: f64,
    logits: f64,
    working: f64,
}

/// The trace of a training question's step.
///
/// # Errors
///
/// The question is not one of training, has no answer, or has no schedule to draw: more than 256 stages, or the equations
/// of arXiv 2410.00273.
pub fn chrome(question: &Scenario) -> Result<Trace, Vec<Problem>> {
    if question.view != View::Training {
        return Err(vec![Problem::new("view", "only a training step has a timeline")]);
    }
    let estimate = question.training()?;
    let schedule = question.with_training(|job| {
        let timeline = job.timeline()?;
        let occupancy = job.occupancy(&timeline);
        Some((timeline, occupancy))
    })?;
    let Some((timeline, occupancy)) = schedule else {
        return Err(vec![Problem::new(
            "parallelism",
            "the schedule of this plan is not modelled task by task",
        )]);
    };
    let other = Other {
        question: link::encode(question),
        microbatches_left_out: timeline.skipped,
        step_us: micros(estimate.step),
    };
    let events = events(&timeline, &occupancy, &estimate.terms);
    Ok(Trace { events, display_time_unit: "ms", other_data: other })
}

/// Nanoseconds are as fine as a trace needs.
fn micros(time: Seconds) -> f64 {
    libm::round(time.get() * 1e9) / 1e3
}

fn events(timeline: &Timeline, occupancy: &Occupancy, terms: &[Term]) -> Vec<Event> {
    let mut events = Vec::new();
    let chunks = timeline.pipeline.interleave;
    for (pid, spans) in timeline.stages.iter().enumerate() {
        events.extend(names(pid, timeline.stages.len()));
        for span in spans {
            events.extend(slices(pid, span, (timeline.pipeline.stages, chunks)));
        }
        let mut from = timeline.shown();
        for term in AFTER_PASSES.iter().filter_map(|id| terms.iter().find(|term| term.id == *id)) {
            events.extend(slice(term.label.to_owned(), "once", (pid, 0), (from, from + term.time)));
            from += term.time;
        }
    }
    for (pid, memory) in occupancy.stages.iter().enumerate() {
        events.extend(memory.moments.iter().map(|moment| counter(pid, memory, moment)));
    }
    events
}

fn names(pid: usize, stages: usize) -> Vec<Event> {
    let name = |name, tid, text: String| Event::Name { name, pid, tid, args: Named { name: text } };
    let stage = name("process_name", 0, format!("Stage {} of {stages}", pid + 1));
    let threads = THREADS.iter().enumerate().map(|(tid, text)| name("thread_name", tid, (*text).to_owned()));
    [stage].into_iter().chain(threads).collect()
}

/// A task and the message after it.
fn slices(pid: usize, span: &Span, (stages, chunks): (u32, u32)) -> Vec<Event> {
    let of = |slot: Slot| match chunks {
        1 => format!("{}", slot.microbatch + 1),
        _ => format!("{} of chunk {}", slot.microbatch + 1, slot.position / stages + 1),
    };
    let (name, category) = match span.task {
        StageTask::Forward(slot) => (format!("Forward {}", of(slot)), "forward"),
        StageTask::Backward(slot) => (format!("Backward {}", of(slot)), "backward"),
        StageTask::Input(slot) => (format!("Backward of inputs {}", of(slot)), "backward"),
        StageTask::Weight(slot) => (format!("Backward of weights {}", of(slot)), "weight"),
        StageTask::Both { forward, backward } => {
            (format!("Forward {}, backward {}", of(forward), of(backward)), "both")
        }
    };
    let sent = slice(format!("Send after {name}"), "send", (pid, 1), (span.end, span.sent));
    slice(name, category, (pid, 0), (span.start, span.end)).into_iter().chain(sent).collect()
}

/// A slice, unless it takes no time.
fn slice(
    name: String,
    cat: &'static str,
    (pid, tid): (usize, usize),
    (from, to): (Seconds, Seconds),
) -> Option<Event> {
    let (ts, end) = (micros(from), micros(to));
    (end > ts).then_some(Event::Slice { name, cat, pid, tid, ts, dur: end - ts })
}

fn counter(pid: usize, memory: &StageMemory, moment: &Moment) -> Event {
    let gib = |bytes: Bytes| libm::round(bytes.to_gib() * 1e3) / 1e3;
    let args = Memory {
        states: gib(memory.states.total()),
        activations: gib(moment.activations),
        logits: gib(moment.logits),
        working: gib(moment.working),
    };
    Event::Memory { name: "Memory of one GPU (GiB)", pid, ts: micros(moment.at), args }
}
