//! Errors of the time to first token by how near the server's load is to the largest that it sustains.
//!
//! Queues grow fastest near saturation, where a small error of a step time is a large one of the wait: a tenth of the published rows
//! there has a TTFT of more than 3.6 times the predicted one. Errors of TPOT hardly depend on the load (docs/method/sizing.md).

use super::Family;
use super::Quantity;
use super::band::{self, Band, Group, Spread};
use crate::inference::InferenceJob;
use crate::scenario::Scenario;

/// Load of a server relative to the largest that it sustains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoadLevel {
    /// Less than half of it.
    Light,
    /// Between both.
    Medium,
    /// More than `HEAVY` of it.
    Heavy,
}

/// Share of the largest sustained load from which a load is medium. Of several pairs of bounds, this one and `HEAVY` predict the
/// rows of sources that were left out best.
const MEDIUM: f64 = 0.5;

/// Share of the largest sustained load from which a load is heavy.
const HEAVY: f64 = 0.8;

impl LoadLevel {
    /// Every level, from the lightest.
    pub const ALL: [Self; 3] = [Self::Light, Self::Medium, Self::Heavy];

    /// The level of a load, as a share of the largest sustained one.
    pub fn at(share: f64) -> Self {
        match share {
            share if share >= HEAVY => Self::Heavy,
            share if share >= MEDIUM => Self::Medium,
            _ => Self::Light,
        }
    }

    /// The level of a served stream; `None` of one batch at a time, and of a question without an answer.
    pub fn of(scenario: &Scenario) -> Option<Self> {
        let share = |job: &InferenceJob<'_>| {
            job.load.is_stream().then(|| job.request_rate(&job.service()) / job.sustained_rate())
        };
        scenario.with_inference(share).ok().flatten().map(Self::at)
    }

    /// Word of the level in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Medium => "medium",
            Self::Heavy => "heavy",
        }
    }
}

/// Measured / predicted TTFT of published streams at a level of load, for a scenario's kind of model; of every load where there are
/// no such rows.
pub fn spread(scenario: &Scenario, load: LoadLevel) -> Option<Spread> {
    let quantity = Quantity::Ttft;
    let Band { unmeasured, .. } = band::of(scenario, quantity)?;
    let family = Family::of(scenario.architecture().ok()?);
    let found = [Some(family), None].into_iter().find_map(|family| {
        let key = key(family, load);
        let rest = TABLE.lines().find_map(|line| line.strip_prefix(key.as_str())?.strip_prefix(','))?;
        let mut numbers = rest.split(',');
        let (rows, sources) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        let quantiles: Option<Vec<f64>> = numbers.map(|number| number.parse().ok()).collect();
        let group = Group { quantity, local: false, family, generation: None, bits: None };
        Some(Spread { group, rows, sources, quantiles: quantiles?, widening: unmeasured.widening(quantity) })
    });
    found.or_else(|| band::spread(scenario, quantity))
}

/// Key of the rows of a kind of model, or of all, in the table.
pub fn key(family: Option<Family>, load: LoadLevel) -> String {
    format!("{},{}", family.map_or("*", Family::name), load.name())
}

/// Written by `make validate`: kind of model, level of load, rows, sources, then measured / predicted at each twentieth of the rows.
const TABLE: &str = include_str!("loads.csv");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;

    #[test]
    fn every_level_has_a_spread_whose_upper_end_grows_with_the_load() {
        for model in ["llama-3.1-70b", "deepseek-v3"] {
            let link = format!("v=1&view=inference&model={model}&serve.engine=vllm&gpu=h100-sxm&gpus=8");
            let question = link::decode(&link).scenario;
            let ends: Vec<f64> = LoadLevel::ALL
                .into_iter()
                .map(|load| {
                    let spread = spread(&question, load).expect(model);
                    assert!(spread.quantiles.len() == 19 && spread.quantiles.is_sorted(), "{spread:?}");
                    assert!(spread.rows >= 10 && spread.sources >= 3, "{spread:?}");
                    spread.quantiles[17]
                })
                .collect();
            assert!(ends.is_sorted() && ends[2] > 1.5 * ends[0], "{model}: {ends:?}");
        }
    }

    #[test]
    fn levels_follow_from_the_share_of_the_largest_load() {
        let at = |rate: &str| {
            let link = "v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&serve.tp=1&serve.engine=vllm";
            LoadLevel::of(&link::decode(&format!("{link}&{rate}")).scenario)
        };
        assert_eq!(at("serve.rate=0.01"), Some(LoadLevel::Light));
        assert_eq!(at("serve.concurrency=1"), Some(LoadLevel::Light));
        assert_eq!(at("serve.concurrency=4096"), Some(LoadLevel::Heavy));
        assert_eq!(at("serve.batch=8"), None);
        assert_eq!(
            [0.49, 0.5, 0.8, f64::NAN].map(LoadLevel::at).map(LoadLevel::name),
            ["light", "medium", "heavy", "light"]
        );
    }
}
