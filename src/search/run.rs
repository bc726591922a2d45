//! A search: the walk through the space of plans.

use super::{AXES, Cursor, Found, Front, Nearest, Objective, PlanProblem, Ranking, Sample, Space, Stopped};
use crate::training::{Memo, TrainingJob};
use crate::units::{Bytes, Seconds};

/// The results for one number of GPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Number of GPUs.
    pub gpus: u32,
    /// Plans in the space.
    pub plans: u64,
    /// Plans that were tried so far.
    pub tried: u64,
    /// Number of plans that fit.
    pub feasible: u64,
    /// Number of plans that fit and whose time was not computed, because a bound excludes them from every result below.
    pub pruned: u64,
    /// Why the other plans are infeasible or redundant, counted.
    pub stopped: Stopped,
    /// The best.
    pub best: Ranking,
    /// The fastest for each memory.
    pub front: Front,
    /// Some of all that fit.
    pub sample: Sample,
}

impl Outcome {
    pub(super) fn new(gpus: u32, plans: u64, by: Objective, keep: Keep) -> Self {
        Self {
            gpus,
            plans,
            tried: 0,
            feasible: 0,
            pruned: 0,
            stopped: Stopped::default(),
            best: Ranking::new(by, keep.best),
            front: Front::default(),
            sample: Sample::new(keep.sample),
        }
    }

    /// The best plan.
    pub fn best(&self) -> Option<&Found> {
        self.best.found().first()
    }
}

/// Results that are kept of the plans that fit: number of best plans, the Pareto front, size of the sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keep {
    pub(super) best: usize,
    pub(super) front: bool,
    pub(super) sample: usize,
}

/// Results kept for the question's own number of GPUs.
pub(super) const ASKED: Keep = Keep { best: 20, front: true, sample: 1500 };
/// Results kept for other numbers of GPUs.
pub(super) const OTHERS: Keep = Keep { best: 1, front: false, sample: 0 };

/// A walk through the spaces of some numbers of GPUs.
#[derive(Clone, Debug)]
pub struct Search {
    question: PlanProblem,
    /// Numbers of GPUs that are not searched yet, the next one last.
    counts: Vec<u32>,
    outcomes: Vec<Outcome>,
    walk: Option<Walk>,
    nearest: Option<Nearest>,
}

#[derive(Clone, Debug)]
struct Walk {
    space: Space,
    cursor: Cursor,
    memo: Memo,
    keep: Keep,
}

impl Search {
    /// A search on `gpus` GPUs, and then on each of the other counts, where only the best plan is kept.
    pub fn new(question: PlanProblem, gpus: u32, others: &[u32]) -> Self {
        let mut counts: Vec<u32> = others.iter().copied().filter(|count| *count != gpus).collect();
        counts.reverse();
        let mut search = Self { question, counts, outcomes: Vec::new(), walk: None, nearest: None };
        search.begin(gpus, ASKED);
        search
    }

    /// A search for the best plan on `gpus` GPUs; if none fits, for the nearest numbers of GPUs with one that does.
    pub fn fastest(question: PlanProblem, gpus: u32) -> Self {
        let mut search =
            Self { question, counts: Vec::new(), outcomes: Vec::new(), walk: None, nearest: None };
        search.begin(gpus, OTHERS);
        search
    }

    /// The best plan on `gpus` GPUs; `None` if no plan fits.
    pub fn best(question: PlanProblem, gpus: u32) -> Option<Found> {
        let mut search = Self::fastest(question, gpus);
        while !search.is_asked_done() {
            search.advance_asked(u32::MAX);
        }
        search.asked().best().copied()
    }

    /// Tries up to `plans` further plans of the number of GPUs that was asked about, and none elsewhere; returns how many
    /// are left. For a search that keeps the best plan alone.
    pub(crate) fn advance_asked(&mut self, plans: u32) -> u32 {
        if self.is_asked_done() { plans } else { self.walk(plans) }
    }

    /// Returns true if every plan of the number of GPUs that was asked about is tried, and no other is begun.
    pub(crate) const fn is_asked_done(&self) -> bool {
        self.walk.is_none()
    }

    /// The problem that is searched.
    pub fn question(&self) -> &PlanProblem {
        &self.question
    }

    /// The space of the number of GPUs that was asked about.
    pub fn asked(&self) -> &Outcome {
        &self.outcomes[0]
    }

    /// Outcomes so far: first that of the question's number of GPUs, then the others.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// If no plan fits, the nearest numbers of GPUs with one that does.
    pub fn nearest(&self) -> Option<&Nearest> {
        self.nearest.as_ref().filter(|nearest| nearest.is_known())
    }

    /// Returns true if the search is complete.
    pub fn done(&self) -> bool {
        self.walk.is_none()
            && self.counts.is_empty()
            && (self.asked().feasible > 0 || self.nearest.as_ref().is_some_and(Nearest::is_known))
    }

    /// Progress between 0 and 1. Every number of GPUs counts as one part, and so does the search for the nearest.
    pub fn progress(&self) -> f64 {
        let parts = (self.outcomes.len() + self.counts.len()) as f64;
        let tried = |outcome: &Outcome| outcome.tried as f64 / outcome.plans.max(1) as f64;
        self.outcomes.iter().map(tried).sum::<f64>() / parts
    }

    /// Tries up to `plans` further plans; plans that are skipped together count once.
    pub fn advance(&mut self, plans: u32) {
        let mut left = plans;
        while left > 0 && !self.done() {
            if self.walk.is_some() {
                left = self.walk(left);
            } else if let Some(gpus) = self.counts.pop() {
                self.begin(gpus, OTHERS);
            } else {
                let gpus = self.asked().gpus;
                let nearest = self.nearest.get_or_insert_with(|| Nearest::to(gpus));
                left = left.saturating_sub(nearest.advance(&self.question));
            }
        }
    }

    /// Runs the search to its end in one call, for callers that show no progress.
    pub fn run(&mut self) {
        while !self.done() {
            self.advance(u32::MAX);
        }
    }

    fn begin(&mut self, gpus: u32, keep: Keep) {
        let space = self.question.space(gpus);
        let cursor = space.first(&self.question.plan);
        self.outcomes.push(Outcome::new(gpus, space.size(), self.question.scope.by, keep));
        self.walk = Some(Walk { space, cursor, memo: Memo::default(), keep });
    }

    /// Goes on with the space at hand; returns how many plans may be tried elsewhere.
    fn walk(&mut self, plans: u32) -> u32 {
        let (Some(walk), Some(outcome)) = (&mut self.walk, self.outcomes.last_mut()) else { return plans };
        let Walk { space, cursor, memo, keep } = walk;
        for left in (0..plans).rev() {
            match self.question.check(cursor, outcome.gpus, memo) {
                Ok(memory) => {
                    let job = self.question.job(&cursor.plan, outcome.gpus);
                    outcome.take(&job, memory, memo, keep.front);
                    space.pass(cursor, AXES.len() - 1);
                }
                Err((reason, axis)) => outcome.stopped.add(reason, space.pass(cursor, axis)),
            }
            outcome.tried = cursor.position;
            if outcome.tried >= outcome.plans {
                self.walk = None;
                return left;
            }
        }
        0
    }
}

impl Outcome {
    /// Takes a plan that fits.
    fn take(&mut self, job: &TrainingJob<'_>, memory: Bytes, memo: &mut Memo, front: bool) {
        self.feasible += 1;
        let taken = self.sample.takes();
        let wanted = |outcome: &Self, step: Seconds| {
            outcome.best.admits(step, memory) || front && outcome.front.admits(step, memory)
        };
        // A plan that would not rank even with its lower bound of time cannot rank with its actual time.
        if !taken && !wanted(self, memo.least(job)) {
            self.pruned += 1;
            return;
        }
        let step = memo.step(job);
        let found = Found { plan: *job.plan, gpus: job.gpus, step, memory, published: None };
        self.offer(&found, front, taken);
    }

    /// Takes a plan that fits, whose time is known.
    pub(super) fn take_timed(&mut self, found: &Found, front: bool) {
        self.feasible += 1;
        let taken = self.sample.takes();
        self.offer(found, front, taken);
    }

    fn offer(&mut self, found: &Found, front: bool, taken: bool) {
        self.best.offer(found);
        if front {
            self.front.offer(found);
        }
        if taken {
            self.sample.take(found);
        }
    }
}
