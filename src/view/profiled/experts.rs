//! The time of experts in predicted terms.

use crate::estimate::{OperatorRow, Term};
use crate::units::Seconds;
use crate::workload::{multiplies_experts, routes_tokens};

/// Id of the term of experts.
const ID: &str = "experts";

/// The operators that terms consist of.
#[derive(Clone, Copy)]
pub(super) struct Operators<'a> {
    /// The operators of one run.
    pub(super) rows: &'a [OperatorRow],
    /// Number of runs in the time of the terms.
    pub(super) runs: f64,
    /// True if token permutation has kernels of its own, apart from those of the experts.
    pub(super) routed: bool,
}

/// The terms with the kernels of experts in a term of their own, which is taken from matrix multiplies and elementwise kernels. A
/// model without experts has the same terms as before.
pub(super) fn apart(terms: &[Term], operators: Operators<'_>) -> Vec<Term> {
    let of = |counts: fn(&str) -> bool| -> Seconds {
        let rows = operators.rows.iter().filter(|row| row.phase != "recompute" && counts(row.name));
        rows.map(|row| row.cost.time * row.count).sum::<Seconds>() * operators.runs
    };
    let routing = if operators.routed { of(routes_tokens) } else { Seconds::ZERO };
    let taken = [("matmul", of(multiplies_experts)), ("elementwise", routing)];
    let mut terms = terms.to_vec();
    let mut time = Seconds::ZERO;
    for (id, wanted) in taken {
        for term in terms.iter_mut().filter(|term| term.id == id) {
            let part = wanted.min(term.time);
            term.time = term.time - part;
            time += part;
        }
    }
    let why = "Multiplies of the experts, and token permutation";
    terms.extend((time > Seconds::ZERO).then_some(Term { id: ID, label: "Experts", time, why }));
    terms
}

/// Returns true if the terms have experts.
pub(super) fn has(terms: &[Term]) -> bool {
    terms.iter().any(|term| term.id == ID)
}
