//! Figures that compare several questions.

use super::{Asked, asked, at_most};
use crate::estimate::Term;
use crate::figure::{
    Compared, CurveAxis, CurvePoint, Figure, Size, compared_curves, compared_memory, compared_terms,
};
use crate::scenario::{Problem, Scenario, View, link};
use crate::serving::InferenceEstimate;
use crate::training::TrainingEstimate;
use crate::units::{Amount, Seconds, Unit, format};
use crate::view::differences::differences;
use crate::view::inference::deployments;
use crate::view::training::time_and_cost;

/// Maximum number of times that a training question's GPUs are doubled, and halved, on its curve.
const MOST_DOUBLINGS: u32 = 3;

/// Figures of the questions of a comparison: bars and curves with all training questions, and with all inference questions.
pub fn figures(questions: &[Scenario], size: Size) -> Vec<Figure> {
    let questions = at_most(questions);
    let asked: Vec<(Asked, &Scenario)> =
        asked(questions, &differences(questions)).into_iter().zip(questions).collect();
    let trained = sides(&asked, View::Training, Scenario::training);
    let served = sides(&asked, View::Inference, Scenario::inference);
    let mut figures = Vec::new();
    if !trained.is_empty() {
        figures.push(terms(
            ("compared-steps", "Training step by term"),
            &trained,
            |estimate: &TrainingEstimate| &estimate.terms,
            size,
        ));
        figures.push(runs(&asked, size));
    }
    if !served.is_empty() {
        let (ttft, tpot) = (
            ("compared-ttft", "Time to first token by term"),
            ("compared-tpot", "Time per output token by term"),
        );
        figures.push(terms(ttft, &served, |estimate: &InferenceEstimate| &estimate.terms_prefill, size));
        figures.push(terms(tpot, &served, |estimate: &InferenceEstimate| &estimate.terms_decode, size));
        figures.push(speeds(&asked, size));
    }
    let footprints: Vec<_> = trained
        .iter()
        .map(|side| with(side, side.of.memory))
        .chain(served.iter().map(|side| with(side, side.of.memory)))
        .collect();
    if !footprints.is_empty() {
        figures.push(compared_memory(&footprints, size));
    }
    figures
}

/// The questions of a view that have an answer.
pub(super) fn sides<T, E>(
    asked: &[(Asked, &Scenario)],
    view: View,
    mut answer: impl FnMut(&Scenario) -> Result<T, E>,
) -> Vec<Compared<T>> {
    let of_view = asked.iter().filter(|(_, question)| question.view == view);
    of_view
        .filter_map(|(asked, question)| {
            let of = answer(question).ok()?;
            Some(Compared { name: asked.name.clone(), link: asked.link.clone(), of })
        })
        .collect()
}

fn with<T, U>(side: &Compared<T>, of: U) -> Compared<U> {
    Compared { name: side.name.clone(), link: side.link.clone(), of }
}

fn terms<T>(
    heading: (&'static str, &str),
    sides: &[Compared<T>],
    terms: impl for<'a> Fn(&'a T) -> &'a [Term],
    size: Size,
) -> Figure {
    let sides: Vec<_> = sides.iter().map(|side| with(side, terms(&side.of))).collect();
    compared_terms(heading, &sides, size)
}

/// Duration of each training run against the number of GPUs, with more or fewer data-parallel replicas of the same plan.
fn runs(asked: &[(Asked, &Scenario)], size: Size) -> Figure {
    let curve = |question: &Scenario| {
        let own = question.system.gpus;
        let fewer = (1..=MOST_DOUBLINGS)
            .rev()
            .filter(|power| own.is_multiple_of(1 << power))
            .map(|power| own >> power);
        let more = (0..=MOST_DOUBLINGS).filter_map(|power| own.checked_mul(1 << power));
        let points = fewer.chain(more).filter_map(|gpus| {
            let mut there = question.clone();
            there.system.gpus = gpus;
            let (run, _) = time_and_cost(&there, there.training().ok()?.run);
            let what = format!("{} GPUs", Amount::count(gpus));
            Some(CurvePoint { at: (f64::from(gpus), run.get()), what, link: link::encode(&there) })
        });
        Ok::<_, Vec<Problem>>(points.collect())
    };
    let sides = sides(asked, View::Training, curve);
    let finding = best(&sides, |a, b| a.1 < b.1).map_or_else(String::new, |(name, point)| {
        format!(
            "The shortest run is {} of {name}, on {}.",
            format::time(Seconds::new(point.at.1)),
            point.what
        )
    });
    compared_curves(
        ("compared-runs", "Duration of the run against GPUs"),
        (
            CurveAxis { title: "GPUs", unit: Unit::Count },
            CurveAxis { title: "Time to the token budget", unit: Unit::Seconds },
        ),
        &sides,
        (finding, "Each question's plan with more or fewer data-parallel replicas, at the same global batch"),
        size,
    )
}

/// Throughput of each deployment against the speed that each user gets, over the number of concurrent requests.
fn speeds(asked: &[(Asked, &Scenario)], size: Size) -> Figure {
    let curve = |question: &Scenario| {
        let problem = question.deployments()?;
        let points = problem.over_loads(&question.inference).map(|found| CurvePoint {
            at: (found.per_user(), found.per_gpu()),
            what: format::counted(found.load.concurrency, "concurrent requests"),
            link: deployments::opened(question, &found),
        });
        Ok::<_, Vec<Problem>>(points.collect())
    };
    let sides = sides(asked, View::Inference, curve);
    let finding = best(&sides, |a, b| a.1 > b.1).map_or_else(String::new, |(name, point)| {
        format!(
            "{name} serves most per GPU: {} output tokens per second at {}.",
            format::digits(point.at.1),
            point.what
        )
    });
    compared_curves(
        ("compared-speeds", "Throughput against speed"),
        (
            CurveAxis { title: "Output tokens per second that each request gets", unit: Unit::None },
            CurveAxis { title: "Output tokens per second per GPU", unit: Unit::None },
        ),
        &sides,
        (finding, "1 to 1,024 concurrent requests, as far as memory has room for them"),
        size,
    )
}

/// The point that is better than all others, with the name of its question.
pub(super) fn best(
    sides: &[Compared<Vec<CurvePoint>>],
    better: impl Fn((f64, f64), (f64, f64)) -> bool,
) -> Option<(&str, &CurvePoint)> {
    let all = sides.iter().flat_map(|side| side.of.iter().map(move |point| (side.name.as_str(), point)));
    all.reduce(|best, other| if better(other.1.at, best.1.at) { other } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures_of(links: &str) -> Vec<Figure> {
        let questions: Vec<_> = link::decode_all(links).into_iter().map(|decoded| decoded.scenario).collect();
        figures(&questions, Size::Wide)
    }

    fn ids(figures: &[Figure]) -> Vec<&str> {
        figures.iter().map(|figure| &*figure.id).collect()
    }

    #[test]
    fn each_view_has_its_figures() {
        assert!(figures_of("v=1&view=search").is_empty());
        let trained = figures_of("v=1&tp=8~v=1&tp=4");
        assert_eq!(ids(&trained), ["compared-steps", "compared-runs", "compared-memory"]);
        let served = figures_of("v=1&view=inference~v=1&view=inference&gpu=h200-sxm");
        assert_eq!(ids(&served), ["compared-ttft", "compared-tpot", "compared-speeds", "compared-memory"]);
    }

    #[test]
    fn bars_are_the_estimates_of_their_questions() {
        let links = ["v=1&recompute=full&tp=8", "v=1&recompute=full&tp=7", "v=1&recompute=full&tp=4"];
        let figures = figures_of(&links.join("~"));
        let steps = &figures[0];
        // The second question has no answer: eight does not divide by seven.
        let names: Vec<&str> = steps.table.columns.iter().map(|column| &*column.label).collect();
        assert_eq!(names, ["Term", "1. tensor 8 GPUs", "3. tensor 4 GPUs"]);
        let total = steps.table.rows.last().expect("a total");
        for (cell, link) in total.cells[1..].iter().zip([links[0], links[2]]) {
            let question = link::decode(link).scenario;
            let (estimate, link) = (question.training().expect("an answer"), link::encode(&question));
            let shown = cell.value.expect("a number");
            assert!((shown / estimate.step.get() - 1.0).abs() < 1e-9, "{link}: {shown}");
            assert!(steps.reads.iter().any(|read| read.link == link), "{link} is opened by its bar");
        }
        assert!(steps.finding.contains("they differ most in"), "{}", steps.finding);
    }

    #[test]
    fn gpus_that_are_as_full_have_no_fullest() {
        let finding = |gpu: &str| {
            let figures = figures_of(&format!("v=1&view=inference~v=1&view=inference&gpu={gpu}"));
            let memory = figures.into_iter().find(|figure| figure.id == "compared-memory");
            memory.expect("a figure").finding
        };
        assert_eq!(finding("a100-sxm-80gb"), "Each question fills 18.0 GiB of 80.0 GiB (22.5 %).");
        assert!(
            finding("h200-sxm").starts_with("1. H100 SXM 80 GB fills its GPUs most: "),
            "{}",
            finding("h200-sxm")
        );
    }

    #[test]
    fn curves_pass_through_the_question() {
        let figures = figures_of("v=1~v=1&view=inference");
        let own = |figure: &Figure, what: &str| {
            figure.table.rows.iter().any(|row| row.cells[1].text.contains(what))
        };
        let runs = figures.iter().find(|figure| figure.id == "compared-runs").expect("a figure");
        let gpus = Scenario::default().system.gpus;
        assert!(own(runs, &format!("{} GPUs", Amount::count(gpus))));
        let speeds = figures.iter().find(|figure| figure.id == "compared-speeds").expect("a figure");
        assert!(own(speeds, "16 concurrent requests"), "{}", speeds.finding);
    }
}
