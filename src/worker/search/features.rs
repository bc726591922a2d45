//! Features of systems, each at its best plan, as arXiv 2410.00273 varies them.

use super::fragment;
use crate::answer::{self, Files, html};
use crate::figure::{self, Figure, Size};
use crate::published::subramanian::{Feature, Machine, Map, Run};
use crate::scenario::Scenario;
use crate::search::{Scope, Subject};
use crate::units::format;
use crate::worker::desk::Work;

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
    /// Computes the next point; whole maps are shown.
    pub(super) fn work(&mut self, scenario: &Scenario, size: Size) -> Work {
        let points = |maps: &[Map]| maps.iter().map(Map::points).sum::<usize>() as u32;
        let done = |maps: &[Map]| maps.iter().map(|map| map.days.len()).sum::<usize>() as u32;
        let all = points(&self.0);
        let open = self.0.iter_mut().find(|map| !map.done());
        let (Some(map), Some(base)) = (open, Machine::named("B200")) else {
            return Work::Done(self.answer(scenario, size));
        };
        map.advance(&base);
        let whole = map.done();
        let done = done(&self.0);
        if whole && done < all {
            Work::Partial(done, all, self.answer(scenario, size))
        } else {
            Work::Progress(done, all)
        }
    }

    fn answer(&self, scenario: &Scenario, size: Size) -> answer::Answer {
        let maps = self.0.iter().filter(|map| map.done());
        let figures: Vec<Figure> =
            maps.map(|map| figure::features(map, map.run.model == Run::VIT.model, size)).collect();
        let back = fragment(scenario, Scope { of: Subject::Plans, ..scenario.search.clone() });
        let markup = format!(
            r#"<p class="finding">{}</p>{}"#,
            html::link("search-plans", &back, "Back to the plans of this job"),
            html::each(&figures, html::figure)
        );
        answer::Answer {
            headline: self.numbers(),
            figures: markup,
            files: Files { figures, ..Files::default() },
        }
    }

    /// How much each run gains from each feature.
    fn numbers(&self) -> String {
        html::each(self.0.iter().filter(|map| map.done()), |map| {
            let found: Vec<f64> = map.days.iter().flatten().copied().collect();
            let least = found.iter().copied().fold(f64::INFINITY, f64::min);
            let most = found.iter().copied().fold(0.0, f64::max);
            let (id, what) = match map.feature {
                Feature::Dram => ("dram", "DRAM"),
                Feature::Rate => ("rate", "arithmetic"),
                Feature::Domain => ("domain", "GPUs and domain"),
            };
            html::card(
                &format!("{id}-{}", if map.run.model == Run::VIT.model { "vit" } else { "llm" }),
                &format!("{}: {what}", map.run.name),
                &format::times(most / least),
                &format!("{} to {} days", format::digits(most), format::digits(least)),
            )
        })
    }
}
