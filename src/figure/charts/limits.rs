//! The resource that limits most of the time of operators, in words.

use crate::estimate::OperatorRow;
use crate::figure::frame::positive;
use crate::system::Bound;

/// Time of all runs of an operator, s; 0 if it cannot be drawn.
pub(super) fn time(row: &OperatorRow) -> f64 {
    let time = row.cost.time.get() * row.count;
    if positive(time) { time } else { 0.0 }
}

/// The resource that limits most of the operators' time, and its share of the time; `None` if they take none.
pub(super) fn most<'a>(rows: &(impl Iterator<Item = &'a OperatorRow> + Clone)) -> Option<(Bound, f64)> {
    let total: f64 = rows.clone().map(time).sum();
    let share = |bound: Bound| {
        let bound_rows = rows.clone().filter(|row| row.cost.bound == bound);
        (bound, bound_rows.map(time).sum::<f64>() / total)
    };
    // Of equal shares the first counts.
    let most =
        Bound::ALL.map(share).into_iter().reduce(|most, next| if next.1 > most.1 { next } else { most });
    most.filter(|_| positive(total))
}

/// A resource as a cause in a sentence.
pub(super) const fn named(bound: Bound) -> &'static str {
    match bound {
        Bound::Compute => "compute",
        Bound::Dram => "DRAM bandwidth",
        Bound::L2 => "L2 bandwidth",
        Bound::Network => "the network",
        Bound::Launch => "kernel launches",
    }
}
