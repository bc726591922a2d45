//! What is served.

use super::options;
use super::row::{BATCHED, Group, Part, SERVED, number, select, switch, whole};

pub(super) static PARTS: &[Part] = &[
    Part {
        group: Group::Load,
        views: BATCHED,
        advanced: false,
        rows: &[
            whole(
                "inference.input",
                "Input",
                "tokens",
                "Prompt tokens per request. They are prefilled together and decide the time to the \
                first token",
            ),
            whole(
                "inference.output",
                "Output",
                "tokens",
                "Tokens generated per request, one pass over the weights each",
            ),
            whole(
                "inference.batch",
                "Batch",
                "requests",
                "Requests decoded together, on all workers. More of them share each read of the weights, and each \
                keeps a KV cache",
            ),
            whole(
                "inference.tensor",
                "Tensor",
                "GPUs",
                "GPUs that share each layer's matrices: each reads less, and all exchange results \
                in every layer",
            ),
            select(
                "inference.precision",
                "Weights",
                "The format of the weights. Where the GPU cannot multiply it, weights are widened \
                first and only the traffic shrinks",
                options::weights,
            ),
            select(
                "inference.kv_precision",
                "KV cache",
                "The format of cached keys and values: fewer bits leave room for a larger batch and \
                longer contexts",
                options::storage,
            ),
        ],
    },
    Part {
        group: Group::Load,
        views: SERVED,
        advanced: false,
        rows: &[
            whole(
                "inference.concurrency",
                "In flight",
                "requests",
                "Requests in flight on all GPUs, each replaced when it ends (continuous batching). \
                0 serves one batch from its beginning to its end",
            )
            .by(8.0),
            number(
                "inference.rate",
                "Request rate",
                "1/s",
                "Requests per second that come at random times to all GPUs, whether or not others have ended. 0: \
                as many as are in flight, or one batch",
            )
            .by(1.0),
            number(
                "inference.ttft_limit_ms",
                "TTFT limit",
                "ms",
                "Longest time to the first token that is allowed: the largest load that keeps it is found",
            )
            .by(100.0)
            .otherwise(|_| Some("none".to_owned())),
            number(
                "inference.tpot_limit_ms",
                "TPOT limit",
                "ms",
                "Longest time per output token that is allowed: the largest load that keeps it is found",
            )
            .by(5.0)
            .otherwise(|_| Some("none".to_owned())),
            select(
                "inference.engine",
                "Engine",
                "The software that serves: its host adds time to every step, and its scheduler says \
                whether prompts join decode steps",
                options::engines,
            ),
        ],
    },
    Part {
        group: Group::Load,
        views: SERVED,
        advanced: true,
        rows: &[
            whole(
                "inference.rounds",
                "Requests per client",
                "",
                "Each client sends so many, one after another; the first of all clients come at \
                once and wait for each other. 0 is an endless stream",
            )
            .by(1.0),
            switch(
                "inference.uniform",
                "Equal answers",
                "All answers have the same length: where prompts go before decode steps, requests \
                then begin and end together",
            ),
            whole(
                "inference.requests",
                "Requests",
                "",
                "Requests that come at the given rate, the first to an idle machine. 0 is an endless stream",
            ),
            number(
                "inference.cached",
                "Cached prefix",
                "",
                "Share of each prompt whose keys and values are cached already, from 0 to 1: only the rest is read",
            )
            .by(0.1),
            whole(
                "inference.draft",
                "Draft",
                "tokens",
                "Tokens that a draft proposes for each pass of the model (speculative decoding). 0: no draft",
            )
            .by(1.0),
            number(
                "inference.acceptance",
                "Acceptance",
                "",
                "Probability that a proposed token is accepted, from 0 to 1",
            )
            .by(0.05),
            number(
                "inference.draft_cost",
                "Draft cost",
                "",
                "Time in which the draft proposes one token, over that of a decode step of the model",
            )
            .by(0.01),
            select(
                "speculation.model",
                "Draft model",
                "The model that proposes tokens, whose steps, weights and cache then follow from its shapes. None: the \
                draft cost says what a token takes",
                options::drafts,
            ),
            switch(
                "speculation.shared",
                "Draft shared",
                "Whether the GPUs of a tensor group share the draft model as they share the model; otherwise one of them \
                has it whole",
            ),
            whole(
                "inference.context",
                "Context",
                "groups",
                "Tensor groups that share every prompt (context parallelism), each with requests of its own to decode",
            ),
            whole(
                "inference.pipeline",
                "Pipeline",
                "stages",
                "Groups of layers on GPUs of their own: more memory, the same latency",
            ),
            whole(
                "inference.data",
                "Attention replicas",
                "",
                "Replicas of the attention blocks inside a worker, each with its own requests and \
                cache; they share all experts",
            ),
            whole(
                "inference.expert",
                "Expert parts",
                "",
                "Parts into which a layer's experts are dealt over the GPUs of a worker; inside a \
                part each expert is cut",
            ),
            select(
                "inference.all_reduce",
                "All-reduce",
                "How a tensor group adds up what its members computed: by reading each other's memory (one-shot, \
                two-shot), in a ring or a tree, or in the switches. Automatic takes what engines and the library choose \
                for the size",
                options::all_reduces,
            ),
            whole("inference.workers", "Workers", "", "Copies of the model among which requests are divided"),
            whole(
                "inference.prefill_workers",
                "Prefill workers",
                "",
                "Workers that only read prompts and send keys and values on; 0 where every worker \
                does both",
            )
            .by(1.0),
            whole(
                "inference.prefill_tensor",
                "Prefill tensor",
                "GPUs",
                "GPUs that share each layer's matrices on a prefill worker",
            ),
            whole("inference.prefill_data", "Prefill replicas", "", "Attention replicas on a prefill worker"),
            whole(
                "inference.prefill_expert",
                "Prefill expert parts",
                "",
                "Parts into which experts are dealt on a prefill worker",
            ),
        ],
    },
];
