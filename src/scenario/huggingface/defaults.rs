//! Defaults of the classes in transformers, by type.
//!
//! The files of multimodal models omit fields of the language model that equal the defaults of its class. Gemma 3's
//! published files, for example, state neither the number of heads nor the size of the vocabulary.

/// Keys with their default values.
type Defaults = &'static [(&'static str, u32)];

/// Defaults by type, from huggingface/transformers 5.23.0: fields of the classes in
/// `src/transformers/models/*/configuration_*.py`. Widths are in elements, sequence lengths and windows in tokens.
#[rustfmt::skip]
const CLASSES: &[(&str, Defaults)] = &[
    ("llama", &[("vocab_size", 32_000), ("hidden_size", 4096), ("intermediate_size", 11_008), ("num_hidden_layers", 32), ("num_attention_heads", 32), ("max_position_embeddings", 2048)]),
    ("mistral", &[("vocab_size", 32_000), ("hidden_size", 4096), ("intermediate_size", 14_336), ("num_hidden_layers", 32), ("num_attention_heads", 32), ("num_key_value_heads", 8), ("max_position_embeddings", 131_072), ("sliding_window", 4096)]),
    ("mixtral", &[("vocab_size", 32_000), ("hidden_size", 4096), ("intermediate_size", 14_336), ("num_hidden_layers", 32), ("num_attention_heads", 32), ("num_key_value_heads", 8), ("max_position_embeddings", 131_072), ("num_local_experts", 8), ("num_experts_per_tok", 2)]),
    ("ministral3", &[("vocab_size", 131_072), ("hidden_size", 4096), ("intermediate_size", 14_336), ("num_hidden_layers", 34), ("num_attention_heads", 32), ("num_key_value_heads", 8), ("head_dim", 128), ("max_position_embeddings", 262_144)]),
    ("qwen2", &[("vocab_size", 151_936), ("hidden_size", 4096), ("intermediate_size", 22_016), ("num_hidden_layers", 32), ("num_attention_heads", 32), ("num_key_value_heads", 32), ("max_position_embeddings", 32_768), ("sliding_window", 4096)]),
    ("qwen3", &[("vocab_size", 151_936), ("hidden_size", 4096), ("intermediate_size", 22_016), ("num_hidden_layers", 32), ("num_attention_heads", 32), ("num_key_value_heads", 32), ("head_dim", 128), ("max_position_embeddings", 32_768), ("sliding_window", 4096)]),
    ("qwen3_moe", &[("vocab_size", 151_936), ("hidden_size", 2048), ("intermediate_size", 6144), ("num_hidden_layers", 24), ("num_attention_heads", 32), ("num_key_value_heads", 4), ("max_position_embeddings", 32_768), ("sliding_window", 4096), ("num_experts", 128), ("num_experts_per_tok", 8), ("moe_intermediate_size", 768)]),
    ("qwen2_vl", &[("vocab_size", 152_064), ("hidden_size", 8192), ("intermediate_size", 29_568), ("num_hidden_layers", 80), ("num_attention_heads", 64), ("num_key_value_heads", 8), ("max_position_embeddings", 32_768), ("sliding_window", 4096)]),
    ("qwen2_5_vl", &[("vocab_size", 152_064), ("hidden_size", 8192), ("intermediate_size", 29_568), ("num_hidden_layers", 80), ("num_attention_heads", 64), ("num_key_value_heads", 8), ("max_position_embeddings", 32_768), ("sliding_window", 4096)]),
    ("qwen3_vl", &[("vocab_size", 151_936), ("hidden_size", 4096), ("intermediate_size", 22_016), ("num_hidden_layers", 32), ("num_attention_heads", 32), ("num_key_value_heads", 32), ("head_dim", 128), ("max_position_embeddings", 128_000)]),
    ("qwen3_vl_moe", &[("vocab_size", 151_936), ("hidden_size", 2048), ("intermediate_size", 5632), ("num_hidden_layers", 24), ("num_attention_heads", 16), ("num_key_value_heads", 16), ("max_position_embeddings", 128_000), ("num_experts", 60), ("num_experts_per_tok", 4), ("moe_intermediate_size", 1408)]),
    ("gemma", &[("vocab_size", 256_000), ("hidden_size", 3072), ("intermediate_size", 24_576), ("num_hidden_layers", 28), ("num_attention_heads", 16), ("num_key_value_heads", 16), ("head_dim", 256), ("max_position_embeddings", 8192)]),
    ("gemma2", &[("vocab_size", 256_000), ("hidden_size", 2304), ("intermediate_size", 9216), ("num_hidden_layers", 26), ("num_attention_heads", 8), ("num_key_value_heads", 4), ("head_dim", 256), ("max_position_embeddings", 8192), ("sliding_window", 4096)]),
    ("gemma3", &[("vocab_size", 262_208), ("hidden_size", 2304), ("intermediate_size", 9216), ("num_hidden_layers", 26), ("num_attention_heads", 8), ("num_key_value_heads", 4), ("head_dim", 256), ("max_position_embeddings", 131_072), ("sliding_window", 4096)]),
    ("gemma3n", &[("num_kv_shared_layers", 15), ("hidden_size_per_layer_input", 256), ("vocab_size_per_layer_input", 262_144), ("altup_num_inputs", 4), ("laurel_rank", 64), ("vocab_size", 262_400), ("hidden_size", 2048), ("intermediate_size", 16_384), ("num_hidden_layers", 35), ("num_attention_heads", 8), ("num_key_value_heads", 2), ("head_dim", 256), ("max_position_embeddings", 32_768), ("sliding_window", 512)]),
    ("gemma4", &[("hidden_size_per_layer_input", 256), ("vocab_size_per_layer_input", 262_144), ("vocab_size", 262_144), ("hidden_size", 2304), ("intermediate_size", 9216), ("num_hidden_layers", 30), ("num_attention_heads", 8), ("num_key_value_heads", 4), ("head_dim", 256), ("max_position_embeddings", 131_072), ("sliding_window", 512)]),
    ("llama4", &[("vocab_size", 202_048), ("hidden_size", 5120), ("intermediate_size", 8192), ("num_hidden_layers", 48), ("num_attention_heads", 40), ("num_key_value_heads", 8), ("head_dim", 128), ("max_position_embeddings", 131_072), ("num_local_experts", 16), ("num_experts_per_tok", 1), ("attention_chunk_size", 8192), ("interleave_moe_layer_step", 1), ("intermediate_size_mlp", 16_384)]),
    ("phi3", &[("vocab_size", 32_064), ("hidden_size", 3072), ("intermediate_size", 8192), ("num_hidden_layers", 32), ("num_attention_heads", 32), ("max_position_embeddings", 4096)]),
    ("gpt_oss", &[("vocab_size", 201_088), ("hidden_size", 2880), ("intermediate_size", 2880), ("num_hidden_layers", 36), ("num_attention_heads", 64), ("num_key_value_heads", 8), ("head_dim", 64), ("max_position_embeddings", 131_072), ("sliding_window", 128), ("num_local_experts", 128), ("num_experts_per_tok", 4)]),
    ("qwen3_5", &[("vocab_size", 248_320), ("hidden_size", 4096), ("intermediate_size", 12_288), ("num_hidden_layers", 32), ("num_attention_heads", 16), ("num_key_value_heads", 4), ("head_dim", 256), ("max_position_embeddings", 32_768)]),
    ("qwen3_5_moe", &[("vocab_size", 248_320), ("hidden_size", 2048), ("num_hidden_layers", 40), ("num_attention_heads", 16), ("num_key_value_heads", 2), ("head_dim", 256), ("max_position_embeddings", 32_768), ("num_experts", 256), ("num_experts_per_tok", 8), ("moe_intermediate_size", 512)]),
    ("cohere2", &[("vocab_size", 256_000), ("hidden_size", 8192), ("intermediate_size", 22_528), ("num_hidden_layers", 40), ("num_attention_heads", 64), ("max_position_embeddings", 8192), ("sliding_window", 4096)]),
    ("smollm3", &[("vocab_size", 128_256), ("hidden_size", 2048), ("intermediate_size", 11_008), ("num_hidden_layers", 36), ("num_attention_heads", 16), ("num_key_value_heads", 4), ("max_position_embeddings", 32_768)]),
    ("starcoder2", &[("vocab_size", 49_152), ("hidden_size", 3072), ("intermediate_size", 12_288), ("num_hidden_layers", 30), ("num_attention_heads", 24), ("num_key_value_heads", 2), ("max_position_embeddings", 4096)]),
];

/// The defaults of a type; empty for types whose files state every key.
pub(super) fn of(model_type: &str) -> Defaults {
    CLASSES.iter().find(|(known, _)| *known == model_type).map_or(&[], |(_, defaults)| *defaults)
}

#[cfg(test)]
mod tests {
    use super::super::config::MOST_LAYERS;
    use super::*;

    #[test]
    fn every_type_with_defaults_is_known() {
        for (model_type, defaults) in CLASSES {
            assert!(super::super::family::family(model_type).is_some(), "{model_type}");
            assert!(defaults.iter().any(|(key, value)| *key == "num_hidden_layers" && *value < MOST_LAYERS));
        }
    }
}
