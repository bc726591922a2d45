//! Ranking of fleets and of training runs.

use crate::order;
use crate::units::{Amount, Seconds};

/// The properties that rank a fleet or a training run, most important first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rank {
    /// Class by service levels (fleets) or budget (training runs); 0 is best.
    pub(super) tier: usize,
    /// True for a device that is announced but not sold: it follows the others of its class.
    pub(super) announced: bool,
    /// The quantity that the objective minimises. Rows of unknown cost follow those of known cost.
    pub(super) cost: Option<Amount>,
    /// Number of GPUs.
    pub(super) gpus: u32,
    /// TPOT of a fleet, or time of a training run.
    pub(super) time: Seconds,
}

/// Sorts rows by rank.
pub(super) fn sort<R>(rows: &mut Vec<R>, rank: impl Fn(&R) -> Rank) {
    order::sort(rows, |a, b| {
        let (a, b) = (rank(a), rank(b));
        let class = |rank: &Rank| (rank.tier, rank.cost.is_none(), rank.announced);
        let cost = |rank: &Rank| rank.cost.map_or(0.0, |cost| cost.value);
        class(&a)
            .cmp(&class(&b))
            .then(cost(&a).total_cmp(&cost(&b)))
            .then(a.gpus.cmp(&b.gpus))
            .then(a.time.get().total_cmp(&b.time.get()))
    });
}
