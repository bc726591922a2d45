//! Layers of several kinds: files with the published keys give the shapes of the catalogue.

use foretoken::catalog::layers::Layer;
use foretoken::catalog::{self, Architecture};
use foretoken::scenario::huggingface::architecture;
use serde_json::{Value, json};

/// Layers of two kinds, with the second kind at the end of each group.
fn layered(layers: u32, group: u32) -> Value {
    let kind =
        |layer: u32| if (layer + 1).is_multiple_of(group) { "full_attention" } else { "sliding_attention" };
    (0..layers).map(kind).collect()
}

/// Layers of two kinds, with the second kind at the beginning of each group.
fn leading(layers: u32, group: u32) -> Vec<&'static str> {
    let kind = |layer: u32| if layer.is_multiple_of(group) { "full_attention" } else { "sliding_attention" };
    (0..layers).map(kind).collect()
}

fn files() -> Vec<(&'static str, Value)> {
    let small = |hidden: u32,
                 layers: u32,
                 kv_heads: u32,
                 width: u32,
                 shared: u32,
                 double: bool,
                 group: u32| {
        json!({"model_type": "gemma4", "audio_config": {"hidden_size": 1024}, "text_config": {
            "model_type": "gemma4_text", "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": 8,
            "num_key_value_heads": kv_heads, "head_dim": 256, "global_head_dim": 512, "intermediate_size": width,
            "hidden_size_per_layer_input": 256, "vocab_size": 262_144, "vocab_size_per_layer_input": 262_144,
            "num_kv_shared_layers": shared, "use_double_wide_mlp": double, "sliding_window": 512, "enable_moe_block": false,
            "attention_k_eq_v": false, "max_position_embeddings": 131_072, "layer_types": layered(layers, group)}})
    };
    vec![
        ("gemma-4-e2b", small(1536, 35, 1, 6144, 20, true, 5)),
        ("gemma-4-e4b", small(2560, 42, 2, 10_240, 18, false, 6)),
        // google/gemma-3n-E4B-it: the file lacks fields that equal the defaults of their class.
        (
            "gemma-3n-e4b",
            json!({"model_type": "gemma3n", "text_config": {"model_type": "gemma3n_text",
                "intermediate_size": vec![16_384; 35]}}),
        ),
        (
            "gemma-3n-e2b",
            json!({"model_type": "gemma3n", "text_config": {"model_type": "gemma3n_text", "num_hidden_layers": 30,
                "num_kv_shared_layers": 10, "intermediate_size": vec![8192; 30], "layer_types": layered(30, 5),
                "altup_num_inputs": 4, "laurel_rank": 64}}),
        ),
        (
            "step-3.5-flash",
            json!({"model_type": "step3p5", "hidden_size": 4096, "intermediate_size": 11_264, "num_hidden_layers": 45,
                "num_attention_heads": 64, "num_attention_groups": 8, "head_dim": 128, "vocab_size": 128_896,
                "attention_other_setting": {"attention_type": "sliding_attention", "num_attention_heads": 96,
                "num_attention_groups": 8, "head_dim": 128}, "use_head_wise_attn_gate": true, "sliding_window": 512,
                "layer_types": leading(48, 4), "moe_num_experts": 288, "moe_top_k": 8, "moe_intermediate_size": 1280,
                "share_expert_dim": 1280, "use_moe_router_bias": true, "tie_word_embeddings": false,
                "moe_layers_enum": (3..45).map(|layer| layer.to_string()).collect::<Vec<_>>().join(","),
                "num_nextn_predict_layers": 3, "yarn_only_types": ["full_attention"]}),
        ),
        (
            "laguna-xs.2",
            json!({"model_type": "laguna", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 40,
                "num_attention_heads": 48, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 100_352,
                "num_attention_heads_per_layer":
                    (0..40).map(|layer| if layer % 4 == 0 { 48 } else { 64 }).collect::<Vec<u32>>(),
                "gating": true, "sliding_window": 512, "layer_types": leading(40, 4), "num_experts": 256,
                "num_experts_per_tok": 8, "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512,
                "mlp_layer_types": (0..40).map(|layer| if layer == 0 { "dense" } else { "sparse" }).collect::<Vec<_>>()}),
        ),
        (
            "rwkv-7-2.9b",
            json!({"model_type": "rwkv7", "hidden_size": 2560, "num_hidden_layers": 32, "head_dim": 64,
                "intermediate_size": 10_240, "hidden_ratio": 4.0, "vocab_size": 65_536, "decay_low_rank_dim": 96,
                "a_low_rank_dim": 96, "v_low_rank_dim": 64, "gate_low_rank_dim": 320, "tie_word_embeddings": false}),
        ),
    ]
}

#[test]
fn places_give_the_layers_of_the_catalogue() {
    for (id, file) in files() {
        let ours = catalog::architecture(id).expect(id);
        let theirs = architecture(&file.to_string()).unwrap_or_else(|problem| panic!("{id}: {problem}"));
        assert_eq!(theirs.parameters(), ours.parameters(), "{id}");
        let modules = |model: &Architecture| model.prediction.map(|modules| modules.parameters(model));
        assert_eq!(modules(&theirs), modules(ours), "{id}");
        assert_eq!(crate::layers::kept(&theirs), crate::layers::kept(ours), "{id}");
        let told = theirs.warnings.join("; ");
        assert!(!told.contains("not understood"), "{id}: {told}");
    }
}

/// Other types with the keys of Gemma's small models are refused.
/// The file of Zyphra/Zamba2-2.7B: every key is known, and shared blocks count once.
#[test]
fn blocks_that_layers_share_count_once() {
    let file = json!({
        "architectures": ["Zamba2ForCausalLM"], "model_type": "zamba2", "add_bias_linear": false, "attention_dropout": 0.0,
        "attention_head_dim": 160, "attention_hidden_size": 5120, "adapter_rank": 128, "chunk_size": 256, "hidden_act": "gelu",
        "hidden_size": 2560, "hybrid_layer_ids": [6, 12, 18, 24, 30, 36, 42, 47, 51], "intermediate_size": 10240,
        "mamba_d_conv": 4, "mamba_d_state": 64, "mamba_expand": 2, "mamba_headdim": 64, "mamba_ngroups": 1,
        "max_position_embeddings": 4096, "n_mamba_heads": 80, "num_attention_heads": 32, "num_hidden_layers": 54,
        "num_key_value_heads": 32, "num_logits_to_keep": 1, "num_mem_blocks": 2, "rms_norm_eps": 1e-5, "rope_theta": 10000,
        "time_step_floor": 1e-4, "time_step_max": 0.1, "time_step_min": 0.001, "use_conv_bias": true, "use_long_context": false,
        "use_mamba_kernels": true, "use_mem_eff_path": false, "use_mem_rope": false, "use_shared_attention_adapter": false,
        "use_shared_mlp_adapter": true, "vocab_size": 32000
    });
    let found = architecture(&file.to_string()).expect("Zamba2");
    assert_eq!(found.warnings, Vec::<String>::new());
    let known = catalog::architecture("zamba2-2.7b").expect("Zamba2");
    assert_eq!((&found.stack, found.layers, found.extra), (&known.stack, known.layers, known.extra));
    assert_eq!(found.parameters(), known.parameters());
    // Of 9 uses, 7 take weights of others: each block has 4 projections of 5,120 from 5,120 or to 2,560, and an MLP.
    let block = 3 * 5120 * 5120 + 5120 * 2560 + 2560 * 2560 + 3 * 2560 * 10240 + 3 * 2560;
    let alone = Architecture {
        stack: known.stack.iter().map(|layer| Layer { copies: None, ..*layer }).collect(),
        ..known.clone()
    };
    assert_eq!(alone.parameters().total - known.parameters().total, 7 * block);
}

#[test]
fn streams_of_other_types_are_refused() {
    let (_, file) = files().swap_remove(0);
    let text = file["text_config"].to_string().replace("gemma4_text", "sparkle");
    let problem = architecture(&text).expect_err("embeddings per layer").to_string();
    assert!(
        problem.contains("hidden_size_per_layer_input") || problem.contains("num_kv_shared_layers"),
        "{problem}"
    );
}

/// Numbers beyond those of any published file.
#[test]
fn hostile_layers_do_no_harm() {
    let most = u32::MAX;
    for file in [
        json!({"model_type": "gemma3n", "num_hidden_layers": 1000, "hidden_size": most, "hidden_size_per_layer_input": most,
            "vocab_size_per_layer_input": most, "altup_num_inputs": most, "laurel_rank": most, "head_dim": most,
            "num_key_value_heads": most, "num_kv_shared_layers": most, "intermediate_size": most,
            "use_double_wide_mlp": true}),
        json!({"model_type": "nemotron-nas", "num_hidden_layers": 1, "hidden_size": most, "num_attention_heads": most,
            "vocab_size": most, "block_configs": [{"attention": {"n_heads_in_group": most}, "ffn": {"ffn_mult": 1e300}}]}),
        json!({"dim": most, "n_layers": 2, "n_heads": 1, "vocab_size": -1, "multiple_of": most, "ffn_dim_multiplier": 1e300,
            "moe": {"num_experts": most, "num_experts_per_tok": most}}),
        json!({"model_type": "exaone4", "num_hidden_layers": most, "hidden_size": 1, "num_attention_heads": most,
            "vocab_size": 1, "sliding_window": 1, "sliding_window_pattern": "LLLG"}),
    ] {
        drop(architecture(&file.to_string()));
    }
}
