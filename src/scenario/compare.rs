//! Comparison of two machines: the speed-up and its causes, its value under other assumptions, and what binds on each machine.

use super::answers::GENERATIONS;
use super::listed::{accelerators, unlisted};
pub use super::machine_comparison::{MachineComparison, OWN};
use super::{Problem, Scenario, link};
use crate::catalog::{self, Accelerator};
use crate::estimate::Shares;
use crate::generations::waterfall::{Side, fastest_plan};
use crate::generations::{Waterfall, waterfall};
use crate::inference::{InferenceJob, Phase};
use crate::system::{Assumed, AssumptionSet, Precision, System};
use crate::training::{TrainingJob, TrainingRecipe};

/// Assumptions for a variant of the comparison, with the results.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Configuration of the second machine.
    pub comparison: MachineComparison,
    /// The question with these assumptions, as a link.
    pub link: String,
    /// Speed-ups with the calibrated constants over the first as asked and at its best, and over the first as asked with the
    /// ideal set and with that of arXiv 2407.14645; none where something does not fit.
    pub speedups: [Option<f64>; 4],
}

/// Binding resources of a kind of work on several machines: its name, and the shares of each machine by name.
pub type Bindings = (&'static str, Vec<(String, Shares)>);

/// Variants of [`Scenario::variants`]: number format, GPUs in a domain (`None`: as built), factor on the batch.
const VARIANTS: [(Precision, Option<u32>, u32); 5] = [
    (Precision::Bf16, None, 1),
    (Precision::Fp8, None, 1),
    (Precision::Fp8, Some(64), 1),
    (Precision::Fp8, Some(64), 4),
    (Precision::Fp4, Some(64), 4),
];

impl Scenario {
    /// The speed-up from one machine to the other, and its causes.
    pub fn waterfall(&self) -> Result<Waterfall, Vec<Problem>> {
        self.compared(&self.comparison, self.assumed(), |from, to, assumed, job| {
            waterfall(job.architecture, from, to, assumed)
        })?
        .map_err(|message| vec![Problem::new("comparison.to", message)])
    }

    /// The comparison of the two machines under assumptions of other authors.
    pub fn variants(&self) -> Result<Vec<Variant>, Vec<Problem>> {
        let speedup = |comparison: &MachineComparison, set| {
            self.compared(comparison, Assumed { set, ..self.assumed() }, |from, to, assumed, job| {
                let rate = |side: &Side<'_>, step: f64| f64::from(side.recipe.batch) / step;
                let (_, fast) = fastest_plan(job.architecture, to, assumed)?;
                let slow = if comparison.tuned {
                    fastest_plan(job.architecture, from, assumed)?.1
                } else {
                    let system = System::new(from.accelerator, assumed);
                    let job = TrainingJob { system: &system, plan: &from.plan, recipe: &from.recipe, ..*job };
                    job.memory().fits().then(|| job.step())?
                };
                Some(rate(to, fast.get()) / rate(from, slow.get()))
            })
        };
        let variant = |(precision, domain, batch)| {
            let comparison =
                MachineComparison { precision, domain, batch, tuned: false, ..self.comparison.clone() };
            let tuned = MachineComparison { tuned: true, ..comparison.clone() };
            let speedups = [
                speedup(&comparison, AssumptionSet::Calibrated)?,
                speedup(&tuned, AssumptionSet::Calibrated)?,
                speedup(&comparison, AssumptionSet::Ideal)?,
                speedup(&comparison, AssumptionSet::Kundu2024)?,
            ];
            let link = link::encode(&Self { comparison: comparison.clone(), ..self.clone() });
            Ok(Variant { comparison, link, speedups })
        };
        VARIANTS.into_iter().map(variant).collect()
    }

    /// Shares of the time by what binds on each generation: of a training step with the same plan, of a prefill and
    /// of a decode step. Machines that a job does not fit, or whose units lack its format, are left out.
    pub fn bindings(&self) -> Result<[Bindings; 3], Vec<Problem>> {
        let machines = || GENERATIONS.iter().filter_map(|id| catalog::accelerator(id));
        let assumed = self.assumed();
        let trained = self.with_plan(|job| {
            let shares = |device: &Accelerator| {
                let system = System::new(device, assumed);
                system.device.peak(job.recipe.precision)?;
                let job = TrainingJob { system: &system, ..*job };
                job.memory().fits().then(|| (device.name.clone(), job.binding()))
            };
            machines().filter_map(shares).collect()
        })?;
        let served = |phase: Phase| {
            let shares = |job: &InferenceJob<'_>| {
                let shares = |device: &Accelerator| {
                    let system = System::new(device, assumed);
                    let job = InferenceJob { system: &system, ..*job };
                    job.estimate().memory.fits().then(|| (device.name.clone(), job.binding(phase)))
                };
                machines().filter_map(shares).collect()
            };
            // Machines that cannot serve the load can still train.
            self.with_inference(shares).unwrap_or_default()
        };
        Ok([("Training", trained), ("Prefill", served(Phase::Prefill)), ("Decode", served(Phase::Decode))])
    }

    /// The two devices of the comparison, the second with its domain.
    pub fn compared_devices(&self) -> Result<[Accelerator; 2], Vec<Problem>> {
        self.devices_of(&self.comparison)
    }

    fn devices_of(&self, comparison: &MachineComparison) -> Result<[Accelerator; 2], Vec<Problem>> {
        let first = self.device_named(&comparison.from, "comparison.from")?;
        let mut second = self.device_named(&comparison.to, "comparison.to")?;
        second.scale_up.domain = comparison.domain.unwrap_or(second.scale_up.domain);
        Ok([first, second])
    }

    /// Calls `answer` with both sides of a comparison and the question's job.
    fn compared<T>(
        &self,
        comparison: &MachineComparison,
        assumed: Assumed,
        answer: impl FnOnce(&Side<'_>, &Side<'_>, Assumed, &TrainingJob<'_>) -> T,
    ) -> Result<T, Vec<Problem>> {
        let [first, second] = self.devices_of(comparison)?;
        self.with_plan(|job| {
            let (plan, recipe, gpus) = (*job.plan, *job.recipe, job.gpus);
            let mut from = Side { accelerator: &first, plan, recipe, gpus };
            if comparison.tuned
                && let Some((best, _)) = fastest_plan(job.architecture, &from, assumed)
            {
                from.plan = best;
            }
            let batch = recipe.batch.saturating_mul(comparison.batch);
            let recipe = TrainingRecipe { batch, precision: comparison.precision, ..recipe };
            let to = Side { accelerator: &second, plan, recipe, gpus };
            answer(&from, &to, assumed, job)
        })
    }

    fn device_named(&self, id: &str, field: &str) -> Result<Accelerator, Vec<Problem>> {
        if id == OWN {
            return self.system.accelerator().map_err(|problem| vec![problem]);
        }
        let unknown = || vec![Problem::new(field, unlisted(id, accelerators()))];
        catalog::accelerator(id).cloned().ok_or_else(unknown)
    }
}
