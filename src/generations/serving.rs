//! A served model on several accelerators: the same deployment on each, and the best deployment of each.

use crate::catalog::Accelerator;
use crate::economics::{Economics, ServedUse};
use crate::inference::{InferenceJob, InferenceLoad, Phase};
use crate::search::serving::DeploymentProblem;
use crate::serving::capacity::LoadAxis;
use crate::system::{Assumed, AssumptionSet, System};

/// Quantity that is compared; larger is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Prompt tokens per second per GPU, of one batch.
    Prefill,
    /// Output tokens per second per GPU while a batch decodes.
    Decode,
    /// Output tokens per second per GPU under individually arriving requests, at the minimum speed per user.
    Served,
    /// Output tokens per joule at that load, at the power of the servers in prefill and in decode.
    Energy,
    /// Output tokens per US dollar at that load, with the electricity of prefill and of decode.
    Cost,
}

impl Measure {
    /// All measures, in the order of the variants.
    pub const ALL: [Self; 5] = [Self::Prefill, Self::Decode, Self::Served, Self::Energy, Self::Cost];
}

/// A deployment and what it gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deployed {
    /// The deployment with its load.
    pub load: InferenceLoad,
    /// Value, in the unit of its [`Measure`].
    pub value: f64,
}

/// The results of one accelerator, an entry for each of [`Measure::ALL`].
#[derive(Clone, Debug, PartialEq)]
pub struct ServedGeneration {
    /// The catalogue id.
    pub accelerator: String,
    /// Name on the page.
    pub name: String,
    /// Year of release.
    pub year: u16,
    same: [Option<Deployed>; Measure::ALL.len()],
    best: [Option<Deployed>; Measure::ALL.len()],
    /// Why the deployment as asked does not run.
    pub why_not: Option<String>,
}

impl ServedGeneration {
    /// The deployment as asked; `None` if it does not run, or if a price or a power is unknown.
    pub const fn same(&self, measure: Measure) -> Option<Deployed> {
        self.same[measure as usize]
    }

    /// The best of all tensor and expert degrees, formats and loads that fit.
    pub const fn best(&self, measure: Measure) -> Option<Deployed> {
        self.best[measure as usize]
    }

    /// Records a deployment if it is better than the best so far.
    fn offer(&mut self, measure: Measure, deployed: &Deployed) {
        let slot = &mut self.best[measure as usize];
        if slot.is_none_or(|known| deployed.value > known.value) {
            *slot = Some(*deployed);
        }
    }
}

/// The model on several machines, with searches for the best deployment of each in sequence.
#[derive(Clone, Debug)]
pub struct ServedMachines {
    /// The model and its load, on any machine.
    problem: DeploymentProblem,
    economics: Economics,
    /// Output tokens per second that each user gets at least.
    floor: f64,
    assumed: Assumed,
    accelerators: Vec<Accelerator>,
    rows: Vec<ServedGeneration>,
}

/// Speed that each user gets at least where the question has no limit of its own: 50 ms per token, about three times
/// as fast as people read.
const FLOOR: f64 = 20.0;

/// Requests that are served together: powers of two up to this one.
const LARGEST_LOAD: u32 = 4096;

impl ServedMachines {
    /// A comparison of these machines; the TPOT limit of the load sets the least speed of each user.
    pub fn of(
        job: &InferenceJob<'_>,
        economics: Economics,
        assumed: Assumed,
        accelerators: &[&Accelerator],
    ) -> Self {
        let mut problem = DeploymentProblem::of(job);
        problem.load = closed(&problem.load);
        let floor = problem.load.tpot_limit_ms.map_or(FLOOR, |limit| 1e3 / limit);
        let accelerators = accelerators.iter().map(|accelerator| (*accelerator).clone()).collect();
        Self { problem, economics, floor, assumed, accelerators, rows: Vec::new() }
    }

    /// Output tokens per second that each user gets at least.
    pub const fn floor(&self) -> f64 {
        self.floor
    }

    /// The deployment that is the same on each machine.
    pub const fn asked(&self) -> &InferenceLoad {
        &self.problem.load
    }

    /// Machines done, and machines in all.
    pub const fn progress(&self) -> (usize, usize) {
        (self.rows.len(), self.accelerators.len())
    }

    /// Results so far, in the order of the machines.
    pub fn rows(&self) -> &[ServedGeneration] {
        &self.rows
    }

    /// Does one more machine.
    pub fn advance(&mut self) {
        let Some(accelerator) = self.accelerators.get(self.rows.len()) else { return };
        let mut system = System::new(accelerator, self.assumed);
        if self.assumed.set == AssumptionSet::Calibrated {
            system.device.scale_halves(self.problem.load.engine.halves_share(accelerator));
        }
        let load = &self.problem.load;
        let overheads = load.engine.overheads_on(&self.assumed, accelerator).limited(load);
        let problem = DeploymentProblem { system, overheads, ..self.problem.clone() };
        let row = self.row(&problem, accelerator);
        self.rows.push(row);
    }

    fn row(&self, problem: &DeploymentProblem, accelerator: &Accelerator) -> ServedGeneration {
        let mut row = ServedGeneration {
            accelerator: accelerator.id.clone(),
            name: accelerator.name.clone(),
            year: accelerator.year,
            same: [None; Measure::ALL.len()],
            best: [None; Measure::ALL.len()],
            why_not: None,
        };
        match runs(problem, &problem.load) {
            Err(why) => row.why_not = Some(why),
            Ok(()) => {
                for (measure, deployed) in self.measured(problem, accelerator, &problem.load) {
                    row.same[measure as usize] = Some(deployed);
                    row.offer(measure, &deployed);
                }
            }
        }
        let plain = InferenceLoad {
            context: 1,
            pipeline: 1,
            workers: 1,
            prefill_workers: 0,
            ..problem.load.resident()
        };
        for precision in problem.formats() {
            for (tensor, data, expert) in problem.workers() {
                let worker = InferenceLoad { tensor, precision, data, expert, ..plain };
                for batch in (0..).map(|power| 1 << power).take_while(|batch| *batch <= LARGEST_LOAD) {
                    let load = InferenceLoad { batch, ..worker };
                    if runs(problem, &load).is_err() {
                        break;
                    }
                    for (measure, deployed) in self.measured(problem, accelerator, &load) {
                        row.offer(measure, &deployed);
                    }
                }
            }
        }
        row
    }

    /// Values of each measure for a deployment that runs.
    fn measured(
        &self,
        problem: &DeploymentProblem,
        accelerator: &Accelerator,
        load: &InferenceLoad,
    ) -> Vec<(Measure, Deployed)> {
        let gpus = f64::from(load.gpus());
        let batch = f64::from(load.batch);
        let job = problem.job(load);
        let prefill = batch * job.prompt() / job.time(Phase::Prefill).get() / gpus;
        let tpot = job.time(Phase::Decode);
        let decode = batch / tpot.get() / gpus;
        let mut all = vec![
            (Measure::Prefill, Deployed { load: *load, value: prefill }),
            (Measure::Decode, Deployed { load: *load, value: decode }),
        ];
        let stream = load.at(LoadAxis::Concurrency, batch);
        let service = problem.job(&stream).service();
        if service.tpot.get() * self.floor <= 1.0 && load.keeps(&service) {
            let per_gpu = service.tokens_per_second / gpus;
            let mut served = |measure, value| all.push((measure, Deployed { load: stream, value }));
            served(Measure::Served, per_gpu);
            let used = ServedUse::of(accelerator, &problem.job(&stream).estimate());
            if let Some(watts) = self.economics.served_watts(accelerator, None, &used) {
                served(Measure::Energy, per_gpu / watts);
            }
            if let Some(hourly) = self.economics.served_hourly_usd(accelerator, None, &used) {
                served(Measure::Cost, per_gpu * SECONDS_PER_HOUR / hourly);
            }
        }
        all
    }
}

const SECONDS_PER_HOUR: f64 = 3600.0;

/// The load as one batch with the number of concurrent requests.
fn closed(load: &InferenceLoad) -> InferenceLoad {
    let batch = if load.concurrency > 0 && load.rate <= 0.0 { load.concurrency } else { load.batch };
    InferenceLoad { batch, concurrency: 0, rate: 0.0, requests: 0, rounds: 0, ..*load }
}

/// Checks that a deployment obeys the laws and fits into memory; the error is the reason.
fn runs(problem: &DeploymentProblem, load: &InferenceLoad) -> Result<(), String> {
    let device = &problem.system.device;
    if device.peak(load.precision).is_none() && load.precision != problem.load.precision {
        return Err(format!("has no {} matrix units", load.precision.name()));
    }
    load.check(&problem.architecture).map_err(|fault| fault.message)?;
    load.check_network(&problem.system).map_err(|fault| fault.message)?;
    if !problem.allows(load) {
        return Err("the draft model cannot be cut like this".to_owned());
    }
    let memory = problem.job(load).memory(load.batch);
    memory.shortage().map_or(Ok(()), Err)
}
