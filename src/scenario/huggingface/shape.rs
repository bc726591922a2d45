//! The shape of a `config.json`'s language model: vocabulary, layers, heads, windows, biases.

use super::Import;
use super::config::problem;
use crate::catalog::architecture::{Bias, Mla, Window};
use crate::scenario::Problem;

impl Import<'_> {
    /// Returns true if the activation function is one that known types use without a gate. It decides for unknown types.
    pub(super) fn ungated(&self) -> bool {
        ["hidden_act", "mlp_hidden_act", "hidden_activation", "activation_function"]
            .into_iter()
            .filter_map(|key| self.config.text(key))
            .any(|word| {
                matches!(word, "relu2" | "squared_relu" | "xielu" | "gelu_new" | "relu" | "gelu_fast")
            })
    }

    /// Size of the vocabulary; for ChatGLM including padding.
    pub(super) fn vocabulary(&self) -> Result<u32, Problem> {
        if self.is(&["chatglm"]) {
            return self.config.required(&["padded_vocab_size", "vocab_size"]);
        }
        // The files of Llama and Llama 2 leave the size to the tokenizer.
        if self.config.factor("vocab_size") == Some(-1.0) {
            self.config.audit().note(
                "config.json: `vocab_size` is -1: the 32000 tokens of Llama's and Llama 2's tokenizers are used",
            );
            return Ok(32_000);
        }
        self.config.required(&["vocab_size"])
    }

    /// Returns true if the output head is tied to the embedding, by the file or else by the default of the type's class.
    pub(super) fn tied(&self, implied: Option<bool>) -> bool {
        const KEYS: [&str; 3] = ["tie_word_embeddings", "tie_embedding", "tied_embeddings"];
        let all = || [self.config].into_iter().chain(self.levels.iter().rev());
        // Files may state it at several levels; the language model's own value takes precedence.
        let mut said = None;
        for level in all() {
            for key in KEYS {
                let own = level.flag(key);
                said = said.or(own);
            }
        }
        let there = || all().any(|level| KEYS.into_iter().any(|key| level.has(key)));
        if said.is_none() && (implied.is_none() || self.params) && !there() {
            self.config
                .audit()
                .note("config.json: `tie_word_embeddings` is missing: a separate output head is assumed");
        }
        said.or(implied).unwrap_or(false)
    }

    /// Projections with biases.
    pub(super) fn bias(&self, implied: Bias) -> Bias {
        let config = self.config;
        let heads = config.switch(&["qkv_bias", "add_qkv_bias", "use_qkv_bias"]);
        let attention = config.switch(&["attention_bias", "bias"]);
        // In state-space models, `use_bias` refers to the projections of the mixer.
        let spaces = self.is(&["nemotron_h", "mamba", "mamba2", "falcon_mamba", "jamba"]);
        let all = config.switch(&["use_bias", "use_biases", "add_bias_linear"]).filter(|_| !spaces);
        let all = if config.flag("no_bias") == Some(true) { Some(false) } else { all };
        let output = config.flag("attention_out_bias");
        let bias = match (all, attention, heads) {
            (Some(true), ..) => Bias::All,
            (_, Some(true), _) if matches!(implied, Bias::None) => Bias::Qkvo,
            (_, Some(true), _) => implied,
            (_, _, Some(true)) if implied == Bias::None => Bias::Qkv,
            (_, _, Some(true)) => implied,
            (Some(false), ..) | (_, Some(false), _) | (_, _, Some(false)) => Bias::None,
            _ => implied,
        };
        let bias = if output == Some(true) && bias == Bias::Qkv { Bias::Qkvo } else { bias };
        match (config.flag("mlp_bias"), bias) {
            (Some(true), Bias::Qkvo) => Bias::All,
            (Some(true), Bias::None | Bias::Qkv) => {
                config
                    .audit()
                    .note("config.json: biases of feed-forward blocks (`mlp_bias`) are not counted");
                bias
            }
            _ => bias,
        }
    }

    /// Number of layers: stated, or the length of a list of layers.
    pub(super) fn layers(&self) -> Result<u32, Problem> {
        let config = self.config;
        let doubled = self.is(&["longcat_flash"]);
        let names = ["num_hidden_layers", "n_layer", "num_layers", "n_layers", "num_blocks"];
        let listed = ["layers_block_type", "layer_types"].into_iter().find_map(|key| config.words(key));
        let pattern = config.text("hybrid_override_pattern").map(str::len);
        let listed =
            listed.map(|listed| listed.len()).or(pattern).and_then(|count| u32::try_from(count).ok());
        let there = names.iter().any(|name| config.has(name));
        let counted = if there || listed.is_none() { config.positive(&names) } else { None };
        // A layer of LongCat has two attention blocks and two dense blocks, so it counts as two.
        let counted = counted.map(|count| if doubled { count.saturating_mul(2) } else { count });
        counted.or(listed.filter(|count| *count > 0)).map_or_else(|| config.required(&names), Ok)
    }

    /// Number of query heads. State-space models without attention have none and get one per 64 elements.
    pub(super) fn heads(&self, hidden: u32) -> Result<u32, Problem> {
        let names = ["num_attention_heads", "n_head", "n_heads", "attention_heads"];
        if self.is(&["falcon_mamba", "mamba", "mamba2"]) {
            return Ok(self.config.positive(&names).unwrap_or((hidden / 64).max(1)));
        }
        if self.is(&["rwkv7"]) {
            return Ok((hidden / self.head_dim(hidden, (hidden / 64).max(1))).max(1));
        }
        self.config.required(&[names.as_slice(), &["num_heads"]].concat())
    }

    /// Width of a head.
    pub(super) fn head_dim(&self, hidden: u32, heads: u32) -> u32 {
        let names = ["head_dim", "attention_head_dim", "kv_channels", "head_size"];
        self.config.positive(&names).unwrap_or((hidden / heads).max(1))
    }

    /// Number of key-value heads.
    pub(super) fn kv_heads(&self, heads: u32) -> Result<u32, Problem> {
        let config = self.config;
        let names =
            ["num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "num_attention_groups"];
        if let Some(listed) = names.iter().find_map(|name| config.numbers(name)) {
            let first = listed.first().copied().unwrap_or(0);
            return if first > 0 && listed.iter().all(|number| *number == first) {
                Ok(first)
            } else {
                Err(problem("num_key_value_heads", "differs from layer to layer, which is not modelled"))
            };
        }
        // ChatGLM's grouped-query attention.
        if config.flag("multi_query_attention") == Some(true) {
            return config.required(&["multi_query_group_num"]);
        }
        config.implied(&["multi_query_group_num"]);
        let grouped = config.number(&names);
        if grouped == Some(0) {
            return Err(problem("num_key_value_heads", "must be above zero"));
        }
        // Falcon-7B has multi-query attention: all heads share one key-value head.
        let newer = config.flag("new_decoder_architecture") == Some(true);
        let shared = config.flag("multi_query") == Some(true) && !newer;
        Ok(if shared { 1 } else { grouped.unwrap_or(heads) })
    }

    /// Dimensions of multi-head latent attention; `None` without it.
    pub(super) fn mla(&self) -> Option<Mla> {
        let [q_lora, kv_lora, qk_nope, qk_rope, v] =
            ["q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"]
                .map(|name| self.config.number(&[name]));
        if self.config.flag("use_mla") == Some(false) {
            return None;
        }
        Some(Mla {
            q_lora: q_lora.unwrap_or(0),
            kv_lora: kv_lora.filter(|rank| *rank > 0)?,
            qk_nope: qk_nope?,
            qk_rope: qk_rope?,
            v: v?,
        })
    }

    /// The window and the number of layers with one: listed, at a period, or all.
    pub(super) fn window(&self, layers: u32) -> Option<Window> {
        let config = self.config;
        // Types whose classes disable windows by default.
        let switched =
            self.is(&["qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "qwen2_vl", "qwen2_5_vl", "smollm3"]);
        if !config.flag("use_sliding_window").unwrap_or(!switched) {
            config.implied(&["sliding_window", "max_window_layers"]);
            return None;
        }
        let size = config.positive(&["sliding_window"]);
        let size = if config.has("sliding_window") {
            size
        } else {
            size.or(config.positive(&["sliding_window_size"]))
        };
        config.implied(&["sliding_window_size"]);
        let Some(size) = size else {
            config.implied(&["max_window_layers", "sliding_window_pattern", "_sliding_window_pattern"]);
            return None;
        };
        let listed = config
            .words("layer_types")
            .map(|types| types.iter().filter(|kind| **kind == "sliding_attention").count() as u32);
        let pattern = config.number(&["sliding_window_pattern", "_sliding_window_pattern"]);
        let pattern = pattern.filter(|every| *every > 1);
        // Letters of a repeated pattern: `L` for layers with a window, `G` for full attention (EXAONE 4).
        let letters = config.text("sliding_window_pattern").filter(|letters| {
            !letters.is_empty()
                && letters.len() <= 1024
                && letters.chars().all(|letter| "LG".contains(letter))
        });
        let lettered = letters.map(|letters| {
            (0..layers.min(1 << 16)).zip(letters.chars().cycle()).filter(|(_, letter)| *letter == 'L').count()
                as u32
        });
        if letters.is_none() && config.text("sliding_window_pattern").is_some() {
            config.audit().note(
                "config.json: `sliding_window_pattern` is not understood: a window in every layer is assumed",
            );
        }
        // Qwen2 has windows in its last layers, after `max_window_layers` layers with full attention.
        let last = config
            .number(&["max_window_layers"])
            .filter(|_| switched)
            .map(|first| layers.saturating_sub(first));
        // Interval of layers with full attention: the defaults of classes whose files omit it (transformers 5.23.0).
        let every = pattern.or(match self.model_type {
            "gemma2" => Some(2),
            "gemma3" | "gemma4" => Some(6),
            "gemma3n" => Some(5),
            "cohere2" => Some(4),
            _ => None,
        });
        let windowed =
            listed.or(lettered).or(last).or(every.map(|every| layers - layers / every)).unwrap_or(layers);
        Some(Window { size, layers: windowed.min(layers) })
    }
}
