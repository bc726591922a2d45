//! Compares a profile's time by activity with the predicted terms of a training step or of serving.

mod compared;
mod experts;
mod pairs;
mod phases;
mod table;

use super::{Part, TablePart};
use crate::estimate::Term;
use crate::figure::{self, CourseOf, Profile, ProfileTerm, Size, TermDifference, TermDifferences};
use crate::scenario::{Activities, Scenario};
use crate::serving::InferenceEstimate;
use crate::training::TrainingEstimate;
use crate::units::{Amount, Seconds};
use compared::Compared;
use experts::Operators;

/// Id of the table.
const TABLE: &str = "measured-terms";

/// Tolerance between the sum of activities and the measured step time, as a fraction. Within it the profile and the
/// step time are from the same run, up to rounding in links.
const SAME: f64 = 0.01;

/// Fraction of the step time up to which times by activity, rounded to ns in links, may differ from it in sum.
const ROUNDING: f64 = 1e-5;

/// The figure and the tables of a training step; empty without a profile or times of its phases.
pub(super) fn training(question: &Scenario, estimate: &TrainingEstimate, size: Size) -> Vec<Part> {
    let own = &question.measured.activity;
    let step = profiled_step(question);
    let mut parts: Vec<Part> = phases::part(question).into_iter().collect();
    let Some(mut compared) = of_step(question, estimate) else { return parts };
    if let Some(hidden) = own.hidden.filter(|_| step.is_some()) {
        let predicted = question.with_training(|job| job.hidden_communication().get()).ok();
        let values = vec![Some(hidden), predicted];
        compared.hidden = Some(ProfileTerm { name: "Hidden communication", values });
    }
    parts.extend(shown(&compared, own, step, size));
    parts.extend(course(question, estimate, size));
    parts
}

/// The measured step time, if it is that of the profile.
fn profiled_step(question: &Scenario) -> Option<f64> {
    let total = question.measured.activity.total();
    question.measured.step_s.filter(|step| (total / step - 1.0).abs() < SAME)
}

/// A training step beside its prediction; `None` without a profile.
fn of_step(question: &Scenario, estimate: &TrainingEstimate) -> Option<Compared> {
    let own = &question.measured.activity;
    let runs = f64::from(estimate.microbatches);
    let terms = experts::apart(&estimate.terms, Operators { rows: &estimate.operators, runs, routed: true });
    let pairs = pairs::trained(own.experts.is_some() && experts::has(&terms), own.collectives.is_none());
    Compared::of(own, profiled_step(question), &pairs, &[("Predicted", terms)])
}

/// The differences of a profiled step from its prediction, term by term; `None` without a profile of the measured step. The terms of
/// compute are one with recomputation, whose kernels have the names of the others.
pub(super) fn differences(question: &Scenario) -> Option<TermDifferences> {
    let step = profiled_step(question)?;
    let estimate = question.trained().ok()?;
    let Compared { profile, .. } = of_step(question, &estimate)?;
    let repeated = profile.terms.iter().any(|term| term.name == pairs::RECOMPUTATION);
    let mut terms: Vec<TermDifference> = Vec::new();
    for term in &profile.terms {
        let of = |source: usize| Seconds::new(term.values.get(source).copied().flatten().unwrap_or(0.0));
        let (measured, predicted) = (of(0), of(1));
        let mixed = repeated && pairs::is_repeated(term.name);
        let name = if mixed { pairs::REPEATING } else { term.name };
        if let Some(known) = terms.iter_mut().find(|known| known.name == name) {
            known.measured += measured;
            known.predicted += predicted;
        } else {
            terms.push(TermDifference { name, predicted, measured });
        }
    }
    let total: Seconds = terms.iter().map(|term| term.measured).sum();
    let rest = Seconds::new(step) - total;
    if (rest.get() / step).abs() > ROUNDING {
        terms.push(TermDifference { name: "Not in the profile", predicted: Seconds::ZERO, measured: rest });
    } else if let Some(longest) =
        terms.iter_mut().max_by(|a, b| a.measured.get().total_cmp(&b.measured.get()))
    {
        longest.measured += rest;
    }
    Some(TermDifferences::new(estimate.step, Seconds::new(step), terms))
}

/// The figure of a profiled step over time; `None` without one, or for plans whose schedule is not modelled.
fn course(question: &Scenario, estimate: &TrainingEstimate, size: Size) -> Option<Part> {
    let course = question.measured.course.course()?;
    let measured = CourseOf { step: Seconds::new(question.measured.step_s?), course };
    let predicted = question.with_training(|job| Some(estimate.course(&job.timeline()?))).ok()??;
    let predicted = CourseOf { step: estimate.step, course: predicted };
    Some(figure::course(&measured, &predicted, size).into())
}

/// The figure and the table of a server's prefill and decode steps; empty without a profile.
pub(super) fn serving(question: &Scenario, estimate: &InferenceEstimate, size: Size) -> Vec<Part> {
    let own = &question.measured.activity;
    let apart = |terms: &[Term], rows, runs| experts::apart(terms, Operators { rows, runs, routed: false });
    let yielded = question.inference.yielded();
    let predicted = [
        ("Predicted prefill", apart(&estimate.terms_prefill, &estimate.prefill, 1.0)),
        ("Predicted decode", apart(&estimate.terms_decode, &estimate.decode, yielded.recip())),
    ];
    let has_experts = predicted.iter().any(|(_, terms)| experts::has(terms));
    let pairs = pairs::served(own.experts.is_some() && has_experts);
    let compared = Compared::of(own, None, &pairs, &predicted);
    compared.map(|compared| shown(&compared, own, None, size).into()).unwrap_or_default()
}

/// The figure and the table. With a measured `step` time, times are compared; otherwise shares of the time.
fn shown(compared: &Compared, own: &Activities, step: Option<f64>, size: Size) -> [Part; 2] {
    let profile = &compared.profile;
    let finding = finding(profile, own, step);
    let assumptions = vec![
        "Time during which several kernels run counts once: as compute if a compute kernel runs, else as \
         communication, else as a copy"
            .to_owned(),
        "Kernels are classified by name and process group; NCCL kernels include the wait for other GPUs"
            .to_owned(),
    ];
    let table = table::table(compared);
    let reading = match step {
        Some(_) => {
            "Time per step. A ratio above 1 is slower than predicted. The terms add up to the step time."
        }
        None => "Shares of the total time. Each column adds up to 100 %.",
    };
    [
        figure::profile(profile, &finding, assumptions, size).into(),
        TablePart::new(TABLE, "Profile and predicted terms", reading, table).into(),
    ]
}

/// Names the term with the largest absolute difference and the time of hidden communication.
fn finding(profile: &Profile, own: &Activities, step: Option<f64>) -> String {
    let time = |time: f64| Amount::time(Seconds::new(time));
    let apart = |term: &&ProfileTerm| match term.values[..] {
        [Some(measured), Some(predicted), ..] => (measured - predicted).abs(),
        _ => 0.0,
    };
    let most = profile.terms.iter().max_by(|a, b| apart(a).total_cmp(&apart(b)));
    let mut text = match most.map(|term| (term.name, &term.values[..])) {
        Some((name, [Some(measured), rest @ ..])) => {
            let predicted: Vec<String> = profile.sources[1..]
                .iter()
                .zip(rest)
                .map(|(source, value)| {
                    format!(
                        "{} {}",
                        value.map_or_else(|| "–".to_owned(), |value| profile.shown(value)),
                        source.to_lowercase()
                    )
                })
                .collect();
            format!(
                "Largest difference: {}, {} measured and {}.",
                figure::within(name),
                profile.shown(*measured),
                predicted.join(", ")
            )
        }
        _ => "The profile has no time.".to_owned(),
    };
    if let Some(hidden) = own.hidden {
        let of = if step.is_some() { " per step" } else { "" };
        let hidden = format!(" {}{of} of communication is hidden behind compute kernels.", time(hidden));
        text.push_str(&hidden);
    }
    if step.is_none() {
        text.push_str(
            " The profile has no step time, so shares of measured and predicted time are compared.",
        );
    }
    text
}
