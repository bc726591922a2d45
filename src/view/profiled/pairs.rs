//! Rows of the comparison of a profile with a prediction.

use crate::estimate::Activity;

/// A row of the comparison: measured activities and the predicted terms that correspond to them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// Label of the row.
    pub(super) name: &'static str,
    /// Activities whose measured times are summed.
    pub(super) measured: &'static [Activity],
    /// Ids of the predicted terms whose times are summed.
    pub(super) predicted: &'static [&'static str],
    /// Scope of the row, as a note in the table's last column.
    pub(super) note: &'static str,
}

const fn pair(
    name: &'static str,
    measured: &'static [Activity],
    predicted: &'static [&'static str],
    note: &'static str,
) -> Pair {
    Pair { name, measured, predicted, note }
}

use Activity::{
    Attention, Collectives, ContextParallel, Copies, DataParallel, Elementwise, ExpertParallel, Experts,
    Idle, Matmul, Optimizer, Other, Pipeline, TensorParallel,
};

/// Label of the row of matrix multiplies.
const MULTIPLIES: &str = "Matrix multiplies";

/// Matrix multiplies and experts in one row.
const TOGETHER: Pair = pair(
    MULTIPLIES,
    &[Matmul, Experts],
    &["matmul", "experts", "ends"],
    "Including experts and the output head",
);

/// Matrix multiplies and experts in a row each.
const APART: [Pair; 2] = [
    pair(MULTIPLIES, &[Matmul], &["matmul", "ends"], "Including the router and the output head"),
    pair("Experts", &[Experts], &["experts"], "Grouped multiplies, token permutation"),
];

/// Label of the row of time without a kernel.
pub(super) const IDLE: &str = "Idle";

/// Label of the row of recomputed kernels.
pub(super) const RECOMPUTATION: &str = "Recomputation";

/// Labels of rows whose kernels recomputation repeats.
pub(super) const REPEATED: [&str; 4] = [MULTIPLIES, APART[1].name, CORE.name, STREAMS.name];

/// Label of all compute with recomputation in one row.
pub(super) const REPEATING: &str = "Compute with recomputation";

/// Returns true for rows that a profile cannot tell apart if kernels are recomputed.
pub(super) fn is_repeated(name: &str) -> bool {
    name == RECOMPUTATION || REPEATED.contains(&name)
}

/// Returns true for the row of idle time.
pub(super) fn is_idle(pair: &Pair) -> bool {
    pair.measured == [Idle]
}

/// Rows of matrix multiplies.
fn multiplies(experts_apart: bool) -> Vec<Pair> {
    if experts_apart { APART.into() } else { vec![TOGETHER] }
}

/// Rows of a training step. `named` is true if the profile names the process groups of all collectives.
pub(super) fn trained(experts_apart: bool, named: bool) -> Vec<Pair> {
    let [first, last] = TRAINED;
    let collectives = if named { NAMED } else { UNNAMED };
    let rest = [first, collectives, last].into_iter().flatten().copied();
    multiplies(experts_apart).into_iter().chain(rest).collect()
}

/// Rows of serving.
pub(super) fn served(experts_apart: bool) -> Vec<Pair> {
    multiplies(experts_apart).into_iter().chain(SERVED.iter().copied()).collect()
}

const CORE: Pair = pair("Attention", &[Attention], &["attention"], "");
const STREAMS: Pair = pair("Elementwise", &[Elementwise], &["elementwise"], "Norms, activations, reductions");
const COPIES: Pair =
    pair("Copies", &[Copies], &["offload"], "Predicted: exposed transfers to and from host memory");
const OTHERS: Pair = pair("Other kernels", &[Other], &[], "Kernels whose name matches no pattern");

/// Communication rows of a training step, if the profile names the process groups of all collectives.
const NAMED: &[Pair] = &[
    pair("Tensor-parallel communication", &[TensorParallel], &["tensor_parallel"], "Exposed part"),
    pair("Context-parallel communication", &[ContextParallel], &["context_parallel"], "Exposed part"),
    pair("Data-parallel communication", &[DataParallel], &["data_parallel"], "Exposed part"),
];

/// Communication row of a training step, if the profile has collectives of unnamed process groups.
const UNNAMED: &[Pair] = &[pair(
    "Collectives",
    &[TensorParallel, ContextParallel, DataParallel, Collectives],
    &["tensor_parallel", "context_parallel", "data_parallel"],
    "Exposed part; tensor, context and data parallelism together, because the profile does not name the groups",
)];

/// Rows of a training step that precede and follow its collectives.
const TRAINED: [&[Pair]; 2] = [
    &[CORE, STREAMS, pair(RECOMPUTATION, &[], &["recompute"], "Measured: included in the rows above")],
    &[
        pair(
            "Expert-parallel communication",
            &[ExpertParallel],
            &["expert_parallel"],
            "All-to-alls, exposed part",
        ),
        pair(
            "Pipeline communication",
            &[Pipeline],
            &["pipeline"],
            "Sends and receives; a measured receive includes the wait for its sender, which is predicted as bubble",
        ),
        pair("Optimizer", &[Optimizer], &["optimizer"], ""),
        COPIES,
        OTHERS,
        pair(
            IDLE,
            &[Idle],
            &["bubble", "host", "framework"],
            "Pipeline bubble, host time, time between steps",
        ),
    ],
];

/// Rows of serving; each predicted step, prefill or decode, is a column.
const SERVED: &[Pair] = &[
    CORE,
    STREAMS,
    pair(
        "Tensor- and expert-parallel communication",
        &[TensorParallel, ExpertParallel, DataParallel, Collectives],
        &["tensor_parallel", "expert_parallel"],
        "Exposed part",
    ),
    pair("Context-parallel communication", &[ContextParallel], &["context_parallel"], "Exposed part"),
    pair("Pipeline sends", &[Pipeline], &["pipeline"], ""),
    COPIES,
    pair("Other kernels", &[Optimizer, Other], &["draft"], "Predicted: the draft model"),
    pair(IDLE, &[Idle], &["host"], "Scheduling, input preparation and sampling"),
];
