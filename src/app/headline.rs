//! The answer in numbers, first thing on the page.

use leptos::prelude::*;

use super::fragment;
use super::notices::Problems;
use super::remote_view::RemoteHeadline;
use super::state::{Answer, state};
use crate::estimate::{Footprint, Generation, InferenceEstimate, TrainingEstimate};
use crate::scenario::{ErrorChoice, Scenario, Topic, View};
use crate::system::AssumptionSet;
use crate::units::Seconds;
use crate::units::format;
use crate::validation::band::{self, Band};
use crate::validation::{Family, Quantity};

/// One number of the answer.
#[derive(Clone, Debug, PartialEq)]
struct Number {
    id: &'static str,
    label: String,
    value: String,
    note: String,
    range: Option<Range>,
}

/// Where the measured value probably is.
#[derive(Clone, Debug, PartialEq)]
struct Range {
    /// From what to what.
    text: String,
    /// On which measurements that rests.
    why: String,
    /// The question that shows them.
    address: String,
}

impl Range {
    /// Of a time that was predicted for a question; none where nothing like it was measured.
    fn of(question: &Scenario, quantity: Quantity, topic: Topic, time: Seconds) -> Option<Self> {
        // Bands are of the calibrated set's errors.
        if question.assumptions != AssumptionSet::Calibrated {
            return None;
        }
        let Band { group, rows, low, high } = band::of(question, quantity)?;
        let errors = ErrorChoice {
            of: topic,
            generation: group.generation.clone().unwrap_or_default(),
            family: group.family.map_or("", Family::name).to_owned(),
            bits: group.bits.map(|bits| bits.to_string()).unwrap_or_default(),
            ..ErrorChoice::default()
        };
        let there = Scenario { view: View::Validation, errors, ..question.clone() };
        Some(Self {
            text: format!("{} to {}", format::time(time * low), format::time(time * high)),
            why: format!("Eight of ten measured values lie so: {rows} {group}. Opens their errors"),
            address: fragment::address(&there),
        })
    }
}

impl Number {
    fn new(id: &'static str, label: impl Into<String>, value: String, note: String) -> Self {
        Self { id, label: label.into(), value, note, range: None }
    }

    fn within(self, range: Option<Range>) -> Self {
        Self { range, ..self }
    }
}

/// The numbers of the current view.
#[component]
pub(crate) fn Headline() -> impl IntoView {
    let state = state();
    let numbers = Memo::new(move |_| match state.view.get() {
        View::Training => state.training.with(|kept| kept.answer.as_deref().map(training)),
        View::Inference => state.inference.with(|kept| kept.answer.as_deref().map(inference)),
        View::Generations => state.generations.with(|kept| kept.answer.as_deref().map(generations)),
        View::Validation => None,
    });
    view! {
        <section class="headline" id="answer" tabindex="-1" aria-labelledby="answer-title">
            <h2 id="answer-title" class="visually-hidden">"Answer"</h2>
            {move || match state.view.get() {
                View::Validation => view! { <RemoteHeadline /> }.into_any(),
                _ => view! { <Numbers numbers /> }.into_any(),
            }}
            <Problems />
        </section>
    }
}

#[component]
fn Numbers(numbers: Memo<Option<Vec<Number>>>) -> impl IntoView {
    let state = state();
    let stale = move || state.stale.get().then_some("");
    view! {
        <dl data-stale=stale>
            {move || numbers.get().unwrap_or_default().into_iter().map(|number| view! {
                <div class="number-card">
                    <dt>{number.label}</dt>
                    <dd data-answer=number.id data-stale=stale>{number.value}</dd>
                    {number.range.map(|Range { text, why, address }| {
                        let why_id = format!("{}-why", number.id);
                        view! {
                            <dd class="range">
                                <a href=address data-range=number.id aria-describedby=why_id.clone()>{text}</a>
                                <span class="tip" role="tooltip" id=why_id>{why}</span>
                            </dd>
                        }
                    })}
                    <dd class="note">{number.note}</dd>
                </div>
            }).collect_view()}
        </dl>
        <Show when=move || numbers.with(Option::is_none)>
            <p class="notice">"This question has no answer yet"</p>
        </Show>
    }
}

fn training(answer: &Answer<TrainingEstimate>) -> Vec<Number> {
    let (estimate, question) = (&answer.estimate, &answer.question);
    let budget = format::count(question.recipe.tokens);
    vec![
        Number::new(
            "step",
            "Step time",
            format::time(estimate.step),
            format!("{} × {} microbatches", estimate.data_parallel, estimate.microbatches),
        )
        .within(Range::of(question, Quantity::IterTime, Topic::Step, estimate.step)),
        Number::new(
            "mfu",
            "MFU",
            format::percent(estimate.mfu),
            format!("HFU {}", format::percent(estimate.hfu)),
        ),
        Number::new(
            "tokens",
            "Tokens per second",
            format::digits(estimate.tokens_per_second),
            format!("{} per GPU", format::digits(estimate.tokens_per_second_per_gpu)),
        ),
        Number::new(
            "days",
            format!("Time to {budget} tokens"),
            format::time(estimate.run),
            format!("{} steps", format::grouped(estimate.run / estimate.step)),
        ),
        memory(&estimate.memory),
    ]
}

fn inference(answer: &Answer<InferenceEstimate>) -> Vec<Number> {
    let (estimate, load) = (&answer.estimate, &answer.question.inference);
    let rate = Seconds::new(1.0) / estimate.tpot;
    vec![
        Number::new(
            "ttft",
            "Time to first token",
            format::time(estimate.ttft),
            format!("{} input tokens", format::grouped(f64::from(load.input))),
        )
        .within(Range::of(&answer.question, Quantity::Ttft, Topic::Ttft, estimate.ttft)),
        Number::new(
            "tpot",
            "Time per output token",
            format::time(estimate.tpot),
            format!("{} per second and user", format::digits(rate)),
        )
        .within(Range::of(&answer.question, Quantity::Tpot, Topic::Tpot, estimate.tpot)),
        Number::new(
            "latency",
            "Request latency",
            format::time(estimate.latency),
            format!("{} output tokens", format::grouped(f64::from(load.output))),
        ),
        Number::new(
            "tokens",
            "Output tokens per second",
            format::digits(estimate.tokens_per_second),
            match load.batch {
                1 => "one request at a time".to_owned(),
                batch => format!("{} requests together", format::grouped(f64::from(batch))),
            },
        ),
        Number::new(
            "kv",
            "KV cache per token",
            format::memory(estimate.kv_bytes_per_token),
            format!("over {} GPUs", load.tensor),
        ),
        Number::new(
            "batch",
            "Largest batch",
            format::grouped(f64::from(estimate.largest_batch)),
            "requests that fit in memory".to_owned(),
        ),
        memory(&estimate.memory),
    ]
}

fn memory(memory: &Footprint) -> Number {
    let share = memory.total() / memory.capacity;
    Number::new(
        "memory",
        "Memory per GPU",
        format::memory(memory.total()),
        format!("{} of {}", format::percent(share), format::memory(memory.capacity)),
    )
}

fn generations(answer: &Answer<Vec<Generation>>) -> Vec<Number> {
    let generations = &answer.estimate;
    let times = |speedup: Option<f64>| match speedup {
        Some(speedup) => format!("{} ×", format::digits(speedup)),
        None => "–".to_owned(),
    };
    let mut numbers = Vec::new();
    if let Some(b200) = generations.iter().find(|generation| generation.accelerator == "b200") {
        numbers.push(Number::new(
            "speedup-b200",
            format!("{} over A100", b200.name),
            times(b200.best_speedup),
            format!("{} with the same plan", times(b200.same_speedup)),
        ));
    }
    let best = generations.iter().max_by(|a, b| {
        let speed = |generation: &Generation| generation.best_speedup.unwrap_or(0.0);
        speed(a).total_cmp(&speed(b))
    });
    if let Some(best) = best {
        numbers.push(Number::new(
            "speedup-best",
            format!("Fastest: {}", best.name),
            times(best.best_speedup),
            format!("{} with the same plan", times(best.same_speedup)),
        ));
    }
    numbers
}
