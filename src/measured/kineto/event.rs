//! One event of a trace, as far as it matters here.

use super::spans::Window;
use crate::json::Json;

/// Largest time that a number of ns has exactly, ns.
const LATEST: f64 = 9e15;

/// An event that matters.
#[derive(Debug, PartialEq)]
pub(super) enum Event<'a> {
    /// A kernel, or a copy or fill of memory, on a GPU.
    Gpu {
        /// The GPU and its stream.
        place: (i64, i64),
        when: Window,
        work: Work<'a>,
    },
    /// The mark of a profiled step, on the host or on a GPU.
    Step { number: u32, when: Window, on_gpu: bool },
    /// A call of an optimizer, on the host.
    Optimizer(Window),
}

/// The work of a GPU.
#[derive(Debug, PartialEq)]
pub(super) enum Work<'a> {
    /// A kernel, with the description of its process group and the name of its collective if it has them.
    Kernel { name: &'a str, group: &'a str, collective: &'a str },
    /// A copy or a fill.
    Copy,
}

/// Reads an event. `Ok(None)` is one that does not matter here.
///
/// # Errors
///
/// It lacks what an event of its kind has.
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

/// Start and end of an event, which has both in µs. Whole µs and their fraction are converted apart: the product of a time
/// since the machine started would be rounded to 0.5 ns, and then once more.
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

/// A text among the arguments of an event.
fn argument<'a>(event: &'a Json<'_>, key: &str) -> &'a str {
    event.get("args").and_then(|args| args.get(key)).and_then(Json::as_text).unwrap_or("")
}

/// What a mark of this name stands for: `ProfilerStep#12` of PyTorch's profiler, `Optimizer.step#AdamW.step` of
/// `torch.optim`.
fn mark<'a>(name: &str, on_gpu: bool, when: Window) -> Option<Event<'a>> {
    match name.strip_prefix("ProfilerStep#") {
        Some(number) => Some(Event::Step { number: number.parse().ok()?, when, on_gpu }),
        None => (name.starts_with("Optimizer.step#") && !on_gpu).then_some(Event::Optimizer(when)),
    }
}
