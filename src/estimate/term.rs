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
    /// Dimensions, e.g. `2048 × 12288 × 4608` (m × n × k of a matrix multiply).
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
    match work {
        Work::Matmul(Matmul { m, n, k, count, .. }) if *count > 1.0 => {
            format!("{count:.0} of {m:.0} × {n:.0} × {k:.0}")
        }
        Work::Matmul(Matmul { m, n, k, .. }) => format!("{m:.0} × {n:.0} × {k:.0}"),
        Work::Attention(attention) => format!(
            "{:.0} × {:.0} heads, {:.0} queries, {:.0} keys",
            attention.batch, attention.heads, attention.queries, attention.keys
        ),
        Work::Experts(experts) => format!(
            "{:.0} × {:.0} tokens on {:.0} of {:.0} experts, {:.0} × {:.0}",
            experts.tokens, experts.top_k, experts.local, experts.experts, experts.hidden, experts.width
        ),
        Work::IndexScores(scores) => format!(
            "{:.0} × {:.0} heads, {:.0} queries, {:.0} keys",
            scores.batch, scores.heads, scores.queries, scores.keys
        ),
        Work::Selection(selection) => format!("{:.0} queries, {:.0} keys", selection.queries, selection.keys),
        Work::Stream(stream) => format::traffic(stream.bytes),
        Work::Scan(scan) => {
            format!("{} and states of {}", format::traffic(scan.bytes), format::traffic(scan.states))
        }
        Work::Panels(Panels { multiply: Matmul { m, n, k, .. }, panels, .. }) => {
            format!("{panels:.0} panels of {m:.0} × {n:.0} × {k:.0}")
        }
        Work::Broadcasts(Panels { moves: [first, second], panels, .. }) => {
            format!("{} in {panels:.0} panels", format::traffic(first.bytes + second.bytes))
        }
        Work::Exchange(exchange) => {
            format!("{} over {} GPUs", format::traffic(exchange.traffic()), exchange.group.size)
        }
        Work::Collective(collective) => {
            format!("{} over {} GPUs", format::traffic(collective.bytes), collective.group.size)
        }
    }
}
