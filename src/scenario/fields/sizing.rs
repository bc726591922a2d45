//! Fields of the Sizing view: traffic of a fleet, deadline and budget of a training run, and the objective.

use super::field::{Field, field};
use super::form::Form;
use super::group::Group;
use super::options;
use super::views::{ONLY_SIZING, STREAMED};
use crate::sizing::{LoadKind, SizingJob};

pub(super) const FIELDS: &[Field] = &[
    both(field!("size.job", sizing.job).select(
        "What is sized",
        "Replicas that serve requests under service levels, or GPUs that train a model before a deadline",
        options::sizing_jobs,
    )),
    run(field!("size.days", sizing.days)
        .number(
            "Deadline",
            "Days in which the run has to end, with what failures and checkpoints take",
            1e-3,
            1e5,
        )
        .unit("days")
        .by(5.0)),
    run(field!("size.budget", sizing.budget)
        .number("Budget", "Cost of the whole run that is allowed", 1e-3, 1e15)
        .unit("thousand $")
        .by(100.0)
        .scaled(1e3)
        .otherwise(|_| Some("none".to_owned()))),
    traffic(field!("size.load", sizing.load).select(
        "Load given by",
        "Active users, the request rate, or the concurrent requests",
        options::load_kinds,
    )),
    traffic(
        field!("size.users", sizing.users)
            .whole("Users", "Users who are active at the same time, not all who have an account", 1.0, 1e8)
            .unit("users")
            .when(|form| form.load == LoadKind::Users),
    ),
    traffic(
        field!("size.per_minute", sizing.per_minute)
            .number(
                "Requests per user",
                "Mean requests per user and minute; 60 divided by the seconds from one request to the next",
                1e-4,
                1e4,
            )
            .unit("requests/min")
            .by(0.1)
            .when(|form| form.load == LoadKind::Users && !form.thinks),
    ),
    traffic(
        field!("size.think", sizing.think_s)
            .number(
                "Think time",
                "Seconds from an answer to the user's next request. It replaces the requests per user: they follow from it and the \
                 predicted time of an answer",
                0.1,
                1e5,
            )
            .unit("s")
            .by(10.0)
            .otherwise(|_| Some("none".to_owned()))
            .when(|form| form.load == LoadKind::Users),
    ),
    traffic(
        field!("size.peak", sizing.peak)
            .number(
                "Peak factor",
                "Request rate of the busiest minutes over the mean rate; with a think time, users of those minutes over their mean number",
                1.0,
                100.0,
            )
            .unit("×")
            .by(0.5)
            .when(|form| form.load == LoadKind::Users),
    ),
    both(field!("size.by", sizing.by).select(
        "Best by",
        "The quantity that the best answer minimises: cost, GPUs, or energy (power of a fleet)",
        options::sizing_objectives,
    )),
    traffic(
        field!("size.spare", sizing.spare)
            .whole(
                "Spare replicas",
                "Replicas beyond those that carry the load; their cost counts",
                0.0,
                1024.0,
            )
            .unit("replicas")
            .by(1.0),
    ),
    traffic(field!("size.narrower", sizing.narrower).switch(
        "Also try 8- and 4-bit weights",
        "Whether weights in narrower formats than the one asked for are tried too, which cost less and may lower the quality of \
         answers",
    )),
    traffic(field!("size.quantized", sizing.quantized).switch(
        "Quantized after training",
        "Whether 4-bit integer weights (AWQ, GPTQ) and an FP8 KV cache are tried too, which may lower the quality of answers",
    ))
    .when(|form| form.engine.quantizes())
    .advanced(),
    traffic(field!("size.disaggregated", sizing.disaggregated).switch(
        "Disaggregated prefill",
        "Whether fleets are tried too whose prompts are prefilled on workers of their own, which send KV caches to those that decode",
    ))
    .when(Form::disaggregates)
    .advanced(),
    traffic(field!("size.apart", sizing.experts_apart).switch(
        "Expert GPUs",
        "Whether disaggregated fleets are tried too whose decode workers have GPUs for attention and others for experts; no \
         engine's release does this",
    ))
    .when(Form::disaggregates)
    .advanced(),
    traffic(field!("size.speculative", sizing.speculative).switch(
        "Speculative decoding",
        "Whether deployments with drafts are tried too, with the drafter and the acceptance of the load",
    ))
    .advanced(),
    traffic(field!("size.percentile", sizing.percentile).select(
        "Limits apply to",
        "Whether the TTFT and TPOT limits apply to the mean or to a percentile of simulated requests",
        options::percentiles,
    )),
    field!("size.lengths", sizing.lengths)
        .select(
            "Lengths",
            "Distribution of prompt and output lengths around their means, or an opened trace, for simulated percentiles",
            options::lengths,
        )
        .on(Group::Load, STREAMED)
        .sized(SizingJob::Serve)
        .advanced(),
    field!("size.trace", sizing.trace)
        .whole("Trace", "Checksum of the opened trace whose requests are simulated; 0 is none", 0.0, 4_294_967_295.0)
        .on(Group::Load, &[]),
];

const fn both(field: Field) -> Field {
    field.on(Group::Sizing, ONLY_SIZING)
}

const fn run(field: Field) -> Field {
    both(field).sized(SizingJob::Train)
}

const fn traffic(field: Field) -> Field {
    field.on(Group::Traffic, ONLY_SIZING).sized(SizingJob::Serve)
}
