//! The served load and its deployment.

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
        options::weights,
    )),
    requested(field!("serve.kv", inference.kv_precision).select(
        "KV cache",
        "The format of cached keys and values: fewer bits leave room for a larger batch and longer contexts",
        options::storage,
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
    streamed(
        field!("serve.turns", inference.turns)
            .whole(
                "Turns per session",
                "Requests per conversation. Each prompt repeats the previous prompts and answers; Input is the mean prompt length",
                1.0,
                1024.0,
            )
            .by(1.0),
    ),
    streamed(
        field!("serve.interval", inference.turn_interval_s)
            .number(
                "Turn interval",
                "Mean time between two requests of a session, from arrival to arrival, in which its cached context may be evicted",
                0.1,
                1e6,
            )
            .unit("s")
            .by(10.0)
            .when(|form| form.has_turns && !(form.view == View::Sizing && form.load == LoadKind::Users)),
    ),
    streamed(
        field!("serve.shared", inference.shared_prefix)
            .whole(
                "Shared prefix",
                "Tokens at the start of every prompt, such as a system prompt; their keys and values are cached once",
                0.0,
                16_777_216.0,
            )
            .unit("tokens")
            .advanced(),
    ),
    streamed(
        field!("serve.cached", inference.cached)
            .number("Cached prefix", "Share of each prompt whose keys and values are cached already", 0.0, 1.0)
            .by(0.1)
            .advanced(),
    ),
    reused(
        field!("serve.cached.host", inference.cached_host),
        "Cached in host memory",
        "Share of each prompt whose keys and values are loaded from host memory over the host link",
    ),
    reused(
        field!("serve.cached.ssd", inference.cached_ssd),
        "Cached on SSDs",
        "Share of each prompt whose keys and values are loaded from SSDs",
    ),
    tier(
        field!("serve.cache.host", inference.host_cache_gib),
        "Host cache",
        "Host memory for keys and values of earlier turns, or of shared prefixes in a trace",
    ),
    tier(
        field!("serve.cache.ssd", inference.ssd_cache_gib),
        "SSD cache",
        "SSD capacity for keys and values of earlier turns, or of shared prefixes in a trace",
    ),
    streamed(
        field!("serve.cache.ssd_gb_s", inference.ssd_gb_s)
            .number("SSD bandwidth", "Read bandwidth of SSDs; the host link limits it", 0.01, 1e4)
            .unit("GB/s per GPU")
            .by(1.0)
            .advanced(),
    ),
    streamed(
        field!("serve.draft", inference.draft)
            .whole(
                "Draft tokens",
                "Tokens that a draft proposes for each pass of the model (speculative decoding); 0 is no draft",
                0.0,
                64.0,
            )
            .unit("tokens")
            .by(1.0)
            .advanced(),
    ),
    streamed(
        field!("serve.accept", inference.acceptance)
            .number("Acceptance", "Probability that a proposed token is accepted", 0.0, 1.0)
            .by(0.05)
            .advanced(),
    ),
    streamed(
        field!("serve.draft_cost", inference.draft_cost)
            .number(
                "Draft cost",
                "Time of the draft for one token, as a share of a decode step of the model",
                0.0,
                1.0,
            )
            .by(0.01)
            .advanced(),
    ),
    advanced(field!("serve.draft_model", speculation.model).select(
        "Draft model",
        "The model or the prediction modules (MTP) that propose tokens, whose shapes give time and memory; with none, the draft cost does",
        options::drafts,
    )),
    advanced(field!("serve.draft_shared", speculation.shared).switch(
        "Draft shared",
        "Whether the GPUs of a tensor group share the draft model; otherwise one of them has it whole",
    )),
    advanced(
        field!("serve.cp", inference.context)
            .whole(
                "Context",
                "Tensor groups that share every prompt (context parallelism), each with requests of its own to decode",
                1.0,
                64.0,
            )
            .unit("groups"),
    ),
    advanced(field!("serve.uniform", inference.uniform).switch(
        "Equal outputs",
        "Whether all requests have the same output length, so that those of a closed loop begin and end together",
    )),
    advanced(
        field!("serve.ngl", inference.gpu_layers)
            .whole(
                "Layers on GPU",
                "Layers that llama.cpp puts on the GPU (-ngl): the output head and the last layers; the CPU decodes the others",
                0.0,
                4096.0,
            )
            .unit("layers")
            .by(1.0)
            .otherwise(|_| Some("all".to_owned())),
    ),
    advanced(
        field!("serve.ncmoe", inference.cpu_experts)
            .whole(
                "Experts on CPU",
                "Leading layers whose routed experts llama.cpp keeps in host memory (--n-cpu-moe), where the CPU decodes them",
                0.0,
                4096.0,
            )
            .unit("layers")
            .by(1.0),
    ),
    advanced(
        field!("serve.second_layers", inference.second_layers)
            .whole(
                "Layers on second GPU",
                "Number of layers that llama.cpp puts on the second GPU (-ts), from the last one, with the output head",
                0.0,
                4096.0,
            )
            .unit("layers")
            .by(1.0)
            .otherwise(|_| Some("by memory".to_owned())),
    ),
    advanced(
        field!("serve.pp", inference.pipeline)
            .whole(
                "Pipeline",
                "Stages into which the layers are divided: more memory for each layer, the same latency",
                1.0,
                1024.0,
            )
            .unit("stages"),
    ),
    advanced(field!("serve.dp", inference.data).whole(
        "Attention replicas",
        "Replicas of the attention blocks in a worker, each with its own requests and cache; they share all experts",
        1.0,
        1024.0,
    )),
    advanced(field!("serve.ep", inference.expert).whole(
        "Expert",
        "Groups of GPUs of a worker over which a layer's experts are distributed; each group shards its experts",
        1.0,
        8192.0,
    )),
    advanced(
        field!("serve.expert.gpus", inference.expert_gpus)
            .whole(
                "Expert GPUs",
                "GPUs of a decode worker that hold its feed-forward blocks alone, beside those of attention; 0 where GPUs hold both",
                0.0,
                1024.0,
            )
            .unit("GPUs")
            .by(1.0),
    ),
    advanced(field!("serve.workers", inference.workers).whole(
        "Workers",
        "Copies of the model among which requests are divided",
        1.0,
        65_536.0,
    )),
    advanced(
        field!("serve.prefill.workers", inference.prefill_workers)
            .whole(
                "Prefill workers",
                "Workers that only prefill and send keys and values on; 0 where every worker does both",
                0.0,
                65_536.0,
            )
            .by(1.0),
    ),
    advanced(field!("serve.prefill.gpu", system.prefill).select(
        "Prefill GPU",
        "The device of workers that only prefill, whose memory, rates, links and price are then their own",
        options::prefill_gpus,
    )),
    advanced(
        field!("serve.prefill.tp", inference.prefill_tensor)
            .whole("Prefill tensor", "GPUs that share each layer's matrices on a prefill worker", 1.0, 1024.0)
            .unit("GPUs"),
    ),
    advanced(field!("serve.prefill.dp", inference.prefill_data).whole(
        "Prefill replicas",
        "Attention replicas on a prefill worker",
        1.0,
        1024.0,
    )),
    advanced(field!("serve.prefill.ep", inference.prefill_expert).whole(
        "Prefill expert",
        "Groups of GPUs of a prefill worker over which a layer's experts are distributed",
        1.0,
        8192.0,
    )),
];

/// A field for the share of each prompt that is cached in host memory or on SSDs.
const fn reused(field: Field, label: &'static str, help: &'static str) -> Field {
    streamed(field.number(label, help, 0.0, 1.0).by(0.1).advanced())
}

/// A field for the capacity of the prefix cache in host memory or on SSDs.
const fn tier(field: Field, label: &'static str, help: &'static str) -> Field {
    streamed(
        field.number(label, help, 0.0, 1e6).unit("GiB per GPU").by(64.0).when(|form| form.repeats).advanced(),
    )
}

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

const fn streamed(field: Field) -> Field {
    field.on(Group::Load, STREAMED).sized(SizingJob::Serve)
}

const fn advanced(field: Field) -> Field {
    field.on(Group::Load, ONLY_INFERENCE).advanced()
}
