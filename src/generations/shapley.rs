//! Shapley values: the contribution of each of several causes to a whole, averaged over all orders.

/// The contribution of one cause.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contribution {
    /// The mean over all orders.
    pub mean: f64,
    /// The least over all orders.
    pub least: f64,
    /// The most over all orders.
    pub most: f64,
}

/// The contributions of n causes from the value of each coalition.
///
/// `values` has 2ⁿ entries; bit i of an index says that cause i is in the coalition. The contribution of a cause
/// is Σ |S|! (n − |S| − 1)! / n! · (v(S ∪ i) − v(S)) over the coalitions S without it (Shapley 1953); they sum to
/// the value of all causes less that of none.
pub fn contributions(values: &[f64]) -> Vec<Contribution> {
    let causes = values.len().max(1).ilog2() as usize;
    let weights = weights(causes);
    (0..causes)
        .map(|cause| {
            let bit = 1 << cause;
            let marginals =
                (0..1_usize << causes).filter(|coalition| coalition & bit == 0).map(|coalition| {
                    (coalition.count_ones() as usize, values[coalition | bit] - values[coalition])
                });
            let start = Contribution { mean: 0.0, least: f64::INFINITY, most: f64::NEG_INFINITY };
            marginals.fold(start, |so_far, (members, marginal)| Contribution {
                mean: so_far.mean + weights[members] * marginal,
                least: so_far.least.min(marginal),
                most: so_far.most.max(marginal),
            })
        })
        .collect()
}

/// Shapley weights: the fraction of all orders in which a cause follows one given coalition, by the coalition's size.
fn weights(causes: usize) -> Vec<f64> {
    // s! (n-s-1)! / n! = 1 / (n · (n-1 over s)), which no factorial can overflow.
    let mut weights = Vec::with_capacity(causes);
    let mut choose = 1.0;
    for size in 0..causes {
        weights.push(1.0 / (causes as f64 * choose));
        choose *= (causes - 1 - size) as f64 / (size + 1) as f64;
    }
    weights
}
