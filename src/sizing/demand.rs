//! The load that a fleet has to carry, and the replicas for it.

use crate::inference::InferenceLoad;
use crate::serving::capacity::LoadAxis;
use crate::serving::{LoadPoint, ThinkingUsers};

/// A load that a fleet has to carry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Kind of the load: request rate or concurrency.
    pub axis: LoadAxis,
    /// Requests per second, or concurrent requests. Of users with a think time it is the rate if answers took no time, which no
    /// fleet exceeds.
    pub amount: f64,
    /// Users whose request rate depends on the time that answers take.
    pub thinking: Option<ThinkingUsers>,
}

impl Demand {
    /// Number of replicas for the load if each carries `each`, in the unit of `amount`: the quotient, rounded up unless
    /// it exceeds a whole number by less than 1e-5 (rounding errors).
    pub fn replicas(&self, each: f64) -> f64 {
        whole(self.amount / each)
    }

    /// [`Self::replicas`] of a deployment with this largest load. A replica serves as many users with a think time as have answers
    /// or think at it (Little's law).
    pub(super) fn replicas_at(&self, largest: &LoadPoint, load: &InferenceLoad) -> f64 {
        let Some(users) = self.thinking else { return self.replicas(largest.load) };
        let [_, _, latency] = largest.service.times(load);
        whole(users.users / users.served_at(largest.load, latency))
    }
}

/// A number of replicas, rounded up but for rounding errors.
fn whole(replicas: f64) -> f64 {
    libm::ceil(replicas - 1e-5).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_are_whole() {
        let demand = |amount| Demand { axis: LoadAxis::Rate, amount, thinking: None };
        // llm-d-planner's 20.83 requests per second with 20 % headroom, on replicas that carry 5 each.
        assert_eq!(demand(1.2 * 20.83).replicas(5.0) as u32, 5);
        // NVIDIA's table of Llama-3.3-70B on two H100: 50 concurrent requests keep 60 ms, 25 keep 40 ms.
        assert_eq!(demand(1000.0).replicas(50.0) as u32, 20);
        assert_eq!(demand(1000.0).replicas(25.0) as u32, 40);
        assert_eq!(demand(10.0).replicas(10.0 * (1.0 - 1e-6)) as u32, 1);
        assert_eq!(demand(0.1).replicas(10.0) as u32, 1);
    }
}
