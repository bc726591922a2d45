//! Service times as functions of load, and the largest load within given service levels.

use serde::{Deserialize, Serialize};

use super::crossing::Bracket;
use super::served::Served;
use super::spacing::logarithmic;
use crate::inference::{InferenceJob, InferenceLoad};
use crate::units::{Seconds, rounded};

pub use super::service::Service;

/// The load that is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LoadAxis {
    /// Requests per second that come whether or not others have ended.
    Rate,
    /// Concurrent requests, each replaced when it ends.
    Concurrency,
}

/// The service at one load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadPoint {
    /// Requests per second, or concurrent requests.
    pub load: f64,
    /// TTFT, TPOT and throughput at this load.
    pub service: Service,
}

/// Service against load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadCurve {
    /// The load that is varied.
    pub axis: LoadAxis,
    /// Rising loads up to nearly what saturates the machine, or to what fits twice over.
    pub points: Vec<LoadPoint>,
    /// The largest rate (requests per second) or number of concurrent requests that can be served.
    pub saturation: f64,
    /// The largest load within the service levels; `None` if there is none.
    pub largest: Option<LoadPoint>,
    /// The longest time to the first token that is allowed.
    pub ttft_limit: Option<Seconds>,
    /// The longest time per output token that is allowed.
    pub tpot_limit: Option<Seconds>,
}

/// Share of the saturation at which the curve of a rate ends.
const NEARLY: f64 = 0.99;

/// Number of bisections of the load search, if it is not solved directly.
const HALVINGS: u32 = 32;

/// Most concurrent requests that curves and searches over the concurrency go to.
const MOST_REQUESTS: f64 = 65_536.0;

/// Share of the largest load that is nearly none.
const LEAST: f64 = 1e-6;

/// Rounds by which the largest rate is solved for, at most.
const ROUNDS: u32 = 40;

/// Relative tolerance of the load searches.
const SETTLED: f64 = 1e-6;

impl InferenceLoad {
    /// This load as an endless stream at another rate or concurrency.
    #[must_use]
    pub fn at(&self, axis: LoadAxis, load: f64) -> Self {
        let stream = Self { requests: 0, rate: 0.0, concurrency: 0, ..*self };
        match axis {
            LoadAxis::Rate => Self { rate: load, ..stream },
            LoadAxis::Concurrency => Self { concurrency: libm::round(load) as u32, ..stream },
        }
    }

    /// The axis along which the load is varied: the one by which it is given.
    pub const fn axis(&self) -> LoadAxis {
        if self.rate > 0.0 { LoadAxis::Rate } else { LoadAxis::Concurrency }
    }

    /// Returns true if a service meets the load's limits of TTFT, TPOT and request latency.
    pub fn keeps(&self, service: &Service) -> bool {
        self.excess(service) <= 0.0
    }

    /// Relative excess of a service over the worst of the limits of TTFT, TPOT and request latency; negative if all are
    /// met, -1 without limits.
    pub fn excess(&self, service: &Service) -> f64 {
        self.limits()
            .into_iter()
            .zip(service.times(self))
            .fold(-1.0, |worst, (limit, time)| limit.map_or(worst, |limit| worst.max(time / limit - 1.0)))
    }
}

impl InferenceJob<'_> {
    /// Service times at a load along an axis: requests per second, or concurrent requests.
    pub(super) fn service_at(&self, axis: LoadAxis, load: f64) -> Service {
        let load = self.load.at(axis, load);
        InferenceJob { load: &load, ..*self }.service()
    }

    /// Concurrent requests that have a slot, on all GPUs.
    pub(super) fn all_places(&self) -> f64 {
        self.room().max(1.0)
    }

    /// Requests whose KV cache fits on all GPUs at once; not rounded.
    pub fn room(&self) -> f64 {
        self.group_places() * self.groups()
    }

    /// The most requests of a stream that run at once: their caches fit, at the mean length or at the one that the engine reserves,
    /// and each has a slot of the engine. 0 if not one fits on a replica.
    pub(super) fn most_at_once(&self) -> f64 {
        if self.places() < 1.0 { 0.0 } else { libm::floor(self.room()) }
    }

    /// Returns true if a request fits next to the weights on every worker.
    pub fn has_room(&self) -> bool {
        let prefilling = self.load.prefilling();
        self.places() >= 1.0 && self.reader(&prefilling).places() >= 1.0
    }

    /// Service at `points` loads, from nearly idle to saturation.
    pub fn load_curve(&self, points: usize) -> LoadCurve {
        let axis = self.load.axis();
        let (first, saturation, last) = match axis {
            LoadAxis::Rate => {
                let largest = self.largest_rate();
                (largest * 0.01, largest, largest * NEARLY)
            }
            LoadAxis::Concurrency => {
                let most = self.most_at_once().max(1.0);
                (1.0, most, libm::floor(most.min(MOST_REQUESTS) * 1.25) + 1.0)
            }
        };
        let at = |load: f64| LoadPoint { load, service: self.service_at(axis, load) };
        let [ttft_limit, tpot_limit, _] = self.load.limits();
        let mut loads: Vec<f64> = match axis {
            LoadAxis::Rate => {
                let step = (last - first) / points.saturating_sub(1).max(1) as f64;
                (0..points).map(|index| rounded(first + step * index as f64)).collect()
            }
            LoadAxis::Concurrency => logarithmic(first, last, points).map(libm::round).collect(),
        };
        loads.dedup();
        LoadCurve {
            axis,
            points: loads.into_iter().map(at).collect(),
            saturation,
            largest: self.largest_load(),
            ttft_limit,
            tpot_limit,
        }
    }

    /// The largest load that meets the service levels of the question, along its axis; `None` where the smallest does
    /// not. Without levels it is what saturates the machine, or the number of places.
    ///
    /// A level that is tightened never makes it larger, whatever the curve: each halving that fails under the looser
    /// level fails under the tighter one.
    pub fn largest_load(&self) -> Option<LoadPoint> {
        if let Some(session) = self.session() {
            let solve = |job: &InferenceJob<'_>| job.largest_load().ok_or_else(|| job.service());
            return self.with_sessions(&session, solve).ok();
        }
        match self.load.axis() {
            LoadAxis::Rate => self.halved_rate(self.largest_rate() * NEARLY),
            LoadAxis::Concurrency => self.halved_concurrency(f64::INFINITY),
        }
    }

    /// The largest load up to `most` that meets the service levels, for searches over thousands of deployments: a rate is
    /// solved for within a millionth. Where the smallest load does not keep them, its service.
    pub(crate) fn load_within(&self, most: f64) -> Result<LoadPoint, Service> {
        if let Some(session) = self.session() {
            return self.with_sessions(&session, |job| job.load_within(most));
        }
        let axis = self.load.axis();
        let (found, least) = match axis {
            LoadAxis::Rate if self.load.passes() > 0.0 => return self.solved_rate(most),
            // Without decode steps, the request rate does not follow from the running requests.
            LoadAxis::Rate => {
                let full = self.largest_rate() * NEARLY;
                (self.halved_rate(full.min(most)), full * LEAST)
            }
            LoadAxis::Concurrency => (self.halved_concurrency(most), 1.0),
        };
        found.ok_or_else(|| self.service_at(axis, least))
    }

    fn kept(&self, axis: LoadAxis, load: f64) -> Option<LoadPoint> {
        let service = self.service_at(axis, load);
        self.load.keeps(&service).then_some(LoadPoint { load, service })
    }

    fn halved_rate(&self, most: f64) -> Option<LoadPoint> {
        let keeps = |load: f64| self.kept(LoadAxis::Rate, load);
        Some(halve(keeps(most * LEAST)?, most, HALVINGS, keeps))
    }

    fn halved_concurrency(&self, most: f64) -> Option<LoadPoint> {
        let most = libm::floor(self.all_places().min(MOST_REQUESTS).min(most)).max(1.0);
        let whole = |load: f64| self.kept(LoadAxis::Concurrency, libm::floor(load));
        Some(halve(whole(1.0)?, most, HALVINGS, whole))
    }

    /// The largest rate that meets the service levels, found along the number of running requests, from which rate and
    /// service follow without a search.
    fn solved_rate(&self, most: f64) -> Result<LoadPoint, Service> {
        let point = |(served, load): (Served, f64)| LoadPoint { load, service: self.service_of(&served) };
        let places = self.most_running();
        let (low, high) = (places * LEAST, places);
        let mut best = point(self.open_with(low, places));
        if self.load.excess(&best.service) > 0.0 {
            return Err(best.service);
        }
        let full = self.full_state();
        let most = most.min(self.rate_of(&full) * NEARLY);
        // Relative excess over the worst of the service levels and of the rate.
        let excess = |point: &LoadPoint| (point.load / most - 1.0).max(self.load.excess(&point.service));
        let below = excess(&best);
        if below > 0.0 {
            return Err(best.service);
        }
        let last = point(self.open_in(&full));
        let above = excess(&last);
        if above <= 0.0 {
            return Ok(last);
        }
        let at = |running: f64| {
            let point = point(self.open_with(running, places));
            (point, excess(&point))
        };
        // The lower end always meets the levels.
        let mut bracket = Bracket::new((low, below), (high, above));
        for _ in 0..ROUNDS {
            let (running, (low, high)) = (bracket.root(), (bracket.low.0, bracket.high.0));
            if !(low..=high).contains(&running) || high - low <= SETTLED * high {
                break;
            }
            let (point, excess) = at(running);
            if excess <= 0.0 {
                best = point;
                bracket.move_low((running, excess));
            } else {
                bracket.move_high((running, excess));
            }
            if (0.0..SETTLED).contains(&-excess) {
                break;
            }
        }
        Ok(best)
    }
}

/// The largest load found by bisection between a load that meets the service levels and one that may not.
fn halve(least: LoadPoint, most: f64, halvings: u32, keeps: impl Fn(f64) -> Option<LoadPoint>) -> LoadPoint {
    if let Some(all) = keeps(most) {
        return all;
    }
    let (mut best, mut high) = (least, most);
    for _ in 0..halvings {
        match keeps(0.5 * (best.load + high)) {
            // Bisection over whole numbers ends at a known point.
            Some(point) if point.load <= best.load => break,
            Some(point) => best = point,
            None => high = 0.5 * (best.load + high),
        }
    }
    best
}
