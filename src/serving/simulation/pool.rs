//! Pools of identical replicas, and the handover of prompts from one pool to the other.

use super::pace::Pace;
use super::scheduler::Scheduler;

/// Identical attention replicas.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Number of replicas.
    pub replicas: u32,
    /// Times of their steps.
    pub pace: Pace,
    /// Rules by which they fill a step.
    pub rules: Scheduler,
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
