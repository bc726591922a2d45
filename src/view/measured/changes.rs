//! What to change first: settings whose change the model predicts to shorten the measured time most.

use crate::calibration::Topic;
use crate::estimate::Term;
use crate::figure::{Cell, Column, Table};
use crate::inference::{InferenceLoad, Launch};
use crate::order::largest_first;
use crate::plan::Plan;
use crate::scenario::{Measured, Scenario, View, link};
use crate::units::{Amount, Seconds};
use crate::view::{Notice, Part, TablePart};
use crate::workload::Recompute;

/// Id of the table, and of the notice in its place.
const ID: &str = "changes";

/// Changes that are shown.
const SHOWN: usize = 3;

/// Smallest gain that is shown, as a share of the time.
const LEAST: f64 = 0.005;

/// A setting changed, and the scenario with it.
struct Change {
    name: String,
    scenario: Scenario,
}

/// A predicted time with its terms.
struct Timed {
    time: Seconds,
    terms: Vec<Term>,
}

/// A change that shortens the time.
#[derive(Clone)]
struct Gain {
    name: String,
    link: String,
    time: Seconds,
    share: f64,
    /// The term that falls most, and by how much.
    term: Option<(&'static str, Seconds)>,
}

/// The largest gains among changes of one setting each, on the same GPUs and with the same batch or load and formats; a
/// sentence where none shortens the time. `None` if the question itself has no answer.
pub(super) fn part(question: &Scenario, topic: Topic) -> Option<Part> {
    let asked = timed(question, topic)?;
    let all = changes(question);
    let gains: Vec<Gain> = all.iter().filter_map(|change| gain(change, topic, &asked)).collect();
    let gains = largest_first(&gains, |gain| gain.share);
    let named = topic.name();
    if gains.is_empty() {
        let text = format!(
            "What to change first: none of {} changes of one setting on the same GPUs, at the same batch or load and in the \
             same formats, is predicted to shorten {}.",
            all.len(),
            named
        );
        return Some(Notice { id: ID.to_owned(), text, links: Vec::new() }.into());
    }
    let mut table = Table::under([
        Column::new("Change"),
        Column::of("Predicted", "s"),
        Column::of("Gain", "%"),
        Column::new("Mostly from"),
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
        format!("Its largest term is {} ({share}). ", term.label.to_lowercase())
    });
    let finding = format!(
        "Predicted {} without the corrections above: {}. {largest}Of {} changes of one setting on the same GPUs, at the same \
         batch or load and in the same formats, {} are faster",
        named,
        Amount::time(asked.time),
        all.len(),
        gains.len()
    );
    Some(TablePart::new(ID, "What to change first", finding, table).into())
}

fn gain(change: &Change, topic: Topic, asked: &Timed) -> Option<Gain> {
    let there = timed(&change.scenario, topic)?;
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

/// The predicted time of a topic and its terms; none where the model refuses.
fn timed(scenario: &Scenario, topic: Topic) -> Option<Timed> {
    if topic == Topic::Step {
        let estimate = scenario.training().ok()?;
        return Some(Timed { time: estimate.step, terms: estimate.terms });
    }
    let estimate = scenario.inference().ok()?;
    Some(match topic {
        Topic::Ttft => Timed { time: estimate.ttft, terms: estimate.terms_prefill },
        Topic::Tpot => Timed { time: estimate.tpot, terms: estimate.terms_decode },
        Topic::Latency | Topic::Step => {
            let steps = f64::from(scenario.inference.output.saturating_sub(1));
            let decode = estimate.terms_decode.into_iter();
            let decode = decode.map(|term| Term { time: term.time * steps, ..term });
            let terms = estimate.terms_prefill.into_iter().chain(decode).collect();
            Timed { time: estimate.latency, terms }
        }
    })
}

/// Each setting changed alone. What was measured is not kept: it was measured before the change.
fn changes(question: &Scenario) -> Vec<Change> {
    let plain = Scenario { measured: Measured::default(), ..question.clone() };
    if question.view == View::Inference {
        let of = |(name, inference)| Change { name, scenario: Scenario { inference, ..plain.clone() } };
        return loads(&question.inference).into_iter().map(of).collect();
    }
    let of = |(name, parallelism)| Change { name, scenario: Scenario { parallelism, ..plain.clone() } };
    plans(&question.parallelism).into_iter().map(of).collect()
}

/// A degree that is doubled and one that is halved, where that is whole.
fn near(degree: u32) -> impl Iterator<Item = u32> {
    [Some(degree.saturating_mul(2)), degree.is_multiple_of(2).then_some(degree / 2)].into_iter().flatten()
}

/// Plans that differ in one setting. Replicas make up for what a degree leaves free.
fn plans(plan: &Plan) -> Vec<(String, Plan)> {
    let Plan { microbatch, tensor, pipeline, interleave, .. } = *plan;
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
        (plan.data_overlap, "Overlapped gradient reduction", Plan { data_overlap: true, ..*plan }),
    ];
    all.extend(switches.into_iter().filter(|(on, ..)| !on).map(|(_, name, plan)| (name.to_owned(), plan)));
    all
}

/// Deployments that differ in one setting. Workers make up for what a degree leaves free.
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
    if pipeline.is_multiple_of(2) {
        let name = format!("Tensor parallelism {tensor} → {}, half of the pipeline stages", tensor * 2);
        all.push((name, InferenceLoad { tensor: tensor * 2, pipeline: pipeline / 2, ..*load }));
    }
    all
}
