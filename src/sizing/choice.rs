//! The question of the Sizing view: traffic or deadline, and the objective that ranks fleets and training runs.

use serde::{Deserialize, Serialize};

use super::demand::Demand;
use super::objective::SizingObjective;
use crate::inference::InferenceLoad;
use crate::serving::ThinkingUsers;
use crate::serving::capacity::LoadAxis;
use crate::serving::simulation::{Lengths, Level};
use crate::units::Seconds;

/// The kind of job to size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SizingJob {
    /// Replicas that serve requests under service levels.
    #[default]
    Serve,
    /// GPUs that train a model before a deadline.
    Train,
}

impl SizingJob {
    /// Every variant, in the order of the form.
    pub const ALL: [Self; 2] = [Self::Serve, Self::Train];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Serve => "Serving",
            Self::Train => "A training run",
        }
    }
}

/// The quantity by which the load is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LoadKind {
    /// Active users, each with a mean request rate or a think time.
    #[default]
    Users,
    /// Requests per second.
    Rate,
    /// Concurrent requests.
    Concurrency,
}

impl LoadKind {
    /// Every variant, in the order of the form.
    pub const ALL: [Self; 3] = [Self::Users, Self::Rate, Self::Concurrency];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Users => "Users",
            Self::Rate => "Request rate",
            Self::Concurrency => "Concurrency",
        }
    }
}

/// The question of the Sizing view: the job, its traffic and headroom or its deadline and budget, and the objective.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "switches that do not depend on each other")]
pub struct SizingChoice {
    /// The kind of job to size.
    pub job: SizingJob,
    /// Deadline of a training run, days, including time lost to failures and checkpoints.
    pub days: f64,
    /// Budget of a training run, US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
    /// True if only the question's own device is sized, instead of all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub one_device: bool,
    /// Quantity that gives the load: users, or the request rate or concurrency of the served load.
    pub load: LoadKind,
    /// Users who are active at the same time.
    pub users: u32,
    /// Mean requests per user and minute: 60 over the seconds between two requests.
    pub per_minute: f64,
    /// Seconds from an answer to the user's next request. They replace `per_minute`: the rate then follows from the time that
    /// answers take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think_s: Option<f64>,
    /// Request rate of the busiest minutes over the mean rate; with a think time, users of those minutes over their mean number.
    pub peak: f64,
    /// Replicas beyond those that carry the load.
    pub spare: u32,
    /// True if fleets whose prompts are prefilled on workers of their own are tried too.
    pub disaggregated: bool,
    /// True if disaggregated fleets are tried too whose decode workers have GPUs for attention and others for experts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub experts_apart: bool,
    /// True if weight formats narrower than the question's are tried too.
    pub narrower: bool,
    /// True if 4-bit integer weights and an FP8 KV cache are tried too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub quantized: bool,
    /// True if deployments with speculative decoding by the question's drafter are tried too.
    pub speculative: bool,
    /// The quantity that the best fleet or run minimises.
    pub by: SizingObjective,
    /// The statistic of TTFT and TPOT that the service levels limit; percentiles are simulated.
    pub percentile: Level,
    /// Distribution of prompt and output lengths around the served load's, which are the means.
    pub lengths: Lengths,
    /// Checksum of the trace whose requests are simulated, with [`Lengths::Trace`]; 0 without one.
    pub trace: u32,
}

impl Default for SizingChoice {
    fn default() -> Self {
        Self {
            job: SizingJob::Serve,
            days: 30.0,
            budget: None,
            one_device: false,
            load: LoadKind::Users,
            users: 500,
            // llm-d-planner's value for question answering over documents; its values for chat and code completion are
            // 0.4 and 2 (llm-d/llm-d-planner@e50305af, usecase_slo_workload.json).
            per_minute: 1.0,
            think_s: None,
            // llm-d-planner's value for chat.
            peak: 2.0,
            spare: 0,
            disaggregated: false,
            experts_apart: false,
            narrower: true,
            quantized: false,
            speculative: false,
            by: SizingObjective::Cost,
            percentile: Level::Mean,
            lengths: Lengths::Constant,
            trace: 0,
        }
    }
}

impl SizingChoice {
    /// The load as a request rate or a concurrency.
    ///
    /// Users send λ = users · requests per minute / 60 · peak factor requests per second. Many independent users are
    /// nearly a Poisson process, so that this is an open loop. The rate of users with a think time depends on the fleet
    /// ([`ThinkingUsers::rate`]).
    pub fn demand(&self, load: &InferenceLoad) -> Demand {
        let thinking = self.thinking();
        let (axis, amount) = match (self.load, thinking) {
            (LoadKind::Users, Some(users)) => (LoadAxis::Rate, users.rate(Seconds::ZERO)),
            (LoadKind::Users, None) => {
                (LoadAxis::Rate, f64::from(self.users) * self.per_minute / 60.0 * self.peak)
            }
            (LoadKind::Rate, _) => (LoadAxis::Rate, load.rate),
            (LoadKind::Concurrency, _) => (LoadAxis::Concurrency, f64::from(load.concurrency)),
        };
        Demand { axis, amount, thinking }
    }

    /// The users of the busiest minutes with their think time; `None` if the load is given in another way.
    pub(crate) fn thinking(&self) -> Option<ThinkingUsers> {
        let think = Seconds::new(self.think_s.filter(|_| self.load == LoadKind::Users)?);
        Some(ThinkingUsers { users: f64::from(self.users) * self.peak, think })
    }

    /// Keeps the size of the load when it is stated in another way, unless a number is set for that way. A request rate and a
    /// number of requests in flight are converted by Little's law, with the longest latency that the service levels allow.
    pub fn keep_demand(&self, before: Demand, load: &mut InferenceLoad) {
        let latency = longest_latency(load);
        let takes = latency.get();
        let amount = before.thinking.map_or(before.amount, |users| users.rate(latency));
        match (self.load, before.axis) {
            (LoadKind::Rate, _) if load.rate <= 0.0 => {
                let rate = if before.axis == LoadAxis::Rate { amount } else { amount / takes };
                load.rate = to_digits(rate);
            }
            (LoadKind::Concurrency, LoadAxis::Rate) if load.concurrency == 0 => {
                load.concurrency = libm::ceil(amount * takes).clamp(1.0, f64::from(u32::MAX)) as u32;
            }
            _ => {}
        }
    }

    /// The served load under this traffic. Each user has a session, whose turns come as often as the user sends requests; after a
    /// think time, as often as the slowest fleet that meets the levels answers them.
    pub fn traffic(&self, load: &InferenceLoad) -> InferenceLoad {
        let Demand { axis, amount, thinking } = self.demand(load);
        let turn_interval_s = match (self.load, thinking) {
            (LoadKind::Users, Some(users)) => (users.think + longest_latency(load)).get(),
            (LoadKind::Users, None) => 60.0 / self.per_minute,
            (LoadKind::Rate | LoadKind::Concurrency, _) => load.turn_interval_s,
        };
        InferenceLoad { turn_interval_s, ..load.at(axis, amount) }
    }
}

/// Limits of TTFT and TPOT, ms, that a fleet is sized for where the question has none: those of an interactive chat.
pub const DEFAULT_LIMITS_MS: (f64, f64) = (1000.0, 50.0);

/// The longest request latency that the service levels allow, with [`DEFAULT_LIMITS_MS`] where there is none.
pub(super) fn longest_latency(load: &InferenceLoad) -> Seconds {
    let [ttft, tpot, latency] = load.limits();
    let ttft = ttft.unwrap_or(Seconds::new(DEFAULT_LIMITS_MS.0 * 1e-3));
    let tpot = tpot.unwrap_or(Seconds::new(DEFAULT_LIMITS_MS.1 * 1e-3));
    latency.unwrap_or_else(|| load.request_latency(ttft, tpot))
}

/// A rate with three significant digits.
fn to_digits(rate: f64) -> f64 {
    let unit = libm::pow(10.0, 2.0 - libm::floor(libm::log10(rate.max(f64::MIN_POSITIVE))));
    libm::round(rate * unit) / unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(users: u32, per_minute: f64, peak: f64) -> f64 {
        SizingChoice { users, per_minute, peak, ..SizingChoice::default() }
            .demand(&InferenceLoad::default())
            .amount
    }

    /// Worked examples of llm-d-planner (llm-d/llm-d-planner@e50305af): of 1,000 registered users a share is active. It
    /// rounds the rate to two digits before the peak factor, and up to 1 request per second; neither is done here.
    #[test]
    fn users_become_requests_per_second() {
        assert!((rate(200, 0.4, 1.0) - 1.33).abs() < 0.005);
        assert!((rate(200, 0.4, 2.0) - 2.67).abs() < 0.005);
        assert!((rate(250, 2.0, 1.0) - 8.33).abs() < 0.005);
        assert!((rate(250, 2.0, 2.5) - 20.83).abs() < 0.005);
        assert!((rate(200, 1.0, 2.5) - 8.33).abs() < 0.005);
        assert!((rate(100, 0.03, 1.0) - 0.05).abs() < 1e-9);
    }
}
