//! Traces of PyTorch's profiler (Kineto), in Chrome's JSON format.
//!
//! A trace of a few steps exceeds 100 MB, so it is read in chunks, and only the start, end and [`Activity`] of each
//! kernel are kept. The activities add up to the step time exactly: time during which several kernels run is assigned
//! to one of them by the order of [`Activity`], and time without a kernel is idle.

mod event;
mod spans;
mod splitter;
mod steps;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use self::event::{Event, Work};
use self::spans::{Span, Split, Window, course, split};
use self::splitter::{Piece, Splitter};
use self::steps::{By, Marks};
use super::kernels::{self, Kernel};
use super::limits::MAX_KERNELS;
use super::steady::{self, Step};
use super::{Fault, Format, Kind, Measurement, Spent, Statistic};
use crate::estimate::Activity;
use crate::json::Json;
use crate::order;
use crate::scenario::View;
use crate::scenario::import::TIMELINE;

const WHAT: &str = Format::Kineto.name();

/// Maximum number of kernel names whose classification is cached.
const MAX_NAMES: usize = 10_000;

/// Returns true if a file is a Kineto trace, judged by `head`, its first [`TRACE_HEAD`](super::TRACE_HEAD) bytes. The timeline of
/// a predicted step is not one.
pub fn begins(head: &[u8]) -> bool {
    let has = |part: &str| head.windows(part.len()).any(|window| window == part.as_bytes());
    let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head).trim_ascii_start();
    let trace = match text.first() {
        Some(b'{') => has("\"traceEvents\"") || (has("\"schemaVersion\"") && has("\"deviceProperties\"")),
        Some(b'[') => has("\"ph\"") && has("\"ts\"") && has("\"pid\""),
        _ => false,
    };
    trace && !has(TIMELINE)
}

/// Reads a trace in chunks.
#[derive(Debug, Default)]
pub struct Reader {
    splitter: Splitter,
    marks: Marks,
    /// Kernels and copies of each GPU.
    spans: BTreeMap<i64, Vec<Span>>,
    /// Number of spans of all GPUs.
    count: usize,
    /// Streams in use, as pairs of GPU and stream.
    streams: BTreeSet<(i64, i64)>,
    /// Cache of kernel classifications by name.
    names: HashMap<String, Kernel>,
    /// True once a kernel of a backward pass or an optimizer was read.
    trains: bool,
    /// Number of events that are malformed or too long.
    broken: usize,
    device: Option<String>,
    /// Memory of the GPU, bytes.
    memory: Option<f64>,
    gpus: Option<f64>,
}

impl Reader {
    /// Takes the next bytes of the trace.
    ///
    /// # Errors
    ///
    /// The trace has more than [`MAX_KERNELS`].
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        let mut splitter = std::mem::take(&mut self.splitter);
        splitter.feed(chunk, |piece| match piece {
            Piece::Event(text) => self.event(text),
            Piece::Field(text) => self.field(text),
            Piece::Long => self.broken += 1,
        });
        self.splitter = splitter;
        if self.count > MAX_KERNELS { Err(Fault::Kernels) } else { Ok(()) }
    }

    fn event(&mut self, text: &[u8]) {
        let text = std::str::from_utf8(text).ok();
        let Some(event) = text.and_then(|text| Json::parse(text).ok()) else {
            self.broken += 1;
            return;
        };
        match event::read(&event) {
            Ok(Some(Event::Gpu { place, when, work })) => self.span(place, when, &work),
            Ok(Some(Event::Step { number, when, on_gpu })) => self.marks.step(number, when, on_gpu),
            Ok(Some(Event::Optimizer(when))) => self.marks.optimizer(when),
            Ok(None) => {}
            Err(()) => self.broken += 1,
        }
    }

    fn span(&mut self, place: (i64, i64), when: Window, work: &Work<'_>) {
        let activity = match work {
            Work::Copy => Activity::Copies,
            Work::Kernel { name, group, collective } => {
                let Kernel { activity, trains } = self.kernel(name);
                self.trains |= trains;
                let communicates = activity.communicates();
                if communicates { kernels::communication(activity, group, collective) } else { activity }
            }
        };
        self.count += 1;
        if self.count <= MAX_KERNELS {
            self.streams.insert(place);
            let spans = self.spans.entry(place.0).or_default();
            spans.push(Span { start: when.start, end: when.end, activity });
        }
    }

    /// Classifies a kernel by name. Results are cached, because a trace has millions of kernels but few names.
    fn kernel(&mut self, name: &str) -> Kernel {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let kernel = kernels::kernel(name);
        if self.names.len() < MAX_NAMES {
            self.names.insert(name.to_owned(), kernel);
        }
        kernel
    }

    /// Reads the GPU's name and the number of GPUs from the outer object.
    fn field(&mut self, text: &[u8]) {
        let Ok(text) = std::str::from_utf8(text) else { return };
        let text = format!("{{{text}}}");
        let Ok(field) = Json::parse(&text) else { return };
        if let Some(device) = field.list("deviceProperties").first() {
            self.device = device.get("name").and_then(Json::as_text).map(str::to_owned);
            self.memory = device.get("totalGlobalMem").and_then(Json::as_number);
        }
        if let Some(info) = field.get("distributedInfo") {
            self.gpus = info.get("world_size").and_then(Json::as_number);
        }
    }

    /// The measurement of the whole trace.
    ///
    /// # Errors
    ///
    /// The trace has no GPU kernel.
    pub fn finish(self) -> Result<Measurement, Fault> {
        let mut found = Measurement::new(Format::Kineto);
        let busy = |spans: &[Span]| spans.iter().map(|span| span.end - span.start).sum::<i64>();
        let fullest = self.spans.iter().max_by_key(|(_, spans)| busy(spans));
        let Some((&gpu, spans)) = fullest.filter(|(_, spans)| busy(spans) > 0) else {
            return Err(Fault::Empty {
                what: WHAT,
                wanted: "GPU kernel: add ProfilerActivity.CUDA to the profiler's activities",
            });
        };
        let trains = self.trains || self.marks.trains();
        found.view = if trains { View::Training } else { View::Inference };
        found.device(self.device.as_deref().unwrap_or(""));
        found.variant(self.memory);
        if trains {
            found.whole("system.gpus", self.gpus);
        }
        if self.spans.len() > 1 {
            found.remark(format!("The trace has {} GPUs; the busiest one is used", self.spans.len()));
        }
        let streams = self.streams.iter().filter(|(of, _)| *of == gpu).count();
        found.leave_out(self.broken, "events that are invalid or lack a time");
        if !self.splitter.complete() {
            found.remark("The trace is truncated; its complete events are used");
        }
        let split = measure(spans, self.marks, trains, &mut found);
        found.remark(format!(
            "The GPU has {streams} streams; communication and copies count only while no compute kernel runs, and NCCL \
             kernels include the wait for other GPUs"
        ));
        spent(&split, &mut found);
        Ok(found)
    }
}

/// Splits the time of the selected steps among activities, or that of the whole trace if it marks no steps. Returns the
/// split and the number of steps (1 for a whole trace).
fn measure(spans: &[Span], marks: Marks, trains: bool, found: &mut Measurement) -> (Split, f64) {
    let Some((by, steps)) = marks.steps().filter(|(_, steps)| !steps.is_empty()) else {
        let start = spans.iter().map(|span| span.start).min().unwrap_or(0);
        let end = spans.iter().map(|span| span.end).max().unwrap_or(0);
        found.used = Some(spans.len() as u32);
        found.remark(
            "The trace marks no steps (no ProfilerStep, fewer than two optimizer calls): there is no step time, and \
             shares of the time from the first kernel to the last are compared",
        );
        return (split(spans, &[Window { start, end }]), 1.0);
    };
    let times: Vec<Step> = steps
        .iter()
        .map(|(number, when)| Step {
            number: *number,
            time: (when.end - when.start) as f64 * 1e-9,
            ..Step::default()
        })
        .collect();
    let counted = steady::of(&times, found);
    let windows: Vec<Window> = counted.iter().map(|place| steps[*place].1).collect();
    found.used = Some(windows.len() as u32);
    let each = windows.len().max(1) as f64;
    let split = split(spans, &windows);
    let mean = split.times.iter().sum::<i64>() as f64 * 1e-9 / each;
    if trains {
        found.reading(Kind::Step, Statistic::Mean, mean);
        found.course = median(windows).map(|step| course(spans, step));
    } else {
        found.remark(
            "The trace has no backward pass and no optimizer, so its steps are engine steps of a server; shares of \
             time are compared",
        );
    }
    found.remark(match by {
        By::Gpu => "Step boundaries are the starts of the profiler's steps on the GPU (ProfilerStep)",
        By::Host => {
            "Steps are the profiler's steps on the host (ProfilerStep), which may run ahead of the GPU"
        }
        By::Optimizer => "The profiler marks no steps; a step lasts from one optimizer call to the next",
    });
    (split, each)
}

/// The window of median length.
fn median(mut windows: Vec<Window>) -> Option<Window> {
    order::sort(&mut windows, |one, other| (one.end - one.start).cmp(&(other.end - other.start)));
    windows.get(windows.len() / 2).copied()
}

/// Records the time and the number of kernels of each activity, per step.
fn spent((split, steps): &(Split, f64), found: &mut Measurement) {
    for activity in Activity::ALL {
        let (time, count) = (split.times[activity as usize], split.counts[activity as usize]);
        if time > 0 || count > 0 {
            let time = time as f64 * 1e-9 / steps;
            found.spent.push(Spent { activity, time, kernels: f64::from(count) / steps });
        }
    }
    found.hidden = (split.hidden > 0).then_some(split.hidden as f64 * 1e-9 / steps);
}

/// Reads a whole trace.
pub(super) fn read(text: &str) -> Result<Measurement, Fault> {
    let mut reader = Reader::default();
    reader.feed(text.as_bytes())?;
    reader.finish()
}
