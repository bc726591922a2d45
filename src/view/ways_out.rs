//! Questions near one that breaks a law, which have an answer.

use super::Link;
use crate::scenario::fields::{Field, Kind, Value, field};
use crate::scenario::{Problem, Scenario, View};
use crate::sizing::{LoadKind, SizingJob};
use crate::units::format;

/// The largest distance from a refused number at which an allowed one is looked for.
const REACH: u32 = 256;

/// Questions that differ from a refused one in the first refused number alone: the nearest allowed ones below and above it,
/// or the largest request rate that is served. Where the plan breaks a law, also the search over all plans on the question's
/// GPUs; where the machine is too slow, fleets for the load; where a result of a paper is unknown, the list of all.
pub fn ways_out(question: &Scenario, problems: &[Problem]) -> Vec<Link> {
    let Some(refused) = problems.iter().find_map(|problem| field(&problem.field)) else { return Vec::new() };
    match question.view {
        View::Papers => return vec![Link::to("All results", &question.seen_in(View::Papers))],
        View::Sizing | View::Validation => return Vec::new(),
        _ if refused.path == "inference.rate" => return served(question, refused),
        _ => {}
    }
    let mut links = nearest(question, refused);
    let of_plan = refused.path == "system.gpus" || refused.path.starts_with("parallelism.");
    if of_plan && matches!(question.view, View::Training | View::Generations | View::Technology) {
        let search = question.seen_in(View::Search);
        if search.problems().is_empty() {
            let text = format!("Best plans on {}", format::counted(question.system.gpus, "GPUs"));
            links.push(Link::to(text, &search));
        }
    }
    links
}

/// The question with another value of a field; `None` if the field does not take it.
fn with(question: &Scenario, refused: &Field, value: f64) -> Option<Scenario> {
    let mut other = question.clone();
    refused.set(&mut other, Value::of_number(value)).is_ok().then_some(other)
}

fn link(refused: &Field, other: &Scenario) -> Link {
    Link::to(format!("{}: {}", refused.label, refused.shown(other)), other)
}

/// The nearest allowed values below and above a refused whole number. Of a value outside the field's range, the nearest end of the
/// range.
fn nearest(question: &Scenario, refused: &Field) -> Vec<Link> {
    let Kind::Number(number) = refused.kind else { return Vec::new() };
    let Some(value) = refused.get(question).as_number() else { return Vec::new() };
    let (low, high) = number.range;
    let start = value.clamp(low, high);
    let outside = start.to_bits() != value.to_bits();
    let steps = u32::from(!outside)..=if number.whole { REACH } else { 0 };
    let walk = |sign: f64| {
        let steps = steps.clone().map(|step| start + sign * f64::from(step) * number.scale);
        steps.take_while(|value| (low..=high).contains(value)).find_map(|value| {
            let other = with(question, refused, value)?;
            match other.problems().first() {
                None => Some(link(refused, &other)),
                // Data-parallel replicas follow from the GPUs, and the batch has to be a multiple of them.
                Some(problem) if refused.path == "system.gpus" && problem.field == "recipe.batch" => {
                    let batch = nearest(&other, field("recipe.batch")?).into_iter().next()?;
                    Some(Link { text: format!("{}, {}", link(refused, &other).text, batch.text), ..batch })
                }
                Some(_) => None,
            }
        })
    };
    let mut links: Vec<Link> = [-1.0, 1.0].into_iter().filter_map(walk).collect();
    links.dedup();
    links
}

/// The largest request rate that the machine serves, and fleets for the asked one.
fn served(question: &Scenario, rate: &Field) -> Vec<Link> {
    let full = question.with_inference(|job| job.keeps_up(question.inference.rate).err());
    let largest = full.ok().flatten().and_then(|full| {
        // Rounding to three digits adds less than half a percent.
        let other = with(question, rate, format::significant(full.largest * 0.995, 3))?;
        other.problems().is_empty().then(|| link(rate, &other))
    });
    let mut fleets = question.seen_in(View::Sizing);
    (fleets.sizing.job, fleets.sizing.load) = (SizingJob::Serve, LoadKind::Rate);
    let fleets = Link::to(format!("Sizing for {}", rate.shown(question)), &fleets);
    largest.into_iter().chain([fleets]).collect()
}

#[cfg(test)]
mod tests {
    use super::ways_out;
    use crate::scenario::link;

    fn offered(text: &str) -> Vec<String> {
        let question = link::decode(text).scenario;
        ways_out(&question, &question.problems()).into_iter().map(|link| link.text).collect()
    }

    #[test]
    fn a_number_that_is_not_divided_has_its_neighbours() {
        let offered = |text| offered(text).join(", ");
        // The two numbers of the message.
        assert_eq!(
            offered("v=1&gpus=500"),
            "GPUs: 480, Global batch: 1,020 seqs, GPUs: 512, Best plans on 500 GPUs"
        );
        assert_eq!(offered("v=1&gpus=1"), "GPUs: 32, Best plans on 1 GPU");
        assert_eq!(offered("v=1&tp=7"), "Tensor: 4 GPUs, Tensor: 8 GPUs, Best plans on 512 GPUs");
    }

    #[test]
    fn a_number_outside_its_range_has_the_nearest_inside() {
        assert_eq!(offered("v=1&batch=100000000"), ["Global batch: 1,048,576 seqs"]);
    }

    #[test]
    fn a_rate_that_is_not_served_has_the_largest_and_fleets() {
        let offered = offered("v=1&view=inference&serve.rate=1000&serve.engine=vllm");
        assert_eq!(offered, ["Request rate: 13.8 requests/s", "Sizing for 1,000 requests/s"]);
    }

    #[test]
    fn an_unknown_result_has_the_list_of_all() {
        assert_eq!(offered("v=1&view=papers&result=foo"), ["All results"]);
    }

    #[test]
    fn every_offer_has_an_answer() {
        for text in [
            "v=1&gpus=500",
            "v=1&gpus=250",
            "v=1&batch=100000000",
            "v=1&view=inference&serve.rate=1000&serve.engine=vllm",
            "v=1&view=papers&result=foo",
            "v=1&batch=1000",
            "v=1&tp=7",
            "v=1&pp=3",
            "v=1&view=inference&serve.tp=7",
            "v=1&view=generations&tp=7",
            "v=1&view=technology&tp=7",
            "v=1&view=technology&tech.task=decode&serve.tp=7",
        ] {
            let question = link::decode(text).scenario;
            let links = ways_out(&question, &question.problems());
            assert!(!links.is_empty(), "{text}");
            for link in links {
                let there = link::decode(&link.link);
                assert!(
                    there.problems.is_empty() && there.scenario.problems().is_empty(),
                    "{text}: {}",
                    link.text
                );
            }
        }
    }

    #[test]
    fn a_question_with_an_answer_has_none() {
        assert!(offered("v=1").is_empty());
    }
}
