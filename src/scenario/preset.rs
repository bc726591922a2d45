//! Questions worth a click: published runs whose numbers are known, and the questions that the views are for.

use super::goal::Goal;
use super::{Scenario, link};

/// A question with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The goal that it is an example of.
    pub goal: Goal,
    /// Machine name, e.g. `megatron-22b`.
    pub id: &'static str,
    /// Label on the page.
    pub name: &'static str,
    /// Lesson of the preset, in one sentence.
    pub why: &'static str,
    /// The question as a link, so that every preset is also a link that has to keep its meaning.
    pub link: &'static str,
}

impl Preset {
    /// The question.
    pub fn scenario(&self) -> Scenario {
        link::decode(self.link).scenario
    }

    /// The section or part of the answer that it opens; the first where empty.
    pub fn part(&self) -> String {
        link::decode(self.link).part
    }
}

impl Goal {
    /// Examples of the goal.
    pub fn examples(self) -> impl Iterator<Item = &'static Preset> {
        presets().iter().filter(move |preset| preset.goal == self)
    }
}

/// All presets, in the order in which they are offered.
pub fn presets() -> &'static [Preset] {
    &PRESETS
}

/// Korthikanti et al. (arXiv 2205.05198, tables 3 to 5) train with sequence parallelism and selective
/// recomputation, which are the defaults, and without FlashAttention or a sharded optimizer, which are not.
/// The token budget is GPT-3's, since theirs measure single steps.
/// The one request on 8 A100 is served as in 2023, when the host issued each kernel.
const PRESETS: [Preset; 23] = [
    Preset {
        goal: Goal::Train,
        id: "llama-3.1-8b-training",
        name: "Llama 3.1 8B, 64 H100",
        why: "One trillion tokens: days, plan and cost, and how much the best plan saves",
        link: "v=1&view=training&model=llama-3.1-8b&gpus=64&tp=2&pp=1&mb=1&batch=512&seq=8192&tokens=1e12",
    },
    Preset {
        goal: Goal::Train,
        id: "megatron-22b",
        name: "Megatron 22B, 8 A100",
        why: "The smallest of four published runs: one server, tensor parallelism only",
        link: "v=1&view=training&model=megatron-22b&gpu=a100-sxm-80gb&gpus=8&tp=8&pp=1&zero=0&mb=4\
               &batch=4&seq=2048&attention=unfused&dropout=true&framework=megatron&tokens=3e11",
    },
    Preset {
        goal: Goal::Train,
        id: "megatron-175b",
        name: "Megatron 175B, 64 A100",
        why: "GPT-3's size with an interleaved pipeline: what the bubble costs and what interleaving saves",
        link: "v=1&view=training&model=megatron-175b&gpu=a100-sxm-80gb&gpus=64&tp=8&pp=8&interleave=3&zero=0&mb=1\
               &batch=64&seq=2048&attention=unfused&dropout=true&framework=megatron&tokens=3e11",
    },
    Preset {
        goal: Goal::Train,
        id: "megatron-530b",
        name: "Megatron 530B, 280 A100",
        why: "35 pipeline stages of 3 layers each: a deep pipeline that a large batch keeps busy",
        link: "v=1&view=training&model=megatron-530b&gpu=a100-sxm-80gb&gpus=280&tp=8&pp=35&interleave=3&zero=0&mb=1\
               &batch=280&seq=2048&attention=unfused&dropout=true&framework=megatron&tokens=3e11",
    },
    Preset {
        goal: Goal::Train,
        id: "megatron-1t",
        name: "Megatron 1T, 512 A100",
        why: "The largest of four published runs: 64 pipeline stages of 2 layers each",
        link: "v=1&view=training&model=megatron-1t&gpu=a100-sxm-80gb&gpus=512&tp=8&pp=64&zero=0&mb=1\
               &batch=512&seq=2048&attention=unfused&dropout=true&framework=megatron&tokens=3e11",
    },
    Preset {
        goal: Goal::Train,
        id: "llama-3.1-405b-training",
        name: "Llama 3.1 405B, 16,384 H100",
        why: "The scale of a frontier run, published at 400 TFLOP/s per GPU; one layer of eight is recomputed to fit 80 GiB",
        link: "v=1&view=training&model=llama-3.1-405b&gpu=h100-sxm&gpus=16384&tp=8&pp=16&interleave=8&zero=1&mb=1\
               &framework=fused&recompute=full&recompute_layers=1&batch=2048&seq=8192&tokens=1.56e13",
    },
    Preset {
        goal: Goal::Train,
        id: "llama-3.1-8b-qlora",
        name: "Llama 3.1 8B, QLoRA on RTX 4090",
        why: "QLoRA: weights frozen in 4 bits and adapters of rank 16 fit on a card of 24 GB, with room for longer sequences",
        link: "v=1&view=training&model=llama-3.1-8b&gpu=rtx-4090&gpus=1&tp=1&pp=1&sp=false&mb=2&recompute=full&batch=16&seq=2048\
               &gradients=bf16&optimizer=adam8&frozen=true&rank=16&base=nf4_double&tokens=1e8&framework=transformers",
    },
    Preset {
        goal: Goal::Serve,
        id: "llama-2-70b-latency",
        name: "Llama 2 70B, one request on 8 A100",
        why: "One request at a time reads all weights for each token: DRAM bandwidth sets the speed",
        link: "v=1&view=inference&model=llama-2-70b&gpu=a100-sxm-80gb\
               &serve.in=200&serve.out=200&serve.batch=1&serve.tp=8&serve.launch=stream",
    },
    Preset {
        goal: Goal::Serve,
        id: "llama-2-13b-dram",
        name: "Llama 2 13B on A100: latency against DRAM bandwidth",
        why: "1, 2, 4 and 8 GPUs over named memories: where a faster memory stops paying, as in arXiv 2407.14645",
        link: "v=1&view=inference&model=llama-2-13b&gpu=a100-sxm-80gb\
               &serve.in=200&serve.out=200&serve.batch=1&serve.tp=1&assumptions=kundu-2024&part=dram",
    },
    Preset {
        goal: Goal::Serve,
        id: "llama-3.1-70b-serving",
        name: "Llama 3.1 70B, 64 requests on 4 H100",
        why: "Requests served together share each reading of the weights, until the KV cache fills the memory",
        link: "v=1&view=inference&model=llama-3.1-70b&gpu=h100-sxm\
               &serve.in=1024&serve.out=256&serve.batch=64&serve.tp=4",
    },
    Preset {
        goal: Goal::Size,
        id: "llama-3.1-70b-sizing",
        name: "Llama 3.1 70B for 500 users",
        why: "3,000 tokens in, 500 out, TTFT 1 s, TPOT 30 ms: every device, format and deployment by cost",
        link: "v=1&view=sizing&model=llama-3.1-70b&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30\
               &serve.engine=vllm&size.users=500",
    },
    Preset {
        goal: Goal::Size,
        id: "qwen3-32b-sizing",
        name: "Qwen3 32B at 50 requests/s",
        why: "AIConfigurator's example, 4,000 tokens in, 1,000 out, TTFT 2 s, TPOT 30 ms: the fewest GPUs",
        link: "v=1&view=sizing&model=qwen3-32b&serve.in=4000&serve.out=1000&serve.rate=50&serve.ttft=2000&serve.tpot=30\
               &serve.engine=vllm&size.load=rate&size.by=gpus",
    },
    Preset {
        goal: Goal::Size,
        id: "qwen3-32b-chat",
        name: "Qwen3 32B, chats of 6 turns",
        why: "500 users whose prompts repeat the conversation so far: prefill saved by prefix caches in GPU and host memory",
        link: "v=1&view=sizing&model=qwen3-32b&serve.in=4000&serve.out=400&serve.ttft=1000&serve.tpot=30\
               &serve.engine=vllm&serve.turns=6&serve.shared=800&serve.cache.host=64&size.users=500",
    },
    Preset {
        goal: Goal::Size,
        id: "llama-3.1-8b-run",
        name: "Llama 3.1 8B trained in 30 days",
        why: "15 trillion tokens before a deadline: the fewest GPUs of every device, their plan, cost and energy",
        link: "v=1&view=sizing&model=llama-3.1-8b&tokens=1.5e13&size.job=train&size.days=30",
    },
    Preset {
        goal: Goal::Fit,
        id: "qwen3-32b-fit",
        name: "Qwen3 32B on one H100",
        why: "64 GiB of weights leave little of 80 GiB: how many requests still fit, and what a narrower format frees",
        link: "v=1&view=inference&model=qwen3-32b&serve.tp=1&serve.in=1024&serve.out=1024&serve.batch=4&part=memory",
    },
    Preset {
        goal: Goal::Fit,
        id: "llama-3.1-8b-fit",
        name: "Llama 3.1 8B on one RTX 4090",
        why: "16 bits on 24 GB: the longest context and the batch that fit",
        link: "v=1&view=inference&model=llama-3.1-8b&gpu=rtx-4090&serve.tp=1&serve.in=4096&serve.out=512&serve.batch=1\
               &part=memory",
    },
    Preset {
        goal: Goal::Fit,
        id: "deepseek-v3-fit",
        name: "DeepSeek-V3 on 8 H100",
        why: "Its own 8-bit format does not fit on eight of them: what does fit",
        link: "v=1&view=inference&model=deepseek-v3&serve.tp=8&serve.in=4096&serve.out=1024&serve.batch=32\
               &serve.precision=fp8block&part=memory",
    },
    Preset {
        goal: Goal::Generations,
        id: "gpt-3-generations",
        name: "GPT-3 175B, A100 to B200",
        why: "The same job on each generation, and the best that each can do with it",
        link: "v=1&view=generations&model=gpt-3-175b&gpu=a100-sxm-80gb&gpus=1024&tp=8&pp=8&mb=1\
               &batch=1536&seq=2048&tokens=3e11",
    },
    Preset {
        goal: Goal::Generations,
        id: "gpt-3-35x",
        name: "8,192 A100 to B200: where 35× comes from",
        why: "A100 with HDR to B200 with NVLink over 64 GPUs, FP4 and a larger batch: the configuration, and the factor of each cause",
        link: "v=1&view=generations&model=gpt-3-175b&gpu=a100-sxm-80gb&gpus=8192&tp=8&pp=8&mb=1\
               &recompute=full&batch=1024&seq=2048&tokens=3e11&to.domain=64&to.batch=4&to.precision=fp4\
               &assumptions=kundu-2024&part=causes",
    },
    Preset {
        goal: Goal::Papers,
        id: "paper-days-vit-h200",
        name: "Days to train: ViT on H200",
        why: "arXiv 2410.00273: days against GPUs for each strategy and scale-up domain",
        link: "v=1&view=papers&result=days-vit-h200",
    },
    Preset {
        goal: Goal::Papers,
        id: "paper-dram",
        name: "Latency against DRAM: 13B on 1, 2, 4, 8 A100",
        why: "arXiv 2407.14645: latency of a request from LPDDR5X to HBM4E",
        link: "v=1&view=papers&result=dram-technology",
    },
    Preset {
        goal: Goal::Papers,
        id: "paper-a100-b200",
        name: "A100 to B200: GPT-3 175B",
        why: "arXiv 2407.14645: training speed of seven systems, and the causes of the whole speed-up",
        link: "v=1&view=papers&result=a100-b200",
    },
    Preset {
        goal: Goal::Papers,
        id: "paper-training-validation",
        name: "Megatron step times on A100",
        why: "arXiv 2407.14645: measured and predicted step times of eleven runs",
        link: "v=1&view=papers&result=training-validation",
    },
];
