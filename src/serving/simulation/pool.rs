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
