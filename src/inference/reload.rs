//! Tiers of the prefix cache: GPU memory, host memory and SSDs. What the lower tiers have of a prompt is loaded over the link to
//! the host before the rest is prefilled.

use super::job::InferenceJob;
use crate::units::{Bandwidth, Bytes, Seconds};

/// Capacities of the prefix cache of one attention replica, tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheTiers {
    /// GPU memory that the KV cache has.
    pub gpu: f64,
    /// Host memory.
    pub host: f64,
    /// SSDs.
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

    /// Time in which what host memory and SSDs have of a prompt is loaded.
    pub(crate) fn reload(&self) -> Seconds {
        let load = self.load;
        if load.cached_host <= 0.0 && load.cached_ssd <= 0.0 {
            return Seconds::ZERO;
        }
        let [host, ssd] = self.reload_per_token();
        Seconds::new(self.prompt() * (load.cached_host * host + load.cached_ssd * ssd))
    }

    /// Time in which the replica with the most prompts of one batch loads what is cached of them.
    pub(crate) fn reloads(&self) -> Seconds {
        let load = self.load;
        let readers = if load.prefill_workers > 0 { load.prefilling() } else { *load };
        self.reload() * readers.dealt(load.batch)
    }

    /// Time in which one prompt's part is loaded, with the wait for those of other prompts, of which this many come per second and
    /// replica: a queue with constant service (Pollaczek and Khinchine). Near saturation the wait is that at a utilisation of 99.9 %.
    pub(crate) fn reload_at(&self, rate: f64) -> Seconds {
        let each = self.reload();
        let busy = (rate * each.get()).min(0.999);
        each + each * (0.5 * busy / (1.0 - busy))
    }
}
