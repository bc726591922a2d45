//! Which two machines are compared in detail, and how the second runs the job.

use super::options;
use super::row::{Group, Part, RANKED, select, switch, whole};
use crate::scenario::Scenario;

pub(super) static PARTS: &[Part] = &[Part {
    group: Group::Comparison,
    views: RANKED,
    advanced: false,
    rows: &[
        select(
            "comparison.from",
            "From",
            "The machine whose speed is 1: it runs the job as asked above",
            options::compared,
        )
        .wide(RANKED),
        switch(
            "comparison.tuned",
            "At its best",
            "The first machine runs the plan that suits it best instead",
        ),
        select(
            "comparison.to",
            "To",
            "The machine whose speed-up is explained: it runs the plan that suits it best",
            options::compared,
        )
        .wide(RANKED),
        whole(
            "comparison.domain",
            "Its domain",
            "GPUs",
            "GPUs that the second machine's fast links join, instead of the catalogue's",
        )
        .otherwise(domain),
        whole(
            "comparison.batch",
            "Its batch",
            "times",
            "How many times as many sequences the second machine trains on per step",
        ),
        select(
            "comparison.precision",
            "Its precision",
            "The format in which the second machine multiplies",
            options::formats_of_second,
        ),
    ],
}];

/// What the catalogue says of the second machine.
fn domain(scenario: &Scenario) -> Option<String> {
    Some(options::second(scenario)?.scale_up.domain.to_string())
}
