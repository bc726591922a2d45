//! Operators by name, with their arithmetic intensity and the rate that they reach.

use super::super::limits::time;
use crate::estimate::OperatorRow;
use crate::figure::frame::positive;
use crate::order::largest_first;
use crate::system::Bound;
use crate::units::{FlopRate, format};

/// An operator that computes, over all of its runs.
#[derive(Clone, Debug)]
pub(super) struct Operator {
    pub(super) label: String,
    pub(super) intensity: f64,
    pub(super) rate: f64,
    /// Fraction of the time of all rows.
    pub(super) share: f64,
    /// Resource that binds the row with the longest time.
    pub(super) bound: Bound,
}

/// Key of a point: an operator's name, and the phase if phases are different work.
///
/// Forward and backward are the same kind of work, and their points would cover each other; prefill and decode
/// are not.
fn kind(row: &OperatorRow) -> (&'static str, &'static str) {
    let phase = if ["prefill", "decode"].contains(&row.phase) { row.phase } else { "" };
    (row.name, phase)
}

/// Operators that compute, by falling time.
pub(super) fn operators(rows: &[OperatorRow]) -> Vec<Operator> {
    let total: f64 = rows.iter().map(time).sum();
    let computing = || rows.iter().filter(|row| row.cost.bound != Bound::Network && time(row) > 0.0);
    let mut kinds = Vec::new();
    for row in computing() {
        if !kinds.contains(&kind(row)) {
            kinds.push(kind(row));
        }
    }
    let phases = kinds.iter().any(|one| kinds.iter().any(|other| one.1 != other.1));
    let operator = |(name, phase): (&'static str, &'static str)| {
        let all = || computing().filter(move |row| kind(row) == (name, phase));
        let sum = |part: fn(&OperatorRow) -> f64| all().map(|row| part(row) * row.count).sum::<f64>();
        let flops = sum(|row| row.cost.flops.get());
        let seconds: f64 = all().map(time).sum();
        let longest = all().max_by(|a, b| time(a).total_cmp(&time(b)))?;
        Some(Operator {
            label: if phases { format!("{name}, {phase}") } else { name.to_owned() },
            intensity: flops / sum(|row| row.cost.bytes.get()),
            rate: flops / seconds,
            share: seconds / total,
            bound: longest.cost.bound,
        })
    };
    let drawable = |operator: &Operator| {
        positive(operator.intensity) && positive(operator.rate) && positive(operator.share)
    };
    let operators: Vec<Operator> = kinds.iter().copied().filter_map(operator).filter(drawable).collect();
    largest_first(&operators, |operator| operator.share)
}

impl Operator {
    /// Read-out.
    pub(super) fn read(&self) -> String {
        format!(
            "{}: {}, {} FLOP per byte, {} of the time, limited by {}",
            self.label,
            format::flop_rate(FlopRate::new(self.rate)),
            format::digits(self.intensity),
            format::percent(self.share),
            self.bound.name()
        )
    }
}
