//! Pools of identical replicas, and the handover of prompts from one pool to the other.

use super::pace::Pace;
use super::scheduler::Scheduler;

/// Identical attention replicas.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Number of replicas.
    pub replicas: u32,
    /// Pipeline stages of each replica. There is one group of requests per stage.
    pub stages: u32,
    /// Times of a group's steps through all stages.
    pub pace: Pace,
    /// Rules by which a group fills a step, and the part of the replica's KV cache that it may fill.
    pub rules: Scheduler,
}

impl Pool {
    /// Groups of requests on all replicas.
    pub(super) const fn groups(&self) -> usize {
        self.replicas as usize * self.stages as usize
    }
}

/// State of a replica's pipeline.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pipeline {
    /// Time from which the first stage is free, s.
    pub(super) free: f64,
    /// Time at which the most recent group leaves the last stage, s.
    pub(super) left: f64,
}

impl Pipeline {
    /// Adds a group's step, which begins at `begins` and lasts `time` without waiting, s. Returns the time, s, by which the group
    /// ahead delays it.
    pub(super) fn enter(&mut self, begins: f64, time: f64, stages: u32) -> f64 {
        let each = time / f64::from(stages);
        let held = (self.left + each - (begins + time)).max(0.0);
        self.free = begins + each;
        self.left = begins + time + held;
        held
    }
}

/// Handover of a prompt from the replica that prefills it to one that decodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handover {
    /// Time of the KV transfer per prompt token, s.
    pub transfer: f64,
    /// Probability, above 0 and up to 1, that the prompt goes to a replica of the simulated pool. The others go to
    /// identical replicas that are not simulated, and are not measured.
    pub simulated: f64,
}

/// Loading of cached keys and values from host memory and SSDs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reload {
    /// Shares of each prompt that host memory and SSDs have, where no trace tells.
    pub shares: [f64; 2],
    /// Times in which a token's keys and values are loaded from host memory and from an SSD, s.
    pub per_token: [f64; 2],
}
