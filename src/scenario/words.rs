//! Names of the variants of a scenario's enumerations in documents.
//!
//! Old links use these names for ever: names are added, never changed.

use super::{Topic, Trait, View};
use crate::economics::Terms;
use crate::generations::TaskKind;
use crate::inference::{Engine, Launch};
use crate::plan::{Schedule, TensorKind};
use crate::search::{Methods, Objective, Subject};
use crate::serving::simulation::{Lengths, Level};
use crate::sizing::{LoadKind, SizingJob, SizingObjective};
use crate::system::{AllReduce, AssumptionSet, Precision};
use crate::training::{Framework, Gradients, Optimizer};
use crate::words::words;
use crate::workload::AttentionKernel;
use crate::workload::{ContextKind, ExpertDispatch, Recompute, Targets};

words!(View {
    Training "training", Inference "inference", Sizing "sizing", Search "search", Generations "generations",
    Technology "technology", Papers "papers", Validation "validation"
});
words!(Recompute { None "none", Selective "selective", Outputs "outputs", Operators "operators", Full "full" });
words!(TensorKind { Line "line", Grid "grid" });
words!(ContextKind { Overlapped "overlapped", Gather "gather", Ring "ring", Ulysses "ulysses" });
words!(ExpertDispatch { AllToAll "all_to_all", DeepEp "deep_ep" });
words!(Schedule { Gpipe "gpipe", Alternating "1f1b", ZeroBubble "zbh1", Dualpipe "dualpipe" });
words!(Precision {
    Tf32 "tf32", Bf16 "bf16", Fp16 "fp16", Fp8 "fp8", Fp4 "fp4", Int8 "int8", Fp8Block "fp8block", Int4 "int4",
    Mxfp4 "mxfp4", Mxfp8 "mxfp8", Mxfp6 "mxfp6", Q8_0 "q8_0", Q6K "q6_k", Q5KM "q5_k_m", Q5KS "q5_k_s",
    Q4KM "q4_k_m", Q4KS "q4_k_s", Q4_0 "q4_0", Iq4Xs "iq4_xs", Q3KL "q3_k_l", Q3KM "q3_k_m", Iq3M "iq3_m", Q3KS "q3_k_s",
    Iq3Xxs "iq3_xxs", Q2K "q2_k", Iq2M "iq2_m", Iq2Xxs "iq2_xxs", Iq1M "iq1_m", Mlx8 "mlx8",
    Mlx6 "mlx6", Mlx5 "mlx5", Mlx4 "mlx4", Mlx3 "mlx3", Mlx2 "mlx2", Awq "awq", Nf4 "nf4",
    Nf4Double "nf4_double", Exl8 "exl_8bpw", Exl6 "exl_6bpw", Exl5 "exl_5bpw", Exl4 "exl_4bpw", Exl3 "exl_3bpw",
    Exl2 "exl_2bpw"
});
words!(AttentionKernel { Flash "flash", Flash2 "flash2", Unfused "unfused" });
words!(Gradients { Fp32 "fp32", Bf16 "bf16", Released "released" });
words!(Optimizer {
    Adam "adam", Adam16 "adam16", Adam8 "adam8", Momentum "momentum", Plain "sgd"
});
words!(Targets { Attention "attention", Linear "linear" });
words!(Framework {
    Typical "typical", Fused "fused", Compiled "compiled", Eager "eager", None "none", Megatron "megatron", Nemo "nemo", Composer "composer", Nanotron "nanotron",
    Transformers "transformers"
});
words!(AllReduce {
    Automatic "automatic", Library "library", OneShot "one-shot", TwoShot "two-shot", Ring "ring", Tree "tree",
    InSwitch "in-switch"
});
words!(Launch { Graph "graph", Stream "stream" });
words!(Engine {
    None "none", Typical "typical", Vllm "vllm", Vllm013 "vllm013", Sglang "sglang", Sglang056 "sglang056", Trtllm "trtllm", Trtllm10 "trtllm10", Tensorrt "tensorrt",
    Tensorrt08 "tensorrt08", Tensorrt05 "tensorrt05", Fastertransformer "fastertransformer", Megatron "megatron",
    Llamacpp "llamacpp", LlamacppFlash "llamacpp_flash", Llamafile "llamafile", Llamacpp24 "llamacpp24", Mlx "mlx"
});
words!(AssumptionSet {
    Calibrated "calibrated", Ideal "ideal", Subramanian2024 "subramanian-2024", Kundu2024 "kundu-2024"
});
words!(Objective { Time "time", Cost "cost", Energy "energy", Memory "memory" });
words!(Terms { OnDemand "on_demand", Reserved "reserved", Owned "owned" });
words!(SizingJob { Serve "serve", Train "train" });
words!(LoadKind { Users "users", Rate "rate", Concurrency "concurrency" });
words!(SizingObjective { Cost "cost", Gpus "gpus", Energy "energy" });
words!(Level { Mean "mean", P50 "p50", P90 "p90", P95 "p95", P99 "p99" });
words!(Lengths {
    Constant "constant", Narrow "narrow", Uniform "uniform", Conversation "azure-conversation", Code "azure-code",
    Long "mooncake", Synthetic "mooncake-synthetic", Trace "trace"
});
words!(Methods { All "all", OneD "1d", Summa "2d", Context "2d-seqp" });
words!(Subject { Plans "plans", Features "features" });
words!(TaskKind { Training "training", Prefill "prefill", Decode "decode" });
words!(Topic {
    Step "step", Memory "memory", Ttft "ttft", Tpot "tpot", Request "request", Throughput "throughput",
    Kernel "kernel"
});
words!(Trait {
    Source "source", Device "device", Generation "generation", Family "family", Software "software",
    Precision "precision", Bits "bits"
});
