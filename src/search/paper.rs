//! The search of arXiv 2410.00273: the plans of its strategies in one space, on its own equations.

use super::Found;
use super::problem::PlanProblem;
use super::ranking::Ranking;
use super::run::{ASKED, OTHERS, Outcome};
use crate::published::subramanian::{Counts, Explorer, Machine, Method, Outside, Plan, Space, Step, Walk};
use crate::training::TrainingJob;

/// One strategy on one number of GPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// Number of GPUs.
    pub gpus: u32,
    /// Sharding of layers.
    pub method: Method,
    /// Numbers of valid plans and of those that fit, so far.
    pub counts: Counts,
    best: Ranking,
}

impl Searched {
    /// The best plan.
    pub fn best(&self) -> Option<&Found> {
        self.best.found().first()
    }
}

/// A walk through the paper's spaces for some numbers of GPUs.
#[derive(Clone, Debug)]
pub struct PaperSearch {
    question: PlanProblem,
    /// One for each strategy: numbers of GPUs share its layers.
    explorers: Vec<(Method, Explorer)>,
    /// Numbers of GPUs and strategies, by position, that are yet to be searched, last first.
    parts: Vec<(u32, usize)>,
    walk: Option<Walk>,
    outcomes: Vec<Outcome>,
    searched: Vec<Searched>,
}

impl PaperSearch {
    /// A search on the job's number of GPUs, and then, for the best plan alone, on each of the other counts; or what
    /// the paper has no equations for.
    pub fn new(job: &TrainingJob<'_>, scope: super::Scope, others: &[u32]) -> Result<Self, Vec<Outside>> {
        let (machine, model) = job.as_subramanian()?;
        let machine = Machine { capacity: machine.capacity * scope.memory, ..machine };
        let methods = scope.strategy.methods();
        let explorers: Vec<(Method, Explorer)> =
            methods.iter().map(|method| (*method, Explorer::new(machine, model))).collect();
        let counts = [job.gpus].into_iter().chain(others.iter().copied().filter(|count| *count != job.gpus));
        let mut parts: Vec<(u32, usize)> =
            counts.flat_map(|gpus| (0..methods.len()).map(move |method| (gpus, method))).collect();
        parts.reverse();
        let first = Outcome::new(job.gpus, 0, scope.by, ASKED);
        Ok(Self {
            question: PlanProblem::of(job, scope),
            explorers,
            parts,
            walk: None,
            outcomes: vec![first],
            searched: Vec::new(),
        })
    }

    /// The problem that is searched.
    pub const fn question(&self) -> &PlanProblem {
        &self.question
    }

    /// Outcomes so far: first that of the question's number of GPUs, then the others.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// Outcomes by strategy, in the order of the search.
    pub fn searched(&self) -> &[Searched] {
        &self.searched
    }

    /// Returns true if the search is complete.
    pub const fn done(&self) -> bool {
        self.parts.is_empty()
    }

    /// Progress between 0 and 1. Every strategy on every number of GPUs counts as one part.
    pub fn progress(&self) -> f64 {
        let done = self.searched.len() as f64 - if self.walk.is_some() { 1.0 } else { 0.0 };
        let left = self.parts.len() as f64;
        done / (done + left).max(1.0)
    }

    /// Tries approximately `plans` further plans.
    pub fn advance(&mut self, plans: u64) {
        let Some(&(gpus, place)) = self.parts.last() else { return };
        let scope = &self.question.scope;
        let (method, explorer) = &mut self.explorers[place];
        let walk = if let Some(walk) = &mut self.walk {
            walk
        } else {
            let batch = self.question.recipe.batch;
            let space = Space { widest: scope.tensor, ..Space::of(*method, gpus, batch) };
            let (counts, best) = (Counts::default(), Ranking::new(scope.by, 1));
            self.searched.push(Searched { gpus, method: *method, counts, best });
            if self.outcomes.last().is_some_and(|outcome| outcome.gpus != gpus) {
                self.outcomes.push(Outcome::new(gpus, 0, scope.by, OTHERS));
            }
            self.walk.insert(Walk::new(space, explorer.model()))
        };
        let keep = if self.outcomes.len() == 1 { ASKED } else { OTHERS };
        let (Some(outcome), Some(searched)) = (self.outcomes.last_mut(), self.searched.last_mut()) else {
            return;
        };
        let before = walk.counts();
        walk.advance(explorer, plans, &mut |plan, step| {
            let found = found(plan, step, gpus);
            searched.best.offer(&found);
            outcome.take_timed(&found, keep.front);
        });
        searched.counts = walk.counts();
        outcome.plans += searched.counts.candidates - before.candidates;
        outcome.tried = outcome.plans;
        if walk.done() {
            self.walk = None;
            self.parts.pop();
        }
    }

    /// Runs the search to its end in one call, for callers that show no progress.
    pub fn run(&mut self) {
        while !self.done() {
            self.advance(u64::MAX);
        }
    }
}

fn found(plan: &Plan, step: &Step, gpus: u32) -> Found {
    let (time, memory) = (step.time, step.memory.total());
    Found { plan: plan.as_plan(), gpus, step: time, memory, published: Some(*plan) }
}
