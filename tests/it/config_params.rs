//! Meta's and Mistral's `params.json`, with parameters of published checkpoints.

use foretoken::scenario::huggingface::architecture;

#[test]
fn parameters_are_the_published_ones() {
    for (file, total, active) in [
        // Llama 2 7B and 70B (meta-llama/llama), Llama 3.1 8B and 405B (meta-llama/llama-models).
        (
            r#"{"dim":4096,"multiple_of":256,"n_heads":32,"n_layers":32,"norm_eps":1e-05,"vocab_size":-1}"#,
            6_738_415_616,
            None,
        ),
        (
            r#"{"dim":8192,"multiple_of":4096,"ffn_dim_multiplier":1.3,"n_heads":64,"n_kv_heads":8,"n_layers":80,
            "norm_eps":1e-05,"vocab_size":-1}"#,
            68_976_648_192,
            None,
        ),
        (
            r#"{"dim":4096,"ffn_dim_multiplier":1.3,"multiple_of":1024,"n_heads":32,"n_kv_heads":8,"n_layers":32,
            "norm_eps":1e-05,"rope_theta":500000.0,"use_scaled_rope":true,"vocab_size":128256}"#,
            8_030_261_248,
            None,
        ),
        (
            r#"{"dim":16384,"ffn_dim_multiplier":1.2,"multiple_of":4096,"n_heads":128,"n_kv_heads":8,"n_layers":126,
            "norm_eps":1e-05,"rope_theta":500000.0,"use_scaled_rope":true,"vocab_size":128256}"#,
            405_853_388_800,
            None,
        ),
        // Mixtral 8x7B: 46.7 billion parameters, 12.9 billion of them active per token (arXiv 2401.04088).
        (
            r#"{"dim":4096,"n_layers":32,"head_dim":128,"hidden_dim":14336,"n_heads":32,"n_kv_heads":8,"norm_eps":1e-05,
            "vocab_size":32000,"moe":{"num_experts_per_tok":2,"num_experts":8}}"#,
            46_702_792_704,
            Some(12_879_925_248),
        ),
        // Mistral 7B v0.1.
        (
            r#"{"dim":4096,"n_layers":32,"head_dim":128,"hidden_dim":14336,"n_heads":32,"n_kv_heads":8,"norm_eps":1e-05,
            "sliding_window":4096,"vocab_size":32000}"#,
            7_241_732_096,
            None,
        ),
    ] {
        let model = architecture(file).unwrap_or_else(|problem| panic!("{file}: {problem}"));
        let counted = model.parameters();
        assert_eq!((counted.total, active.map(|_| counted.active)), (total, active), "{file}");
        assert!(
            model.warnings.iter().all(|warning| !warning.contains("not understood")),
            "{:?}",
            model.warnings
        );
        assert_eq!(model.window.is_some(), file.contains("sliding_window"));
    }
}

/// Mistral Large 3: latent attention, experts after dense layers, FP8.
#[test]
fn experts_stand_apart() {
    let file = r#"{"dim":7168,"n_layers":61,"head_dim":128,"hidden_dim":16384,"n_heads":128,"n_kv_heads":128,"norm_eps":1e-06,
        "vocab_size":131072,"tied_embeddings":false,"q_lora_rank":1536,"qk_rope_head_dim":64,"qk_nope_head_dim":128,
        "kv_lora_rank":512,"v_head_dim":128,"max_position_embeddings":294912,"yarn":{"original_max_position_embeddings":8192,
        "factor":36,"apply_scale":false,"beta":32,"alpha":1},"moe":{"expert_parallel":1,"expert_model_parallel":1,
        "route_every_n":1,"first_k_dense_replace":3,"num_experts":128,"num_experts_per_tok":4,"num_expert_groups":1,
        "num_expert_groups_per_tok":1,"routed_scale":1.0,"expert_hidden_dim":4096,"num_shared_experts":1,"odd":2},
        "quantization":{"qformat_weight":"fp8_e4m3","qscheme_act":"TENSOR"},"vision_encoder":{"hidden_size":1664}}"#;
    let model = architecture(file).expect("a model");
    let moe = model.moe.expect("experts");
    assert_eq!((moe.experts, moe.top_k, moe.ffn, moe.shared_ffn, moe.dense_layers), (128, 4, 4096, 4096, 3));
    assert!(model.mla.is_some() && !model.tied);
    assert_eq!(model.weights.as_deref(), Some("fp8"));
    // 675 billion parameters, including 2.5 billion of the vision encoder.
    assert!((model.parameters().total as f64 / 672.5e9 - 1.0).abs() < 0.01, "{}", model.parameters().total);
    let told = model.warnings.join("; ");
    assert!(told.contains("`moe.odd`") && told.contains("vision encoder"), "{told}");
}
