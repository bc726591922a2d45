//! The rows that the page draws at once: those of its first view that are not folded away.

use super::options;
use super::row::{ESTIMATED, Group, ONE_DEVICE, Part, TRAINED, number, select, whole};
use crate::scenario::View;

pub(super) static PARTS: &[Part] = &[
    Part {
        group: Group::Hardware,
        views: ESTIMATED,
        advanced: false,
        rows: &[select(
            "model",
            "Model",
            "The transformer: its layers, widths, heads and vocabulary decide the work and the \
            memory",
            options::models,
        )
        .wide(&View::ALL)],
    },
    Part {
        group: Group::Hardware,
        views: ONE_DEVICE,
        advanced: false,
        rows: &[select(
            "system.accelerator",
            "GPU",
            "The device: its matrix rates, memory and links bound every operator",
            options::accelerators,
        )
        .wide(&[View::Inference, View::Validation])],
    },
    Part {
        group: Group::Hardware,
        views: TRAINED,
        advanced: false,
        rows: &[whole(
            "system.gpus",
            "GPUs",
            "",
            "How many train together. What tensor and pipeline parallelism leave becomes data \
            parallelism",
        )],
    },
    Part {
        group: Group::Hardware,
        views: ESTIMATED,
        advanced: false,
        rows: &[select(
            "assumptions",
            "Assumptions",
            "Calibrated uses efficiencies fitted to measurements, ideal none: the physical \
            bound",
            options::assumptions,
        )
        .wide(&View::ALL)],
    },
    Part {
        group: Group::Parallelism,
        views: TRAINED,
        advanced: false,
        rows: &[
            whole(
                "parallelism.tensor",
                "Tensor",
                "GPUs",
                "GPUs that share each layer's matrices. More of it needs less memory each, and more \
                communication in every layer",
            ),
            whole(
                "parallelism.pipeline",
                "Pipeline",
                "stages",
                "Stages that the layers are cut into. More of them need less memory each, and leave \
                a larger bubble",
            ),
            whole(
                "parallelism.microbatch",
                "Microbatch",
                "seqs",
                "Sequences that go through the pipeline together. A larger one runs matrices \
                faster, takes more memory and leaves a larger bubble",
            ),
            select(
                "parallelism.recompute",
                "Recompute",
                "Which activations the backward pass computes again rather than keeps: time for \
                memory",
                options::recompute,
            ),
        ],
    },
    Part {
        group: Group::Job,
        views: TRAINED,
        advanced: false,
        rows: &[
            whole(
                "recipe.batch",
                "Global batch",
                "seqs",
                "Sequences per step over all GPUs. A larger one hides the pipeline bubble and the \
                gradient reduction",
            ),
            whole(
                "recipe.sequence",
                "Sequence",
                "tokens",
                "Tokens per sequence. Attention work grows with its square",
            ),
            select(
                "recipe.precision",
                "Precision",
                "The format that matrix multiplies read: fewer bits multiply faster and move less. \
                Dense rates, without sparsity",
                options::precisions,
            ),
            number(
                "recipe.tokens",
                "Tokens",
                "trillion",
                "Tokens to train on in all, in trillions: gives the days",
            )
            .by(1.0)
            .scaled(1e12),
        ],
    },
];
