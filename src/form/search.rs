//! What is searched for, and within what limits. Which axes are free is chosen in the answer, beside what was tried.

use super::options;
use super::row::{Group, Part, SEARCHED, number, select, whole};
use crate::scenario::{Scenario, View};

pub(super) static PARTS: &[Part] = &[Part {
    group: Group::Search,
    views: SEARCHED,
    advanced: false,
    rows: &[
        select(
            "search.of",
            "About",
            "All ways to cut this job, or what other systems would gain: DRAM, arithmetic and domain \
            varied as in arXiv 2410.00273",
            options::subjects,
        )
        .wide(&View::ALL),
        select(
            "search.by",
            "Best by",
            "What the best plan has least of. On one number of GPUs cost and energy follow the time",
            options::objectives,
        ),
        number("search.memory", "Memory", "%", "Share of each GPU's memory that a plan may fill")
            .by(5.0)
            .scaled(0.01),
        whole("search.tensor", "Tensor up to", "GPUs", "The largest tensor-parallel degree that is tried"),
        whole(
            "search.fewest",
            "From",
            "GPUs",
            "The fewest GPUs of the strong-scaling curve. Empty: an eighth of the job's",
        )
        .otherwise(|scenario| counts(scenario).first().map(ToString::to_string)),
        whole(
            "search.most",
            "To",
            "GPUs",
            "The most GPUs of the strong-scaling curve. Empty: eight times the job's",
        )
        .otherwise(|scenario| counts(scenario).last().map(ToString::to_string)),
    ],
}];

/// GPUs of the strong-scaling curve.
fn counts(scenario: &Scenario) -> Vec<u32> {
    scenario.search.counts(scenario.system.gpus)
}
