//! The figures and tables of each view.

use leptos::prelude::*;

use super::figure_view::FigureView;
use super::generations_table::GenerationsTable;
use super::operators_table::OperatorsTable;
use super::remote_view::RemoteFigures;
use super::state::{Answer, Kept, state};
use crate::catalog::catalog;
use crate::estimate::{InferenceEstimate, OperatorRow, TrainingEstimate};
use crate::figure::{self, Figure, Size};
use crate::scenario::View;

/// The figures of the current view. Those of the others do not exist, so that nothing computes them.
#[component]
pub(crate) fn Figures() -> impl IntoView {
    let state = state();
    move || {
        let figures = match state.view.get() {
            View::Training => view! { <Training /> }.into_any(),
            View::Inference => view! { <Inference /> }.into_any(),
            View::Generations => view! { <Generations /> }.into_any(),
            View::Validation => return view! { <RemoteFigures /> }.into_any(),
        };
        view! { <section class="figures" aria-label="Figures">{figures}</section> }.into_any()
    }
}

#[component]
fn Training() -> impl IntoView {
    let training = state().training;
    let operators = rows(training, |estimate| estimate.operators.clone());
    view! {
        <FigureView
            id="step-breakdown"
            figure=drawn(training, |answer, size| figure::step_breakdown(&answer.estimate, size))
        />
        <FigureView
            id="memory"
            figure=drawn(training, |answer, size| figure::memory(&answer.estimate.memory, size))
        />
        <FigureView id="roofline" figure=drawn(training, training_roofline) />
        <OperatorsTable id="operators" note="One microbatch on one GPU of one pipeline stage" operators />
    }
}

#[component]
fn Inference() -> impl IntoView {
    let (inference, dram) = (state().inference, state().dram);
    let operators = rows(inference, every_operator);
    view! {
        <FigureView
            id="dram-latency"
            figure=drawn(dram, |answer, size| {
                let memories: Vec<(&str, f64)> =
                    catalog().memories.iter().map(|memory| (memory.name.as_str(), memory.system_tb_s)).collect();
                figure::dram_latency(&answer.estimate, &memories, size)
            })
        />
        <FigureView
            id="prefill-breakdown"
            figure=drawn(inference, |answer, size| figure::prefill_breakdown(&answer.estimate, size))
        />
        <FigureView
            id="decode-breakdown"
            figure=drawn(inference, |answer, size| figure::decode_breakdown(&answer.estimate, size))
        />
        <OperatorsTable
            id="bound-by"
            note="Prefill of the whole prompt, and one decoding step at the request's mean length, on one GPU"
            operators
        />
        <FigureView id="roofline" figure=drawn(inference, inference_roofline) />
        <FigureView
            id="memory"
            figure=drawn(inference, |answer, size| figure::memory(&answer.estimate.memory, size))
        />
    }
}

#[component]
fn Generations() -> impl IntoView {
    let generations = state().generations;
    view! {
        <FigureView
            id="speedup"
            figure=drawn(generations, |answer, size| figure::speedup(&answer.estimate, size))
        />
        <GenerationsTable />
    }
}

fn every_operator(estimate: &InferenceEstimate) -> Vec<OperatorRow> {
    [&estimate.prefill[..], &estimate.decode[..]].concat()
}

fn training_roofline(answer: &Answer<TrainingEstimate>, size: Size) -> Figure {
    let question = &answer.question;
    let roof = question.with_training(|job| {
        let device = &job.system.device;
        (device.rate(question.recipe.precision), device.dram)
    });
    let (peak, dram) = roof.unwrap_or_default();
    figure::roofline(&answer.estimate.operators, peak, dram, size)
}

fn inference_roofline(answer: &Answer<InferenceEstimate>, size: Size) -> Figure {
    let question = &answer.question;
    let roof = question.with_inference(|job| {
        let device = &job.system.device;
        (device.rate(question.inference.precision), device.dram)
    });
    let (peak, dram) = roof.unwrap_or_default();
    figure::roofline(&every_operator(&answer.estimate), peak, dram, size)
}

/// The figure of an answer, drawn once for each answer and width.
fn drawn<T: Send + Sync + 'static>(
    answer: Memo<Kept<T>>,
    draw: fn(&Answer<T>, Size) -> Figure,
) -> Memo<Option<Figure>> {
    let narrow = state().narrow;
    Memo::new(move |_| {
        let size = if narrow.get() { Size::Narrow } else { Size::Wide };
        answer.with(|kept| kept.answer.as_deref().map(|answer| draw(answer, size)))
    })
}

fn rows<T: Send + Sync + 'static>(
    answer: Memo<Kept<T>>,
    rows: fn(&T) -> Vec<OperatorRow>,
) -> Memo<Vec<OperatorRow>> {
    Memo::new(move |_| {
        answer.with(|kept| kept.answer.as_deref().map(|answer| rows(&answer.estimate)).unwrap_or_default())
    })
}
