//! Chart of the training speed-up of each hardware generation.

use super::pairs::{self, Pair};
use crate::figure::frame::{Size, positive};
use crate::figure::{Cell, Comparable, Figure, Table};
use crate::generations::Generation;
use crate::generations::machines::Outcome;
use crate::plan::Plan;
use crate::units::Amount;
use crate::units::format::times;
use crate::workload::Recompute;

/// Two bars per accelerator, the first of which is 1: the same job, and the best that it can do. `opened` links to the question
/// of an outcome.
pub fn speedup(
    generations: &[Generation],
    opened: &dyn Fn(&Generation, &Outcome) -> String,
    size: Size,
) -> Figure {
    let finding = finding(generations);
    let pairs: Vec<Pair> = generations.iter().map(|generation| pair(generation, opened)).collect();
    let drawing = pairs::drawing(&pairs, "Same job", "Tokens per second per GPU", &finding, size);
    Figure {
        id: "speedup".into(),
        title: "How much faster each generation trains".to_owned(),
        finding,
        table: table(generations, opened),
        compared: generations.iter().filter_map(|generation| comparable(generation, opened)).collect(),
        assumptions: vec![
            "Speed-ups are in tokens per second per GPU, on as many GPUs of each; the same job changes nothing else"
                .to_owned(),
            "The same job is relative to the first accelerator's, its own best to the first accelerator's best".to_owned(),
            "The best is the fastest of all formats and plans that fit: degrees, chunks, schedule, ZeRO, microbatch, \
             recomputation; the batch is the question's, or that of the detailed comparison where it is faster"
                .to_owned(),
        ],
        ..drawing.into()
    }
}

fn pair(generation: &Generation, opened: &dyn Fn(&Generation, &Outcome) -> String) -> Pair {
    let best = generation.best.as_ref().map_or_else(Default::default, |best| {
        let Plan { tensor, pipeline, microbatch, .. } = best.plan;
        let format = best.precision.name();
        [format!("{format}, TP {tensor}, PP {pipeline}, microbatch {microbatch}"), format.to_owned()]
    });
    Pair {
        name: generation.name.clone(),
        speedups: [generation.same_speedup, generation.best_speedup],
        why_not: generation.why_not.clone(),
        best,
        links: [&generation.same, &generation.best]
            .map(|outcome| outcome.as_ref().map_or_else(String::new, |outcome| opened(generation, outcome))),
    }
}

/// The speed-ups on the same job and at the best that can be drawn.
fn speedups(generation: &Generation) -> [Option<f64>; 2] {
    [generation.same_speedup, generation.best_speedup].map(|speedup| speedup.filter(|value| positive(*value)))
}

fn recompute(recompute: Recompute) -> &'static str {
    match recompute {
        Recompute::None => "no recomputation",
        Recompute::Selective => "selective recomputation",
        Recompute::Outputs => "recomputation of norms and activations",
        Recompute::Operators => "recomputation by operator",
        Recompute::Full => "full recomputation",
    }
}

fn finding(generations: &[Generation]) -> String {
    let fastest = |index: usize| {
        generations
            .iter()
            .filter_map(|generation| Some((generation, speedups(generation)[index]?)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
    };
    let Some(reference) = generations.first() else {
        return "There is no accelerator to compare.".to_owned();
    };
    let best = fastest(1).map(|(generation, speedup)| {
        let format =
            generation.best.as_ref().map_or(String::new(), |best| format!(" in {}", best.precision.name()));
        let (name, reference) = (&generation.name, &reference.name);
        format!("Each at its own best, {name}{format} trains {} as fast as {reference}", times(speedup))
    });
    let same = fastest(0).map(|(generation, speedup)| {
        format!("on the same job {} leads with {}", generation.name, times(speedup))
    });
    match (best, same) {
        (Some(best), Some(same)) => format!("{best}; {same}."),
        (Some(only), None) => format!("{only}; none runs the job as asked."),
        (None, Some(only)) => format!("Relative to {}, {only}.", reference.name),
        (None, None) => "No accelerator runs this job.".to_owned(),
    }
}

/// The speed-up of an accelerator at its best.
fn comparable(
    generation: &Generation,
    opened: &dyn Fn(&Generation, &Outcome) -> String,
) -> Option<Comparable> {
    let speedup = generation.best_speedup.filter(|value| value.is_finite())?;
    let link = generation.best.as_ref().map_or_else(String::new, |best| opened(generation, best));
    Some(Comparable::named(generation.name.clone(), link, Amount::times(speedup)))
}

fn table(generations: &[Generation], opened: &dyn Fn(&Generation, &Outcome) -> String) -> Table {
    let mut table = Table::new([
        ("Accelerator", None),
        ("Year", None),
        ("Same job", Some("×")),
        ("At its best", Some("×")),
        ("Best format", None),
        ("Best tensor degree", None),
        ("Best pipeline stages", None),
        ("Best microbatch", None),
        ("Best recomputation", None),
        ("Why not the same job", None),
    ]);
    let factor = |generation: &Generation, value: Option<f64>, outcome: Option<&Outcome>| {
        let Some(value) = value else { return Cell::none() };
        let cell = Cell::number(value, times(value));
        Cell { link: outcome.map(|outcome| opened(generation, outcome)), ..cell }
    };
    let count = |value: Option<u32>| {
        value.map_or_else(Cell::none, |value| Cell::number(f64::from(value), value.to_string()))
    };
    for generation in generations {
        let best = generation.best.as_ref();
        table.push([
            Cell::text(&generation.name),
            Cell::number(f64::from(generation.year), generation.year.to_string()),
            factor(generation, generation.same_speedup, generation.same.as_ref()),
            factor(generation, generation.best_speedup, best),
            best.map_or_else(Cell::none, |best| Cell::text(best.precision.name())),
            count(best.map(|best| best.plan.tensor)),
            count(best.map(|best| best.plan.pipeline)),
            count(best.map(|best| best.microbatch)),
            best.map_or_else(Cell::none, |best| Cell::text(recompute(best.recompute))),
            Cell::text(generation.why_not.as_deref().unwrap_or_default()),
        ]);
    }
    table
}
