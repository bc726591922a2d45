//! What is trained, in detail.

use super::options;
use super::row::{Group, Part, TRAINED, select, switch};

pub(super) static PARTS: &[Part] = &[Part {
    group: Group::Job,
    views: TRAINED,
    advanced: true,
    rows: &[
        select(
            "recipe.attention",
            "Attention kernel",
            "Fused keeps the scores on the chip; unfused writes them to DRAM and reads them \
            again",
            options::attention,
        ),
        switch(
            "recipe.dropout",
            "Dropout",
            "Adds elementwise passes and one byte of mask per element to keep",
        ),
        select(
            "recipe.gradients",
            "Gradients",
            "The format in which gradients are summed over microbatches and replicas",
            options::gradients,
        ),
        switch(
            "recipe.frozen",
            "Adapters only",
            "Weights are frozen and small adapters beside them are trained (LoRA): no weight \
            gradients, hardly any optimizer",
        ),
        select(
            "recipe.framework",
            "Software",
            "What training software adds to its kernels, fitted to published step times",
            options::frameworks,
        ),
    ],
}];
