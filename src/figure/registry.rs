//! The list of all figures, which the documents repeat.

/// A figure that an answer can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Machine name: the value of `figure` in the address of an embedded figure.
    pub id: &'static str,
    /// The view whose answers have it, as links name it.
    pub view: &'static str,
    /// What it shows.
    pub shows: &'static str,
}

/// Every figure by view, in the order in which answers have them.
pub const FIGURES: &[Listed] = &[
    listed("step-breakdown", "training", "time of a training step by term"),
    listed("memory", "training", "memory of the fullest GPU by class"),
    listed("roofline", "training", "operators under the roofline"),
    listed("timeline", "training", "what each pipeline stage does over a step"),
    listed("memory-timeline", "training", "memory of the pipeline stages over a step"),
    listed("sensitivity", "training", "change of the step time with each hardware parameter"),
    listed("load", "inference", "TTFT and TPOT against load"),
    listed("prefill-breakdown", "inference", "TTFT by term"),
    listed("decode-breakdown", "inference", "TPOT by term"),
    listed("roofline", "inference", "operators under the roofline"),
    listed("dram-latency", "inference", "request latency against DRAM bandwidth"),
    listed(
        "dram-gpus",
        "inference",
        "request latency against DRAM bandwidth, a curve for each number of GPUs",
    ),
    listed("dram-batch", "inference", "request latency against DRAM bandwidth, a curve for each batch"),
    listed("dram-format", "inference", "request latency against DRAM bandwidth, a curve for each format"),
    listed("link-latency", "inference", "request latency against scale-up bandwidth"),
    listed("capacity", "inference", "throughput against DRAM capacity"),
    listed("memory", "inference", "memory of the fullest GPU by class"),
    listed("tradeoff", "inference", "throughput per GPU against speed per user"),
    listed("fleet-costs", "sizing", "cost of fleets against the speed that each user gets"),
    listed("plans", "search", "step time against memory of all plans that fit"),
    listed("scaling", "search", "step time against the number of GPUs"),
    listed("dram-llm", "search", "days of training of an LLM against DRAM bandwidth and capacity"),
    listed(
        "dram-vit",
        "search",
        "days of training of a vision transformer against DRAM bandwidth and capacity",
    ),
    listed("rate-llm", "search", "days of training of an LLM against matrix rate and DRAM capacity"),
    listed(
        "rate-vit",
        "search",
        "days of training of a vision transformer against matrix rate and DRAM capacity",
    ),
    listed("domain-llm", "search", "days of training of an LLM against GPUs and scale-up domain"),
    listed(
        "domain-vit",
        "search",
        "days of training of a vision transformer against GPUs and scale-up domain",
    ),
    listed("sweep-dram", "search", "days of training of the job against DRAM bandwidth and capacity"),
    listed("sweep-rate", "search", "days of training of the job against matrix rate and DRAM capacity"),
    listed("sweep-domain", "search", "days of training of the job against GPUs and scale-up domain"),
    listed("speedup", "generations", "speed-up of each accelerator"),
    listed("speedup-prefill", "generations", "prompt tokens per second of each accelerator"),
    listed("speedup-decode", "generations", "decoded tokens per second of each accelerator"),
    listed(
        "speedup-served",
        "generations",
        "served tokens per second of each accelerator, at a least speed for each user",
    ),
    listed("speedup-energy", "generations", "served tokens per joule of each accelerator"),
    listed("speedup-cost", "generations", "served tokens per dollar of each accelerator"),
    listed("waterfall", "generations", "causes of the speed-up between two accelerators"),
    listed(
        "binding-training",
        "generations",
        "shares of training time by what limits it, for each accelerator",
    ),
    listed(
        "binding-prefill",
        "generations",
        "shares of prefill time by what limits it, for each accelerator",
    ),
    listed("binding-decode", "generations", "shares of decode time by what limits it, for each accelerator"),
    listed("node-speedup", "technology", "speed-up with each process node and memory"),
    listed("node-speedup-links", "technology", "speed-up with each process node and kind of links"),
    listed("node-energy", "technology", "energy per token with each process node"),
    listed("binding-map", "technology", "what limits the best accelerator of each node and memory"),
    listed("binding-shares", "technology", "shares of time by what limits it, for each node"),
    listed("validated-steps", "papers", "predicted and measured step times of Megatron's models on A100"),
    listed(
        "authors-steps",
        "papers",
        "predicted step times of Megatron's models beside the authors' predictions, inferred",
    ),
    listed("recompute-activations", "papers", "activations of a GPU by what is recomputed"),
    listed("recompute-shares", "papers", "activations over those with tensor parallelism alone"),
    listed("recompute-memory", "papers", "memory of a GPU by class and by what is recomputed"),
    listed("recompute-state", "papers", "weights, gradients and optimizer state of a GPU"),
    listed(
        "validated-requests",
        "papers",
        "predicted and measured latencies of Llama-2 requests against GPUs",
    ),
    listed("dram-memories", "papers", "latency of a Llama-2-13B request against DRAM bandwidth and GPUs"),
    listed("operator-roofline", "papers", "multiplies of a prefill under the rooflines of A100 and H100"),
    listed("operator-times", "papers", "time of a layer's multiplies in prefill by what limits them"),
    listed("system-speedup", "papers", "training speed of systems from A100 to B200"),
    listed("system-causes", "papers", "causes of the training speed-up from A100 to B200"),
    listed("nodes-memory", "papers", "speed-up of a training step against process node, by memory"),
    listed("nodes-links", "papers", "speed-up of a training step against process node, by links"),
    listed("days-nvs4", "papers", "days of training against GPUs in scale-up domains of 4"),
    listed("days-nvs8", "papers", "days of training against GPUs in scale-up domains of 8"),
    listed("days-nvs64", "papers", "days of training against GPUs in scale-up domains of 64"),
    listed("optimum-shares", "papers", "shares of the step of the best plan by term"),
    listed("optimum-steps", "papers", "step time of the best plan"),
    listed("depth-time", "papers", "step time by term against pipeline depth"),
    listed("depth-memory", "papers", "memory of a GPU against pipeline depth"),
    listed("grid-time", "papers", "step time under SUMMA against the shape of the grid"),
    listed("sweep-dram", "papers", "days of training against DRAM bandwidth and capacity"),
    listed("sweep-rate", "papers", "days of training against matrix rate and DRAM capacity"),
    listed("domain-gpt3-1d", "papers", "speed-up from larger scale-up domains: GPT3-1T, 1D"),
    listed("domain-vit-summa", "papers", "speed-up from larger scale-up domains: vision transformer, SUMMA"),
    listed(
        "domain-vit-seqp",
        "papers",
        "speed-up from larger scale-up domains: vision transformer, sequence-parallel",
    ),
    listed("nccl-times", "papers", "predicted against measured times of collectives"),
    listed("nccl-ratio", "papers", "predicted over measured time of collectives against size"),
    listed("megatron-steps", "papers", "predicted and measured step times of Megatron's models"),
    listed("scatter", "validation", "predicted against measured values"),
    listed("histogram", "validation", "distribution of the errors"),
];

const fn listed(id: &'static str, view: &'static str, shows: &'static str) -> Listed {
    Listed { id, view, shows }
}
