//! The questions of the Sizing view, over the devices that are sized.

use crate::catalog::{self, Accelerator};
use crate::scenario::{Problem, Scenario, View};
use crate::search::PlanProblem;
use crate::search::serving::DeploymentProblem as Deployments;
use crate::sizing;
use crate::sizing::{LoadKind, SizingJob};
use crate::units::Seconds;

impl Scenario {
    /// Returns true if several workers can search for the answer.
    pub fn is_shared(&self) -> bool {
        self.view == View::Sizing && self.sizing.job == SizingJob::Serve
    }

    /// The question of which fleet carries the traffic: every device of the catalogue, those with a price first, and
    /// the question's own with what it changes about it.
    pub fn sizing(&self) -> Result<sizing::Search, Vec<Problem>> {
        self.machine()?;
        let demand = self.sizing.demand(&self.inference);
        if !demand.is_positive() {
            let (field, message) = match self.sizing.load {
                LoadKind::Concurrency => {
                    ("inference.concurrency", "must be at least 1: it is the load to carry")
                }
                LoadKind::Rate | LoadKind::Users => {
                    ("inference.rate", "must be above 0: it is the load to carry")
                }
            };
            return Err(vec![Problem::new(field, message)]);
        }
        let asked = Self { inference: self.sizing.traffic(&self.inference), ..self.clone() };
        let candidate = |accelerator: Accelerator| {
            let scenario = asked.on(&accelerator.id);
            let mut problem = scenario.with_inference(Deployments::of)?;
            problem.native = scenario.native_precision();
            problem.unread = self.inference.engine.unread_on(&accelerator);
            (problem.narrower, problem.quantized) = (self.sizing.narrower, self.sizing.quantized);
            let (fabric, listed) = (scenario.system.fabric(), scenario.is_listed());
            Ok(sizing::Candidate { accelerator, problem, fabric, economics: scenario.economics, listed })
        };
        let engine = self.inference.engine;
        let devices = self.sized_devices()?.filter(|device| engine.runs_on(device));
        let candidates = devices.map(candidate).collect::<Result<Vec<sizing::Candidate>, Vec<Problem>>>()?;
        if candidates.is_empty() {
            let message = format!("{} runs on none of the devices: choose another engine", engine.name());
            return Err(vec![Problem::new("inference.engine", message)]);
        }
        Ok(sizing::Search::new(candidates, demand, &self.sizing))
    }

    /// The question of which devices end the training run before its deadline, over the same devices. The space of plans
    /// does not depend on the question's own plan and search.
    pub fn sized_runs(&self) -> Result<sizing::training::Search, Vec<Problem>> {
        self.machine()?;
        self.by_operators()?;
        let scope = sizing::training::scope(&self.recipe);
        let candidate = |accelerator: Accelerator| {
            let there = Self { parallelism: sizing::training::plan(), ..self.on(&accelerator.id) };
            let problem = there.with_job(|job| PlanProblem::of(job, scope.clone()))?;
            let (economics, failures) = (there.economics, !self.assumptions.of_paper());
            Ok(sizing::training::Candidate { accelerator, problem, economics, failures })
        };
        let candidates: Result<Vec<_>, Vec<Problem>> = self.sized_devices()?.map(candidate).collect();
        Ok(sizing::training::Search::new(candidates?, Seconds::from_days(self.sizing.days)))
    }

    /// The devices that are sized: the question's own with what it changes about it, then, unless it asks for that alone, those
    /// with a price, then the others; none that only papers have.
    fn sized_devices(&self) -> Result<impl Iterator<Item = Accelerator>, Vec<Problem>> {
        let own = self.system.accelerator().map_err(|problem| vec![problem])?;
        let listed = catalog::catalog().accelerators.iter();
        let others = listed.filter(|device| device.paper.is_none() && device.id != own.id).cloned();
        let others = others.filter(|_| !self.sizing.one_device);
        let (priced, unpriced): (Vec<Accelerator>, Vec<Accelerator>) =
            others.partition(|device| self.economics.quote(device).is_some());
        Ok(std::iter::once(own).chain(priced).chain(unpriced))
    }
}
