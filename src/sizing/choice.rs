//! The traffic that a fleet carries, and what the best fleet has least of.

use serde::{Deserialize, Serialize};

use crate::inference::InferenceLoad;
use crate::serving::capacity::LoadAxis;
use crate::serving::simulation::{Lengths, Level};

/// How the load is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LoadKind {
    /// Users who each send requests now and then.
    #[default]
    Users,
    /// Requests per second.
    Rate,
    /// Requests in flight.
    Concurrency,
}

impl LoadKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Users, Self::Rate, Self::Concurrency];

    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Users => "Users",
            Self::Rate => "Request rate",
            Self::Concurrency => "In flight",
        }
    }
}

/// The quantity of which the best fleet has least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SizingObjective {
    /// Money per hour.
    #[default]
    Cost,
    /// Number of GPUs.
    Gpus,
    /// Power.
    Energy,
}

impl SizingObjective {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Cost, Self::Gpus, Self::Energy];

    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cost => "Cost",
            Self::Gpus => "GPUs",
            Self::Energy => "Energy",
        }
    }
}

/// What a fleet is sized for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SizingChoice {
    /// How the load is given: by the users here, or by the served load's rate or concurrency.
    pub load: LoadKind,
    /// Users who are active at the same time.
    pub users: u32,
    /// Requests that each of them sends per minute, on average: 60 over the seconds between two.
    pub per_minute: f64,
    /// The busiest minutes' rate over the average.
    pub peak: f64,
    /// Replicas beyond those that carry the load.
    pub spare: u32,
    /// The quantity of which the best fleet has least.
    pub by: SizingObjective,
    /// Which of each distribution's numbers the service levels limit; any but the mean is simulated.
    pub percentile: Level,
    /// How lengths are distributed around the served load's, which are their means.
    pub lengths: Lengths,
}

impl Default for SizingChoice {
    fn default() -> Self {
        Self {
            load: LoadKind::Users,
            users: 500,
            // One question a minute, as llm-d-planner assumes of users who look things up in documents; its chat has
            // 0.4, its code completion 2 (llm-d/llm-d-planner@e50305af, usecase_slo_workload.json).
            per_minute: 1.0,
            // Of its chat.
            peak: 2.0,
            spare: 0,
            by: SizingObjective::Cost,
            percentile: Level::Mean,
            lengths: Lengths::Constant,
        }
    }
}

/// A load that a fleet has to carry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Requests per second, or requests in flight.
    pub axis: LoadAxis,
    /// How many.
    pub amount: f64,
}

impl SizingChoice {
    /// The load in the model's terms: users send λ = users · requests per minute / 60 · peak requests per second. Many
    /// users together are a Poisson process, so that this is an open loop.
    pub fn demand(&self, load: &InferenceLoad) -> Demand {
        match self.load {
            LoadKind::Users => Demand {
                axis: LoadAxis::Rate,
                amount: f64::from(self.users) * self.per_minute / 60.0 * self.peak,
            },
            LoadKind::Rate => Demand { axis: LoadAxis::Rate, amount: load.rate },
            LoadKind::Concurrency => {
                Demand { axis: LoadAxis::Concurrency, amount: f64::from(load.concurrency) }
            }
        }
    }
}

impl Demand {
    /// Replicas of which each carries `each`: the next whole number, within rounding.
    pub fn replicas(&self, each: f64) -> f64 {
        libm::ceil(self.amount / each - 1e-5).max(1.0)
    }
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

    #[test]
    fn replicas_are_whole() {
        let demand = |amount| Demand { axis: LoadAxis::Rate, amount };
        // Its 20.83 requests per second with a fifth of headroom, on replicas that carry 5 each.
        assert_eq!(demand(1.2 * 20.83).replicas(5.0) as u32, 5);
        // NVIDIA's table of Llama-3.3-70B on two H100: 50 in flight keep 60 ms, 25 keep 40 ms.
        assert_eq!(demand(1000.0).replicas(50.0) as u32, 20);
        assert_eq!(demand(1000.0).replicas(25.0) as u32, 40);
        assert_eq!(demand(10.0).replicas(10.0 * (1.0 - 1e-6)) as u32, 1);
        assert_eq!(demand(0.1).replicas(10.0) as u32, 1);
    }
}
