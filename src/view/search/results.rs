//! Results of a search for plans: cards, figures, tables.

use super::links::{elsewhere, opened};
use super::plans::Plans;
use super::tables;
use crate::figure::{self, Scaled};
use crate::scenario::{Problem, Scenario, Topic, View};
use crate::search::{Found, Objective, Scope, Subject};
use crate::training::TrainingEstimate;
use crate::units::{Amount, Unit};
use crate::validation::Quantity;
use crate::view::training::leaner::leaner;
use crate::view::training::nearest::nearest;
use crate::view::training::with_plan;
use crate::view::{Answer, Card, Link, Notice, Part, Question, cards};

impl Plans<'_> {
    /// All results so far; `tried` states the extent of the search.
    pub(super) fn answer(
        &self,
        tried: impl IntoIterator<Item = Part>,
        asked: &Question,
    ) -> Result<Answer, Vec<Problem>> {
        let device = self.scenario.system.accelerator().map_err(|problem| vec![problem])?;
        let limit = self.question.limit();
        let points = self.scaled(&device);
        let scope = Scope { of: Subject::Features, ..self.scenario.search.clone() };
        let features = "What other systems would gain: sweeps of their features";
        let features = Link::at(features, elsewhere(self.scenario, scope));
        let features = Notice::new("search-features", "", vec![features]);
        let opened = |found: &Found| opened(self.scenario, found);
        let main = [
            figure::plans(self.asked(), limit, &opened, asked.size).into(),
            tables::ranking(self, &device).into(),
            figure::scaling(&points, &asked.searched("scaling"), &opened, asked.size).into(),
        ];
        let parts = main.into_iter().chain(tried).chain([features.into()]).collect();
        let best = points.iter().find(|point| point.found.gpus == self.asked().gpus);
        let trained = best.and_then(|best| self.trained(&best.found));
        let (lead, cards) = (self.lead(best, trained.as_ref()), self.cards(&points, best, trained.as_ref()));
        Ok(Answer { lead, offers: self.offers(), cards, parts, ..Answer::default() })
    }

    /// Numbers of GPUs and recipes for which a plan fits, if none does for the question.
    fn offers(&self) -> Vec<Notice> {
        let asked = self.asked();
        let Some(found) = self.nearest.filter(|_| asked.best().is_none()) else { return Vec::new() };
        let near = nearest(self.scenario, (asked.gpus, "fits"), (self.question, found));
        [near].into_iter().chain(leaner(self.scenario)).collect()
    }

    /// The best plan with time and money of the whole run, and how many others are as good within the range of
    /// predictions.
    fn lead(&self, best: Option<&Scaled>, trained: Option<&TrainingEstimate>) -> String {
        let asked = self.asked();
        let Some(Scaled { found, bill, .. }) = best else {
            return format!("No plan fits on {}", gpus(asked.gpus));
        };
        let steps = self.question.run(found) / found.step;
        let usd = bill.usd.map_or_else(String::new, |usd| format!(" and {}", Amount::usd(usd * steps)));
        let time = cards::spoken(bill.time * steps, self.scenario, Quantity::IterTime);
        let near = cards::reach(self.scenario, Quantity::IterTime).map_or(0, |(_, high)| {
            let near = |other: &&Found| other.step < found.step * high;
            asked.best.found().iter().skip(1).filter(near).count()
        });
        let equal = match near {
            0 => String::new(),
            // The search keeps the best plans only.
            near if near + 1 == asked.best.found().len() => {
                format!("; at least the next {near} differ by less than the prediction's uncertainty")
            }
            near => format!("; the next {near} differ by less than the prediction's uncertainty"),
        };
        let by = self.scenario.search.by.name().to_lowercase();
        let tight = trained.is_some_and(|estimate| cards::may_not_fit(&estimate.memory, self.scenario));
        let tight = if tight { "; it may not fit, by its memory's range" } else { "" };
        format!("{time}{usd} on {} with {}, best by {by}{equal}{tight}", gpus(found.gpus), found.name())
    }

    /// The estimate of training with a plan.
    fn trained(&self, found: &Found) -> Option<TrainingEstimate> {
        Scenario { view: View::Training, ..with_plan(self.scenario, found) }.training().ok()
    }

    fn cards(
        &self,
        points: &[Scaled],
        best: Option<&Scaled>,
        trained: Option<&TrainingEstimate>,
    ) -> Vec<Card> {
        let asked = self.asked();
        let tried = Amount::new(asked.tried as f64, Unit::Count);
        let fit = Card::new("feasible", "Plans that fit", Amount::new(asked.feasible as f64, Unit::Count))
            .noted(format!("of {tried} on {}", gpus(asked.gpus)));
        let Some(Scaled { found, mfu, bill }) = best else {
            return [fit].into_iter().chain(self.nearest()).collect();
        };
        let by = self.scenario.search.by;
        let kwh = bill.kwh.map(|kwh| Amount::new(kwh, Unit::KilowattHours));
        let energy = kwh.map_or_else(|| "energy not known".to_owned(), |kwh| kwh.to_string());
        let memory = trained.map_or_else(
            || Card::new("memory", "Memory per GPU", Amount::memory(found.memory)),
            |estimate| cards::trained_memory(estimate, self.scenario),
        );
        let mut cards = vec![
            cards::time(
                ("step", "Step time"),
                found.step,
                format!("best by {}", by.name().to_lowercase()),
                self.scenario,
                (Quantity::IterTime, Topic::Step),
            ),
            Card::new("mfu", "MFU", Amount::percent(*mfu)).noted(found.name()),
            memory,
            Card::known("cost", "Cost per step", bill.usd.map(Amount::usd)).noted(energy),
            fit,
        ];
        cards.extend(cheapest(points, by));
        cards
    }

    /// The nearest numbers of GPUs that the job fits on.
    fn nearest(&self) -> Vec<Card> {
        let Some(nearest) = self.nearest else { return Vec::new() };
        let (least, most) = nearest.range();
        let card = |id: &str, label: &str, found: Option<&Found>, none: String| match found {
            Some(found) => Card::new(id, label, gpus(found.gpus)).noted(found.name()),
            None => Card::words(id, label, "none").noted(none),
        };
        vec![
            card("below", "Nearest fewer GPUs that fit", nearest.below(), format!("down to {}", gpus(least))),
            card("above", "Nearest more GPUs that fit", nearest.above(), format!("up to {}", gpus(most))),
        ]
    }
}

fn gpus(count: u32) -> Amount {
    Amount::new(f64::from(count), Unit::Gpus)
}

/// The number of GPUs with the least cost or energy, where the search is by that.
fn cheapest(points: &[Scaled], by: Objective) -> Option<Card> {
    let value = |point: &Scaled| match by {
        Objective::Cost => point.bill.usd.map(Amount::usd),
        Objective::Energy => point.bill.kwh.map(|kwh| Amount::new(kwh, Unit::KilowattHours)),
        Objective::Time | Objective::Memory => None,
    };
    let known = points.iter().filter_map(|point| Some((point, value(point)?)));
    let (point, amount) = known.min_by(|a, b| a.1.value.total_cmp(&b.1.value))?;
    let label =
        if by == Objective::Cost { "Cheapest number of GPUs" } else { "Number of GPUs with least energy" };
    Some(Card::new("cheapest", label, gpus(point.found.gpus)).noted(format!("{amount} per step")))
}
