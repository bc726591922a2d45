//! Answers of the model to a scenario, or all problems that prevent one.

mod sizing;
mod sweeps;

use super::{Choice, Problem, Scenario, SystemChoice, View, shortage};
use crate::catalog::{self, Accelerator};
use crate::generations::{Generation, Machines, ServedMachines};
use crate::inference::{InferenceLoad, Place};
use crate::published::subramanian::{Job, Machine, Run, Study};
use crate::search::serving::DeploymentProblem as Deployments;
use crate::search::{AXES, Objective, PaperSearch, PlanProblem, Scope, Search, Subject};
use crate::serving::InferenceEstimate;
use crate::sizing::SizingJob;
use crate::system::{AllReduce, AssumptionSet, Precision};
use crate::training::{Framework, Gradients, Optimizer, TrainingEstimate, TrainingRecipe};
use crate::workload::AttentionKernel;

pub use sweeps::SWEEP_TB_S;

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

/// The accelerators of [`GENERATIONS`].
fn accelerators() -> Vec<&'static Accelerator> {
    GENERATIONS.iter().filter_map(|id| catalog::accelerator(id)).collect()
}

impl Scenario {
    /// Everything that is wrong with what this scenario's view needs, in the order of the form.
    pub fn problems(&self) -> Vec<Problem> {
        let problems = match self.view {
            View::Training => self.training().err(),
            View::Inference => self.inference().err(),
            View::Sizing if self.sizing.job == SizingJob::Train => self.sized_runs().err(),
            View::Sizing => self.sizing().err(),
            View::Search if self.assumptions != AssumptionSet::Subramanian2024 => self.search().err(),
            View::Search if self.search.of == Subject::Plans => self.published_search().err(),
            View::Search | View::Validation => self.machine().err(),
            View::Generations => self.machines().err(),
            View::Technology => self.with_frontier(|_| ()).err(),
            View::Papers => self.exhibit().err(),
        };
        problems.unwrap_or_default()
    }

    /// The training answer.
    pub fn training(&self) -> Result<TrainingEstimate, Vec<Problem>> {
        if self.assumptions == AssumptionSet::Subramanian2024 {
            return self.with_job(|job| {
                job.check_subramanian().map_err(|law| vec![Problem::new(law.field(), law.to_string())])?;
                job.by_subramanian().map_err(outside).and_then(fitting)
            })?;
        }
        fitting(self.trained()?)
    }

    /// The estimate of the training job, whether it fits or not.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general over its job's lifetime"
    )]
    pub fn trained(&self) -> Result<TrainingEstimate, Vec<Problem>> {
        self.with_training(|job| job.estimate())
    }

    /// The estimate of the served load, whether it fits or not.
    pub fn served(&self) -> Result<InferenceEstimate, Vec<Problem>> {
        self.with_inference(|job| {
            let load = job.load;
            // What does not fit serves nothing, at whatever rate.
            if load.rate > 0.0 && load.requests == 0 && job.has_room() {
                let field = "inference.rate";
                job.keeps_up(load.rate).map_err(|full| vec![Problem::new(field, full.to_string())])?;
            }
            if load.is_stream() && load.memory_share.is_some() && job.fits(1) && !job.has_room() {
                let message = "leaves no room for the KV cache of one request beside the weights: choose a larger share";
                return Err(vec![Problem::new("inference.memory_share", message)]);
            }
            if let Some(memory) = job.memory_of_reader().filter(|memory| !memory.fits()) {
                return Err(vec![shortage::of_prefill_worker(&memory)]);
            }
            Ok(job.estimate())
        })?
    }

    /// A search for the fastest plan of this job on the same number of GPUs. The scenario's own plan may violate laws.
    pub fn fastest(&self) -> Result<Search, Vec<Problem>> {
        let scope = Scope { by: Objective::Time, ..self.search.clone() };
        Ok(Search::fastest(self.plan_problem(scope)?, self.system.gpus))
    }

    /// The training job whose plan is searched for; that of the scenario need not obey the laws.
    fn plan_problem(&self, scope: Scope) -> Result<PlanProblem, Vec<Problem>> {
        self.with_open_plan(|job| PlanProblem::of(job, scope))
    }

    /// The inference answer.
    pub fn inference(&self) -> Result<InferenceEstimate, Vec<Problem>> {
        let estimate = self.served()?;
        if !estimate.memory.fits() {
            return Err(vec![shortage::of_serving(&estimate)]);
        }
        match estimate.offloaded_memory().filter(|(_, memory)| !memory.fits()) {
            Some((Place::Host, host)) => Err(vec![shortage::of_host(&host)]),
            Some((Place::SecondGpu, second)) => Err(vec![shortage::of_second(&second)]),
            Some((Place::ExpertGpu, experts)) => Err(vec![shortage::of_expert_gpus(&experts)]),
            None => Ok(estimate),
        }
    }

    /// The question of which deployment serves best.
    pub fn deployments(&self) -> Result<Deployments, Vec<Problem>> {
        let mut problem = self.with_inference(Deployments::of)?;
        problem.native = self.native_precision();
        // The question's own format is tried in any case: a notice says that the engine does not read it.
        let InferenceLoad { engine, precision, .. } = self.inference;
        problem.unread =
            self.system.accelerator().map_or_else(|_| Vec::new(), |device| engine.unread_on(&device));
        problem.unread.retain(|format| *format != precision);
        Ok(problem)
    }

    /// This question on one GPU of a catalogue device. Changes of the question's own device do not carry over.
    #[must_use]
    pub fn on(&self, id: &str) -> Self {
        let single = InferenceLoad {
            tensor: 1,
            pipeline: 1,
            data: 1,
            expert: 1,
            context: 1,
            workers: 1,
            prefill_workers: 0,
            all_reduce: AllReduce::Automatic,
            requests: 0,
            ..self.inference.resident()
        };
        let mut there = Self { inference: single, ..self.clone() };
        there.system = there.system.of_one_kind();
        if self.system.accelerator().is_ok_and(|own| own.id != id) {
            there.system =
                SystemChoice { accelerator: Choice::Named(id.to_owned()), ..SystemChoice::default() };
            there.economics = there.economics.listed();
            // Without a known link to its host, a device has no lower tiers of the prefix cache.
            if catalog::accelerator(id).is_some_and(|device| device.host.is_none()) {
                there.inference = there.inference.without_host_cache();
            }
        }
        there
    }

    /// The training job on each generation.
    pub fn generations(&self) -> Result<Vec<Generation>, Vec<Problem>> {
        self.machines().map(Machines::run)
    }

    /// The training job on each generation, whose best plans are yet to be searched for. The batch of the detailed
    /// comparison's second machine is tried too.
    pub fn machines(&self) -> Result<Machines, Vec<Problem>> {
        // Each generation states by itself whether it supports the recipe's number format.
        self.by_operators()?;
        self.with_plan(|job| Machines::of(job, self.assumed(), &accelerators(), self.comparison.batch))
    }

    /// The served model on each generation, whose deployments are yet to be tried.
    pub fn served_machines(&self) -> Result<ServedMachines, Vec<Problem>> {
        self.with_inference(|job| {
            ServedMachines::of(job, self.economics, self.assumed_serving(), &accelerators())
        })
    }

    /// A search for plans of this job; that of the scenario need not obey the laws.
    pub fn search(&self) -> Result<Search, Vec<Problem>> {
        self.check_scope()?;
        let (scope, gpus) = (&self.search, self.system.gpus);
        Ok(Search::new(self.plan_problem(scope.clone())?, gpus, &scope.counts(gpus)))
    }

    /// The search of arXiv 2410.00273 for plans of this job; that of the scenario does not matter.
    pub fn published_search(&self) -> Result<PaperSearch, Vec<Problem>> {
        self.check_scope()?;
        self.with_job(|job| PaperSearch::new(job, self.search.clone(), &self.gpu_counts()).map_err(outside))?
    }

    /// The question with the recipe of arXiv 2410.00273: dropout and 16-bit gradients; of one of its models, batch, sequence
    /// and tokens too.
    #[must_use]
    pub fn as_subramanian_trains(&self) -> Self {
        let mut paper = self.clone();
        let recipe = &mut paper.recipe;
        *recipe = TrainingRecipe {
            precision: Precision::Bf16,
            dropout: true,
            gradients: Gradients::Bf16,
            checks_us: 0,
            loss_chunks: 1,
            optimizer: Optimizer::Adam,
            frozen: false,
            framework: Framework::Typical,
            attention: AttentionKernel::Flash,
            ..*recipe
        };
        let own = |run: &Run| self.model == Choice::Named(run.id.to_owned());
        if let Some(run) = Study::RUNS.into_iter().find(own) {
            (recipe.batch, recipe.sequence, recipe.tokens) = (Run::BATCH, run.model.sequence, run.tokens());
        }
        paper
    }

    /// The machine and the job of arXiv 2410.00273's sweeps of features; the plan does not matter.
    pub fn published_job(&self) -> Result<(Machine, Job), Vec<Problem>> {
        self.with_job(|job| {
            let (machine, model) = job.as_subramanian().map_err(outside)?;
            let recipe = &self.recipe;
            let of = Job {
                name: job.architecture.name.clone(),
                device: job.system.device.name.clone(),
                model,
                batch: recipe.batch,
                samples: recipe.tokens / f64::from(recipe.sequence),
                methods: self.search.strategy.methods().to_vec(),
                gpus: job.gpus,
                domain: machine.domain,
            };
            Ok((machine, of))
        })?
    }

    /// Numbers of GPUs of the strong-scaling curve.
    pub fn gpu_counts(&self) -> Vec<u32> {
        let gpus = self.system.gpus;
        match self.assumptions {
            AssumptionSet::Subramanian2024 => self.search.published_counts(gpus),
            AssumptionSet::Calibrated | AssumptionSet::Ideal | AssumptionSet::Kundu2024 => {
                self.search.counts(gpus)
            }
        }
    }

    /// Checks that the searched axes exist and that the objective can be computed.
    fn check_scope(&self) -> Result<(), Vec<Problem>> {
        let scope = &self.search;
        if let Some(name) = scope.unknown() {
            let axes: Vec<&str> = AXES.iter().map(|axis| axis.id).collect();
            let message = format!("`{name}` is no axis of the search: use none, {}", axes.join(", "));
            return Err(vec![Problem::new("search.fixed", message)]);
        }
        let device = self.system.accelerator().map_err(|problem| vec![problem])?;
        let (wanted, known) = match scope.by {
            Objective::Cost => ("price", self.economics.hourly_usd(&device).is_some()),
            Objective::Energy => ("power", self.economics.watts(&device).is_some()),
            Objective::Time | Objective::Memory => ("", true),
        };
        if !known {
            let message = format!("no {wanted} of {} is known: search by time or by memory", device.name);
            return Err(vec![Problem::new("search.by", message)]);
        }
        Ok(())
    }
}

/// The estimate, or the problem that the job does not fit. A job of unnamed software is refused only if its tensors alone
/// exceed the memory.
fn fitting(estimate: TrainingEstimate) -> Result<TrainingEstimate, Vec<Problem>> {
    if estimate.may_fit() { Ok(estimate) } else { Err(vec![shortage::of_training(&estimate.memory)]) }
}

/// Problems for features that a published model has no equations for.
fn outside(fields: Vec<(&'static str, &'static str)>) -> Vec<Problem> {
    let problem = |(field, has)| Problem::new(field, format!("arXiv 2410.00273 has {has}"));
    fields.into_iter().map(problem).collect()
}
