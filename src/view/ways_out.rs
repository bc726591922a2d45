//! Questions near one that breaks a law, which have an answer.

use super::Link;
use crate::scenario::fields::{Field, Kind, Value, field};
use crate::scenario::{Problem, Scenario, View};
use crate::units::format;

/// The largest distance from a refused number at which an allowed one is looked for.
const REACH: u32 = 256;

/// Questions that differ from a refused one in the first refused whole number alone: the nearest allowed ones below and
/// above it. Where the plan breaks a law, also the search over all plans on the question's GPUs.
pub fn ways_out(question: &Scenario, problems: &[Problem]) -> Vec<Link> {
    let refused = problems.iter().find_map(|problem| field(&problem.field));
    let slow = matches!(question.view, View::Sizing | View::Papers | View::Validation);
    let Some(refused) = refused.filter(|_| !slow) else { return Vec::new() };
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

/// The nearest allowed values below and above a refused whole number.
fn nearest(question: &Scenario, refused: &Field) -> Vec<Link> {
    let Kind::Number(number) = refused.kind else { return Vec::new() };
    let Some(value) = refused.get(question).as_number().filter(|_| number.whole) else { return Vec::new() };
    let (low, high) = number.range;
    let allowed = |value: f64| {
        let mut other = question.clone();
        let set = refused.set(&mut other, Value::of_number(value)).is_ok();
        (set && other.problems().is_empty()).then_some(other)
    };
    let walk = |sign: f64| {
        let steps = (1..=REACH).map(|step| value + sign * f64::from(step) * number.scale);
        steps.take_while(|value| (low..=high).contains(value)).find_map(allowed)
    };
    let link = |other: Scenario| Link::to(format!("{}: {}", refused.label, refused.shown(&other)), &other);
    [-1.0, 1.0].into_iter().filter_map(walk).map(link).collect()
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
        assert_eq!(offered("v=1&gpus=500"), "GPUs: 256, GPUs: 512, Best plans on 500 GPUs");
        assert_eq!(offered("v=1&gpus=1"), "GPUs: 32, Best plans on 1 GPU");
        assert_eq!(offered("v=1&tp=7"), "Tensor: 4 GPUs, Tensor: 8 GPUs, Best plans on 512 GPUs");
    }

    #[test]
    fn every_offer_has_an_answer() {
        for text in [
            "v=1&gpus=500",
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
