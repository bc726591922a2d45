//! Users who wait for an answer, think, and send the next request: a closed loop with think time.

use super::capacity::{LoadAxis, LoadPoint};
use super::crossing::Bracket;
use super::service::Service;
use crate::inference::{InferenceJob, InferenceLoad};
use crate::units::Seconds;

/// Users who each have at most one request in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThinkingUsers {
    /// Number of users.
    pub users: f64,
    /// Time from the end of an answer to the user's next request.
    pub think: Seconds,
}

/// Relative difference between the rate at which users ask and that at which they get answers.
const TOLERANCE: f64 = 1e-4;

/// Relative width of an interval of rates at which the search ends.
const SETTLED: f64 = 1e-6;

/// Most evaluations of the service by which a rate is searched for.
const ROUNDS: u32 = 40;

impl ThinkingUsers {
    /// Requests per second if an answer takes `latency`: U / (Z + R) (Little 1961).
    pub fn rate(&self, latency: Seconds) -> f64 {
        self.users / (self.think + latency).get()
    }

    /// Users whom a request rate serves if an answer takes `latency`.
    pub fn served_at(&self, rate: f64, latency: Seconds) -> f64 {
        rate * (self.think + latency).get()
    }

    /// Returns true if a load's rate is no lower than the one at which these users ask.
    pub fn are_answered(&self, load: &InferenceLoad, service: &Service) -> bool {
        let [_, _, latency] = service.times(load);
        self.rate(latency) <= load.rate * (1.0 + 2.0 * TOLERANCE)
    }

    /// A load at a request rate of all users. Each of them then sends a request every U / λ seconds.
    fn on(&self, load: &InferenceLoad, rate: f64) -> InferenceLoad {
        InferenceLoad { turn_interval_s: self.users / rate, ..load.at(LoadAxis::Rate, rate) }
    }
}

impl InferenceJob<'_> {
    /// [`Self::of_users`] without a known largest load of the workers. The request rate of the job's load should be near that of the
    /// users.
    pub(crate) fn of_users_near(
        &self,
        users: &ThinkingUsers,
        tpot: Seconds,
    ) -> Option<(InferenceLoad, Service)> {
        let service = self.service();
        let [_, _, latency] = service.times(self.load);
        let sent = users.rate(latency);
        // Answers take no less time at a larger rate, at which these users would then ask no more often.
        let most = if sent > self.load.rate {
            let load = users.on(self.load, sent);
            LoadPoint { load: sent, service: InferenceJob { load: &load, ..*self }.service() }
        } else {
            LoadPoint { load: self.load.rate, service }
        };
        self.of_users(users, &most, tpot)
    }

    /// The job's load at the request rate λ at which users get answers as often as they ask, and its service:
    /// λ = U / (Z + R(λ)). R does not fall with λ, so that there is at most one.
    ///
    /// `most` is a rate at which the job could serve at least these users, with its times. `None` if TPOT is not below `tpot` even
    /// at the rate of users who wait that long: most deployments of a search end there.
    pub(crate) fn of_users(
        &self,
        users: &ThinkingUsers,
        most: &LoadPoint,
        tpot: Seconds,
    ) -> Option<(InferenceLoad, Service)> {
        let sent = |service: &Service| {
            let [_, _, latency] = service.times(self.load);
            users.rate(latency)
        };
        let at = |rate: f64| {
            let load = users.on(self.load, rate);
            let service = InferenceJob { load: &load, ..*self }.service();
            (load, service)
        };
        // Answers take no longer than at the largest rate.
        let least = sent(&most.service).min(most.load);
        let first = at(least);
        if first.1.tpot >= tpot {
            return None;
        }
        let over = sent(&first.1) - least;
        if over <= TOLERANCE * least {
            return Some(first);
        }
        let mut bracket = Bracket::new((least, over), (most.load, least - most.load));
        // Where R jumps at a rate, nearly that rate has the service after the jump, and would serve more users.
        let mut after = None;
        for _ in 0..ROUNDS {
            let (low, high) = (bracket.low.0, bracket.high.0);
            let rate = bracket.root();
            if high - low <= SETTLED * high || !(low..=high).contains(&rate) {
                break;
            }
            let found = at(rate);
            let over = sent(&found.1) - rate;
            if over.abs() <= TOLERANCE * rate {
                return Some(found);
            }
            if over > 0.0 {
                bracket.move_low((rate, over));
            } else {
                bracket.move_high((rate, over));
                after = Some(found);
            }
        }
        Some(after.unwrap_or_else(|| at(most.load)))
    }
}
