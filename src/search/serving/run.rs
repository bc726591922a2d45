//! A walk through all deployments of a question.

use super::found::{Found, Unfit};
use super::problem::DeploymentProblem;
use crate::economics::ServedWork;
use crate::inference::InferenceLoad;

/// Counts of the deployments tried so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Deployments that break no law.
    pub tried: usize,
    /// Number of deployments whose weights leave no memory for a request.
    pub too_large: usize,
    /// Number of deployments that fit but miss the service levels under every load.
    pub too_slow: usize,
}

/// A walk through all deployments.
#[derive(Clone, Debug)]
pub struct Search {
    question: DeploymentProblem,
    candidates: Vec<InferenceLoad>,
    tally: Tally,
    found: Vec<Found>,
    /// The work of each of `found`, which determines its power.
    work: Vec<ServedWork>,
}

impl DeploymentProblem {
    /// All deployments that break no law, those without workers of their own for prompts first.
    fn candidates(&self) -> Vec<InferenceLoad> {
        let mut all = self.whole_workers();
        all.extend(self.separate(|formats, workers| self.readers(formats, workers)));
        all
    }
}

impl Search {
    /// A search that has not begun.
    pub fn new(question: DeploymentProblem) -> Self {
        let mut candidates = question.candidates();
        candidates.reverse();
        Self { question, candidates, tally: Tally::default(), found: Vec::new(), work: Vec::new() }
    }

    /// The problem that is searched.
    pub const fn question(&self) -> &DeploymentProblem {
        &self.question
    }

    /// Deployments that meet the service levels so far, highest throughput per GPU first.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// The work of each deployment of [`Self::found`].
    pub fn work(&self) -> &[ServedWork] {
        &self.work
    }

    /// Counts of the deployments that are not kept.
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// Deployments in all.
    pub const fn size(&self) -> usize {
        self.candidates.len() + self.tally.tried
    }

    /// Returns true if the search is complete.
    pub const fn done(&self) -> bool {
        self.candidates.is_empty()
    }

    /// Tries up to the given number of further deployments.
    pub fn advance(&mut self, deployments: usize) {
        for _ in 0..deployments {
            let Some(candidate) = self.candidates.pop() else { return };
            self.tally.tried += 1;
            match self.question.load(&candidate) {
                Ok(found) => {
                    // Deployments of equal throughput keep the order of the search.
                    let place = self.found.partition_point(|other| other.per_gpu() >= found.per_gpu());
                    self.found.insert(place, found);
                    self.work.insert(place, ServedWork::of(&self.question.job(&found.load).estimate()));
                }
                Err(Unfit::TooLarge) => self.tally.too_large += 1,
                Err(Unfit::TooSlow) => self.tally.too_slow += 1,
            }
        }
    }

    /// Runs the search to its end in one call, for callers that show no progress.
    pub fn run(&mut self) {
        self.advance(usize::MAX);
    }
}
