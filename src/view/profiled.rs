//! Compares a profile's time by activity with the predicted terms of a training step or of serving.

use super::{Part, TablePart};
use crate::estimate::{Activity, Term};
use crate::figure::{self, Cell, Column, CourseOf, Profile, ProfileTerm, Row, Size, Table};
use crate::scenario::{Activities, Scenario};
use crate::serving::InferenceEstimate;
use crate::training::TrainingEstimate;
use crate::units::{Amount, Seconds, format};

/// Id of the table.
const TABLE: &str = "measured-terms";

/// A row of the comparison: measured activities and the predicted terms that correspond to them.
struct Pair {
    /// Label of the row.
    name: &'static str,
    /// Activities whose measured times are summed.
    measured: &'static [Activity],
    /// Ids of the predicted terms whose times are summed.
    predicted: &'static [&'static str],
    /// Scope of the row, as a note in the table's last column.
    note: &'static str,
}

const fn pair(
    name: &'static str,
    measured: &'static [Activity],
    predicted: &'static [&'static str],
    note: &'static str,
) -> Pair {
    Pair { name, measured, predicted, note }
}

use Activity::{
    Attention, Collectives, ContextParallel, Copies, DataParallel, Elementwise, ExpertParallel, Experts,
    Idle, Matmul, Optimizer, Other, Pipeline, TensorParallel,
};

const MULTIPLIES: Pair = pair(
    "Matrix multiplies",
    &[Matmul, Experts],
    &["matmul", "ends"],
    "Including experts and the output head",
);
const CORE: Pair = pair("Attention", &[Attention], &["attention"], "");
const STREAMS: Pair = pair("Elementwise", &[Elementwise], &["elementwise"], "Norms, activations, reductions");
const COPIES: Pair =
    pair("Copies", &[Copies], &["offload"], "Predicted: exposed transfers to and from host memory");
const OTHERS: Pair = pair("Other kernels", &[Other], &[], "Kernels whose name matches no pattern");

/// Communication rows of a training step, if the profile names the process groups of all collectives.
const NAMED: &[Pair] = &[
    pair("Tensor-parallel communication", &[TensorParallel], &["tensor_parallel"], "Exposed part"),
    pair("Context-parallel communication", &[ContextParallel], &["context_parallel"], "Exposed part"),
    pair("Data-parallel communication", &[DataParallel], &["data_parallel"], "Exposed part"),
];

/// Communication row of a training step, if the profile has collectives of unnamed process groups.
const UNNAMED: &[Pair] = &[pair(
    "Collectives",
    &[TensorParallel, ContextParallel, DataParallel, Collectives],
    &["tensor_parallel", "context_parallel", "data_parallel"],
    "Exposed part; tensor, context and data parallelism together, because the profile does not name the groups",
)];

/// Rows of a training step that precede and follow its collectives.
const TRAINED: [&[Pair]; 2] = [
    &[
        MULTIPLIES,
        CORE,
        STREAMS,
        pair("Recomputation", &[], &["recompute"], "Measured: included in the rows above"),
    ],
    &[
        pair(
            "Expert-parallel communication",
            &[ExpertParallel],
            &["expert_parallel"],
            "All-to-alls, exposed part",
        ),
        pair(
            "Pipeline communication",
            &[Pipeline],
            &["pipeline"],
            "Sends and receives; a measured receive includes the wait for its sender, which is predicted as bubble",
        ),
        pair("Optimizer", &[Optimizer], &["optimizer"], ""),
        COPIES,
        OTHERS,
        pair(
            "Idle",
            &[Idle],
            &["bubble", "host", "framework"],
            "Pipeline bubble, host time, time between steps",
        ),
    ],
];

/// Rows of serving; each predicted step, prefill or decode, is a column.
const SERVED: &[Pair] = &[
    MULTIPLIES,
    CORE,
    STREAMS,
    pair(
        "Tensor- and expert-parallel communication",
        &[TensorParallel, ExpertParallel, DataParallel, Collectives],
        &["tensor_parallel", "expert_parallel"],
        "Exposed part",
    ),
    pair("Context-parallel communication", &[ContextParallel], &["context_parallel"], "Exposed part"),
    pair("Pipeline sends", &[Pipeline], &["pipeline"], ""),
    COPIES,
    pair("Other kernels", &[Optimizer, Other], &["draft"], "Predicted: the draft model"),
    pair("Idle", &[Idle], &["host"], "Scheduling, input preparation and sampling"),
];

/// Tolerance between the sum of activities and the measured step time, as a fraction. Within it the profile and the
/// step time are from the same run, up to rounding in links.
const SAME: f64 = 0.01;

/// The figure and the table of a training step; empty without a profile.
pub(super) fn training(question: &Scenario, estimate: &TrainingEstimate, size: Size) -> Vec<Part> {
    let own = &question.measured.activity;
    let [first, last] = TRAINED;
    let collectives = if own.collectives.is_some() { UNNAMED } else { NAMED };
    let step = question.measured.step_s.filter(|step| (own.total() / step - 1.0).abs() < SAME);
    let pairs: Vec<&Pair> = [first, collectives, last].into_iter().flatten().collect();
    let mut parts = parts(own, step, &pairs, &[("Predicted", &estimate.terms)], size);
    parts.extend(course(question, estimate, size));
    parts
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
    let pairs: Vec<&Pair> = SERVED.iter().collect();
    let predicted: [(&str, &[Term]); 2] =
        [("Predicted prefill", &estimate.terms_prefill), ("Predicted decode", &estimate.terms_decode)];
    parts(&question.measured.activity, None, &pairs, &predicted, size)
}

/// The figure and the table. With a measured `step` time, times are compared; otherwise shares of the time.
fn parts(
    own: &Activities,
    step: Option<f64>,
    pairs: &[&Pair],
    predicted: &[(&'static str, &[Term])],
    size: Size,
) -> Vec<Part> {
    // A summary of kernels has no idle time, so the row is omitted for the predictions too.
    let seen = |pair: &&&Pair| pair.measured != [Idle] || own.idle.is_some();
    let pairs: Vec<&Pair> = pairs.iter().filter(seen).copied().collect();
    // `Iterator::sum` of no numbers is −0.0, which would be shown with a minus sign.
    let sum = |times: &mut dyn Iterator<Item = f64>| times.fold(0.0, |sum, time| sum + time);
    let spent = |pair: &&Pair| sum(&mut pair.measured.iter().filter_map(|activity| own.get(*activity)));
    let measured: Vec<f64> = pairs.iter().map(spent).collect();
    let total: f64 = measured.iter().sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let of = |terms: &[Term]| -> Vec<f64> {
        let of = |pair: &&Pair| {
            terms.iter().filter(|term| pair.predicted.contains(&term.id)).map(|term| term.time.get())
        };
        pairs.iter().map(|pair| sum(&mut of(pair))).collect()
    };
    let mut columns = vec![("Measured", measured)];
    columns.extend(predicted.iter().map(|(name, terms)| (*name, of(terms))));
    if step.is_none() {
        for (_, times) in &mut columns {
            let sum: f64 = times.iter().sum();
            for time in times {
                *time = if sum > 0.0 { *time / sum } else { 0.0 };
            }
        }
    }
    let shown = |place: &usize| columns.iter().any(|(_, times)| times[*place] > 0.0);
    let places: Vec<usize> = (0..pairs.len()).filter(shown).collect();
    let value = |place: usize, column: usize| {
        let told = column > 0 || !pairs[place].measured.is_empty();
        told.then(|| columns[column].1[place])
    };
    let values = |place: usize| (0..columns.len()).map(|column| value(place, column)).collect();
    let terms = places.iter().map(|place| ProfileTerm { name: pairs[*place].name, values: values(*place) });
    let profile = Profile {
        sources: columns.iter().map(|(name, _)| *name).collect(),
        terms: terms.collect(),
        shares: step.is_none(),
    };
    let notes: Vec<&str> = places.iter().map(|place| pairs[*place].note).collect();
    let finding = finding(&profile, own, step);
    let assumptions = vec![
        "Time during which several kernels run counts once: as compute if a compute kernel runs, else as \
         communication, else as a copy"
            .to_owned(),
        "Kernels are classified by name and process group; NCCL kernels include the wait for other GPUs"
            .to_owned(),
    ];
    let table = table(&profile, &notes);
    let reading = match step {
        Some(_) => {
            "Time per step. A ratio above 1 is slower than predicted. The terms add up to the step time."
        }
        None => "Shares of the total time. Each column adds up to 100 %.",
    };
    vec![
        figure::profile(&profile, &finding, assumptions, size).into(),
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

/// The table: one row per term, then the total.
fn table(profile: &Profile, notes: &[&str]) -> Table {
    let mut columns = vec![Column::new("Term")];
    columns.extend(profile.sources.iter().map(|source| Column::of(*source, profile.unit())));
    let ratio = profile.sources.len() == 2;
    columns.extend(
        ratio.then(
            || if profile.shares { Column::of("Difference", "%") } else { Column::of("Ratio", "times") },
        ),
    );
    columns.push(Column::new("Notes"));
    let mut table = Table::under(columns);
    // Recomputed kernels have the same names as the others, so only the sum of compute can be compared.
    let repeated = profile.terms.iter().any(|term| term.name == "Recomputation");
    let mixed = |name: &str| repeated && [MULTIPLIES.name, CORE.name, STREAMS.name].contains(&name);
    let compared = |values: &[Option<f64>]| match values {
        [Some(measured), Some(predicted), ..] if profile.shares => {
            Cell::number(100.0 * (measured - predicted), format::signed_percent(measured - predicted))
        }
        [Some(measured), Some(predicted), ..] if *measured > 0.0 && *predicted > 0.0 => {
            Cell::number(measured / predicted, format::times(measured / predicted))
        }
        _ => Cell::none(),
    };
    let mut push = |name: &str, values: &[Option<f64>], comparison: Cell, note: &str| {
        let mut cells = vec![Cell::text(name)];
        cells.extend(values.iter().map(|value| profile.cell(*value)));
        cells.extend(ratio.then_some(comparison));
        cells.push(Cell::text(note));
        table.rows.push(Row { cells, ..Row::default() });
    };
    for (term, note) in profile.terms.iter().zip(notes) {
        let comparison = if mixed(term.name) { Cell::none() } else { compared(&term.values) };
        push(term.name, &term.values, comparison, note);
    }
    let sum = |of: &dyn Fn(&str) -> bool| -> Vec<Option<f64>> {
        let terms = || profile.terms.iter().filter(|term| of(term.name));
        (0..profile.sources.len())
            .map(|source| Some(terms().filter_map(|term| term.values[source]).sum()))
            .collect()
    };
    if repeated {
        let all = sum(&|name| mixed(name) || name == "Recomputation");
        let comparison = compared(&all);
        push(
            "Compute with recomputation",
            &all,
            comparison,
            "Recomputed kernels cannot be told from others by name",
        );
    }
    let all = sum(&|_| true);
    let comparison = compared(&all);
    push("Total", &all, comparison, "");
    table
}
