//! Probability that a fleet meets its service levels, from the errors of published rows or of a calibration profile.

use super::rows::{Row, Rows};
use crate::calibration;
use crate::scenario::Scenario;
use crate::serving::Service;
use crate::serving::simulation::Level;
use crate::sizing::Fleet;
use crate::system::AssumptionSet;
use crate::units::{Amount, Seconds, format};
use crate::validation::Quantity;
use crate::validation::band::{self, Spread};
use crate::validation::by_load::{self, LoadLevel};

/// Target probability for the number of spare replicas.
pub(super) const SURE: f64 = 0.95;

/// A probability as text. The spread of published errors ends at its 97.5th percentile, so that from [`SURE`] on there is no
/// telling how much more it is.
pub(super) fn spoken(probability: f64) -> String {
    if probability >= SURE {
        format!("at least {} %", format::digits(100.0 * SURE))
    } else {
        Amount::percent(probability).to_string()
    }
}

/// Search limit for the total number of replicas: this factor on the fleet's replicas, plus 4.
const MOST_GROWTH: u32 = 4;

/// Distributions of measured / predicted TTFT and TPOT.
pub(super) struct Confidence {
    /// By the level of the fleet's load, in the order of [`LoadLevel::ALL`].
    ttft: [Option<Errors>; LoadLevel::ALL.len()],
    tpot: Option<Errors>,
    level: Level,
}

/// Distribution of measured / predicted time.
enum Errors {
    /// Over published rows similar to the fleet.
    Published(Spread),
    /// Log-normal under a calibration profile, with this standard deviation of the logarithm.
    Profile(f64),
}

impl Errors {
    fn of(question: &Scenario, quantity: Quantity) -> Option<Self> {
        Self::profile(question, quantity).or_else(|| band::spread(question, quantity).map(Self::Published))
    }

    /// Errors of TTFT at a level of load.
    fn of_ttft(question: &Scenario, load: LoadLevel) -> Option<Self> {
        Self::profile(question, Quantity::Ttft)
            .or_else(|| by_load::spread(question, load).map(Self::Published))
    }

    fn profile(question: &Scenario, quantity: Quantity) -> Option<Self> {
        calibration::deviation(question, quantity).map(Self::Profile)
    }

    /// Probability that measured / predicted is below `ratio`.
    fn below(&self, ratio: f64) -> f64 {
        match self {
            Self::Published(spread) => spread.below(ratio),
            Self::Profile(deviation) => {
                0.5 * libm::erfc(-libm::log(ratio) / (deviation * std::f64::consts::SQRT_2))
            }
        }
    }
}

/// Spare replicas for which the service levels are met with probability [`SURE`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Spares {
    /// This number of additional replicas suffices.
    More(u32),
    /// No number of replicas suffices. The value is the highest probability reached.
    Never(f64),
}

/// Probability that a training run of this predicted time ends before a deadline: that measured / predicted step time is
/// below deadline / time. `None` without known errors.
pub(super) fn in_time(question: &Scenario, time: Seconds, deadline: Seconds) -> Option<f64> {
    let calibrated = question.assumptions == AssumptionSet::Calibrated;
    let errors = calibrated.then(|| Errors::of(question, Quantity::IterTime)).flatten()?;
    Some(errors.below(deadline / time))
}

/// The level of a service of a fleet on a number of replicas.
fn load_level(fleet: &Fleet, service: &Service, replicas: u32) -> LoadLevel {
    LoadLevel::at(fleet.saturation(service, replicas))
}

impl Confidence {
    /// The distributions for a fleet's question; none for assumption sets other than the calibrated one, since
    /// published errors refer to it.
    pub(super) fn of(question: &Scenario) -> Self {
        let calibrated = question.assumptions == AssumptionSet::Calibrated;
        let ttft = |load| calibrated.then(|| Errors::of_ttft(question, load)).flatten();
        let tpot = calibrated.then(|| Errors::of(question, Quantity::Tpot)).flatten();
        Self { ttft: LoadLevel::ALL.map(ttft), tpot, level: question.sizing.percentile }
    }

    /// Probability that measured TTFT, TPOT and request latency stay below their limits. For each, it is the share of
    /// similar published rows (of TTFT, under a load as near to saturation as the fleet's) with measured / predicted below limit /
    /// predicted, or the probability of that under a calibration profile; spare replicas share the load. Most of a latency is decoding,
    /// so that the errors of TPOT stand for it. The errors of TTFT and TPOT are assumed independent. `None` without a limit or
    /// without known errors.
    pub(super) fn probability(&self, rows: &Rows<'_>, fleet: &Fleet) -> Option<f64> {
        // Spare workers of a disaggregated fleet are of both kinds, of which only one would be counted.
        let shared = fleet.spare > 0 && fleet.load.prefill_workers == 0;
        if shared {
            self.with_replicas(rows, fleet, fleet.replicas())
        } else {
            self.all(fleet, fleet.times(self.level), load_level(fleet, &fleet.service, fleet.load.workers))
        }
    }

    /// [`Self::probability`] of a fleet whose load is shared by a number of replicas. Percentiles are scaled with the means.
    fn with_replicas(&self, rows: &Rows<'_>, fleet: &Fleet, replicas: u32) -> Option<f64> {
        let times = fleet.times(self.level);
        let search = rows.search;
        let shared = fleet.shared_by(replicas, search.demand().thinking, search.candidates());
        let service = shared.map_or(fleet.service, |(_, service)| service);
        let (before, after) = (fleet.service.times(&fleet.load), service.times(&fleet.load));
        let times = std::array::from_fn(|place| after[place] * (times[place] / before[place]).max(1.0));
        self.all(fleet, times, load_level(fleet, &service, replicas))
    }

    fn all(&self, fleet: &Fleet, times: [Seconds; 3], load: LoadLevel) -> Option<f64> {
        let spreads = [&self.ttft[load as usize], &self.tpot, &self.tpot];
        let kept = |place: usize| {
            let limit = fleet.load.limits()[place]?;
            Some(spreads[place].as_ref()?.below(limit / times[place]))
        };
        let decoding = match (kept(1), kept(2)) {
            (Some(each), Some(whole)) => Some(each.min(whole)),
            (each, whole) => each.or(whole),
        };
        match (kept(0), decoding) {
            (None, None) => None,
            (first, each) => Some(first.unwrap_or(1.0) * each.unwrap_or(1.0)),
        }
    }

    /// Number of replicas, beyond those that a fleet has, for which the levels are met with probability [`SURE`].
    pub(super) fn spares(&self, rows: &Rows<'_>, row: &Row<'_>) -> Option<Spares> {
        let fleet = row.fleet;
        let now = self.probability(rows, fleet)?;
        if now >= SURE {
            return Some(Spares::More(0));
        }
        let replicas = fleet.replicas();
        let most = replicas.saturating_mul(MOST_GROWTH).saturating_add(4);
        let probability = |replicas: u32| self.with_replicas(rows, fleet, replicas).unwrap_or(now);
        let best = probability(most);
        if best < SURE {
            return Some(Spares::Never(best.max(now)));
        }
        // Neither times nor the errors of TTFT increase with the number of replicas, so bisection finds the smallest sufficient
        // number.
        let (mut low, mut high) = (replicas, most);
        while high - low > 1 {
            let middle = u32::midpoint(low, high);
            if probability(middle) >= SURE { high = middle } else { low = middle }
        }
        Some(Spares::More(high - replicas))
    }
}
