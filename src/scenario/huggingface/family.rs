//! Types of models, and what each implies beside the shape that its file gives.

use crate::catalog::architecture::{Bias, Norm};

/// Features that a model type implies beside its shape.
#[expect(clippy::struct_excessive_bools, reason = "any combination of these features occurs")]
#[derive(Clone, Copy)]
pub(super) struct Family {
    /// Three feed-forward matrices rather than two.
    pub(super) gated: bool,
    /// Projections with biases, where the file says nothing else.
    pub(super) bias: Bias,
    /// The norm.
    pub(super) norm: Norm,
    /// Positions by rotation.
    pub(super) rotary: bool,
    /// The output head is the embedding, where the file says nothing else: the default of the type's class.
    pub(super) tied: bool,
    /// Queries and keys are normed, where the file says nothing else.
    pub(super) qk_norm: bool,
    /// Norms of a layer over the hidden width.
    pub(super) norms_per_layer: u32,
    /// Attention and feed-forward block read the same input.
    pub(super) parallel: bool,
}

/// Llama's, which types that are not known are taken to have.
pub(super) const LLAMA: Family = Family {
    gated: true,
    bias: Bias::None,
    norm: Norm::Rmsnorm,
    rotary: true,
    tied: false,
    qk_norm: false,
    norms_per_layer: 2,
    parallel: false,
};
const TIED: Family = Family { tied: true, ..LLAMA };
const NORMED: Family = Family { qk_norm: true, ..LLAMA };
const BIASED: Family = Family { bias: Bias::Qkv, ..LLAMA };
const PLAIN: Family = Family { gated: false, ..LLAMA };
const GPT: Family =
    Family { gated: false, bias: Bias::All, norm: Norm::Layernorm, rotary: false, tied: true, ..LLAMA };
const GPT_PARALLEL: Family = Family { rotary: true, tied: false, norms_per_layer: 1, parallel: true, ..GPT };

/// Types by what they imply. Heads, gates of blocks and defaults of `tie_word_embeddings`: classes of transformers 4.57.0
/// and 5.23.0 (`configuration_*.py`, `modeling_*.py`), where the default of the base class of 4.57.0 is true.
const FAMILIES: &[(Family, &[&str])] = &[
    (GPT, &["gpt2", "gpt_sw3", "opt", "bloom", "gpt_bigcode", "gpt_neo", "biogpt", "xglm"]),
    (GPT_PARALLEL, &["gptj", "codegen", "phi"]),
    (Family { rotary: true, tied: false, parallel: true, ..GPT }, &["gpt_neox"]),
    (
        Family { rotary: true, bias: Bias::None, parallel: true, ..GPT },
        &["falcon", "RefinedWeb", "RefinedWebModel"],
    ),
    (Family { rotary: true, ..GPT }, &["starcoder2"]),
    (Family { rotary: true, tied: false, ..GPT }, &["jais2"]),
    (Family { rotary: true, tied: false, qk_norm: true, ..GPT }, &["persimmon"]),
    (Family { bias: Bias::None, ..GPT }, &["mpt"]),
    (Family { norm: Norm::Layernorm, ..PLAIN }, &["nemotron"]),
    (PLAIN, &["nemotron_h", "arcee"]),
    (Family { qk_norm: true, ..PLAIN }, &["apertus"]),
    // Two norms with a shift each.
    (Family { rotary: false, norms_per_layer: 4, ..PLAIN }, &["rwkv7"]),
    (Family { qk_norm: true, norms_per_layer: 0, ..PLAIN }, &["nanochat"]),
    (Family { norm: Norm::Layernorm, ..LLAMA }, &["stablelm", "phimoe"]),
    (
        BIASED,
        &[
            "qwen2",
            "qwen2_moe",
            "glm4_moe",
            "seed_oss",
            "mimo",
            "qwen2_vl",
            "qwen2_5_vl",
            "qwen2_5_omni",
            "glm",
            "chatglm",
            "glm4v_moe",
        ],
    ),
    (Family { norms_per_layer: 4, ..BIASED }, &["glm4", "glm4v"]),
    (
        NORMED,
        &[
            "qwen3",
            "qwen3_moe",
            "minimax_m2",
            "qwen3_vl",
            "qwen3_vl_moe",
            "qwen3_next",
            "qwen3_5",
            "qwen3_5_moe",
            "minimax_m3_vl",
            "exaone4",
            "exaone_moe",
            "dots1",
            "olmo2",
            "olmo3",
            "olmoe",
            "flex_olmo",
            "hy_v3",
            "qwen3_omni_moe",
            "qwen3_omni_moe_thinker",
            "laguna",
            "step3p5",
        ],
    ),
    (Family { tied: true, ..NORMED }, &["lfm2", "lfm2_moe"]),
    (Family { norms_per_layer: 4, ..TIED }, &["gemma2"]),
    (
        Family { norms_per_layer: 4, qk_norm: true, ..TIED },
        &["gemma3", "gemma3n", "gemma4", "gemma4_unified"],
    ),
    (Family { bias: Bias::Qkvo, ..LLAMA }, &["gpt_oss"]),
    (Family { norms_per_layer: 1, parallel: true, ..TIED }, &["cohere", "cohere2"]),
    (
        TIED,
        &[
            "gemma",
            "vaultgemma",
            "falcon_mamba",
            "mamba",
            "smollm3",
            "ernie4_5",
            "ernie4_5_moe",
            "minicpm",
            "minicpm3",
            "youtu",
        ],
    ),
    (
        LLAMA,
        &[
            "llama",
            "llama4",
            "mistral",
            "mistral3",
            "mixtral",
            "ministral",
            "ministral3",
            "deepseek_v2",
            "deepseek_v3",
            "deepseek_v32",
            "deepseek_v4",
            "glm_moe_dsa",
            "glm4_moe_lite",
            "kimi_k2",
            "kimi_k25",
            "kimi_k3",
            "kimi_linear",
            "hunyuan",
            "hunyuan_v1_dense",
            "hunyuan_v1_moe",
            "mimo_v2_flash",
            "jamba",
            "falcon_h1",
            "bamba",
            "minimax",
            "minimax_text_01",
            "MiniMaxText01",
            "MiniMaxM1",
            "minimax_m1",
            "olmo",
            "phi3",
            "internlm2",
            "internlm3",
            "granite",
            "granitemoe",
            "granitemoeshared",
            "granitemoehybrid",
            "mamba2",
            "longcat_flash",
            "nemotron-nas",
            "deci",
            "xlstm",
            "baichuan",
            "yi",
            "bailing_moe",
            "exaone",
            "helium",
            "cwm",
            "hyperclovax",
            "solar_open",
            "bitnet",
        ],
    ),
];

/// Features that this type implies; nothing if it is not known.
pub(super) fn family(model_type: &str) -> Option<Family> {
    FAMILIES.iter().find(|(_, types)| types.contains(&model_type)).map(|(family, _)| *family)
}

/// Class names that are not their type's name in capitals.
const CLASSES: [(&str, &str); 8] = [
    ("rw", "falcon"),
    ("decilm", "nemotron-nas"),
    ("kimilinear", "kimi_linear"),
    ("hunyuanv1dense", "hunyuan_v1_dense"),
    ("hunyuanv1moe", "hunyuan_v1_moe"),
    ("minimaxtext01", "MiniMaxText01"),
    ("minimaxm1", "MiniMaxM1"),
    ("glmmoedsa", "glm_moe_dsa"),
];

/// The known type that a class of a checkpoint belongs to: `Qwen3MoeForCausalLM` is one of `qwen3_moe`.
pub(super) fn of_class(class: &str) -> Option<&'static str> {
    let stem = ["ForCausalLM", "ForConditionalGeneration", "LMHeadModel", "Model"]
        .into_iter()
        .find_map(|end| class.strip_suffix(end))?;
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let stem = plain(stem);
    if let Some((_, known)) = CLASSES.iter().find(|(class, _)| *class == stem) {
        return Some(known);
    }
    FAMILIES.iter().flat_map(|(_, types)| types.iter()).find(|known| plain(known) == stem).copied()
}
