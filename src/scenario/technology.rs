//! A hypothetical accelerator: components, budgets and task.

use serde::{Deserialize, Serialize};

use super::constants::TECHNOLOGY;
use super::resolve::{reachable, supported};
use super::{Problem, Scenario};
use crate::catalog::{Technology, nearest, suggestion, technology};
use crate::generations::{Task, TaskKind};
use crate::system::{Assumed, System};
use crate::technology::{Budget, Components};
use crate::training::TrainingJob;
use crate::units::{Area, Length, Power};

/// Accelerator of the Technology view: its components and its task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TechnologyChoice {
    /// Task of the accelerator.
    pub task: TaskKind,
    /// The id of its process.
    pub node: String,
    /// The id of its multiprocessors.
    pub core: String,
    /// DRAM technology.
    pub memory: String,
    /// The id of its links.
    pub links: String,
    /// Accelerators in a scale-up domain.
    pub domain: u32,
    /// Area of a die, mm².
    pub area_mm2: f64,
    /// Power of a die with its DRAM and links, W.
    pub power_w: f64,
    /// Edge of a die towards its package, mm; that of a die with a reticle's proportions if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge_mm: Option<f64>,
    /// Dies of an accelerator: one, or two that are joined at their long edges.
    pub dies: u32,
}

impl Default for TechnologyChoice {
    /// The area of an A100, the power of an H100.
    fn default() -> Self {
        Self {
            task: TaskKind::default(),
            node: "n5".to_owned(),
            core: "blackwell".to_owned(),
            memory: "hbm3e".to_owned(),
            links: "ndr".to_owned(),
            domain: 8,
            area_mm2: 826.0,
            power_w: 700.0,
            edge_mm: None,
            dies: 1,
        }
    }
}

/// A task, with the technologies of its accelerators.
#[derive(Debug)]
pub struct Frontier<'a> {
    /// The chosen pieces.
    pub components: Components<'a>,
    /// Budgets to allocate.
    pub budget: Budget,
    /// Task of the accelerators.
    pub task: Task<'a>,
    /// The constants that kernels and links have.
    pub assumed: Assumed,
}

impl TechnologyChoice {
    /// The budgets to allocate.
    pub fn budget(&self) -> Budget {
        let (area, power) = (Area::new(self.area_mm2), Power::new(self.power_w));
        let budget = if self.dies > 1 { Budget::pair(area, power) } else { Budget::single(area, power) };
        Budget { edge: self.edge_mm.map_or(budget.edge, Length::new), ..budget }
    }

    fn components<'a>(&self, known: &'a Technology) -> Result<Components<'a>, Vec<Problem>> {
        let Self { node, core, memory, links, .. } = self;
        let named = |path: &str, id: &str, known: Vec<&str>| {
            if known.contains(&id) {
                return None;
            }
            let near = suggestion(nearest(id, known));
            Some(Problem::new(path, format!("`{id}` is not known{near}")))
        };
        let problems = [
            named("technology.node", node, known.nodes.iter().map(|node| node.id.as_str()).collect()),
            named("technology.core", core, known.cores.iter().map(|core| core.id.as_str()).collect()),
            named(
                "technology.memory",
                memory,
                known.stacks.iter().map(|stack| stack.memory.as_str()).collect(),
            ),
            named("technology.links", links, known.fabrics.iter().map(|fabric| fabric.id.as_str()).collect()),
        ];
        let problems: Vec<Problem> = problems.into_iter().flatten().collect();
        let components = Components::of(known, node, core, memory, links).ok_or(problems)?;
        Ok(Components { domain: self.domain, ..components })
    }
}

impl Scenario {
    /// The scaling numbers, those replaced that this scenario replaces.
    pub fn technologies(&self) -> Result<Technology, Vec<Problem>> {
        let mut known = technology().clone();
        let mut problems = Vec::new();
        for (key, value) in &self.constants {
            let Some(name) = key.strip_prefix(TECHNOLOGY) else { continue };
            if let Err(message) = known.replace(name, *value) {
                problems.push(Problem::new(format!("constants.{key}"), message));
            }
        }
        if problems.is_empty() { Ok(known) } else { Err(problems) }
    }

    /// Calls `answer` with the task and the technologies of its accelerators, if every name, range and law holds.
    pub fn with_frontier<T>(&self, answer: impl FnOnce(&Frontier<'_>) -> T) -> Result<T, Vec<Problem>> {
        self.by_operators()?;
        let known = self.technologies()?;
        let (choice, assumed) = (&self.technology, self.assumed());
        let components = choice.components(&known)?;
        let budget = choice.budget();
        if choice.task != TaskKind::Training {
            return self.with_inference(|job| {
                let task =
                    if choice.task == TaskKind::Prefill { Task::Prefill(*job) } else { Task::Decode(*job) };
                answer(&Frontier { components, budget, task, assumed })
            });
        }
        self.with_job(|job| {
            let plan = &self.parallelism;
            plan.check(job.architecture, job.gpus, self.recipe.batch, self.recipe.sequence)
                .and_then(|()| plan.check_placement(job.gpus, choice.domain))
                .map_err(|law| vec![Problem::new(law.field(), law.to_string())])?;
            let (_, usual) = components.build(&budget).ok_or_else(|| {
                let message = "leaves no room for a single multiprocessor: allow more area or power";
                vec![Problem::new("technology.area_mm2", message)]
            })?;
            let system = System::new(&usual, assumed);
            supported("recipe.precision", job.recipe.precision, &system)?;
            reachable(&TrainingJob { system: &system, ..*job })?;
            Ok(answer(&Frontier { components, budget, task: Task::Training(*job), assumed }))
        })?
    }
}
