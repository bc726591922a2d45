//! Opens files. A file is either a question, or a measurement with one or more points, each of which becomes a question
//! with measured values.

mod report;

use super::{Fault, Format, Kind, MAX_BYTES, Measurement, read};
use crate::launch::{self, Launched};
use crate::scenario::huggingface::{self, Quantized};
use crate::scenario::{
    Activities, Choice, CourseText, Facts, Measured, Problem, Scenario, View, import, is_rows, link,
    read_rows,
};
use crate::sizing::SizingJob;
use crate::traffic::{self, Trace};
use crate::units::{Amount, Seconds};
use crate::words::Word;
use report::{named, report};

pub use report::{Contents, Report};

/// An opened file.
#[derive(Clone, Debug, PartialEq)]
pub enum Opened {
    /// A scenario, a checkpoint's `config.json` or a link.
    Question(Box<Scenario>),
    /// Points of a benchmark, the run of a training log, launch commands, or a request trace: at least one, in file
    /// order.
    Points(Vec<Point>),
    /// Measured rows that were collected before: at least two.
    Rows(Vec<Scenario>),
}

/// A point of a measurement as a question, with a report on how it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The current question with the point's scenario fields and measured values.
    pub scenario: Scenario,
    /// Report on how the point was read.
    pub report: Report,
    /// The measurement, if its prediction needs settings that the file does not give.
    pub open: Option<Box<Measurement>>,
}

impl Point {
    /// A point whose settings are all known.
    const fn settled(scenario: Scenario, report: Report) -> Self {
        Self { scenario, report, open: None }
    }
}

/// Opens a text. Fields that it does not set keep their values in `current`.
pub fn open(current: &Scenario, text: &str) -> Result<Opened, Vec<Problem>> {
    if is_rows(text) {
        return read_rows(text).map(Opened::Rows);
    }
    match read(text) {
        Ok(points) => Ok(opened(current, &points)),
        Err(Fault::Unknown) => match (traffic::read(text), launch::read(current, text)) {
            (Ok(trace), _) => Ok(Opened::Points(vec![traced(current, &trace)])),
            (Err(_), Some(commands)) => Ok(Opened::Points(vec![launched(current, &commands)])),
            (Err(fault), None) => match huggingface::quantized(text) {
                Some(formats) => Ok(Opened::Points(vec![quantised(current, &formats)])),
                None => match (import(current, text), fault) {
                    (Ok(scenario), _) => Ok(Opened::Question(Box::new(scenario))),
                    (Err(problems), traffic::Fault::Unknown) => Err(problems),
                    (Err(_), fault) => Err(vec![Problem::new("file", fault.to_string())]),
                },
            },
        },
        Err(fault) => Err(vec![Problem::new("file", fault.to_string())]),
    }
}

/// Turns measurements into questions, based on the current question.
pub fn opened(current: &Scenario, points: &[Measurement]) -> Opened {
    Opened::Points(points.iter().map(|point| told(current, point)).collect())
}

/// A measurement as a question with measured values. Settings that it does not give are those of the current question.
pub fn question_of(current: &Scenario, point: &Measurement) -> Scenario {
    told(current, point).scenario
}

/// A problem if a file is too long, judged by its size in bytes before it is read.
pub fn refused(bytes: f64) -> Option<Problem> {
    let long = bytes > MAX_BYTES as f64;
    long.then(|| Problem::new("file", Fault::TooLong { bytes: bytes as u64 }.to_string()))
}

/// Applies a point's fields and measured values to the current question.
fn told(current: &Scenario, point: &Measurement) -> Point {
    let scenario = point.applied_to(current);
    let measured = beside(point, &scenario);
    let scenario = Scenario { measured, ..scenario };
    // The page stores its question as a link, so the limits of links apply to files too.
    let scenario = link::decode(&link::encode(&scenario)).scenario;
    let report = report(point, &scenario);
    let open = (!report.silent.is_empty()).then(|| Box::new(point.clone()));
    Point { scenario, report, open }
}

/// Applies launch commands to the current question.
fn launched(current: &Scenario, commands: &Launched) -> Point {
    let scenario = link::decode(&link::encode(&commands.applied_to(current))).scenario;
    let tool = commands.tool;
    let device = commands.facts.get("system.accelerator").is_none().then_some("system.accelerator");
    let load = Facts::LOAD.iter().all(|path| commands.facts.get(path).is_none());
    let load = (load && tool.view() == View::Inference).then_some("inference.concurrency");
    let report = Report {
        contents: Contents::Commands,
        summary: format!("Read as a launch command of {} (flags as of {})", tool.name(), tool.version()),
        name: tool.name().to_owned(),
        says: commands.facts.iter().map(|fact| fact.shown(&scenario)).collect(),
        silent: device.into_iter().chain(load).map(|path| named(path, &scenario)).collect(),
        remarks: commands.remarks.clone(),
        ..Report::default()
    };
    Point::settled(scenario, report)
}

/// Serves the model at hand in the formats of an `hf_quant_config.json`.
fn quantised(current: &Scenario, formats: &Quantized) -> Point {
    let mut scenario = Scenario { view: View::Inference, ..current.clone() };
    let mut facts = Facts::default();
    let weights = formats.weights.map(Word::word);
    if let Some(format) = weights {
        facts.text("inference.precision", format);
        if let Choice::Explicit(model) = &mut scenario.model {
            model.weights = Some(format.to_owned());
        }
    }
    if let Some(format) = formats.kv_cache {
        facts.text("inference.kv_precision", format.word());
    }
    facts.apply(&mut scenario);
    let scenario = link::decode(&link::encode(&scenario)).scenario;
    let kept =
        [("inference.precision", weights.is_none()), ("inference.kv_precision", formats.kv_cache.is_none())];
    let silent = kept.into_iter().filter(|(_, silent)| *silent);
    let report = Report {
        contents: Contents::Formats,
        summary: "Read as the hf_quant_config.json of a checkpoint (NVIDIA Model Optimizer): it sets the number formats of \
                  the model at hand, and names no model"
            .to_owned(),
        name: "formats".to_owned(),
        says: facts.iter().map(|fact| fact.shown(&scenario)).collect(),
        silent: silent.map(|(path, _)| named(path, &scenario)).collect(),
        remarks: formats.warnings.clone(),
        ..Report::default()
    };
    Point::settled(scenario, report)
}

/// Applies a request trace to the current question, as a question of the Sizing view.
fn traced(current: &Scenario, trace: &Trace) -> Point {
    let tiers = Trace::tiers(current);
    let mut facts = trace.facts(&tiers);
    if current.inference.has_history() {
        // The trace has prefixes of its own.
        facts.whole("inference.turns", 1.0);
        facts.whole("inference.shared_prefix", 0.0);
    }
    let mut scenario = Scenario { view: View::Sizing, ..current.clone() };
    scenario.sizing.job = SizingJob::Serve;
    facts.apply(&mut scenario);
    let scenario = link::decode(&link::encode(&scenario)).scenario;
    let requests = Amount::count(trace.requests.len() as f64);
    let span = if trace.timed {
        format!("over {}", Amount::time(Seconds::new(trace.span())))
    } else {
        "without arrival times".to_owned()
    };
    // The checksum identifies the trace in the link; it is no setting.
    let settings = facts.iter().filter(|fact| fact.path != "sizing.trace");
    let report = Report {
        contents: Contents::Requests,
        summary: format!("Read as a trace of {}: {requests} requests {span}", trace.format.name()),
        name: "trace".to_owned(),
        says: settings.map(|fact| fact.shown(&scenario)).collect(),
        remarks: trace.remarks(&tiers),
        ..Report::default()
    };
    Point::settled(scenario, report)
}

/// The measured values to compare with the prediction. A value is left out if converting it to the prediction's unit
/// needs a number, such as the GPU count, that the file does not give.
fn beside(point: &Measurement, scenario: &Scenario) -> Measured {
    let best = |kind: Kind| point.best(kind).map(|reading| reading.value);
    let millis = |kind: Kind| best(kind).map(|time| time * 1e3);
    let from = point.format.name().to_owned();
    let activity = activities(point);
    if point.view == View::Training {
        let all = point.number_of("system.gpus").zip(best(Kind::Tokens)).map(|(gpus, tokens)| tokens / gpus);
        let step = point.number_of("recipe.batch").zip(best(Kind::Samples)).map(|(batch, rate)| batch / rate);
        return Measured {
            from,
            step_s: best(Kind::Step).or(step),
            tokens_per_gpu: best(Kind::TokensPerGpu).or(all),
            mfu: best(Kind::Mfu),
            peak_tflops: point.number_of("measured.peak_tflops"),
            activity,
            phases: point.phases.map(to_ns),
            course: point.course.as_ref().map(CourseText::from).unwrap_or_default(),
            ..Measured::default()
        };
    }
    let gpus = point.fact_of("inference.tensor").map(|_| f64::from(scenario.inference.gpus()));
    let per_gpu = gpus.zip(best(Kind::OutputPerGpu)).map(|(gpus, tokens)| gpus * tokens);
    let lengths = point.number_of("inference.input").zip(point.number_of("inference.output"));
    let share = best(Kind::Total).zip(lengths).map(|(all, (input, output))| all * output / (input + output));
    // MLPerf Offline sends all samples at the start, so its latencies include queueing time.
    let offline = point.format == Format::Mlperf && point.fact_of("inference.rate").is_none();
    Measured {
        from,
        ttft_ms: millis(Kind::Ttft),
        tpot_ms: millis(Kind::Tpot),
        latency_ms: millis(Kind::Latency).filter(|_| !offline),
        output: best(Kind::Output).or(per_gpu).or(share),
        activity,
        ..Measured::default()
    }
}

/// Rounds a time to whole ns to keep links short.
fn to_ns(time: f64) -> f64 {
    libm::round(time * 1e9) / 1e9
}

/// Time by activity of a profile.
fn activities(point: &Measurement) -> Activities {
    let mut activities = Activities { hidden: point.hidden.map(to_ns), ..Activities::default() };
    for spent in &point.spent {
        *activities.of(spent.activity) = Some(to_ns(spent.time));
    }
    activities
}
