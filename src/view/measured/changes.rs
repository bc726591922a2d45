//! The table "What to change first": single changes of a setting, ranked by the predicted reduction of the time.

use crate::calibration::TimeKind;
use crate::estimate::Term;
use crate::figure::{Cell, Column, Table};
use crate::inference::{InferenceLoad, Launch};
use crate::order::largest_first;
use crate::plan::Plan;
use crate::scenario::{Measured, Profile, Scenario, View, link};
use crate::system::Corrections;
use crate::units::{Amount, Seconds};
use crate::view::{Notice, Part, TablePart};
use crate::workload::Recompute;

/// Ids of the tables of the first and the second measured time, and of the notices that replace them if no change helps. The second
/// time is TPOT.
pub(super) const IDS: [&str; 2] = ["changes", "changes-tpot"];

/// Maximum number of changes that are shown.
const SHOWN: usize = 3;

/// Name of the profile of corrections for one measurement.
const OWN: &str = "of this measurement";

/// Smallest gain that is shown, as a fraction of the time.
const LEAST: f64 = 0.005;

/// The question with one setting changed.
struct Change {
    /// Label of the change, e.g. `Microbatch 1 → 2`.
    name: String,
    scenario: Scenario,
}

/// A predicted time and the terms that add up to it.
struct Timed {
    time: Seconds,
    terms: Vec<Term>,
}

/// A change that is predicted to shorten the time.
#[derive(Clone)]
struct Gain {
    /// Label of the change.
    name: String,
    /// Link of the changed question.
    link: String,
    /// Predicted time after the change.
    time: Seconds,
    /// Reduction of the time, as a fraction.
    share: f64,
    /// Label of the term that falls most, and its reduction.
    term: Option<(&'static str, Seconds)>,
}

/// The question under the most probable corrections for its measured value, as a calibration profile, so that gains follow from the
/// measured time and not only from the published constants.
pub(super) fn under(question: &Scenario, corrections: Corrections) -> Scenario {
    let profile = if corrections == Corrections::NONE {
        question.profile.clone()
    } else {
        Profile { name: OWN.to_owned(), rows: 1, ..Profile::of(corrections) }
    };
    Scenario { profile, ..question.clone() }
}

/// The largest gains among single changes of a setting, at the same number of GPUs, batch or load, and number formats, predicted
/// under the question's profile; a notice if no change shortens the time. `None` if the model cannot predict the question itself.
pub(super) fn part(question: &Scenario, kind: TimeKind, id: &'static str) -> Option<Part> {
    let asked = timed(question, kind)?;
    let predicted = |change: &Change| timed(&change.scenario, kind).map(|there| gain(change, &there, &asked));
    let all: Vec<Option<Gain>> = changes(question).iter().filter_map(predicted).collect();
    let tried = all.len();
    let gains: Vec<Gain> = all.into_iter().flatten().collect();
    let gains = largest_first(&gains, |gain| gain.share);
    let named = kind.name();
    let title = format!("What to change first: {named}");
    if gains.is_empty() {
        let text = format!(
            "{title}. Of {tried} single changes at the same number of GPUs, load and number formats, none is predicted to shorten it."
        );
        return Some(Notice::new(id, text, Vec::new()).into());
    }
    let mut table = Table::under([
        Column::new("Change"),
        Column::of("Predicted", "s"),
        Column::of("Gain", "%"),
        Column::new("Largest saving"),
    ]);
    for gain in gains.iter().take(SHOWN) {
        let term =
            gain.term.map_or_else(String::new, |(label, time)| format!("{label}: −{}", Amount::time(time)));
        table.push([
            Cell::text(gain.name.clone()).opening(gain.link.clone()),
            Cell::amount(Amount::time(gain.time)),
            Cell::percent(gain.share),
            Cell::text(term),
        ]);
    }
    let largest = asked.terms.iter().max_by(|a, b| a.time.get().total_cmp(&b.time.get()));
    let largest = largest.map_or_else(String::new, |term| {
        let share = Amount::percent(term.time / asked.time);
        format!("The largest term is {} ({share}). ", term.label.to_lowercase())
    });
    let finding = format!(
        "Predicted {} {}: {}. {largest}Of {} single changes at the same number of GPUs, \
         load and number formats, {} are predicted to be faster",
        named,
        if question.is_corrected() {
            "with the corrections that explain what you measured"
        } else {
            "without corrections"
        },
        Amount::time(asked.time),
        tried,
        gains.len()
    );
    Some(TablePart::new(id, title, finding, table).into())
}

/// The gain of a change that takes the time of `asked` to that of `there`; `None` if it is too small.
fn gain(change: &Change, there: &Timed, asked: &Timed) -> Option<Gain> {
    let share = 1.0 - there.time / asked.time;
    if share.is_nan() || share < LEAST {
        return None;
    }
    let before = |id: &str| time_of(&asked.terms, id);
    let fallen = |term: &Term| (term.label, before(term.id) - time_of(&there.terms, term.id));
    let term = asked.terms.iter().map(fallen).max_by(|a, b| a.1.get().total_cmp(&b.1.get()));
    Some(Gain {
        name: change.name.clone(),
        link: link::encode(&change.scenario),
        time: there.time,
        share,
        term: term.filter(|(_, time)| *time > Seconds::ZERO),
    })
}

fn time_of(terms: &[Term], id: &str) -> Seconds {
    terms.iter().filter(|term| term.id == id).map(|term| term.time).sum()
}

/// Predicts the time of this kind, with its terms; `None` if the model cannot predict the scenario.
fn timed(scenario: &Scenario, kind: TimeKind) -> Option<Timed> {
    if kind == TimeKind::Step {
        let estimate = scenario.training().ok()?;
        return Some(Timed { time: estimate.step, terms: estimate.terms });
    }
    let estimate = scenario.inference().ok()?;
    Some(match kind {
        TimeKind::Ttft => Timed { time: estimate.ttft, terms: estimate.terms_prefill },
        TimeKind::Tpot => Timed { time: estimate.tpot, terms: estimate.terms_decode },
        TimeKind::Latency | TimeKind::Step => {
            let steps = f64::from(scenario.inference.output.saturating_sub(1));
            let decode = estimate.terms_decode.into_iter();
            let decode = decode.map(|term| Term { time: term.time * steps, ..term });
            let terms = estimate.terms_prefill.into_iter().chain(decode).collect();
            Timed { time: estimate.latency, terms }
        }
    })
}

/// All single changes of the question. Measured values are dropped, because they were measured before the change.
fn changes(question: &Scenario) -> Vec<Change> {
    let plain = Scenario { measured: Measured::default(), ..question.clone() };
    if question.view == View::Inference {
        let of = |(name, inference)| Change { name, scenario: Scenario { inference, ..plain.clone() } };
        return loads(&question.inference).into_iter().map(of).collect();
    }
    let of = |(name, parallelism)| Change { name, scenario: Scenario { parallelism, ..plain.clone() } };
    plans(&question.parallelism).into_iter().map(of).collect()
}

/// Twice a parallelism degree or size, and half of it if that is whole.
fn near(degree: u32) -> impl Iterator<Item = u32> {
    [Some(degree.saturating_mul(2)), degree.is_multiple_of(2).then_some(degree / 2)].into_iter().flatten()
}

/// Parallelism plans that differ from a plan in one setting. The data-parallel degree adapts to the other degrees, so
/// the number of GPUs stays the same.
fn plans(plan: &Plan) -> Vec<(String, Plan)> {
    let Plan { microbatch, tensor, pipeline, interleave, context, expert, zero, .. } = *plan;
    let mut all: Vec<(String, Plan)> = Vec::new();
    for to in near(microbatch) {
        all.push((format!("Microbatch {microbatch} → {to}"), Plan { microbatch: to, ..*plan }));
    }
    for to in near(tensor) {
        all.push((format!("Tensor parallelism {tensor} → {to}"), Plan { tensor: to, ..*plan }));
    }
    for to in near(pipeline) {
        let interleave = if to == 1 { 1 } else { interleave };
        let name = format!("Pipeline stages {pipeline} → {to}");
        all.push((name, Plan { pipeline: to, interleave, ..*plan }));
    }
    for to in near(context) {
        all.push((format!("Context parallelism {context} → {to}"), Plan { context: to, ..*plan }));
    }
    for to in near(expert) {
        all.push((format!("Expert parallelism {expert} → {to}"), Plan { expert: to, ..*plan }));
    }
    for to in [zero.checked_sub(1), zero.checked_add(1)].into_iter().flatten() {
        all.push((format!("ZeRO stage {zero} → {to}"), Plan { zero: to, ..*plan }));
    }
    if pipeline > 1 {
        for to in near(interleave) {
            all.push((
                format!("Model chunks per stage {interleave} → {to}"),
                Plan { interleave: to, ..*plan },
            ));
        }
    }
    for (recompute, name) in
        [(Recompute::None, "No recomputation"), (Recompute::Selective, "Selective recomputation")]
    {
        if plan.recompute != recompute {
            all.push((name.to_owned(), Plan { recompute, recompute_layers: None, ..*plan }));
        }
    }
    let switches = [
        (plan.sequence_parallel, "Sequence parallelism", Plan { sequence_parallel: true, ..*plan }),
        (plan.tensor_overlap, "Overlapped tensor parallelism", Plan { tensor_overlap: true, ..*plan }),
        (
            plan.expert_overlap || plan.expert == 1,
            "Overlapped expert parallelism",
            Plan { expert_overlap: true, ..*plan },
        ),
        (plan.data_overlap, "Overlapped gradient reduction", Plan { data_overlap: true, ..*plan }),
    ];
    all.extend(switches.into_iter().filter(|(on, ..)| !on).map(|(_, name, plan)| (name.to_owned(), plan)));
    all
}

/// Deployments that differ from a load's deployment in one setting. A change of the tensor-parallel degree changes
/// workers, pipeline stages or attention replicas in inverse proportion, so the number of GPUs stays the same.
fn loads(load: &InferenceLoad) -> Vec<(String, InferenceLoad)> {
    let InferenceLoad { tensor, workers, pipeline, expert, engine, launch, .. } = *load;
    let mut all: Vec<(String, InferenceLoad)> = Vec::new();
    if launch != Launch::Graph {
        all.push(("CUDA graphs".to_owned(), InferenceLoad { launch: Launch::Graph, ..*load }));
    }
    if engine.product() != engine {
        let name = format!("Current version of {}", engine.product().name());
        all.push((name, InferenceLoad { engine: engine.product(), ..*load }));
    }
    if workers.is_multiple_of(2) {
        let to = tensor.saturating_mul(2);
        let name = format!("Tensor parallelism {tensor} → {to}, half of the workers");
        all.push((name, InferenceLoad { tensor: to, workers: workers / 2, ..*load }));
    }
    if tensor.is_multiple_of(2) {
        let to = tensor / 2;
        let name = format!("Tensor parallelism {tensor} → {to}, twice the workers");
        all.push((name, InferenceLoad { tensor: to, workers: workers.saturating_mul(2), ..*load }));
        let name = format!("Tensor parallelism {tensor} → {to}, twice the pipeline stages");
        all.push((name, InferenceLoad { tensor: to, pipeline: pipeline.saturating_mul(2), ..*load }));
        let name = format!("Tensor parallelism {tensor} → {to}, twice the attention replicas");
        let data = load.data.saturating_mul(2);
        all.push((name, InferenceLoad { tensor: to, data, ..*load }));
    }
    for to in near(expert).filter(|_| expert > 1) {
        let name = format!("Expert parallelism {expert} → {to}");
        all.push((name, InferenceLoad { expert: to, ..*load }));
    }
    if load.is_stream() {
        let limits = engine.overheads().limited(load);
        // Limits are whole numbers far below 2³².
        let (sequences, tokens) = (limits.slots as u32, limits.budget as u32);
        for to in near(sequences) {
            let name = format!("Maximum sequences {sequences} → {to}");
            all.push((name, InferenceLoad { max_sequences: Some(to), ..*load }));
        }
        for to in near(tokens) {
            let name = format!("Token budget {tokens} → {to}");
            all.push((name, InferenceLoad { token_budget: Some(to), ..*load }));
        }
    }
    if pipeline.is_multiple_of(2) {
        let name = format!("Tensor parallelism {tensor} → {}, half of the pipeline stages", tensor * 2);
        all.push((name, InferenceLoad { tensor: tensor * 2, pipeline: pipeline / 2, ..*load }));
    }
    all
}
