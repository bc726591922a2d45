//! Features of systems, each at its best plan, as arXiv 2410.00273 varies them.

use super::links::elsewhere;
use crate::figure::{self, Size};
use crate::published::subramanian::{Feature, Machine, Map, Run};
use crate::scenario::Scenario;
use crate::search::{Scope, Subject};
use crate::units::{Amount, format};
use crate::view::{Answer, Card, Link, News, Notice, Question, Work};

const LEAD: &str = "How much faster two models of arXiv 2410.00273 train on other systems. The question's own model and GPU count \
                    only under that paper's assumptions";

/// The maps, which no question changes.
#[derive(Debug)]
pub(super) struct Features(Vec<Map>);

impl Default for Features {
    fn default() -> Self {
        let pairs =
            Feature::ALL.into_iter().flat_map(|feature| [Run::LLM, Run::VIT].map(|run| (feature, run)));
        Self(pairs.map(|(feature, run)| Map::new(feature, run)).collect())
    }
}

impl Features {
    /// Computes the next point; each whole map is shown.
    pub(super) fn step(&mut self, question: &Question) -> Work {
        let points = |maps: &[Map]| maps.iter().map(|map| map.parts().0).sum::<usize>() as u32;
        let done = |maps: &[Map]| maps.iter().map(|map| map.parts().1).sum::<usize>() as u32;
        let all = points(&self.0);
        let answer = |maps: &Self| News::Whole(maps.answer(&question.scenario, question.size));
        let open = self.0.iter_mut().find(|map| !map.done());
        let (Some(map), Some(base)) = (open, Machine::named("B200")) else {
            return Work::Done(answer(self));
        };
        map.advance(&base);
        let whole = map.done();
        let done = done(&self.0);
        if whole && done < all { Work::Partial(done, all, answer(self)) } else { Work::Progress(done, all) }
    }

    fn answer(&self, scenario: &Scenario, size: Size) -> Answer {
        let maps = || self.0.iter().filter(|map| map.done());
        let figures = maps().map(|map| figure::features(map, is_vit(map), size).into());
        Answer {
            lead: LEAD.to_owned(),
            cards: maps().map(card).collect(),
            parts: [back(scenario).into()].into_iter().chain(figures).collect(),
            ..Answer::default()
        }
    }
}

/// The way back to the plans.
pub(super) fn back(scenario: &Scenario) -> Notice {
    let plans = elsewhere(scenario, Scope { of: Subject::Plans, ..scenario.search.clone() });
    Notice::new("search-plans", "", vec![Link::at("Back to the plans of this job", plans)])
}

fn is_vit(map: &Map) -> bool {
    map.job.model == Run::VIT.model
}

/// Card of the gain of a run from a feature.
fn card(map: &Map) -> Card {
    let (id, what) = match map.feature {
        Feature::Dram => ("dram", "DRAM"),
        Feature::Rate => ("rate", "arithmetic"),
        Feature::Domain => ("domain", "GPUs and domain"),
    };
    let id = format!("{id}-{}", if is_vit(map) { "vit" } else { "llm" });
    gain(&id, format!("{}: {what}", map.job.name), map)
}

/// A card of how much faster the best point of a map is than its worst.
pub(super) fn gain(id: &str, label: String, map: &Map) -> Card {
    let found: Vec<f64> = map.days.iter().flatten().copied().collect();
    let least = found.iter().copied().fold(f64::INFINITY, f64::min);
    let most = found.iter().copied().fold(0.0, f64::max);
    if found.is_empty() {
        return Card::words(id, label, "none").noted("no plan fits");
    }
    Card::new(id, label, Amount::times(most / least)).noted(format!(
        "{} to {} days",
        format::digits(most),
        format::digits(least)
    ))
}
