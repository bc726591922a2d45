//! Vision encoders of published files whose models are not in the catalogue: every key is read or known, and parameters follow.

use foretoken::catalog;
use foretoken::catalog::architecture::Architecture;
use foretoken::catalog::layers::{EncodedImage, Images, Pixels, Vision};
use foretoken::scenario::huggingface;

fn read(file: &str) -> Architecture {
    huggingface::architecture(file).unwrap_or_else(|problem| panic!("{problem}"))
}

/// The encoder of a file, all of whose keys are understood.
fn whole(file: &str) -> (Vision, Architecture) {
    let model = read(file);
    assert_eq!(model.warnings, Vec::<String>::new());
    (model.vision.expect("an encoder"), model)
}

fn square(side: u32) -> Pixels {
    Pixels { width: side, height: side }
}

/// A file of InternVL in its own format, with these layers, width, heads and inner width of the encoder.
fn internvl([layers, width, heads, ffn]: [u32; 4], kind: &str, language: &str) -> String {
    format!(
        r#"{{"model_type":"internvl_chat","architectures":["InternVLChatModel"],"downsample_ratio":0.5,"dynamic_image_size":true,
        "force_image_size":448,"max_dynamic_patch":12,"min_dynamic_patch":1,"ps_version":"v2","select_layer":-1,
        "template":"internvl2_5","use_backbone_lora":0,"use_llm_lora":0,"use_thumbnail":true,"llm_config":{{"model_type":"qwen2",
        {language},"tie_word_embeddings":false}},"vision_config":{{"architectures":["InternVisionModel"],"attention_dropout":0.0,
        "capacity_factor":1.2,"drop_path_rate":0.1,"dropout":0.0,"eval_capacity_factor":1.4,"hidden_act":"gelu",
        "hidden_size":{width},"image_size":448,"initializer_factor":0.1,"initializer_range":1e-10,"intermediate_size":{ffn},
        "laux_allreduce":"all_nodes","layer_norm_eps":1e-06,"model_type":"intern_vit_6b","moe_coeff_ratio":0.5,
        "num_attention_heads":{heads},"num_channels":3,"num_experts":8,"num_hidden_layers":{layers},"patch_size":14,{kind},
        "torch_dtype":"bfloat16","use_bfloat16":true,"use_flash_attn":true,"use_moe":false}}}}"#
    )
}

const QWEN_7B: &str = r#""hidden_size":3584,"num_hidden_layers":28,"num_attention_heads":28,"num_key_value_heads":4,
    "intermediate_size":18944,"vocab_size":151674"#;

const QWEN_72B: &str = r#""hidden_size":8192,"num_hidden_layers":80,"num_attention_heads":64,"num_key_value_heads":8,
    "intermediate_size":29568,"vocab_size":151674"#;

const SMALL: &str = r#""norm_type":"layer_norm","qk_normalization":false,"qkv_bias":true"#;
const LARGE: &str = r#""norm_type":"rms_norm","qk_normalization":true,"qkv_bias":false"#;

/// InternVL3 (transformers, `modeling_internvl.py`): `InternViT`-300M has 24 layers of width 1,024 with biases, two norms and two
/// scales; `InternViT`-6B 45 of width 3,200, 5.5 billion (arXiv 2412.05271, as restated elsewhere), without biases of Q, K and V.
/// InternVL3-78B has 78.41 billion in all (as restated elsewhere).
#[test]
fn intern_vit() {
    let (vision, model) = whole(&internvl([24, 1024, 16, 4096], SMALL, QWEN_7B));
    let layer = 4 * (1024 * 1024 + 1024) + 2 * 1024 * 4096 + 4096 + 1024 + 6 * 1024;
    let encoder = 24 * layer + 3 * 14 * 14 * 1024 + 1024 + 1025 * 1024 + 1024;
    assert_eq!(encoder, 304_012_288);
    assert_eq!(vision.parameters(model.hidden), encoder + 2 * 4096 + 4096 * 3584 + 3584 * 3584 + 2 * 3584);

    let (large, model) = whole(&internvl([45, 3200, 25, 12_800], LARGE, QWEN_72B));
    let projector = 2 * 12_800 + 12_800 * 8192 + 8192 * 8192 + 2 * 8192;
    let encoder = large.parameters(model.hidden) - projector;
    let layer = 4 * 3200 * 3200 + 2 * 3200 * 12_800 + 2 * 3200 + 12_800 + 6 * 3200;
    assert_eq!(encoder, 45 * layer + 3 * 14 * 14 * 3200 + 3200 + 1025 * 3200 + 3200);
    assert!((encoder as f64 / 5.5e9 - 1.0).abs() < 0.01, "{encoder}");
    let all = model.parameters().total + large.parameters(model.hidden);
    assert!((all as f64 / 78.41e9 - 1.0).abs() < 1e-4, "{all}");

    // 256 tokens of a tile, and the whole image beside several tiles.
    assert_eq!(vision.encoded_image(square(448)), EncodedImage { tiles: 1, patches: 1024, tokens: 256 });
    assert_eq!(vision.encoded_image(Pixels { width: 896, height: 448 }).tokens, 3 * 256);
    // 3 × 3 tiles have less than twice the area of 1024 × 1024 pixels; of 640 × 640, 2 × 2 have.
    assert_eq!(vision.encoded_image(square(1024)).tiles, 10);
    assert_eq!(vision.encoded_image(square(640)).tiles, 5);
    assert!(vision.encoded_image(Pixels { width: 4000, height: 3000 }).tiles == 13);
}

/// The same encoder in the format of transformers, whose lengths are lists, and without tiles.
#[test]
fn internvl_of_transformers() {
    let own = whole(&internvl([24, 1024, 16, 4096], SMALL, QWEN_7B)).0;
    let file = format!(
        r#"{{"model_type":"internvl","downsample_ratio":0.5,"image_seq_length":256,"image_token_id":151667,
        "projector_hidden_act":"gelu","vision_feature_layer":-1,"vision_feature_select_strategy":"default","text_config":{{
        "model_type":"qwen2",{QWEN_7B},"tie_word_embeddings":false}},"vision_config":{{"attention_bias":true,
        "attention_dropout":0.0,"dropout":0.0,"hidden_act":"gelu","hidden_dropout_prob":0.0,"hidden_size":1024,
        "image_size":[448,448],"initializer_range":0.02,"intermediate_size":4096,"layer_norm_eps":1e-06,
        "layer_scale_init_value":0.1,"model_type":"internvl_vision","norm_type":"layer_norm","num_attention_heads":16,
        "num_channels":3,"num_hidden_layers":24,"patch_size":[14,14],"projection_dropout":0.0,
        "use_absolute_position_embeddings":true,"use_mask_token":false,"use_mean_pooling":true,"use_qk_norm":false}}}}"#
    );
    assert_eq!(whole(&file).0, own);
    let tiled = internvl([24, 1024, 16, 4096], SMALL, QWEN_7B);
    let one = read(&tiled.replace(r#""dynamic_image_size":true"#, r#""dynamic_image_size":false"#));
    assert_eq!(one.vision.map(|vision| vision.images), Some(Images::Square { pool: 2, side: 448 }));
    for (good, bad) in [
        (r#""use_thumbnail":true"#, r#""use_thumbnail":false"#),
        (r#""use_moe":false"#, r#""use_moe":true"#),
        (r#""image_size":448,"#, r#""image_size":[448,224],"#),
        (r#""max_dynamic_patch":12"#, r#""max_dynamic_patch":4000000000"#),
        (r#""patch_size":14"#, r#""patch_size":0"#),
    ] {
        let model = read(&tiled.replacen(good, bad, 1));
        let told = model.warnings.join("; ");
        assert!(model.vision.is_none() && told.contains("(`vision_config`)"), "{bad}: {told}");
    }
    let odd = read(&tiled.replace(r#""drop_path_rate":0.1"#, r#""puzzling_width":7"#)).warnings.join("; ");
    assert!(odd.contains("`vision_config.puzzling_width`"), "{odd}");
}

/// GLM-4.1V-9B (transformers, `modeling_glm4v.py`): 24 gated layers of width 1,536 and inner width 4,096, a convolution over two by
/// two patches, 4096² and a gated block of 13,696.
#[test]
fn glm() {
    let file = r#"{"model_type":"glm4v","image_start_token_id":151339,"text_config":{"model_type":"glm4v_text",
        "attention_bias":true,"hidden_act":"silu","hidden_size":4096,"intermediate_size":13696,"num_hidden_layers":40,
        "num_attention_heads":32,"num_key_value_heads":2,"vocab_size":151552,"max_position_embeddings":65536,
        "tie_word_embeddings":false},"vision_config":{"attention_bias":false,"attention_dropout":0.0,"depth":24,
        "hidden_act":"silu","hidden_size":1536,"image_size":336,"in_channels":3,"initializer_range":0.02,
        "intermediate_size":13696,"model_type":"glm4v","num_heads":12,"out_hidden_size":4096,"patch_size":14,
        "rms_norm_eps":1e-05,"spatial_merge_size":2,"temporal_patch_size":2}}"#;
    let (vision, model) = whole(file);
    let layer = 4 * 1536 * 1536 + 3 * 1536 * 4096 + 2 * 1536;
    let around = 3 * 2 * 14 * 14 * 1536 + 576 * 1536 + 3 * 1536;
    let merger = 4 * 1536 * 4096 + 4096 + 4096 * 4096 + 2 * 4096 + 3 * 4096 * 13_696;
    assert_eq!(vision.parameters(model.hidden), 24 * layer + around + merger);
    assert_eq!(
        vision.encoded_image(square(1024)),
        EncodedImage { tiles: 1, patches: 4 * 37 * 37, tokens: 37 * 37 }
    );
    assert!(vision.encoded_image(square(8192)).tokens <= 6144);
    // The gate, the input and the output of the block are 3 · 4096 · 13,696 multiply-adds per token.
    let per_token: u64 = vision.projections(4096).map(|matrix| matrix.elements()).sum();
    assert_eq!(per_token, 4 * 1536 * 4096 + 4096 * 4096 + 3 * 4096 * 13_696);
    let narrow = read(&file.replace(r#""out_hidden_size":4096"#, r#""out_hidden_size":2048"#));
    assert!(narrow.vision.is_none() && narrow.warnings.join("; ").contains("(`vision_config`)"));
}

/// Moonshot's encoder in the formats of Kimi-VL and of transformers is that of Kimi K2.5, whose 471,140,464 elements are known; a
/// smaller image is the largest of Kimi-VL (`in_token_limit` 4,096 patches).
#[test]
fn moonvit() {
    let text = r#""text_config":{"model_type":"deepseek_v3","hidden_size":7168,"intermediate_size":18432,"num_hidden_layers":61,
        "num_attention_heads":64,"num_key_value_heads":64,"vocab_size":163840,"q_lora_rank":1536,"kv_lora_rank":512,
        "qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128,"n_routed_experts":384,"n_shared_experts":1,
        "num_experts_per_tok":8,"moe_intermediate_size":2048,"first_k_dense_replace":1,"tie_word_embeddings":false,
        "max_position_embeddings":262144}"#;
    let own = r#""hidden_size":1152,"intermediate_size":4304,"merge_kernel_size":[2,2],"num_attention_heads":16,
        "num_hidden_layers":27,"patch_size":14"#;
    let vl = format!(
        r#"{{"model_type":"kimi_vl",{text},"vision_config":{{"model_type":"moonvit","init_pos_emb_height":64,
        "init_pos_emb_width":64,{own}}}}}"#
    );
    let k25 = format!(
        r#"{{"model_type":"kimi_k25",{text},"vision_config":{{"model_type":"kimi_k25_vision","pos_emb_height":64,
        "pos_emb_time":4,"pos_emb_width":64,{own}}}}}"#
    );
    let catalogued = catalog::architecture("kimi-k2.5").expect("a model");
    assert_eq!(read(&k25).vision, catalogued.vision);
    let vision = read(&vl).vision.expect("an encoder");
    // The catalogue's count is that of a checkpoint.
    let error = vision.parameters(7168) as f64 / catalogued.uncounted.encoders as f64 - 1.0;
    assert!(error.abs() < 1e-4, "{error}");
    assert!(vision.encoded_image(square(4096)).tokens <= 33 * 33);
    for file in [vl, k25] {
        let told = read(&file).warnings.join("; ");
        assert!(!told.contains("vision"), "{told}");
    }
}

/// Pixtral 12B in the format of LLaVA: 400 million parameters before the projector (arXiv 2410.07073, recalled), a token for each
/// patch of 16 px of at most 1,024 px.
#[test]
fn pixtral() {
    let file = r#"{"model_type":"llava","image_token_index":10,"image_seq_length":1,"projector_hidden_act":"gelu",
        "multimodal_projector_bias":true,"vision_feature_layer":-1,"vision_feature_select_strategy":"full","text_config":{
        "model_type":"mistral","head_dim":128,"hidden_size":5120,"intermediate_size":14336,"num_hidden_layers":40,
        "num_attention_heads":32,"num_key_value_heads":8,"vocab_size":131072,"max_position_embeddings":1024000,
        "tie_word_embeddings":false},"vision_config":{"model_type":"pixtral","head_dim":64,"hidden_act":"silu",
        "hidden_size":1024,"image_size":1024,"intermediate_size":4096,"num_attention_heads":16,"num_channels":3,
        "num_hidden_layers":24,"patch_size":16,"rope_theta":10000.0}}"#;
    let model = read(file);
    let vision = model.vision.expect("an encoder");
    let projector = 1024 * 5120 + 5120 * 5120 + 2 * 5120;
    let encoder = vision.parameters(model.hidden) - projector;
    assert_eq!(encoder, 24 * (4 * 1024 * 1024 + 3 * 1024 * 4096 + 2 * 1024) + 3 * 16 * 16 * 1024 + 1024);
    assert!((encoder as f64 / 400e6 - 1.0).abs() < 0.01, "{encoder}");
    assert_eq!(vision.encoded_image(square(2048)), EncodedImage { tiles: 1, patches: 4096, tokens: 4096 });
    let told = model.warnings.join("; ");
    assert!(!told.contains("vision") && !told.contains("projector"), "{told}");
    let clip = read(&file.replace(r#""model_type":"pixtral""#, r#""model_type":"clip_vision_model""#));
    assert!(clip.vision.is_none() && clip.warnings.join("; ").contains("(`vision_config`)"));
}
