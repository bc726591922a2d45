//! A pool of identical servers: how many there are, and how each one partitions the model over its GPUs.

use super::found::Found;
use super::role::Role;
use super::shell::Invocation;
use crate::inference::InferenceLoad;

/// A pool of identical servers with one role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pool {
    /// Tensor-parallel degree of each attention replica.
    pub(super) tensor: u32,
    /// Attention replicas (data parallelism) inside a server.
    pub(super) data: u32,
    /// Expert-parallel degree.
    pub(super) expert: u32,
    /// Number of servers.
    pub(super) workers: u32,
    /// Role of the servers: prefill, decode or both.
    pub(super) role: Role,
}

impl Pool {
    /// The pools of a load: one, or with disaggregation the prefill pool and then the decode pool.
    pub(super) fn of(load: &InferenceLoad) -> Vec<Self> {
        let apart = load.prefill_workers > 0;
        let all = Self {
            tensor: load.tensor,
            data: load.data,
            expert: load.expert,
            workers: load.workers,
            role: if apart { Role::Decode } else { Role::Both },
        };
        let prefill = Self {
            tensor: load.prefill_tensor,
            data: load.prefill_data,
            expert: load.prefill_expert,
            workers: load.prefill_workers,
            role: Role::Prefill,
        };
        if apart { vec![prefill, all] } else { vec![all] }
    }

    /// Sets the scenario fields of the pool's role.
    pub(super) fn set(self, found: &mut Found) {
        let paths = match self.role {
            Role::Prefill => [
                "inference.prefill_tensor",
                "inference.prefill_data",
                "inference.prefill_expert",
                "inference.prefill_workers",
            ],
            Role::Both | Role::Decode => {
                ["inference.tensor", "inference.data", "inference.expert", "inference.workers"]
            }
        };
        if self.role == Role::Both {
            found.facts.whole("inference.prefill_workers", 0.0);
        }
        for (path, value) in paths.into_iter().zip([self.tensor, self.data, self.expert, self.workers]) {
            found.facts.whole(path, f64::from(value));
        }
    }
}

/// Number of copies of a server, from `REPLICAS=…` before its command; 1 if absent.
pub(super) fn replicas(invocation: &Invocation) -> u32 {
    let stated = invocation.variables.get("REPLICAS").and_then(|text| text.parse().ok());
    stated.filter(|count| *count > 0).unwrap_or(1)
}
