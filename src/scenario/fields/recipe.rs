//! The training recipe.

use super::field::{Field, Group, field};
use super::options;
use super::views::RECIPES;
use crate::sizing::SizingJob;

pub(super) const FIELDS: &[Field] = &[
    plain(
        field!("batch", recipe.batch)
            .whole(
                "Global batch",
                "Sequences per step over all GPUs: more of them hide the pipeline bubble and the gradient reduction",
                1.0,
                1_048_576.0,
            )
            .unit("seqs"),
    ),
    plain(
        field!("seq", recipe.sequence)
            .whole("Sequence", "Tokens per sequence; attention grows with their square", 1.0, 16_777_216.0)
            .unit("tokens"),
    ),
    plain(field!("precision", recipe.precision).select(
        "Precision",
        "The format of matrix operands, at dense rates: fewer bits multiply faster and move less",
        options::precisions,
    )),
    advanced(field!("attention", recipe.attention).select(
        "Attention kernel",
        "Whether attention keeps its scores on the chip (fused) or writes them to DRAM",
        options::attention,
    )),
    advanced(
        field!("dropout", recipe.dropout)
            .switch("Dropout", "Whether dropout adds elementwise passes and a mask of one byte per element"),
    ),
    advanced(field!("gradients", recipe.gradients).select(
        "Gradients",
        "The format in which gradients are summed over microbatches and replicas",
        options::gradients,
    )),
    advanced(field!("frozen", recipe.frozen).switch(
        "Adapters only",
        "Whether weights are frozen and small adapters are trained (LoRA): no weight gradients, hardly any optimizer",
    )),
    advanced(field!("framework", recipe.framework).select(
        "Software",
        "The training software, whose overheads are fitted to published step times",
        options::frameworks,
    )),
    plain(
        field!("tokens", recipe.tokens)
            .number("Tokens", "Tokens of the whole run, which give its days", 1.0, 1e18)
            .unit("trillion")
            .by(1.0)
            .scaled(1e12),
    ),
];

const fn plain(field: Field) -> Field {
    field.on(Group::Job, RECIPES).sized(SizingJob::Train)
}

const fn advanced(field: Field) -> Field {
    plain(field).advanced()
}
