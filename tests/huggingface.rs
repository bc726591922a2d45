//! A checkpoint's `config.json` gives the shape that the catalogue has for it.

#![allow(clippy::expect_used)]

use foretoken::catalog;
use foretoken::scenario::huggingface::architecture;

/// Checkpoints' fields, as their authors publish them, and the catalogue's entries.
const CONFIGS: [(&str, &str); 11] = [
    (
        "llama-3.1-8b",
        r#"{"model_type":"llama","num_hidden_layers":32,"hidden_size":4096,"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,"vocab_size":128256,"max_position_embeddings":131072,"tie_word_embeddings":false,"attention_bias":false}"#,
    ),
    (
        "mistral-7b-v0.1",
        r#"{"model_type":"mistral","num_hidden_layers":32,"hidden_size":4096,"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,"vocab_size":32000,"max_position_embeddings":32768,"sliding_window":4096,"tie_word_embeddings":false}"#,
    ),
    (
        "mixtral-8x7b",
        r#"{"model_type":"mixtral","num_hidden_layers":32,"hidden_size":4096,"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,"num_local_experts":8,"num_experts_per_tok":2,"vocab_size":32000,"max_position_embeddings":32768,"sliding_window":null,"tie_word_embeddings":false}"#,
    ),
    (
        "qwen2.5-7b",
        r#"{"model_type":"qwen2","num_hidden_layers":28,"hidden_size":3584,"num_attention_heads":28,"num_key_value_heads":4,"intermediate_size":18944,"vocab_size":152064,"sliding_window":131072,"use_sliding_window":false,"tie_word_embeddings":false}"#,
    ),
    (
        "qwen3-235b-a22b",
        r#"{"model_type":"qwen3_moe","num_hidden_layers":94,"hidden_size":4096,"num_attention_heads":64,"num_key_value_heads":4,"head_dim":128,"intermediate_size":12288,"moe_intermediate_size":1536,"num_experts":128,"num_experts_per_tok":8,"mlp_only_layers":[],"decoder_sparse_step":1,"vocab_size":151936,"attention_bias":false,"tie_word_embeddings":false,"use_sliding_window":false,"sliding_window":null}"#,
    ),
    (
        "deepseek-v3",
        r#"{"model_type":"deepseek_v3","num_hidden_layers":61,"hidden_size":7168,"num_attention_heads":128,"num_key_value_heads":128,"intermediate_size":18432,"moe_intermediate_size":2048,"n_routed_experts":256,"n_shared_experts":1,"num_experts_per_tok":8,"first_k_dense_replace":3,"topk_method":"noaux_tc","q_lora_rank":1536,"kv_lora_rank":512,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128,"vocab_size":129280,"tie_word_embeddings":false,"attention_bias":false}"#,
    ),
    (
        "gpt-oss-120b",
        r#"{"model_type":"gpt_oss","num_hidden_layers":36,"hidden_size":2880,"num_attention_heads":64,"num_key_value_heads":8,"head_dim":64,"intermediate_size":2880,"num_local_experts":128,"num_experts_per_tok":4,"sliding_window":128,"layer_types":["sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention"],"vocab_size":201088,"tie_word_embeddings":false,"attention_bias":true}"#,
    ),
    (
        "gemma-3-27b",
        r#"{"model_type":"gemma3","text_config":{"model_type":"gemma3_text","num_hidden_layers":62,"hidden_size":5376,"num_attention_heads":32,"num_key_value_heads":16,"head_dim":128,"intermediate_size":21504,"sliding_window":1024,"vocab_size":262144}}"#,
    ),
    (
        "falcon-40b",
        r#"{"model_type":"falcon","num_hidden_layers":60,"hidden_size":8192,"num_attention_heads":128,"num_kv_heads":8,"new_decoder_architecture":true,"multi_query":true,"vocab_size":65024,"bias":false}"#,
    ),
    (
        "opt-30b",
        r#"{"model_type":"opt","num_hidden_layers":48,"hidden_size":7168,"num_attention_heads":56,"ffn_dim":28672,"vocab_size":50272,"max_position_embeddings":2048}"#,
    ),
    (
        "bloom-176b",
        r#"{"model_type":"bloom","n_layer":70,"hidden_size":14336,"num_attention_heads":112,"vocab_size":250880,"seq_length":2048}"#,
    ),
];

#[test]
fn shapes_are_those_of_the_catalogue() {
    for (id, config) in CONFIGS {
        let ours = catalog::architecture(id).expect(id);
        let theirs = architecture(config).expect(id);
        assert_eq!(theirs.parameters(), ours.parameters(), "{id}");
        assert_eq!(theirs.window, ours.window, "{id}");
        assert_eq!(
            (theirs.heads, theirs.kv_heads, theirs.head_dim),
            (ours.heads, ours.kv_heads, ours.head_dim)
        );
        assert_eq!((theirs.rotary, theirs.parallel_block), (ours.rotary, ours.parallel_block), "{id}");
    }
}

#[test]
fn what_is_missing_is_named() {
    let problem = architecture("{}").expect_err("no shape");
    assert_eq!(problem.to_string(), "config.json num_hidden_layers: is missing: a whole number above zero");
    for broken in ["", "[]", "7", "null", r#"{"num_hidden_layers":"many"}"#] {
        assert!(architecture(broken).is_err(), "{broken}");
    }
}

#[test]
fn hostile_numbers_do_no_harm() {
    let hostile = r#"{"num_hidden_layers":4294967295,"hidden_size":4294967295,"num_attention_heads":1,"vocab_size":4294967295,"num_experts":4294967295,"num_experts_per_tok":4294967295,"moe_intermediate_size":4294967295,"n_shared_experts":4294967295,"interleave_moe_layer_step":4294967295,"sliding_window":1,"sliding_window_pattern":4294967295}"#;
    assert!(architecture(hostile).is_ok());
}
