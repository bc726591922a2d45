//! Servers that are alike: how many GPUs each has, and how a model is cut over them.

use super::read::Found;
use crate::inference::InferenceLoad;

/// Servers of one role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pool {
    /// GPUs that share each layer's matrices.
    pub(super) tensor: u32,
    /// Attention replicas inside a server.
    pub(super) data: u32,
    /// Parts into which experts are dealt.
    pub(super) expert: u32,
    /// Servers.
    pub(super) workers: u32,
    /// What they do.
    pub(super) role: Role,
}

/// What a server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It prefills and decodes.
    Both,
    /// It prefills, and sends the KV cache to others.
    Prefill,
    /// It decodes what others have prefilled.
    Decode,
}

impl Pool {
    /// The pools of a load: those that prefill first.
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

    /// Sets the fields of its role.
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
