//! Tiers of the prefix cache: GPU memory, host memory and SSDs. Keys and values in the lower tiers are loaded over the link to
//! the host before the rest of the prompt is prefilled.

use super::job::InferenceJob;
use crate::units::{Bandwidth, Bytes, Seconds};

/// Capacities of the prefix cache of one attention replica, tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheTiers {
    /// In GPU memory.
    pub gpu: f64,
    /// In host memory.
    pub host: f64,
    /// On SSDs.
    pub ssd: f64,
}

impl InferenceJob<'_> {
    /// Capacities of the prefix cache of one attention replica that prefills: bytes per GPU over bytes per token and GPU.
    pub fn cache_tiers(&self) -> CacheTiers {
        let prefilling = self.load.prefilling();
        let (free, _, per_token) = self.reader(&prefilling).cache_room();
        if per_token <= 0.0 {
            return CacheTiers::default();
        }
        let tokens = |gib: f64| Bytes::from_gib(gib).get() / per_token;
        CacheTiers {
            gpu: free.max(0.0) / per_token,
            host: tokens(self.load.host_cache_gib),
            ssd: tokens(self.load.ssd_cache_gib),
        }
    }

    /// Times in which one GPU loads its part of a token's keys and values from host memory and from an SSD, s; 0 without a link to
    /// the host. All GPUs of a replica load at once, each over its own link.
    pub(crate) fn reload_per_token(&self) -> [f64; 2] {
        let prefilling = self.load.prefilling();
        let reader = self.reader(&prefilling);
        let Some(host) = reader.system.device.host else { return [0.0; 2] };
        let (_, _, per_token) = reader.cache_room();
        let ssd = host.min(Bandwidth::from_gb(self.load.ssd_gb_s));
        [host, ssd].map(|link| (Bytes::new(per_token) / link).get())
    }

    /// Time in which a prompt's keys and values in host memory and on SSDs are loaded.
    pub(crate) fn reload(&self) -> Seconds {
        let load = self.load;
        if load.cached_host <= 0.0 && load.cached_ssd <= 0.0 {
            return Seconds::ZERO;
        }
        let [host, ssd] = self.reload_per_token();
        Seconds::new(self.prompt() * (load.cached_host * host + load.cached_ssd * ssd))
    }

    /// Time in which the replica with the most prompts of a batch loads their cached keys and values.
    pub(crate) fn reloads(&self) -> Seconds {
        let load = self.load;
        let readers = if load.prefill_workers > 0 { load.prefilling() } else { *load };
        self.reload() * readers.dealt(load.batch)
    }
}
