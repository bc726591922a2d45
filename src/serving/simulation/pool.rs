//! Alike replicas: how long their steps take, and by which rules they are filled.

use super::pace::Pace;
use super::scheduler::Scheduler;

/// Attention replicas that are alike.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Number of replicas.
    pub replicas: u32,
    /// Times of their steps.
    pub pace: Pace,
    /// Rules by which they fill a step.
    pub rules: Scheduler,
}
