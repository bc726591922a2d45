//! The training recipe.

use super::catalog_options;
use super::field::{Field, field};
use super::form::Form;
use super::group::Group;
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
        catalog_options::precisions,
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
        "Format in which gradients are summed over microbatches and replicas; they are freed in the backward pass only if a step has one microbatch",
        options::gradients,
    )),
    advanced(field!("loss_chunks", recipe.loss_chunks).whole(
        "Loss chunks",
        "Chunks in which output head and loss are computed (chunked or fused cross-entropy): one chunk's logits are stored",
        1.0,
        1024.0,
    )),
    advanced(field!("optimizer", recipe.optimizer).select(
        "Optimizer",
        "State per trained parameter: 12 bytes with 32-bit weights and moments, 4 with 16-bit moments, 2 with 8-bit ones",
        options::optimizers,
    )),
    advanced(field!("frozen", recipe.frozen).switch(
        "Adapters only",
        "Whether weights are frozen and low-rank adapters are trained (LoRA): no weight gradients, little optimizer state",
    )),
    advanced(
        field!("rank", recipe.rank)
            .whole("Adapter rank", "Features between the two matrices of an adapter (LoRA)", 1.0, 4096.0)
            .when(adapted),
    ),
    advanced(field!("targets", recipe.targets).select(
        "Adapted matrices",
        "Matrices that have an adapter (LoRA)",
        options::targets,
    ).when(adapted)),
    advanced(field!("base", recipe.base).select(
        "Frozen weights",
        "Format in which weights are stored beside adapters (QLoRA): fewer bits save memory and are unpacked in each pass",
        catalog_options::bases,
    ).when(adapted)),
    advanced(
        field!("mtp", recipe.prediction)
            .switch("Prediction modules", "Whether the model's modules that predict further tokens (MTP) are trained with it")
            .when(whole),
    ),
    advanced(field!("framework", recipe.framework).select(
        "Software",
        "The training software, whose overheads are fitted to published step times",
        options::frameworks,
    )),
    advanced(
        field!("checks", recipe.checks_us)
            .whole(
                "Collective checks",
                "Host time before each collective, per member beyond the first, for PyTorch's TORCH_DISTRIBUTED_DEBUG=DETAIL; 0 if it is off",
                0.0,
                10_000.0,
            )
            .unit("µs"),
    ),
    plain(
        field!("tokens", recipe.tokens)
            .number("Tokens", "Training tokens of the whole run, which give its duration", 1.0, 1e18)
            .unit("trillion")
            .by(1.0)
            .scaled(1e12),
    ),
];

/// Fields of adapters.
const fn adapted(form: Form) -> bool {
    form.adapted
}

/// Fields of training whole models.
const fn whole(form: Form) -> bool {
    !form.adapted
}

const fn plain(field: Field) -> Field {
    field.on(Group::Job, RECIPES).sized(SizingJob::Train)
}

const fn advanced(field: Field) -> Field {
    plain(field).advanced()
}
