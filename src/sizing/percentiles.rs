//! Simulates chosen fleets, and adds replicas to fleets whose queue grows or that exceed a limit.

use super::search::MOST_REPLICAS;
use super::{Candidate, Fleet};
use crate::serving::simulation::{Lengths, Level, Simulation};

/// Requests measured per fleet.
const REQUESTS: u32 = 4000;

/// Replicas by the simulation over those by the mean-field model, at most; 2 more are allowed.
const MOST_GROWTH: f64 = 2.0;

/// Simulations of some fleets, one after another.
#[derive(Clone, Debug)]
pub(super) struct Percentiles {
    /// Indices of the fleets that are not simulated yet, the next one last.
    left: Vec<usize>,
    /// Number of fleets to simulate.
    all: usize,
    /// The statistic that the service levels limit.
    level: Level,
    lengths: Lengths,
    /// The simulation in progress.
    at: Option<At>,
}

/// The simulation of one fleet.
#[derive(Clone, Debug)]
struct At {
    /// Index of the fleet.
    place: usize,
    simulation: Simulation,
    /// Maximum replicas to try.
    most: u32,
}

impl Percentiles {
    pub(super) fn new(mut places: Vec<usize>, level: Level, lengths: Lengths) -> Self {
        places.reverse();
        Self { all: places.len(), left: places, level, lengths, at: None }
    }

    /// Number of fleets that are simulated, and of all fleets to simulate.
    pub(super) fn progress(&self) -> (usize, usize) {
        (self.all - self.left.len() - usize::from(self.at.is_some()), self.all)
    }

    /// Simulates up to `steps` engine steps. A fleet that does not hold its levels gets more replicas and is simulated again.
    pub(super) fn advance(&mut self, steps: u32, candidates: &[Candidate], fleets: &mut [Fleet]) {
        let Some(mut at) = self.at.take().or_else(|| self.next(candidates, fleets)) else { return };
        at.simulation.advance(steps);
        if !at.simulation.is_done() {
            self.at = Some(at);
            return;
        }
        let Some(fleet) = fleets.get_mut(at.place) else { return };
        fleet.simulated = Some(at.simulation.simulated());
        if fleet.holds(self.level) || fleet.load.workers >= at.most {
            return;
        }
        // 10 % more replicas, at least one, until the replicas keep up and the levels hold.
        let load = &mut fleet.load;
        load.workers = load.workers.saturating_add(load.workers.div_ceil(10)).min(at.most);
        let Some(candidate) = candidates.get(fleet.device) else { return };
        let job = candidate.problem.job(&fleet.load);
        fleet.service = job.service();
        if let Some(simulation) = job.simulation(self.lengths, REQUESTS) {
            self.at = Some(At { simulation, ..at });
        }
    }

    /// Begins the simulation of the next fleet that can be simulated.
    fn next(&mut self, candidates: &[Candidate], fleets: &[Fleet]) -> Option<At> {
        loop {
            let place = self.left.pop()?;
            let Some(fleet) = fleets.get(place) else { continue };
            let Some(candidate) = candidates.get(fleet.device) else { continue };
            let job = candidate.problem.job(&fleet.load);
            if let Some(simulation) = job.simulation(self.lengths, REQUESTS) {
                let most = f64::from(fleet.load.workers) * MOST_GROWTH + 2.0;
                return Some(At { place, simulation, most: most.min(MOST_REPLICAS) as u32 });
            }
        }
    }
}
