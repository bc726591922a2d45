//! How sure it is that a fleet keeps its service levels.

use super::rows::{Row, Rows};
use crate::scenario::Scenario;
use crate::serving::simulation::Level;
use crate::sizing::Fleet;
use crate::system::AssumptionSet;
use crate::units::Seconds;
use crate::validation::Quantity;
use crate::validation::band::{self, Spread};

/// The probability to which spare replicas are counted.
pub(super) const SURE: f64 = 0.95;

/// Replicas over those that carry the load, at most, until no more are tried.
const MOST_GROWTH: u32 = 4;

/// How published rows like a fleet lie about their predictions.
pub(super) struct Confidence {
    ttft: Option<Spread>,
    tpot: Option<Spread>,
    level: Level,
}

/// Spare replicas that make the levels sure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Spares {
    /// So many more replicas.
    More(u32),
    /// No number of replicas does: the probability with the most that were tried.
    Never(f64),
}

impl Confidence {
    /// The spreads of a fleet's question; those of fitted rows say nothing about other sets of constants.
    pub(super) fn of(question: &Scenario) -> Self {
        let calibrated = question.assumptions == AssumptionSet::Calibrated;
        let of = |quantity| calibrated.then(|| band::spread(question, quantity)).flatten();
        Self { ttft: of(Quantity::Ttft), tpot: of(Quantity::Tpot), level: question.sizing.percentile }
    }

    /// Probability that the measured TTFT and TPOT keep their limits: the share of published rows like these whose
    /// measured over predicted time is below limit over predicted time. The errors of the two are taken as independent.
    /// `None` without a limit, or where nothing alike was measured.
    pub(super) fn probability(&self, fleet: &Fleet) -> Option<f64> {
        let [ttft, tpot] = self.times(fleet);
        self.both(fleet, ttft, tpot)
    }

    /// TTFT and TPOT at the question's percentile; the means where they were not simulated.
    fn times(&self, fleet: &Fleet) -> [Seconds; 2] {
        match fleet.simulated {
            Some(times) if self.level != Level::Mean => {
                [times.ttft.at(self.level), times.tpot.at(self.level)]
            }
            _ => [fleet.service.ttft, fleet.service.tpot],
        }
    }

    fn both(&self, fleet: &Fleet, ttft: Seconds, tpot: Seconds) -> Option<f64> {
        let kept = |limit: Option<f64>, time: Seconds, spread: &Option<Spread>| {
            let limit = limit?;
            Some(spread.as_ref()?.below(limit * 1e-3 / time.get()))
        };
        let (ttft_limit, tpot_limit) = (fleet.load.ttft_limit_ms, fleet.load.tpot_limit_ms);
        match (kept(ttft_limit, ttft, &self.ttft), kept(tpot_limit, tpot, &self.tpot)) {
            (None, None) => None,
            (first, each) => Some(first.unwrap_or(1.0) * each.unwrap_or(1.0)),
        }
    }

    /// Replicas beyond those of a fleet with which the levels hold with probability [`SURE`]. More replicas have less
    /// load each; percentiles are taken to fall as the means do.
    pub(super) fn spares(&self, rows: &Rows<'_>, row: &Row<'_>) -> Option<Spares> {
        let fleet = row.fleet;
        let now = self.probability(fleet)?;
        let problem = &rows.search.candidates().get(fleet.device)?.problem;
        let workers = fleet.load.workers;
        let [ttft, tpot] = self.times(fleet);
        let most = workers.saturating_mul(MOST_GROWTH).saturating_add(4);
        let probability = |replicas: u32| {
            let mut load = fleet.load;
            load.workers = replicas;
            let service = problem.job(&load).service();
            let over = |time: Seconds, mean: Seconds| (time / mean).max(1.0);
            let (first, each) = (over(ttft, fleet.service.ttft), over(tpot, fleet.service.tpot));
            self.both(fleet, service.ttft * first, service.tpot * each).unwrap_or(now)
        };
        if now >= SURE {
            return Some(Spares::More(0));
        }
        let best = probability(most);
        if best < SURE {
            return Some(Spares::Never(best.max(now)));
        }
        // Times never rise with replicas, so that the least number is found by halving.
        let (mut low, mut high) = (workers, most);
        while high - low > 1 {
            let middle = u32::midpoint(low, high);
            if probability(middle) >= SURE { high = middle } else { low = middle }
        }
        Some(Spares::More(high - workers))
    }
}
