//! From what somebody says to what the model computes: look-ups, ranges, laws.

use super::{Choice, Problem, Scenario, SystemChoice, View, bounds, constants};
use crate::catalog::{self, Accelerator, Architecture};
use crate::estimate::inference::InferenceJob;
use crate::estimate::sweep::{CapacitySweep, DramSweep, LinkSweep};
use crate::estimate::training::{Framework, TrainingJob};
use crate::estimate::{Generation, InferenceEstimate, LoadCurve, Overheads, TrainingEstimate, generations};
use crate::search::serving::Question as Deployments;
use crate::search::{AXES, Objective, Question, Search};
use crate::system::calibration::calibration_for;
use crate::system::{AssumptionSet, Assumptions, Fabric, Precision, System};

/// The accelerators that the generations view compares, oldest first; the first is 1.
pub const GENERATIONS: [&str; 9] = [
    "a100-sxm-80gb",
    "h100-sxm",
    "h200-sxm",
    "b200",
    "gb200-nvl72",
    "b300",
    "gb300-nvl72",
    "mi300x",
    "mi355x",
];

/// DRAM bandwidth of the inference sweep, TB/s.
pub const SWEEP_TB_S: (f64, f64) = (0.3, 30.0);

/// Points of the inference sweep.
pub const SWEEP_POINTS: usize = 81;

/// Scale-up bandwidth of the inference sweep, GB/s.
pub const LINKS_GB_S: (f64, f64) = (10.0, 5000.0);

/// Points of the sweep over links.
pub const LINK_POINTS: usize = 55;

/// DRAM capacity of the inference sweep, GiB.
pub const CAPACITY_GIB: (f64, f64) = (8.0, 1024.0);

/// Points of the sweep over capacities.
pub const CAPACITY_POINTS: usize = 43;

/// Points of the curve of service against load.
pub const LOAD_POINTS: usize = 41;

/// Lowest and highest value that a number may take, by document path: what the model's equations hold for.
const RANGES: &[(&str, f64, f64)] = &[
    ("system.gpus", 1.0, 1_048_576.0),
    ("system.dram_gb_s", 1.0, 1e6),
    ("system.dram_gib", 0.1, 1e5),
    ("system.scale_up_gb_s", 0.1, 1e5),
    ("system.scale_up_domain", 1.0, 65_536.0),
    ("system.scale_out_gb_s", 0.01, 1e5),
    ("system.adapters", 0.01, 64.0),
    ("system.pod", 1.0, 1_048_576.0),
    ("system.oversubscription", 1.0, 64.0),
    ("parallelism.tensor", 1.0, 1024.0),
    ("parallelism.panels", 1.0, 65_536.0),
    ("parallelism.pipeline", 1.0, 1024.0),
    ("parallelism.interleave", 1.0, 64.0),
    ("parallelism.microbatch", 1.0, 65_536.0),
    ("parallelism.recompute_layers", 0.0, 1024.0),
    ("parallelism.context", 1.0, 1024.0),
    ("parallelism.expert", 1.0, 1024.0),
    ("parallelism.expert_tensor", 1.0, 1024.0),
    ("parallelism.shard_group", 1.0, 65_536.0),
    ("parallelism.placement.tensor", 1.0, 1024.0),
    ("parallelism.placement.context", 1.0, 1024.0),
    ("parallelism.placement.data", 1.0, 65_536.0),
    ("parallelism.placement.pipeline", 1.0, 1024.0),
    ("recipe.batch", 1.0, 1_048_576.0),
    ("recipe.sequence", 1.0, 16_777_216.0),
    ("recipe.tokens", 1.0, 1e18),
    ("inference.input", 1.0, 16_777_216.0),
    ("inference.output", 1.0, 1_048_576.0),
    ("inference.batch", 1.0, 65_536.0),
    ("inference.tensor", 1.0, 1024.0),
    ("inference.concurrency", 0.0, 1_048_576.0),
    ("inference.rounds", 0.0, 1_048_576.0),
    ("inference.rate", 0.0, 1e6),
    ("inference.requests", 0.0, 16_384.0),
    ("inference.ttft_limit_ms", 0.001, 1e7),
    ("inference.tpot_limit_ms", 0.001, 1e6),
    ("inference.cached", 0.0, 1.0),
    ("inference.draft", 0.0, 64.0),
    ("inference.acceptance", 0.0, 1.0),
    ("inference.draft_cost", 0.0, 1.0),
    ("inference.context", 1.0, 64.0),
    ("inference.pipeline", 1.0, 1_024.0),
    ("inference.data", 1.0, 1_024.0),
    ("inference.expert", 1.0, 8_192.0),
    ("inference.workers", 1.0, 65_536.0),
    ("inference.prefill_workers", 0.0, 65_536.0),
    ("inference.prefill_tensor", 1.0, 1_024.0),
    ("inference.prefill_data", 1.0, 1_024.0),
    ("inference.prefill_expert", 1.0, 8_192.0),
    ("economics.usd_per_gpu_hour", 0.0, 1e4),
    ("economics.usd_per_kwh", 0.0, 100.0),
    ("economics.pue", 1.0, 10.0),
    ("economics.carbon_g_kwh", 0.0, 1e4),
    ("economics.gpu_hours_per_failure", 1.0, 1e12),
    ("economics.checkpoint_s", 0.0, 1e5),
    ("economics.restart_s", 0.0, 1e6),
    ("search.memory", 0.01, 1.0),
    ("search.tensor", 1.0, 1024.0),
    ("search.fewest", 1.0, 1_048_576.0),
    ("search.most", 1.0, 1_048_576.0),
    ("comparison.domain", 1.0, 65_536.0),
    ("comparison.batch", 1.0, 1024.0),
    ("technology.domain", 1.0, 65_536.0),
    ("technology.area_mm2", 10.0, 10_000.0),
    ("technology.power_w", 10.0, 20_000.0),
    ("technology.edge_mm", 10.0, 1_000.0),
    ("technology.dies", 1.0, 2.0),
    ("errors.page", 1.0, 1e6),
];

/// The range of a numeric field, for whoever draws a form.
pub fn range(field: &str) -> Option<(f64, f64)> {
    RANGES.iter().find(|(name, ..)| *name == field).map(|&(_, low, high)| (low, high))
}

/// A scenario whose names are known and whose numbers are in range.
struct Resolved<'a> {
    architecture: &'a Architecture,
    system: System,
}

impl Scenario {
    /// Everything that is wrong with what this scenario's view needs, in the order of the form.
    pub fn problems(&self) -> Vec<Problem> {
        let problems = match self.view {
            View::Training => self.training().err(),
            View::Inference => self.inference().err(),
            View::Search => self.search().err(),
            View::Generations => self.generations().err(),
            View::Technology => self.with_frontier(|_| ()).err(),
            View::Validation => self.resolve().err(),
        };
        problems.unwrap_or_default()
    }

    /// Names that are unknown and numbers out of range, whatever the view.
    pub fn unresolved(&self) -> Vec<Problem> {
        self.resolve().err().unwrap_or_default()
    }

    /// What is wrong before anything is estimated: names, ranges, laws, but not whether it fits into memory.
    pub fn objections(&self) -> Vec<Problem> {
        let objections = match self.view {
            View::Training if self.assumptions == AssumptionSet::Subramanian2024 => {
                self.with_plan(|job| job.by_subramanian().map(|_| ()).map_err(outside)).and_then(|all| all)
            }
            View::Training => self.with_training(|_| ()),
            View::Inference => self.with_inference(|_| ()),
            View::Search => self.with_open_plan(|_| ()),
            View::Generations => self.with_plan(|_| ()),
            // The second program knows of technologies, and objects itself.
            View::Technology | View::Validation => self.resolve().map(|_| ()),
        };
        objections.err().unwrap_or_default()
    }

    /// The training answer.
    pub fn training(&self) -> Result<TrainingEstimate, Vec<Problem>> {
        if self.assumptions == AssumptionSet::Subramanian2024 {
            return self.with_plan(|job| job.by_subramanian().map_err(outside).and_then(fitting))?;
        }
        self.training_by_operators()
    }

    /// The training answer of this model's own equations, which all sets of constants share but one.
    pub fn training_by_operators(&self) -> Result<TrainingEstimate, Vec<Problem>> {
        self.with_training(|job| fitting(job.estimate()))?
    }

    /// The system, if its device exists and every number is in range.
    pub fn machine(&self) -> Result<System, Vec<Problem>> {
        self.resolve().map(|resolved| resolved.system)
    }

    /// The inference answer.
    pub fn inference(&self) -> Result<InferenceEstimate, Vec<Problem>> {
        self.with_inference(|job| {
            let load = job.load;
            let endless = load.requests == 0 || load.prefill_workers > 0;
            if load.rate > 0.0 && endless {
                let field = "inference.rate";
                job.keeps_up(load.rate).map_err(|full| vec![Problem::new(field, full.to_string())])?;
            }
            let estimate = job.estimate();
            if estimate.memory.fits() { Ok(estimate) } else { Err(vec![inference_does_not_fit(&estimate)]) }
        })?
    }

    /// Latency against DRAM bandwidth.
    pub fn dram_sweep(&self) -> Result<DramSweep, Vec<Problem>> {
        self.with_inference(|job| job.dram_sweep(SWEEP_TB_S.0, SWEEP_TB_S.1, SWEEP_POINTS))
    }

    /// Latency against scale-up bandwidth; `None` where one GPU serves alone.
    pub fn link_sweep(&self) -> Result<Option<LinkSweep>, Vec<Problem>> {
        self.with_inference(|job| {
            let (low, high) = LINKS_GB_S;
            (job.load.worker_gpus() > 1).then(|| job.link_sweep(low, high, LINK_POINTS))
        })
    }

    /// Throughput against DRAM capacity.
    pub fn capacity_sweep(&self) -> Result<CapacitySweep, Vec<Problem>> {
        self.with_inference(|job| job.capacity_sweep(CAPACITY_GIB.0, CAPACITY_GIB.1, CAPACITY_POINTS))
    }

    /// The question of which deployment serves best.
    pub fn deployments(&self) -> Result<Deployments, Vec<Problem>> {
        self.with_inference(Deployments::of)
    }

    /// Service against load.
    pub fn load_curve(&self) -> Result<LoadCurve, Vec<Problem>> {
        self.with_inference(|job| job.load_curve(LOAD_POINTS))
    }

    /// The training job on each generation.
    pub fn generations(&self) -> Result<Vec<Generation>, Vec<Problem>> {
        // Each generation says for itself whether it has the recipe's format.
        self.by_operators()?;
        self.with_plan(|job| {
            let accelerators: Vec<&Accelerator> =
                GENERATIONS.iter().filter_map(|id| catalog::accelerator(id)).collect();
            generations(job, self.assumptions, &accelerators)
        })
    }

    /// A search for plans of this job; that of the scenario need not obey the laws.
    pub fn search(&self) -> Result<Search, Vec<Problem>> {
        let scope = &self.search;
        if let Some(name) = scope.unknown() {
            let axes: Vec<&str> = AXES.iter().map(|axis| axis.id).collect();
            let message = format!("`{name}` is nothing that plans differ in: use none, {}", axes.join(", "));
            return Err(vec![Problem::new("search.fixed", message)]);
        }
        let device = self.system.accelerator().map_err(|problem| vec![problem])?;
        let (wanted, known) = match scope.by {
            Objective::Cost => ("price", self.economics.hourly_usd(&device).is_some()),
            Objective::Energy => ("design power", self.economics.watts(&device).is_some()),
            Objective::Time | Objective::Memory => ("", true),
        };
        if !known {
            let message = format!("no {wanted} of {} is known: search by time or by memory", device.name);
            return Err(vec![Problem::new("search.by", message)]);
        }
        let gpus = self.system.gpus;
        self.with_open_plan(|job| Search::new(Question::of(job, scope.clone()), gpus, &scope.counts(gpus)))
    }

    /// On what the constants rest, in one sentence: whose kernels were measured.
    pub fn basis(&self) -> String {
        let Ok(accelerator) = self.system.device() else { return String::new() };
        match self.assumptions {
            AssumptionSet::Ideal => return "No overheads: nothing can be faster".to_owned(),
            AssumptionSet::Subramanian2024 => {
                return "The equations and constants of arXiv 2410.00273's authors".to_owned();
            }
            AssumptionSet::Kundu2024 => {
                return "What is public of the constants behind arXiv 2407.14645".to_owned();
            }
            AssumptionSet::Calibrated => {}
        }
        let Some(calibration) = calibration_for(accelerator) else { return String::new() };
        let measured = &calibration.device;
        let name = catalog::accelerator(measured).map_or(measured, |entry| &entry.name);
        if *measured == accelerator.id {
            return format!("Efficiencies are fitted to kernels measured on {name}");
        }
        format!("No kernels of {} were measured: its efficiencies are those of {name}", accelerator.name)
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
                "the equations of arXiv 2410.00273 are for single training steps: choose another set";
            return Err(vec![Problem::new("assumptions", message)]);
        }
        Ok(())
    }

    /// The same for any other plan: this one may break laws.
    fn with_open_plan<T>(&self, answer: impl FnOnce(&TrainingJob<'_>) -> T) -> Result<T, Vec<Problem>> {
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
        let job = TrainingJob {
            architecture: resolved.architecture,
            system: &resolved.system,
            plan: &self.parallelism,
            recipe: &self.recipe,
            gpus: self.system.gpus,
            overheads: match self.assumptions {
                AssumptionSet::Calibrated => self.recipe.framework.overheads(),
                _ => Framework::None.overheads(),
            },
        };
        Ok(answer(&job))
    }

    /// Calls `answer` with the inference job if every name, range and law holds.
    pub fn with_inference<T>(&self, answer: impl FnOnce(&InferenceJob<'_>) -> T) -> Result<T, Vec<Problem>> {
        self.by_operators()?;
        let mut resolved = self.resolve()?;
        let load = &self.inference;
        let overheads = match self.assumptions {
            AssumptionSet::Calibrated => {
                let accelerator = self.system.device().map_err(|problem| vec![problem])?;
                resolved.system.device.scale_matrix(load.engine.matrix_share(accelerator));
                load.engine.overheads()
            }
            _ => Overheads::NONE,
        };
        let job =
            InferenceJob { architecture: resolved.architecture, system: &resolved.system, load, overheads };
        load.check(job.architecture).map_err(|fault| vec![Problem::new(fault.field(), fault.message)])?;
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
        choose(&self.model, "model", catalog::architecture, || {
            catalog::catalog().architectures.iter().map(|entry| entry.id.as_str()).collect()
        })
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
                let accelerator = self.system.applied_to(accelerator);
                let assumptions = Assumptions::of(self.assumptions, &accelerator);
                let assumptions = constants::replaced(assumptions, &self.constants)?;
                let mut system = System::with(&accelerator, assumptions);
                system.network = system.network.in_fabric(&self.system.fabric());
                Ok(Resolved { architecture, system })
            }
            (architecture, accelerator) => {
                problems.extend(accelerator.err());
                problems.extend(architecture.err());
                Err(problems)
            }
        }
    }

    fn out_of_range(&self) -> Vec<Problem> {
        let bad = |&(field, low, high): &(&str, f64, f64)| {
            // A field that may be absent is fine so.
            let value = self.at(field)?.as_number()?;
            let fine = (low..=high).contains(&value);
            (!fine).then(|| Problem::new(field, format!("must be between {low} and {high}")))
        };
        RANGES.iter().filter_map(bad).collect()
    }
}

impl SystemChoice {
    /// The network beyond its links.
    fn fabric(&self) -> Fabric {
        let Self { adapters, pod, oversubscription, in_network, .. } = *self;
        Fabric { adapters, pod, oversubscription, in_network }
    }

    /// The device with everything that this scenario changes about it.
    pub fn accelerator(&self) -> Result<Accelerator, Problem> {
        self.device().map(|device| self.applied_to(device))
    }

    /// The device as the catalogue or the scenario says, before what this scenario changes about it.
    fn device(&self) -> Result<&Accelerator, Problem> {
        choose(&self.accelerator, "system.accelerator", catalog::accelerator, || {
            catalog::catalog().accelerators.iter().map(|entry| entry.id.as_str()).collect()
        })
    }

    /// The catalogue entry with what this scenario changes about it.
    fn applied_to(&self, accelerator: &Accelerator) -> Accelerator {
        let mut changed = accelerator.clone();
        let set = |slot: &mut f64, value: Option<f64>| *slot = value.unwrap_or(*slot);
        set(&mut changed.dram.bandwidth_gb_s, self.dram_gb_s);
        set(&mut changed.dram.capacity_gib, self.dram_gib);
        set(&mut changed.scale_up.gb_s, self.scale_up_gb_s);
        set(&mut changed.scale_out.gb_s, self.scale_out_gb_s);
        changed.scale_up.domain = self.scale_up_domain.unwrap_or(changed.scale_up.domain);
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

fn choose<'a, T: 'static>(
    choice: &'a Choice<T>,
    field: &str,
    find: impl Fn(&str) -> Option<&'static T>,
    ids: impl Fn() -> Vec<&'static str>,
) -> Result<&'a T, Problem> {
    match choice {
        Choice::Explicit(explicit) => Ok(explicit),
        Choice::Named(name) => find(name).ok_or_else(|| {
            let message = match catalog::nearest(name, ids()) {
                Some(near) => format!("`{name}` is not in the catalogue: did you mean `{near}`?"),
                None => format!("`{name}` is not in the catalogue"),
            };
            Problem::new(field, message)
        }),
    }
}

/// The estimate, if what it needs is there.
fn fitting(estimate: TrainingEstimate) -> Result<TrainingEstimate, Vec<Problem>> {
    if estimate.memory.fits() { Ok(estimate) } else { Err(vec![does_not_fit(&estimate)]) }
}

/// What a published model has no equations for.
fn outside(fields: Vec<(&'static str, &'static str)>) -> Vec<Problem> {
    let problem = |(field, has)| Problem::new(field, format!("arXiv 2410.00273 has {has}"));
    fields.into_iter().map(problem).collect()
}

fn does_not_fit(estimate: &TrainingEstimate) -> Problem {
    let memory = &estimate.memory;
    Problem::new(
        "parallelism.pipeline",
        format!(
            "needs {:.0} GiB per GPU and has {:.0} GiB: cut further (tensor, pipeline), recompute more, or shrink the microbatch",
            memory.total().to_gib(),
            memory.capacity.to_gib()
        ),
    )
}

fn inference_does_not_fit(estimate: &InferenceEstimate) -> Problem {
    let memory = &estimate.memory;
    let advice = match estimate.largest_batch {
        0 => "the weights alone do not fit: use more tensor parallelism or a smaller format".to_owned(),
        largest => format!("at most {largest} requests fit"),
    };
    Problem::new(
        if estimate.largest_batch == 0 { "inference.tensor" } else { "inference.batch" },
        format!(
            "needs {:.0} GiB per GPU and has {:.0} GiB: {advice}",
            memory.total().to_gib(),
            memory.capacity.to_gib()
        ),
    )
}
