//! Tiers of the prefix cache: GPU memory, host memory and SSDs. Keys and values in the lower tiers are loaded over the link to
//! the host before the rest of the prompt is prefilled.

use super::job::InferenceJob;
use super::load::InferenceLoad;
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
    /// True if a lower tier has a copy of what the tiers above it have; false if blocks move down when they are evicted.
    pub copies: bool,
}

impl InferenceLoad {
    /// This load with a prefix cache in GPU memory alone.
    #[must_use]
    pub const fn without_host_cache(&self) -> Self {
        Self { cached_host: 0.0, cached_ssd: 0.0, host_cache_gib: 0.0, ssd_cache_gib: 0.0, ..*self }
    }
}

impl CacheTiers {
    /// Cumulative capacities: GPU, GPU and host, GPU and host and SSD, tokens.
    pub(crate) fn up_to(&self) -> [f64; 3] {
        let both = |above: f64, own: f64| if self.copies { above.max(own) } else { above + own };
        let host = both(self.gpu, self.host);
        [self.gpu, host, both(host, self.ssd)]
    }
}

impl InferenceJob<'_> {
    /// Bytes of the keys and values of one token on one GPU that prefills.
    pub(crate) fn cache_bytes_per_token(&self) -> f64 {
        let prefilling = self.load.prefilling();
        self.reader(&prefilling).cache_room().2
    }

    /// Capacities of the prefix cache of one attention replica that prefills: bytes per GPU over bytes per token and GPU. Without a
    /// known link to the host, GPU memory is the only tier.
    pub fn cache_tiers(&self) -> CacheTiers {
        let prefilling = self.load.prefilling();
        let reader = self.reader(&prefilling);
        let (free, _, per_token) = reader.cache_room();
        if per_token <= 0.0 {
            return CacheTiers::default();
        }
        let linked = reader.system.device.host.is_some();
        let tokens = |gib: f64| if linked { Bytes::from_gib(gib).get() / per_token } else { 0.0 };
        CacheTiers {
            gpu: free.max(0.0) / per_token,
            host: tokens(self.load.host_cache_gib),
            ssd: tokens(self.load.ssd_cache_gib),
            copies: self.load.engine.copies_to_host(),
        }
    }

    /// Times in which a token's keys and values are loaded from host memory and from SSDs; 0 without a link to the host. All GPUs
    /// of a replica load their parts at once, each over its own link.
    pub fn reload_times(&self) -> [Seconds; 2] {
        let prefilling = self.load.prefilling();
        let reader = self.reader(&prefilling);
        let Some(host) = reader.system.device.host else { return [Seconds::ZERO; 2] };
        let (_, _, per_token) = reader.cache_room();
        let ssd = host.min(Bandwidth::from_gb(self.load.ssd_gb_s));
        [host, ssd].map(|link| Bytes::new(per_token) / link)
    }

    /// Time in which a prompt's keys and values in host memory and on SSDs are loaded.
    pub(crate) fn prompt_reload_time(&self) -> Seconds {
        let load = self.load;
        if load.cached_host <= 0.0 && load.cached_ssd <= 0.0 {
            return Seconds::ZERO;
        }
        let [host, ssd] = self.reload_times();
        (host * load.cached_host + ssd * load.cached_ssd) * self.prompt()
    }

    /// Time in which the replica with the most prompts of a batch loads their cached keys and values.
    pub(crate) fn batch_reload_time(&self) -> Seconds {
        let load = self.load;
        let readers = if load.prefill_workers > 0 { load.prefilling() } else { *load };
        self.prompt_reload_time() * readers.dealt(load.batch)
    }
}
