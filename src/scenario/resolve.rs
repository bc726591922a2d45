//! Resolves a scenario to the inputs of the model: look-ups and checks of laws.

use super::listed::{accelerators, choose, models};
use super::{Choice, Problem, Scenario, SystemChoice, View, bounds, constants};
use crate::catalog::{self, Accelerator, Architecture};
use crate::economics::Bill;
use crate::inference::InferenceJob;
use crate::system::{AssumptionSet, Assumptions, Fabric, HostMemory, Precision, System};
use crate::training::TrainingJob;
use crate::units::{Bandwidth, Bytes, Seconds};

/// A scenario whose names are known and whose numbers are in range.
struct Resolved<'a> {
    architecture: &'a Architecture,
    system: System,
}

impl Scenario {
    /// Names that are unknown and numbers out of range, whatever the view.
    pub fn unresolved(&self) -> Vec<Problem> {
        self.resolve().err().unwrap_or_default()
    }

    /// The system, if its device exists and every number is in range.
    pub fn machine(&self) -> Result<System, Vec<Problem>> {
        self.resolve().map(|resolved| resolved.system)
    }

    /// Calls `answer` with the training job if every name, range and law holds, and the device multiplies the
    /// recipe's format.
    pub fn with_training<T>(&self, answer: impl FnOnce(&TrainingJob<'_>) -> T) -> Result<T, Vec<Problem>> {
        self.by_operators()?;
        self.with_plan(|job| {
            supported("recipe.precision", job.recipe.precision, job.system)?;
            reachable(job)?;
            Ok(answer(job))
        })?
    }

    /// Refuses a set whose equations are its authors' own, where those of this model are asked for.
    pub(super) fn by_operators(&self) -> Result<(), Vec<Problem>> {
        if self.assumptions == AssumptionSet::Subramanian2024 {
            let message =
                "the equations of arXiv 2410.00273 are for training steps and searches: choose another set";
            return Err(vec![Problem::new("assumptions", message)]);
        }
        Ok(())
    }

    /// Calls `answer` with a job for any plan, including plans that violate laws.
    pub(super) fn with_open_plan<T>(
        &self,
        answer: impl FnOnce(&TrainingJob<'_>) -> T,
    ) -> Result<T, Vec<Problem>> {
        self.by_operators()?;
        self.with_job(|job| {
            supported("recipe.precision", job.recipe.precision, job.system)?;
            Ok(answer(job))
        })?
    }

    pub(super) fn with_plan<T>(&self, answer: impl FnOnce(&TrainingJob<'_>) -> T) -> Result<T, Vec<Problem>> {
        self.with_job(|job| {
            self.parallelism
                .check(job.architecture, job.gpus, self.recipe.batch, self.recipe.sequence)
                .and_then(|()| self.parallelism.check_placement(job.gpus, job.system.network.domain))
                .map_err(|law| vec![Problem::new(law.field(), law.to_string())])?;
            Ok(answer(job))
        })?
    }

    pub(super) fn with_job<T>(&self, answer: impl FnOnce(&TrainingJob<'_>) -> T) -> Result<T, Vec<Problem>> {
        let resolved = self.resolve()?;
        let accelerator = self.system.device().map_err(|problem| vec![problem])?;
        if self.recipe.predicts() && resolved.architecture.prediction.is_none() {
            let message = format!("{} has no prediction modules (MTP) to train", resolved.architecture.name);
            return Err(vec![Problem::new("recipe.prediction", message)]);
        }
        let job = TrainingJob {
            architecture: resolved.architecture,
            system: &resolved.system,
            plan: &self.parallelism,
            recipe: &self.recipe,
            gpus: self.system.gpus,
            overheads: self.recipe.framework.overheads_on(&self.assumed_training(), accelerator),
        };
        Ok(answer(&job))
    }

    /// Calls `answer` with the inference job if every name, range and law holds.
    pub fn with_inference<T>(&self, answer: impl FnOnce(&InferenceJob<'_>) -> T) -> Result<T, Vec<Problem>> {
        self.by_operators()?;
        let mut resolved = self.resolve()?;
        let load = &self.inference;
        let accelerator = self.system.device().map_err(|problem| vec![problem])?;
        if self.assumptions == AssumptionSet::Calibrated {
            resolved.system.device.scale_halves(load.engine.halves_share(accelerator));
        }
        let overheads = load.engine.overheads_on(&self.assumed_serving(), accelerator).limited(load);
        let draft = self.speculation.draft().map_err(|problem| vec![problem])?;
        let Resolved { architecture, ref system } = resolved;
        let job = InferenceJob { architecture, system, load, overheads, draft };
        load.check(architecture)
            .and_then(|()| load.check_network(system))
            .and_then(|()| load.check_reload(system))
            .and_then(|()| job.check_sessions())
            .and_then(|()| load.check_host(architecture, system))
            .and_then(|()| load.check_second(system))
            .and_then(|()| draft.map_or(Ok(()), |draft| draft.check(load, architecture)))
            .map_err(|fault| vec![Problem::new(fault.field(), fault.message)])?;
        let name = &job.architecture.name;
        let refusal = match (job.architecture.is_causal(), job.architecture.vocab) {
            (false, _) => Some(format!("{name} is an encoder: it generates no tokens")),
            (true, 0) => Some(format!("{name} has no vocabulary: it generates no tokens")),
            _ => None,
        };
        if let Some(message) = refusal {
            return Err(vec![Problem::new("model", message)]);
        }
        Ok(answer(&job))
    }

    /// The model, if the catalogue has it or the scenario spells it out.
    pub fn architecture(&self) -> Result<&Architecture, Problem> {
        choose(&self.model, "model", catalog::architecture, models)
    }

    /// A predicted MFU, which is of the device's dense peak, as a fraction of the peak that the measured MFU refers to.
    pub fn mfu_as_measured(&self, mfu: f64) -> f64 {
        let dense = self.machine().ok().map(|system| system.device.rate(self.recipe.precision).get());
        let stated = self.measured.peak_tflops.map(|tera| tera * 1e12);
        mfu * dense.zip(stated).map_or(1.0, |(dense, stated)| dense / stated)
    }

    /// The bill of a run of this duration. Failures and checkpoints are left out under a paper's assumption set.
    pub fn bill(&self, device: &Accelerator, gpus: u32, run: Seconds) -> Bill {
        let checkpoint = self.architecture().map_or(Bytes::ZERO, |model| self.recipe.checkpoint(model));
        self.economics.bill(device, gpus, run, (!self.assumptions.of_paper()).then_some(checkpoint))
    }

    /// Returns true if the model has a vision encoder, or if the question has images.
    pub(super) fn sees(&self) -> bool {
        self.inference.images > 0 || self.architecture().is_ok_and(|model| model.vision.is_some())
    }

    /// Returns true if the model has an audio encoder, or if the question has audio.
    pub(super) fn hears(&self) -> bool {
        self.inference.audio > 0.0 || self.architecture().is_ok_and(|model| model.audio.is_some())
    }

    /// Returns true if the model is a mixture of experts.
    pub fn has_experts(&self) -> bool {
        self.architecture().is_ok_and(|model| model.moe.is_some())
    }

    /// The system of a device in this question's fabric, under its assumption set and constants.
    pub(super) fn system_of(&self, accelerator: &Accelerator) -> Result<System, Vec<Problem>> {
        let assumed = self.assumed();
        let assumptions = Assumptions::of(assumed.uncorrected(), accelerator);
        let assumptions = constants::replaced(assumptions, &self.constants)?;
        let assumptions = assumptions.corrected(assumed.corrections_of(accelerator));
        let mut system = System::with(accelerator, assumptions);
        system.network = system.network.in_fabric(&self.system.fabric());
        Ok(system)
    }

    fn resolve(&self) -> Result<Resolved<'_>, Vec<Problem>> {
        let mut problems = self.out_of_range();
        if let Choice::Explicit(model) = &self.model {
            problems.extend(bounds::architecture(model));
        }
        if let Choice::Explicit(device) = &self.system.accelerator {
            problems.extend(bounds::accelerator(device));
        }
        match (self.architecture(), self.system.device()) {
            (Ok(architecture), Ok(accelerator)) if problems.is_empty() => {
                let mut system = self.system_of(&self.system.applied_to(accelerator))?;
                system.host = self.system.host_memory();
                if self.view == View::Inference {
                    system.second = self.second_gpu().map_err(|problem| vec![problem])?.map(Box::new);
                    system.prefill = self.prefill_system()?.map(Box::new);
                }
                Ok(Resolved { architecture, system })
            }
            (architecture, accelerator) => {
                problems.extend(accelerator.err());
                problems.extend(architecture.err());
                Err(problems)
            }
        }
    }
}

impl SystemChoice {
    /// The network beyond its links.
    pub(super) fn fabric(&self) -> Fabric {
        let Self { adapters, pod, oversubscription, in_network, .. } = *self;
        Fabric { adapters, pod, oversubscription, in_network }
    }

    /// Memory of the host.
    fn host_memory(&self) -> HostMemory {
        HostMemory { capacity: Bytes::from_gib(self.host_gib), bandwidth: Bandwidth::from_gb(self.host_gb_s) }
    }

    /// The device with everything that this scenario changes about it.
    pub fn accelerator(&self) -> Result<Accelerator, Problem> {
        self.device().map(|device| self.applied_to(device))
    }

    /// The device of the catalogue or of the scenario, before the scenario's changes.
    pub(super) fn device(&self) -> Result<&Accelerator, Problem> {
        choose(&self.accelerator, "system.accelerator", catalog::accelerator, accelerators)
    }

    /// The catalogue entry with what this scenario changes about it.
    fn applied_to(&self, accelerator: &Accelerator) -> Accelerator {
        let mut changed = accelerator.clone();
        let set = |slot: &mut f64, value: Option<f64>| *slot = value.unwrap_or(*slot);
        set(&mut changed.dram.bandwidth_gb_s, self.dram_gb_s);
        set(&mut changed.dram.capacity_gib, self.dram_gib);
        set(&mut changed.scale_up.gb_s, self.scale_up_gb_s);
        set(&mut changed.scale_out.gb_s, self.scale_out_gb_s);
        if changed.name.is_empty() {
            let known = catalog::accelerator(&changed.id);
            changed.name = known.map_or_else(|| changed.id.clone(), |known| known.name.clone());
        }
        changed.scale_up.domain = self.scale_up_domain.unwrap_or(changed.scale_up.domain);
        // Other links than the catalogue's are all links of the domain.
        if changed.scale_up != accelerator.scale_up {
            changed.scale_up.bridge = None;
        }
        changed
    }
}

pub(super) fn supported(field: &str, precision: Precision, system: &System) -> Result<(), Vec<Problem>> {
    if system.device.peak(precision).is_some() {
        return Ok(());
    }
    let offered: Vec<&str> = Precision::ALL
        .into_iter()
        .filter(|&other| system.device.peak(other).is_some())
        .map(Precision::name)
        .collect();
    let message = format!(
        "{} has no {} matrix units: choose {}",
        system.device.name,
        precision.name(),
        offered.join(", ")
    );
    Err(vec![Problem::new(field, message)])
}

/// The law of offloading: there is a link to the host.
pub(super) fn reachable(job: &TrainingJob<'_>) -> Result<(), Vec<Problem>> {
    let offload = job.plan.offload;
    if !offload.any() || job.system.device.host.is_some() {
        return Ok(());
    }
    let fields = [
        ("parallelism.offload.activations", offload.activations),
        ("parallelism.offload.weights", offload.weights),
        ("parallelism.offload.optimizer", offload.optimizer),
    ];
    let name = &job.system.device.name;
    let problem = |(field, _)| {
        Problem::new(field, format!("the link of {name} to its host is not known: keep this on the device"))
    };
    Err(fields.into_iter().filter(|(_, wanted)| *wanted).map(problem).collect())
}
