//! The served load, and the engine that serves it.

use super::catalog_options;
use super::field::{Field, field};
use super::group::Group;
use super::options;
use super::views::{BATCHED, ONLY_INFERENCE, REQUESTED, STREAMED};
use crate::scenario::View;
use crate::sizing::{LoadKind, SizingJob};
use crate::units::format;

pub(super) const FIELDS: &[Field] = &[
    requested(
        field!("serve.in", inference.input)
            .whole(
                "Input",
                "Prompt tokens per request, which are prefilled together and give the time to first token",
                1.0,
                16_777_216.0,
            )
            .unit("tokens"),
    ),
    requested(
        field!("serve.out", inference.output)
            .whole("Output", "Tokens generated per request, one pass over the weights each", 1.0, 1_048_576.0)
            .unit("tokens"),
    ),
    requested(
        field!("serve.images", inference.images)
            .whole(
                "Images",
                "Images per request: the vision encoder runs once for each, and their tokens lengthen the prompt",
                0.0,
                1024.0,
            )
            .unit("per request")
            .by(1.0)
            .when(|form| form.sees),
    ),
    requested(image_side(
        field!("serve.image_width", inference.image_width),
        "Image width",
        "Width of each image, which the model's own rule scales and cuts into patches",
    )),
    requested(image_side(
        field!("serve.image_height", inference.image_height),
        "Image height",
        "Height of each image, which the model's own rule scales and cuts into patches",
    )),
    requested(
        field!("serve.audio", inference.audio)
            .number(
                "Audio",
                "Seconds of audio per request: the audio encoder runs once, and its tokens lengthen the prompt",
                0.0,
                36_000.0,
            )
            .unit("s")
            .by(5.0)
            .when(|form| form.hears),
    ),
    batched(
        field!("serve.batch", inference.batch)
            .whole(
                "Batch",
                "Requests decoded together on all workers: they share each read of the weights and each keep a KV cache",
                1.0,
                65_536.0,
            )
            .unit("requests"),
    ),
    batched(
        field!("serve.tp", inference.tensor)
            .whole(
                "Tensor",
                "Tensor-parallel GPUs of a replica: each reads a part of every layer's matrices, and all exchange results in every layer",
                1.0,
                1024.0,
            )
            .unit("GPUs"),
    ),
    requested(field!("serve.precision", inference.precision).select(
        "Weights",
        "The format of the weights; where the GPU cannot multiply it, weights are widened and only traffic shrinks",
        catalog_options::weights,
    )),
    requested(field!("serve.kv", inference.kv_precision).select(
        "KV cache",
        "The format of cached keys and values: fewer bits leave room for a larger batch and longer contexts",
        catalog_options::storage,
    )),
    field!("serve.launch", inference.launch)
        .select("Kernel launch", "How kernels reach the GPU: as a recorded graph or one by one", options::launches)
        .on(Group::Load, &[]),
    advanced(field!("serve.all_reduce", inference.all_reduce).select(
        "All-reduce",
        "The algorithm with which a tensor group sums results; automatic takes what engines choose for the size",
        options::all_reduces,
    )),
    streamed(
        field!("serve.concurrency", inference.concurrency)
            .whole(
                "Concurrency",
                "Concurrent requests on all GPUs, each replaced when it ends (continuous batching); 0 serves one batch",
                0.0,
                1_048_576.0,
            )
            .unit("requests")
            .by(8.0)
            .when(|form| form.view != View::Sizing || form.load == LoadKind::Concurrency),
    ),
    advanced(
        field!("serve.rounds", inference.rounds)
            .whole(
                "Requests per client",
                "Requests of each client, one after another, the first of all clients at once; 0 is an endless stream",
                0.0,
                1_048_576.0,
            )
            .by(1.0),
    ),
    streamed(
        field!("serve.rate", inference.rate)
            .number(
                "Request rate",
                "Requests per second that arrive at random times; 0 serves concurrent requests or one batch",
                0.0,
                1e6,
            )
            .unit("requests/s")
            .by(1.0)
            .when(|form| form.view != View::Sizing || form.load == LoadKind::Rate),
    ),
    advanced(field!("serve.requests", inference.requests).whole(
        "Requests",
        "Requests that arrive at the rate, the first at an idle machine; 0 is an endless stream",
        0.0,
        16_384.0,
    )),
    streamed(
        field!("serve.ttft", inference.ttft_limit_ms)
            .number("TTFT limit", "The longest time to first token allowed, which limits the load", 0.001, 1e7)
            .unit("ms")
            .by(100.0)
            .otherwise(|_| Some("none".to_owned())),
    ),
    requested(
        field!("serve.tpot", inference.tpot_limit_ms)
            .number("TPOT limit", "The longest time per output token allowed, which limits the load", 0.001, 1e6)
            .unit("ms")
            .by(5.0)
            .otherwise(|_| Some("none".to_owned())),
    ),
    advanced(
        field!("serve.latency", inference.latency_limit_s)
            .number(
                "Latency limit",
                "The longest request latency allowed, from arrival to the last token, which limits the load",
                1e-3,
                1e6,
            )
            .unit("s")
            .by(5.0)
            .otherwise(|_| Some("none".to_owned())),
    ),
    streamed(field!("serve.engine", inference.engine).select(
        "Engine",
        "The serving software, which adds host time to every step and schedules prompts beside decode steps or not",
        options::engines,
    )),
    streamed(
        field!("serve.max_seqs", inference.max_sequences)
            .whole("Max sequences", "Maximum number of requests in one step of one attention replica", 1.0, 65_536.0)
            .otherwise(|scenario| Some(format::digits(scenario.inference.engine.overheads().slots)))
            .advanced(),
    ),
    streamed(
        field!("serve.max_tokens", inference.token_budget)
            .whole(
                "Token budget",
                "Maximum number of tokens in one step of one attention replica, including prompt tokens",
                1.0,
                1_048_576.0,
            )
            .unit("tokens")
            .otherwise(|scenario| Some(format::digits(scenario.inference.engine.overheads().budget)))
            .advanced(),
    ),
    advanced(
        field!("serve.admission", inference.admission)
            .whole(
                "Admission interval",
                "Decode steps between two admissions of new requests (SGLang's --scheduler-recv-interval)",
                1.0,
                1024.0,
            )
            .unit("steps")
            .by(1.0),
    ),
    advanced(field!("serve.mixed", inference.mixed).switch(
        "Mixed steps",
        "Whether prompts share steps with running requests in SGLang (--enable-mixed-chunk); vLLM and TensorRT-LLM always do so",
    )),
    streamed(
        field!("serve.memory", inference.memory_share)
            .number(
                "Memory share",
                "Fraction of a GPU's memory that the server uses; for TensorRT-LLM, fraction of the memory left free by the weights",
                0.001,
                1.0,
            )
            .by(0.01)
            .otherwise(|scenario| Some(format::digits(scenario.inference.engine.overheads().memory_share())))
            .advanced(),
    ),
];

/// A side of an image, shown where there is an encoder.
const fn image_side(field: Field, label: &'static str, help: &'static str) -> Field {
    field.whole(label, help, 1.0, 16_384.0).unit("px").by(64.0).when(|form| form.sees).advanced()
}

const fn batched(field: Field) -> Field {
    field.on(Group::Load, BATCHED)
}

const fn requested(field: Field) -> Field {
    field.on(Group::Load, REQUESTED).sized(SizingJob::Serve)
}

/// A field of the load, shown where requests are a stream.
pub(super) const fn streamed(field: Field) -> Field {
    field.on(Group::Load, STREAMED).sized(SizingJob::Serve)
}

/// A field of the load that is folded away.
pub(super) const fn advanced(field: Field) -> Field {
    field.on(Group::Load, ONLY_INFERENCE).advanced()
}
