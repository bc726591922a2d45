//! The terms and operators of an estimate, so that every number can be traced.

use serde::Serialize;

use crate::system::{Cost, Matmul, Panels, Work};
use crate::units::{Seconds, format};
use crate::workload::Operator;

/// One addend of a total time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// Machine name, e.g. `bubble`.
    pub id: &'static str,
    /// Label on the page, e.g. `Pipeline bubble`.
    pub label: &'static str,
    /// Time that the term contributes to the total.
    pub time: Seconds,
    /// Explanation, in one sentence.
    pub why: &'static str,
}

/// One operator of a phase: what it does, how often, what it costs each time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OperatorRow {
    /// Label on the page, e.g. `QKV projection`.
    pub name: &'static str,
    /// `forward`, `backward`, `recompute`, `prefill` or `decode`.
    pub phase: &'static str,
    /// Dimensions, e.g. `2,048 × 12,288 × 4,608` (m × n × k of a matrix multiply).
    pub shape: String,
    /// Runs on one GPU in the phase.
    pub count: f64,
    /// Cost of one run.
    pub cost: Cost,
}

impl OperatorRow {
    /// The row of an operator that runs `count` times.
    pub(crate) fn new(phase: &'static str, operator: &Operator, count: f64, cost: Cost) -> Self {
        Self { name: operator.name, phase, shape: shape(&operator.work), count, cost }
    }
}

fn shape(work: &Work) -> String {
    let number = format::grouped;
    let sizes = format::dimensions;
    match work {
        Work::Matmul(Matmul { m, n, k, count, .. }) if *count > 1.0 => {
            format!("{} of {}", number(*count), sizes(&[*m, *n, *k]))
        }
        Work::Matmul(Matmul { m, n, k, .. }) => sizes(&[*m, *n, *k]),
        Work::Attention(work) => {
            format!("{} heads, {}", sizes(&[work.batch, work.heads]), seen(work.queries, work.keys))
        }
        Work::Experts(work) => format!(
            "{} tokens on {} of {} experts, {}",
            sizes(&[work.tokens, work.top_k]),
            number(work.local),
            number(work.experts),
            sizes(&[work.hidden, work.width])
        ),
        Work::IndexScores(work) => {
            format!("{} heads, {}", sizes(&[work.batch, work.heads]), seen(work.queries, work.keys))
        }
        Work::Selection(work) => seen(work.queries, work.keys),
        Work::Stream(stream) => format::traffic(stream.bytes),
        Work::Scan(scan) => {
            format!("{} and states of {}", format::traffic(scan.bytes), format::traffic(scan.states))
        }
        Work::Panels(Panels { multiply: Matmul { m, n, k, .. }, panels, .. }) => {
            format!("{} panels of {}", number(*panels), sizes(&[*m, *n, *k]))
        }
        Work::Broadcasts(Panels { moves: [first, second], panels, .. }) => {
            format!("{} in {} panels", format::traffic(first.bytes + second.bytes), number(*panels))
        }
        Work::Exchange(exchange) => {
            format!("{} over {} GPUs", format::traffic(exchange.traffic()), exchange.group.size)
        }
        Work::Collective(collective) => {
            format!("{} over {} GPUs", format::traffic(collective.bytes), collective.group.size)
        }
    }
}

/// The queries of an attention operator, and the keys that each of them sees.
fn seen(queries: f64, keys: f64) -> String {
    let things = if queries > 1.0 { "queries" } else { "query" };
    format!("{} {things}, {} keys", format::grouped(queries), format::grouped(keys))
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_query_is_singular() {
        assert_eq!(super::seen(1.0, 1024.0), "1 query, 1,024 keys");
        assert_eq!(super::seen(1024.0, 1024.0), "1,024 queries, 1,024 keys");
    }
}
