//! Types of models, with the properties that each implies and that files do not state.

use crate::catalog::architecture::{Bias, Norm};

/// Properties that a model type implies.
#[expect(clippy::struct_excessive_bools, reason = "any combination of these features occurs")]
#[derive(Clone, Copy)]
pub(super) struct Family {
    /// True if the feed-forward block is gated (three matrices instead of two).
    pub(super) gated: bool,
    /// Projections with biases, unless the file states them.
    pub(super) bias: Bias,
    /// Kind of norm.
    pub(super) norm: Norm,
    /// True for rotary position embeddings.
    pub(super) rotary: bool,
    /// True if the output head is tied to the embedding, unless the file states it: the default of the type's class.
    pub(super) tied: bool,
    /// True if queries and keys are normalised, unless the file states it.
    pub(super) qk_norm: bool,
    /// Number of norms of a layer over the hidden width.
    pub(super) norms_per_layer: u32,
    /// True if attention and the feed-forward block read the same input (parallel block).
    pub(super) parallel: bool,
}

/// Properties of Llama, which unknown types are assumed to have.
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
/// Llama with a tied output head.
const TIED: Family = Family { tied: true, ..LLAMA };
/// Llama with normalised queries and keys.
const NORMED: Family = Family { qk_norm: true, ..LLAMA };
/// Llama with biases of queries, keys and values.
const BIASED: Family = Family { bias: Bias::Qkv, ..LLAMA };
/// Llama with feed-forward blocks of two matrices.
const PLAIN: Family = Family { gated: false, ..LLAMA };
/// GPT-2.
const GPT: Family =
    Family { gated: false, bias: Bias::All, norm: Norm::Layernorm, rotary: false, tied: true, ..LLAMA };
/// GPT-J: rotary positions, and parallel blocks with one norm.
const GPT_PARALLEL: Family = Family { rotary: true, tied: false, norms_per_layer: 1, parallel: true, ..GPT };

/// Types by their properties, from huggingface/transformers 4.57.0 and 5.23.0 (`configuration_*.py`, `modeling_*.py` in
/// `src/transformers/models`). Classes of 4.57.0 without a default of `tie_word_embeddings` inherit true from
/// `PretrainedConfig`.
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
    // Two norms, each of which has a bias that counts as another norm.
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
            "bailing_moe_linear",
            "bailing_moe_v2_5",
            "bailing_hybrid",
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
            "recurrent_gemma",
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
    (Family { tied: true, ..LLAMA }, &["zamba2"]),
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

/// Properties of a type; `None` if the type is unknown.
pub(super) fn family(model_type: &str) -> Option<Family> {
    FAMILIES.iter().find(|(_, types)| types.contains(&model_type)).map(|(family, _)| *family)
}

/// Class names that differ from the type in more than case and punctuation, with the type.
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

/// The known type of a class, e.g. `qwen3_moe` for `Qwen3MoeForCausalLM`.
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
