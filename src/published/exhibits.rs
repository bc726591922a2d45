//! Tables and figures of the two papers that can be computed.

/// A paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paper {
    /// arXiv 2407.14645.
    Kundu,
    /// arXiv 2410.00273.
    Subramanian,
}

impl Paper {
    /// Both papers, in order of publication.
    pub const ALL: [Self; 2] = [Self::Kundu, Self::Subramanian];

    /// Machine name.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Kundu => "kundu-2024",
            Self::Subramanian => "subramanian-2024",
        }
    }

    /// Citation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kundu => "arXiv 2407.14645 (Kundu et al. 2024)",
            Self::Subramanian => "arXiv 2410.00273 (Subramanian et al. 2024)",
        }
    }

    /// Title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Kundu => {
                "Performance Modeling and Workload Analysis of Distributed Large Language Model Training and Inference"
            }
            Self::Subramanian => {
                "Comprehensive Performance Modeling and System Design Insights for Foundation Models"
            }
        }
    }

    /// Address of the abstract.
    pub const fn address(self) -> &'static str {
        match self {
            Self::Kundu => "https://arxiv.org/abs/2407.14645",
            Self::Subramanian => "https://arxiv.org/abs/2410.00273",
        }
    }
}

/// A table or figure that can be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhibit {
    /// Machine name, which links keep for ever.
    pub id: &'static str,
    /// The paper that published it.
    pub paper: Paper,
    /// Name in lists.
    pub name: &'static str,
    /// Content, in a sentence without a full stop.
    pub shows: &'static str,
}

const fn exhibit(paper: Paper, id: &'static str, name: &'static str, shows: &'static str) -> Exhibit {
    Exhibit { id, paper, name, shows }
}

use Paper::{Kundu, Subramanian};

/// All exhibits in the order of lists: by paper, then in the order of its argument.
pub const EXHIBITS: &[Exhibit] = &[
    exhibit(
        Kundu,
        "training-validation",
        "Training validation: Megatron on A100",
        "Step times of eight runs of Korthikanti et al. and three of Narayanan et al.: measured, ours, and the paper's predictions, inferred",
    ),
    exhibit(
        Kundu,
        "layer-times",
        "One layer by what is recomputed: Megatron 22B",
        "Forward and backward pass of one layer of 22B parameters on 8 A100 under five ways to recompute, measured and ours",
    ),
    exhibit(
        Kundu,
        "memory-recompute",
        "Memory under each way to recompute",
        "Activations and whole memory of 22B to 1T parameters without recomputation, with sequence parallelism, selective recomputation, both, and full recomputation",
    ),
    exhibit(
        Kundu,
        "inference-validation",
        "Inference validation: Llama-2 on A100 and H100",
        "Latencies of 22 requests of Llama-2 7B, 13B and 70B on 1 to 8 GPUs, measured and ours",
    ),
    exhibit(
        Kundu,
        "dram-technology",
        "Latency against DRAM technology: Llama-2-13B",
        "Latency of a request on 1, 2, 4 and 8 GPUs against DRAM bandwidth, from LPDDR5X to HBM4E",
    ),
    exhibit(
        Kundu,
        "operator-bounds",
        "What limits each multiply: Llama-2-13B on A100 and H100",
        "Multiplies of a prefill of 200 tokens under the rooflines of both devices: limited by arithmetic or by DRAM",
    ),
    exhibit(
        Kundu,
        "a100-b200",
        "A100 to B200: GPT-3 175B on 8,192 GPUs",
        "Training speed of seven systems from A100 with HDR to B200 with NVLink between nodes, and the causes of the whole speed-up",
    ),
    exhibit(
        Kundu,
        "technology-nodes",
        "Process nodes from 12 nm to 1 nm",
        "Speed-up of a training step of 7B parameters on 1,024 accelerators of each node, with each memory and each kind of links",
    ),
    exhibit(
        Subramanian,
        "study",
        "The whole study: two models on nine systems",
        "Days that the best plan of each strategy takes to train GPT3-1T and the vision transformer on each of nine systems of 4 to 16,384 \
         GPUs: 702 searches over 9,183,444 plans",
    ),
    exhibit(
        Subramanian,
        "days-gpt3-a100",
        "Days to train against GPUs: GPT3-1T on A100",
        "Days that the best plan of each strategy takes to train GPT-3 with 10¹² parameters on 4 to 16,384 A100, in scale-up domains of 4, \
         8 and 64",
    ),
    exhibit(
        Subramanian,
        "days-gpt3-h200",
        "Days to train against GPUs: GPT3-1T on H200",
        "Days that the best plan of each strategy takes to train GPT-3 with 10¹² parameters on 4 to 16,384 H200, in scale-up domains of 4, \
         8 and 64",
    ),
    exhibit(
        Subramanian,
        "days-gpt3-b200",
        "Days to train against GPUs: GPT3-1T on B200",
        "Days that the best plan of each strategy takes to train GPT-3 with 10¹² parameters on 4 to 16,384 B200, in scale-up domains of 4, \
         8 and 64",
    ),
    exhibit(
        Subramanian,
        "days-vit-a100",
        "Days to train against GPUs: ViT on A100",
        "Days that the best plan of each strategy takes to train the vision transformer of 64,800 tokens on 4 to 16,384 A100, in scale-up domains of 4, \
         8 and 64",
    ),
    exhibit(
        Subramanian,
        "days-vit-h200",
        "Days to train against GPUs: ViT on H200",
        "Days that the best plan of each strategy takes to train the vision transformer of 64,800 tokens on 4 to 16,384 H200, in scale-up domains of 4, \
         8 and 64",
    ),
    exhibit(
        Subramanian,
        "days-vit-b200",
        "Days to train against GPUs: ViT on B200",
        "Days that the best plan of each strategy takes to train the vision transformer of 64,800 tokens on 4 to 16,384 B200, in scale-up domains of 4, \
         8 and 64",
    ),
    exhibit(
        Subramanian,
        "optima",
        "Best plans and where their time goes",
        "Shares of arithmetic, communication and waiting in a step of the best plan, for eleven cases of model, strategy and system",
    ),
    exhibit(
        Subramanian,
        "why-that-plan",
        "Why that plan: time and memory against pipeline depth",
        "How the terms of a step of GPT3-1T on 16,384 B200 and the memory of a GPU change with the depth of the pipeline, and with the shape of a SUMMA grid",
    ),
    exhibit(
        Subramanian,
        "sweeps-gpt3",
        "DRAM and arithmetic: GPT3-1T on B200",
        "Days to train GPT3-1T against DRAM bandwidth, DRAM capacity and matrix rate",
    ),
    exhibit(
        Subramanian,
        "sweeps-vit",
        "DRAM and arithmetic: ViT on B200",
        "Days to train the vision transformer of 64,800 tokens against DRAM bandwidth, DRAM capacity and matrix rate",
    ),
    exhibit(
        Subramanian,
        "domain-speedup",
        "Scale-up domains of 4 against 64 GPUs",
        "How much faster training is in scale-up domains of 64 GPUs than in those of 4, for each number of GPUs",
    ),
    exhibit(
        Subramanian,
        "nccl",
        "Collectives against NCCL on Perlmutter",
        "Times of all-gather, reduce-scatter and all-reduce by the paper's equations beside 1,329 measured ones",
    ),
    exhibit(
        Subramanian,
        "megatron",
        "Training validation: Megatron on A100",
        "Step times by the paper's equations beside measured ones of four Megatron models",
    ),
];

/// The exhibit of this machine name.
pub fn exhibit_named(id: &str) -> Option<&'static Exhibit> {
    EXHIBITS.iter().find(|exhibit| exhibit.id == id)
}
