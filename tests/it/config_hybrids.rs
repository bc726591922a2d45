//! Files of models that share keys and values between layers, alternate groups of linear attention with other attention, or have
//! recurrent units of one element per channel.

use foretoken::catalog::Architecture;
use foretoken::catalog::layers::{Heads, KeyValues, Layer, Lightning, Mixer, RgLru, Seen};
use foretoken::scenario::huggingface::architecture;
use serde_json::{Value, json};

fn read(file: &Value) -> Architecture {
    let import = architecture(&file.to_string()).expect("a model");
    assert_eq!(import.warnings, Vec::<String>::new());
    import
}

/// Number of layers with a mixer for which `holds`.
fn layers(model: &Architecture, holds: impl Fn(&Mixer) -> bool) -> u32 {
    model.stack.iter().filter(|layer| holds(&layer.mixer)).map(|layer| layer.count).sum()
}

/// Elements of keys and values that the layers keep of a token.
fn kept_per_token(model: &Architecture) -> u64 {
    let kept = |layer: Layer| u64::from(layer.count) * layer.mixer.kept(model.hidden).per_token as u64;
    model.layer_kinds().map(kept).sum()
}

fn near(found: f64, published: f64) {
    assert!((found / published - 1.0).abs() < 0.01, "{found} for {published}");
}

/// The config.json of google/recurrentgemma-9b, as in alpindale/recurrentgemma-9b@686e396, without what has no shape.
fn recurrent_gemma() -> Value {
    json!({"model_type": "recurrent_gemma", "architectures": ["RecurrentGemmaForCausalLM"], "attention_bias": false,
        "attention_window_size": 2048, "block_types": ["recurrent", "recurrent", "attention"], "conv1d_width": 4,
        "final_w_init_variance_scale": 0.052, "head_dim": 256, "hidden_activation": "gelu_pytorch_tanh",
        "hidden_size": 4096, "intermediate_size": 24_576, "logits_soft_cap": 30.0, "lru_width": 4096,
        "num_attention_heads": 16, "num_hidden_layers": 38, "num_key_value_heads": 1, "partial_rotary_factor": 0.5,
        "rms_norm_eps": 1e-6, "rope_theta": 10_000.0, "vocab_size": 256_000, "w_init_variance_scale": 0.01})
}

#[test]
fn recurrent_gemma_has_recurrent_blocks_and_windows() {
    let model = read(&recurrent_gemma());
    let unit = Mixer::RgLru(RgLru { width: 4096, blocks: 16, conv: 4 });
    assert_eq!(layers(&model, |mixer| *mixer == unit), 26);
    let windowed = |mixer: &Mixer| {
        matches!(mixer, Mixer::Attention(Heads { seen: Seen::Window(2048), kv_heads: 1, .. }))
    };
    assert_eq!(layers(&model, windowed), 12);
    // Counted by hand from the class's shapes: embedding; feed-forward blocks with biases and both norms in each of 38 layers;
    // recurrent blocks; attention.
    let (h, ffn) = (4096_u64, 12_288_u64);
    let block = 3 * h * ffn + 2 * ffn + h + 2 * h;
    let recurrent = 3 * h * h + 3 * h + 2 * h * h / 16 + 2 * h + 5 * h + h;
    let attention = 2 * h * h + 2 * h * 256 + h;
    let expected = 256_000 * h + h + 38 * block + 26 * recurrent + 12 * attention;
    assert_eq!(model.parameters().total, expected);
    // 32 bits of state per channel, and three inputs of the convolution.
    let kept = unit.kept(4096);
    assert_eq!((kept.state, kept.recent, kept.per_token), (4096.0, 3.0 * 4096.0, 0.0));
}

/// Tencent-Hunyuan-Large: shapes of its training scripts.
fn hunyuan(share: bool) -> Value {
    json!({"model_type": "hunyuan", "num_hidden_layers": 64, "hidden_size": 6400, "num_attention_heads": 80,
        "num_key_value_heads": 8, "attention_head_dim": 80, "intermediate_size": 18_304, "num_experts": 16,
        "num_shared_expert": 1, "moe_topk": 1, "use_mixed_mlp_moe": true, "use_qk_norm": true, "use_cla": share,
        "cla_share_factor": 2, "vocab_size": 128_512, "tie_word_embeddings": true, "max_position_embeddings": 131_072})
}

#[test]
fn cross_layer_attention_shares_keys_and_values() {
    let (alone, shared) = (read(&hunyuan(false)), read(&hunyuan(true)));
    // 389 billion (README of Tencent/Tencent-Hunyuan-Large).
    near(shared.parameters().total as f64, 389e9);
    assert_eq!(
        layers(&shared, |mixer| matches!(mixer, Mixer::Attention(Heads { kv: KeyValues::Earlier, .. }))),
        32
    );
    // Every second layer lacks projections of keys and values and the norm of keys.
    assert_eq!(alone.parameters().total - shared.parameters().total, 32 * (2 * 8 * 80 * 6400 + 80));
    assert_eq!(kept_per_token(&alone), 64 * 2 * 8 * 80);
    assert_eq!(kept_per_token(&shared), 32 * 2 * 8 * 80);
}

/// Defaults of BailingMoeV2_5Config (inclusionAI/Ring-V2.5@ae5a5d9, configuration_bailing_moe_v2_5.py).
fn ling() -> Value {
    json!({"model_type": "bailing_hybrid", "vocab_size": 157_184, "hidden_size": 2048, "intermediate_size": 5120,
        "num_hidden_layers": 20, "num_attention_heads": 16, "num_key_value_heads": 4, "hidden_act": "silu",
        "use_qkv_bias": false, "use_bias": false, "rms_norm_eps": 1e-6, "tie_word_embeddings": false,
        "max_position_embeddings": 32_768, "num_experts": 256, "num_shared_experts": 1, "num_experts_per_tok": 8,
        "n_group": 8, "topk_group": 4, "moe_intermediate_size": 512, "first_k_dense_replace": 1, "head_dim": 128,
        "use_qk_norm": true, "moe_router_enable_expert_bias": true, "routed_scaling_factor": 1.0, "layer_group_size": 5,
        "group_norm_size": 4, "linear_silu": false, "kv_lora_rank": 512, "q_lora_rank": null, "qk_rope_head_dim": 64,
        "v_head_dim": 128, "qk_nope_head_dim": 128, "rope_interleave": true, "partial_rotary_factor": 0.5,
        "score_function": "sigmoid", "scoring_func": "sigmoid", "topk_method": "noaux_tc", "router_dtype": "fp32",
        "num_nextn_predict_layers": 0})
}

#[test]
fn groups_of_linear_attention_end_with_latent_attention() {
    let model = read(&ling());
    let linear = Mixer::Lightning(Lightning { heads: 16, head_dim: 128, gate: true, qk_norm: true });
    assert_eq!(layers(&model, |mixer| *mixer == linear), 16);
    assert_eq!(layers(&model, |mixer| matches!(mixer, Mixer::Latent(_))), 4);
    // By hand from the modeling file: query, key, value, gate and output; head norms; norm of the output.
    assert_eq!(linear.matrices(2048) + linear.vectors(2048), 5 * 2048 * 2048 + 2 * 128 + 2048);
    assert_eq!(linear.kept(2048).state as u64, 16 * 128 * 128);
    // What remains after the last whole group attends: 3 groups of 6 and 2 layers.
    let mut file = ling();
    file["layer_group_size"] = json!(6);
    assert_eq!(layers(&read(&file), |mixer| matches!(mixer, Mixer::Latent(_))), 3 + 2);
    // Without latents the groups end with grouped attention (Ring-linear 2.0).
    for key in ["kv_lora_rank", "qk_rope_head_dim", "v_head_dim", "qk_nope_head_dim", "rope_interleave"] {
        file.as_object_mut().expect("an object").remove(key);
    }
    file["model_type"] = json!("bailing_moe_linear");
    assert_eq!(layers(&read(&file), |mixer| matches!(mixer, Mixer::Attention(Heads { kv_heads: 4, .. }))), 5);
}
