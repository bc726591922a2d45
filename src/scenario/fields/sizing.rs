//! The traffic of a fleet, and what the best fleet has least of.

use super::field::{Field, Group, field};
use super::options;
use super::views::{SIZED, STREAMED};

pub(super) const FIELDS: &[Field] = &[
    traffic(field!("size.load", sizing.load).select(
        "Load given by",
        "Users who send requests now and then, the request rate, or the requests in flight",
        options::load_kinds,
    )),
    traffic(
        field!("size.users", sizing.users)
            .whole(
                "Users",
                "Users who are active at the same time; those who only have an account are more",
                1.0,
                1e8,
            )
            .unit("users"),
    ),
    traffic(
        field!("size.per_minute", sizing.per_minute)
            .number(
                "Requests per user",
                "Requests that a user sends per minute: 60 over the seconds between two",
                1e-4,
                1e4,
            )
            .unit("1/min")
            .by(0.1),
    ),
    traffic(
        field!("size.peak", sizing.peak)
            .number(
                "Peak factor",
                "The busiest minutes' rate of users' requests over the average one",
                1.0,
                100.0,
            )
            .unit("times")
            .by(0.5),
    ),
    traffic(field!("size.by", sizing.by).select(
        "Best by",
        "What the best fleet has least of: money per hour, GPUs, or power",
        options::sizing_objectives,
    )),
    traffic(
        field!("size.spare", sizing.spare)
            .whole(
                "Spare replicas",
                "Replicas beyond those that carry the load, which are paid for too",
                0.0,
                1024.0,
            )
            .unit("replicas")
            .by(1.0),
    ),
    traffic(field!("size.percentile", sizing.percentile).select(
        "Levels hold at",
        "Whether TTFT and TPOT limits are for the mean or for a percentile of requests, which is simulated",
        options::percentiles,
    )),
    field!("size.lengths", sizing.lengths)
        .select(
            "Lengths",
            "How lengths of prompts and answers are distributed around their means where percentiles are simulated",
            options::lengths,
        )
        .on(Group::Load, STREAMED)
        .advanced(),
];

const fn traffic(field: Field) -> Field {
    field.on(Group::Traffic, SIZED)
}
