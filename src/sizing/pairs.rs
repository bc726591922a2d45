//! Disaggregated fleets on two devices: prompts are prefilled on one, tokens are decoded on the other.

use serde::{Deserialize, Serialize};

use super::Demand;
use super::candidate::Candidate;
use super::objective::SizingObjective;
use super::pools::{self, Prefill};
use crate::inference::{InferenceJob, InferenceLoad};
use crate::order;
use crate::search::NumberFormats;
use crate::serving::Service;

/// Devices that are tried for prefill beside each device that decodes, in each number format: those with the least cost per
/// prompt. Prefill costs nearly the same everywhere, and a fourth device would seldom be better than all of three.
const MOST: usize = 3;

/// The prefill workers of least cost per prompt on each device, in each pair of number formats.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    readers: Vec<Reader>,
}

/// The prefill workers of least cost per prompt on a device, in number formats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Reader {
    /// Index of the device.
    device: usize,
    prefill: Prefill,
    /// Quantity that the objective minimises, per prompt and second.
    cost: f64,
}

impl Reader {
    /// The kind of prefill workers with the highest request rate per GPU. `None` if the device's cost is unknown, or if a question
    /// cannot name the device beside another.
    pub(super) fn best(
        device: usize,
        candidate: &Candidate,
        prefill: &[Prefill],
        by: SizingObjective,
    ) -> Option<Self> {
        let cost = by.per_prefill_gpu(&candidate.economics, &candidate.accelerator);
        let cost = cost.filter(|_| candidate.listed)?;
        let best = prefill.iter().max_by(|a, b| a.per_gpu().total_cmp(&b.per_gpu()))?;
        Some(Self { device, prefill: *best, cost: cost / best.per_gpu() })
    }
}

impl Pairs {
    /// Adds the prefill workers of a device.
    pub(super) fn extend(&mut self, readers: Vec<Reader>) {
        self.readers.extend(readers);
    }

    /// Fleets that decode on a device and prefill on others, in number formats, under a load. Each has the index of the device that
    /// prefills, its load, and its service.
    pub(super) fn try_on(
        &self,
        device: usize,
        formats: NumberFormats,
        candidates: &[Candidate],
        (by, demand): (SizingObjective, Demand),
    ) -> Vec<(usize, InferenceLoad, Service)> {
        let known = |candidate: &&Candidate| {
            by.per_prefill_gpu(&candidate.economics, &candidate.accelerator).is_some()
        };
        let Some(candidate) = candidates.get(device).filter(known) else { return Vec::new() };
        // No engine transfers a KV cache between the devices of two vendors.
        let vendor = |device: usize| candidates.get(device).map(|of| of.accelerator.vendor.as_str());
        let mut readers: Vec<Reader> = self.readers.clone();
        readers.retain(|reader| {
            reader.device != device
                && NumberFormats::of(&reader.prefill.load) == formats
                && vendor(reader.device) == vendor(device)
        });
        order::sort(&mut readers, |a, b| a.cost.total_cmp(&b.cost).then(a.device.cmp(&b.device)));
        readers.truncate(MOST);
        if readers.is_empty() {
            return Vec::new();
        }
        let problem = &candidate.problem;
        let (_, kinds) = pools::kinds(problem, formats, demand);
        let (_, decode) = pools::decoders(problem, &kinds);
        let mut tried = Vec::new();
        for reader in readers {
            let system = candidate.system(candidates.get(reader.device));
            // The KV transfer between the two devices may take longer, and leave less time for the prefill.
            let load = InferenceLoad { prefill_workers: 1, ..reader.prefill.load };
            let job = InferenceJob { system: &system, ..problem.job(&load) };
            let Some(prefill) = Prefill::of(&job) else { continue };
            let fleets = pools::fleets(problem, &system, demand, &prefill, &decode);
            tried.extend(fleets.into_iter().map(|(load, service)| (reader.device, load, service)));
        }
        tried
    }
}
