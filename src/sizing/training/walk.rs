//! Search over the number of GPUs of one device.

use super::{Candidate, MOST_GPUS, Miss, Run, Shortfall};
use crate::search::{Outcome, Reason};
use crate::units::{Bytes, Seconds};

/// Number of doublings, beyond the smallest number of GPUs that meets the deadline, at which faster and more expensive
/// runs are tried.
const FURTHER: u32 = 1;

/// Numbers of GPUs tried, with their outcomes, in ascending order: each is twice the previous one.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk(Vec<(u32, Tried)>);

/// Outcome of one number of GPUs.
#[derive(Clone, Debug)]
pub(super) enum Tried {
    /// The run with the fastest plan.
    Run(Box<Run>),
    /// No plan fits into memory; the smallest memory per GPU that a plan needs.
    Memory(Bytes),
    /// No plan divides the batch, the layers and the groups.
    Plan,
}

impl Tried {
    /// Outcome of a number of GPUs on which no plan runs.
    pub(super) fn without_plan(outcome: &Outcome) -> Self {
        let memory = outcome.stopped.iter().filter_map(|(reason, _)| match reason {
            Reason::Memory(least) => Some(*least),
            _ => None,
        });
        memory.reduce(Bytes::min).map_or(Self::Plan, Self::Memory)
    }

    fn run(&self) -> Option<&Run> {
        if let Self::Run(run) = self { Some(run) } else { None }
    }

    fn ends_by(&self, deadline: Seconds) -> bool {
        self.run().is_some_and(|run| run.bill.time <= deadline)
    }
}

impl Walk {
    /// Records the outcome of the number of GPUs that [`Walk::next`] returned.
    pub(super) fn record(&mut self, gpus: u32, tried: Tried) {
        let place = self.0.partition_point(|(known, _)| *known < gpus);
        self.0.insert(place, (gpus, tried));
    }

    /// The next number of GPUs to try; `None` once the smallest number that meets the deadline, or the lack of one, is
    /// known.
    pub(super) fn next(&self, candidate: &Candidate, deadline: Seconds) -> Option<u32> {
        let (Some((fewest, _)), Some((most, last))) = (self.0.first(), self.0.last()) else {
            return candidate.multiplies().then(|| candidate.guess(deadline));
        };
        let more = (*most < MOST_GPUS && !matches!(last, Tried::Plan)).then(|| most * 2);
        let fewer = (*fewest > 1).then_some(fewest / 2);
        match self.0.iter().position(|(_, tried)| tried.ends_by(deadline)) {
            Some(0) if fewer.is_some() => fewer,
            Some(place) => more.filter(|more| *more <= self.0[place].0 << FURTHER),
            // The first guess may exceed what the batch can be divided over.
            None if self.0.iter().all(|(_, tried)| matches!(tried, Tried::Plan)) => fewer,
            None => more.filter(|_| !self.is_slower()),
        }
    }

    /// Returns true if the last doubling did not shorten the run.
    fn is_slower(&self) -> bool {
        match self.0.as_slice() {
            [.., (_, Tried::Run(before)), (_, Tried::Run(last))] => last.bill.time >= before.bill.time,
            _ => false,
        }
    }

    /// The run on the smallest number of GPUs that meets the deadline, and those on more GPUs that are faster.
    pub(super) fn runs(&self, deadline: Seconds) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for run in
            self.0.iter().filter(|(_, tried)| tried.ends_by(deadline)).filter_map(|(_, tried)| tried.run())
        {
            if runs.last().is_none_or(|faster| run.bill.time < faster.bill.time) {
                runs.push(*run);
            }
        }
        runs
    }

    /// The reason why the device has no run.
    pub(super) fn miss(&self, device: usize, candidate: &Candidate) -> Miss {
        let runs = self.0.iter().filter_map(|(_, tried)| tried.run());
        let fastest = runs.min_by(|a, b| a.bill.time.get().total_cmp(&b.bill.time.get()));
        let least = self.0.iter().filter_map(|(_, tried)| match tried {
            Tried::Memory(needs) => Some(*needs),
            _ => None,
        });
        let shortfall = match (fastest, least.reduce(Bytes::min)) {
            (Some(run), _) => Shortfall::Deadline { gpus: run.found.gpus, time: run.bill.time },
            (None, Some(needs)) => Shortfall::Memory { needs, has: candidate.problem.limit() },
            (None, None) if self.0.is_empty() => Shortfall::Format,
            (None, None) => Shortfall::Plan,
        };
        Miss { device, shortfall }
    }
}
