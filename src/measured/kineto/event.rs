//! Events of a trace that count towards a GPU's time or mark a step.

use super::spans::Window;
use crate::json::Json;

/// Upper bound of a time stamp, ns: below 2^53 ns, an `f64` represents every whole ns exactly.
const LATEST: f64 = 9e15;

/// An event that counts towards a GPU's time or marks a step.
#[derive(Debug, PartialEq)]
pub(super) enum Event<'a> {
    /// A kernel, a memory copy or a memory set on a GPU.
    Gpu {
        /// GPU and stream: the event's `pid` and `tid`.
        place: (i64, i64),
        when: Window,
        work: Work<'a>,
    },
    /// A profiler step (`ProfilerStep#N`), on the host or on a GPU.
    Step { number: u32, when: Window, on_gpu: bool },
    /// A call of an optimizer's `step` on the host.
    Optimizer(Window),
}

/// The kind of work of a GPU event.
#[derive(Debug, PartialEq)]
pub(super) enum Work<'a> {
    /// A kernel. `group` describes its process group and `collective` names its collective; each is empty if the trace
    /// does not give it.
    Kernel { name: &'a str, group: &'a str, collective: &'a str },
    /// A memory copy or memory set.
    Copy,
}

/// Reads an event; `Ok(None)` for events of other kinds, such as host operators and runtime calls.
///
/// # Errors
///
/// The event is no JSON object, or a GPU event without a valid start and duration.
pub(super) fn read<'a>(event: &'a Json<'_>) -> Result<Option<Event<'a>>, ()> {
    let text = |key: &str| event.get(key).and_then(Json::as_text).unwrap_or("");
    if !matches!(event, Json::Object(_)) {
        return Err(());
    }
    if text("ph") != "X" {
        return Ok(None);
    }
    let (category, name) = (text("cat").to_ascii_lowercase(), text("name"));
    let on_gpu = category.starts_with("gpu_");
    let work = match category.trim_start_matches("gpu_") {
        "kernel" => Work::Kernel {
            name,
            group: argument(event, "Process Group Description"),
            collective: argument(event, "Collective name"),
        },
        "memcpy" | "memset" => Work::Copy,
        _ => return Ok(when(event).and_then(|when| mark(name, on_gpu, when))),
    };
    let whole = |key: &str| event.get(key).and_then(Json::as_number).map(|number| number as i64);
    let when = when(event).ok_or(())?;
    Ok(Some(Event::Gpu { place: (whole("pid").unwrap_or(0), whole("tid").unwrap_or(0)), when, work }))
}

/// Start and end of an event in ns, from `ts` and `dur` in µs. Whole µs and their fraction are converted separately:
/// multiplying a large time stamp by 1000 in floating point would round it twice, by up to 0.5 ns each time.
fn when(event: &Json<'_>) -> Option<Window> {
    let time = |key: &str| {
        let micros = event.get(key)?.as_number()?;
        let whole = libm::trunc(micros);
        let fits = whole.abs() < LATEST / 1e3;
        fits.then(|| whole as i64 * 1000 + libm::round((micros - whole) * 1e3) as i64)
    };
    let (start, length) = (time("ts")?, time("dur")?);
    (length >= 0).then_some(Window { start, end: start + length })
}

/// A string in an event's `args`; empty if it is absent.
fn argument<'a>(event: &'a Json<'_>, key: &str) -> &'a str {
    event.get("args").and_then(|args| args.get(key)).and_then(Json::as_text).unwrap_or("")
}

/// Reads a step or an optimizer call from an annotation's name: `ProfilerStep#12` of PyTorch's profiler, or
/// `Optimizer.step#AdamW.step` of `torch.optim`. `None` for other annotations.
fn mark<'a>(name: &str, on_gpu: bool, when: Window) -> Option<Event<'a>> {
    match name.strip_prefix("ProfilerStep#") {
        Some(number) => Some(Event::Step { number: number.parse().ok()?, when, on_gpu }),
        None => (name.starts_with("Optimizer.step#") && !on_gpu).then_some(Event::Optimizer(when)),
    }
}
