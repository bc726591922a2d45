//! The subject and the limits of a search. Free axes are chosen in the answer, with the tried values.

use super::field::{Field, field};
use super::group::Group;
use super::options;
use super::views::ONLY_SEARCH;
use crate::scenario::{Scenario, View};

pub(super) const FIELDS: &[Field] = &[
    plain(field!("search.of", search.of).select(
        "Subject",
        "All parallelism plans of this job, or other systems: DRAM, arithmetic and domain varied as in arXiv 2410.00273",
        options::subjects,
    ))
    .wide(&View::ALL),
    plain(field!("search.by", search.by).select(
        "Best by",
        "What the best plan has least of; on one number of GPUs cost and energy follow the time",
        options::objectives,
    )),
    plain(
        field!("search.memory", search.memory)
            .number("Memory share", "Share of each GPU's memory that a plan may fill", 0.01, 1.0)
            .unit("%")
            .by(5.0)
            .scaled(0.01),
    ),
    plain(
        field!("search.tp", search.tensor)
            .whole("Tensor up to", "The largest tensor-parallel degree that is tried", 1.0, 1024.0)
            .unit("GPUs"),
    ),
    plain(
        field!("search.gpus_min", search.fewest)
            .whole("Fewest", "The fewest GPUs of the strong-scaling curve, if not an eighth of the job's", 1.0, 1_048_576.0)
            .unit("GPUs")
            .otherwise(|scenario| counts(scenario).first().map(ToString::to_string)),
    ),
    plain(
        field!("search.gpus_max", search.most)
            .whole("Most", "The most GPUs of the strong-scaling curve, if not eight times the job's", 1.0, 1_048_576.0)
            .unit("GPUs")
            .otherwise(|scenario| counts(scenario).last().map(ToString::to_string)),
    ),
    plain(field!("search.strategy", search.strategy).select(
        "Strategies",
        "The strategies of arXiv 2410.00273 that are searched if the assumptions are that paper's",
        options::strategies,
    )),
    field!("search.fixed", search.fixed)
        .text(
            "Fixed",
            "The axes that all plans share, with spaces between: `none`, `tensor`, `context`, `context_kind`, \
             `tensor_kind`, `expert`, `expert_tensor`, `microbatch`, `sequence_parallel`, `recompute`, \
             `tensor_overlap`, `pipeline`, `interleave`, `recompute_layers`, `schedule`, `zero`, `data_overlap`, \
             `offload`",
        )
        .on(Group::Search, &[]),
];

const fn plain(field: Field) -> Field {
    field.on(Group::Search, ONLY_SEARCH)
}

/// GPUs of the strong-scaling curve.
fn counts(scenario: &Scenario) -> Vec<u32> {
    scenario.gpu_counts()
}
