//! Laws of a serving load's parallelism.

use super::load::InferenceLoad;
use crate::catalog::architecture::Architecture;
use crate::plan::check::check_heads;
use crate::system::{AllReduce, System};

/// A law that a load breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadFault {
    /// Prefix of the field's document path.
    group: &'static str,
    name: &'static str,
    /// The violated law, in a sentence without a full stop.
    pub message: String,
}

impl LoadFault {
    /// The document path of the field at fault.
    pub fn field(&self) -> String {
        format!("{}{}", self.group, self.name)
    }

    /// A fault of the field `group` + `name`.
    pub(super) const fn new(group: &'static str, name: &'static str, message: String) -> Self {
        Self { group, name, message }
    }
}

/// Prefix of the fields of decode workers.
const LOAD: &str = "inference.";

/// Prefix of the fields of prefill workers.
const PREFILL: &str = "inference.prefill_";

impl InferenceLoad {
    /// The laws of every worker's parallelism.
    pub fn check(&self, architecture: &Architecture) -> Result<(), LoadFault> {
        if self.context > 1 && self.prefill_workers > 0 {
            let message = "context parallelism and prefill workers cannot be combined";
            return Err(LoadFault::new(LOAD, "context", message.to_owned()));
        }
        if self.context > 1 && self.reused() > 0.0 {
            let message = "context parallelism is modelled without prefix caching: set the cached share to 0";
            return Err(LoadFault::new(LOAD, "context", message.to_owned()));
        }
        self.check_reuse()?;
        self.check_images(architecture)?;
        self.check_audio(architecture)?;
        self.check_offload(architecture)?;
        self.check_second_layers(architecture)?;
        self.check_expert_gpus(architecture)?;
        self.check_worker(architecture, LOAD)?;
        if self.prefill_workers > 0 { self.prefilling().check_worker(architecture, PREFILL) } else { Ok(()) }
    }

    /// Cached shares of a prompt sum to at most 1.
    fn check_reuse(&self) -> Result<(), LoadFault> {
        // Shares of 0.7, 0.2 and 0.1 may add up to a little more than 1.
        if self.reused() <= 1.0 + 1e-9 {
            return Ok(());
        }
        let name = if self.cached_host > 0.0 { "cached_host" } else { "cached_ssd" };
        let message =
            "the shares that the GPU, host memory and SSDs have cached add up to more than the prompt";
        Err(LoadFault::new(LOAD, name, message.to_owned()))
    }

    /// Cached keys and values in host memory and on SSDs require a link to the host.
    pub fn check_reload(&self, system: &System) -> Result<(), LoadFault> {
        let prefill = system.prefill.as_deref().filter(|_| self.prefill_workers > 0);
        let device = &prefill.unwrap_or(system).device;
        let fields = [
            ("cached_host", self.cached_host),
            ("cached_ssd", self.cached_ssd),
            ("host_cache_gib", self.host_cache_gib),
            ("ssd_cache_gib", self.ssd_cache_gib),
        ];
        match fields.into_iter().find(|(_, amount)| *amount > 0.0) {
            Some((name, _)) if device.host.is_none() => {
                let message = format!("the link of {} to its host is not known: set this to 0", device.name);
                Err(LoadFault::new(LOAD, name, message))
            }
            _ => Ok(()),
        }
    }

    /// Requirements of context-parallel groups, workers and prefill workers on the network.
    pub fn check_network(&self, system: &System) -> Result<(), LoadFault> {
        let prefilling = self.prefilling();
        let reading = system.prefill.as_deref().unwrap_or(system);
        let readers = (self.prefill_workers > 0).then_some((&prefilling, &reading.network));
        for (load, network) in std::iter::once((self, &system.network)).chain(readers) {
            let group = network.strided(load.tensor, 1);
            let message = match self.all_reduce {
                _ if group.size <= 1 => continue,
                direct if direct.is_direct() && group.domains() > 1 => format!(
                    "{} GPUs exceed the scale-up domain of {} GPUs, which direct all-reduce needs: choose ring, tree, or \
                     automatic",
                    group.size, network.domain
                ),
                AllReduce::InSwitch if !network.adds_up(group) => {
                    let switches = if group.domains() > 1 {
                        "scale-out switches do not reduce in the network unless system.in_network is on"
                    } else {
                        "the scale-up switches of this device do not reduce in the network (NVLink SHARP)"
                    };
                    format!("{switches}: choose one-shot, two-shot, ring, tree, or automatic")
                }
                _ => continue,
            };
            return Err(LoadFault::new(LOAD, "all_reduce", message));
        }
        Ok(())
    }

    fn check_worker(&self, architecture: &Architecture, group: &'static str) -> Result<(), LoadFault> {
        let Self { tensor, data, expert, pipeline, .. } = *self;
        let fault = |name, message| Err(LoadFault::new(group, name, message));
        check_heads(architecture, tensor).or_else(|law| fault("tensor", law.to_string()))?;
        let gpus = tensor.saturating_mul(data);
        if self.expert_gpus > 0 {
            // The GPUs of a tensor group share no feed-forward block.
            return Ok(());
        }
        if !gpus.is_multiple_of(expert) {
            let message =
                format!("{expert}-way expert parallelism does not divide the {gpus} GPUs of a worker");
            return fault("expert", message);
        }
        let (width, parts) = match &architecture.moe {
            Some(moe) => (moe.ffn, gpus / expert),
            None => (architecture.ffn, tensor),
        };
        if !width.is_multiple_of(parts) {
            let message = format!("{parts}-way sharding does not divide the feed-forward width of {width}");
            return fault("tensor", message);
        }
        if architecture.moe.as_ref().is_some_and(|moe| expert > moe.experts) {
            return fault(
                "expert",
                format!("{expert}-way expert parallelism is more than the number of experts"),
            );
        }
        if pipeline > architecture.layers {
            return fault(
                "pipeline",
                format!("{pipeline} pipeline stages are more than the {} layers", architecture.layers),
            );
        }
        Ok(())
    }
}
