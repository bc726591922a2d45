//! Properties that the type of a checkpoint implies: gates, tied heads, defaults of its class, windows and blocks.

use foretoken::catalog::architecture::Architecture;
use foretoken::catalog::layers::FeedForward::Dense;
use foretoken::catalog::layers::{Mixer, Seen};
use foretoken::scenario::huggingface::architecture;

fn read(file: &str) -> Architecture {
    architecture(file).unwrap_or_else(|problem| panic!("{file}: {problem}"))
}

/// Numbers of parameters of published checkpoints; that of Apertus excludes the two parameters of each activation.
#[test]
fn parameters_are_the_published_ones() {
    for (file, parameters) in [
        // HuggingFaceTB/SmolLM3-3B: the file does not state that the head is tied.
        (
            r#"{"model_type":"smollm3","num_hidden_layers":36,"hidden_size":2048,"num_attention_heads":16,
            "num_key_value_heads":4,"intermediate_size":11008,"vocab_size":128256,"mlp_bias":false}"#,
            3_075_098_624,
        ),
        // THUDM/glm-4-9b: two key-value heads, a padded vocabulary, no class in transformers.
        (
            r#"{"model_type":"chatglm","num_layers":40,"hidden_size":4096,"num_attention_heads":32,"kv_channels":128,
            "multi_query_attention":true,"multi_query_group_num":2,"ffn_hidden_size":13696,"padded_vocab_size":151552,
            "vocab_size":151552,"add_qkv_bias":true,"add_bias_linear":false,"seq_length":8192}"#,
            9_399_951_360,
        ),
        // swiss-ai/Apertus-8B-2509: two matrices of xIELU (arXiv 2509.14233).
        (
            r#"{"model_type":"apertus","num_hidden_layers":32,"hidden_size":4096,"num_attention_heads":32,
            "num_key_value_heads":8,"intermediate_size":21504,"vocab_size":131072,"qk_norm":true}"#,
            8_053_338_112,
        ),
    ] {
        let model = read(file);
        assert_eq!(model.parameters().total, parameters, "{}", model.family);
    }
}

/// google/gemma-3-4b-it and 27b-it as published: the files lack fields that equal the defaults of their class.
#[test]
fn what_gemma_3_leaves_out_is_its_class_default() {
    let small = r#"{"architectures":["Gemma3ForConditionalGeneration"],"model_type":"gemma3","mm_tokens_per_image":256,
        "text_config":{"hidden_size":2560,"intermediate_size":10240,"model_type":"gemma3_text","num_hidden_layers":34,
        "rope_scaling":{"factor":8.0,"rope_type":"linear"},"sliding_window":1024},"torch_dtype":"bfloat16",
        "vision_config":{"hidden_size":1152,"num_hidden_layers":27}}"#;
    let model = read(small);
    assert_eq!((model.heads, model.kv_heads, model.head_dim, model.vocab), (8, 4, 256, 262_208));
    // 3.88 billion parameters without the vision encoder.
    assert_eq!(model.parameters().total, 3_880_263_168);
    assert!(model.tied && model.max_sequence == 131_072);
    assert_eq!(model.window.map(|window| (window.size, window.layers)), Some((1024, 29)));
    let taken = model.warnings.iter().find(|warning| warning.contains("defaults")).expect("a sentence");
    assert!(taken.contains("`num_attention_heads` 8") && taken.contains("`vocab_size` 262208"), "{taken}");
    let large = r#"{"model_type":"gemma3","text_config":{"head_dim":128,"hidden_size":5376,"intermediate_size":21504,
        "model_type":"gemma3_text","num_attention_heads":32,"num_hidden_layers":62,"num_key_value_heads":16,
        "query_pre_attn_scalar":168,"sliding_window":1024}}"#;
    let ours = foretoken::catalog::architecture("gemma-3-27b").expect("a model").parameters().total;
    let counted = read(large).parameters().total;
    assert!((counted as f64 / ours as f64 - 1.0).abs() < 1e-4, "{counted} for {ours}");
}

#[test]
fn a_missing_tie_is_that_of_the_class() {
    let file = |kind: &str, further: &str| {
        read(&format!(
            r#"{{"model_type":"{kind}","num_hidden_layers":2,"hidden_size":128,"num_attention_heads":2,"vocab_size":512,
            "intermediate_size":256{further}}}"#
        ))
    };
    for (kind, tied) in [
        ("smollm3", true),
        ("gemma", true),
        ("ernie4_5", true),
        ("starcoder2", true),
        ("gpt2", true),
        ("llama", false),
        ("qwen2", false),
        ("granite", false),
        ("phi3", false),
    ] {
        assert_eq!(file(kind, "").tied, tied, "{kind}");
        assert!(!file(kind, r#","tie_word_embeddings":false"#).tied, "{kind}");
        assert!(file(kind, r#","tie_word_embeddings":true"#).tied, "{kind}");
    }
    let warnings = file("sparkle", "").warnings;
    assert!(warnings.iter().any(|warning| warning.contains("`tie_word_embeddings`")), "{warnings:?}");
}

#[test]
fn blocks_without_a_gate_have_two_matrices() {
    for (kind, gated) in [
        ("llama", true),
        ("bitnet", true),
        ("apertus", false),
        ("arcee", false),
        ("jais2", false),
        ("nanochat", false),
        ("nemotron", false),
        ("persimmon", false),
        ("phi", false),
        ("starcoder2", false),
    ] {
        let file = format!(
            r#"{{"model_type":"{kind}","num_hidden_layers":2,"hidden_size":128,"num_attention_heads":2,"vocab_size":512,
            "intermediate_size":256,"hidden_act":"relu2"}}"#
        );
        assert_eq!(read(&file).gated, gated, "{kind}");
        // An unknown type with an activation that other types use without a gate.
        assert!(!read(&file.replace(kind, "sparkle")).gated);
    }
}

#[test]
fn a_file_without_a_type_has_that_of_its_class() {
    for (class, family) in [
        ("Qwen3MoeForCausalLM", "qwen3_moe"),
        ("GPT2LMHeadModel", "gpt2"),
        ("DeepseekV3ForCausalLM", "deepseek_v3"),
        ("GPTNeoXForCausalLM", "gpt_neox"),
        ("OPTForCausalLM", "opt"),
        ("RWForCausalLM", "falcon"),
        ("LlamaForCausalLM", "llama"),
    ] {
        let file = format!(
            r#"{{"architectures":["{class}"],"num_hidden_layers":2,"hidden_size":128,"num_attention_heads":2,
            "vocab_size":512,"intermediate_size":256}}"#
        );
        assert_eq!(read(&file).family, family);
    }
}

#[test]
fn windows_are_those_of_the_class() {
    let file = |fields: &str| {
        let model = read(&format!(
            r#"{{"num_hidden_layers":32,"hidden_size":128,"num_attention_heads":2,"vocab_size":512,
            "intermediate_size":256,{fields}}}"#
        ));
        model.window.map(|window| (window.size, window.layers))
    };
    // Qwen2 has windows only if they are switched on, and then in its last layers.
    assert_eq!(file(r#""model_type":"qwen2","sliding_window":4096,"max_window_layers":28"#), None);
    let switched =
        r#""model_type":"qwen2","use_sliding_window":true,"sliding_window":4096,"max_window_layers":28"#;
    assert_eq!(file(switched), Some((4096, 4)));
    // EXAONE 4 gives its pattern as letters.
    let letters = r#""model_type":"exaone4","sliding_window":4096,"sliding_window_pattern":"LLLG""#;
    assert_eq!(file(letters), Some((4096, 24)));
    // Mistral's class has a window unless the file sets it to null.
    assert_eq!(file(r#""model_type":"mistral""#), Some((4096, 32)));
    assert_eq!(file(r#""model_type":"mistral","sliding_window":null"#), None);
}

/// GLM-5.2's list of indexers follows from its frequency and its offset.
#[test]
fn indexers_follow_from_how_often_they_are() {
    let text = include_str!("../fixtures/imports/glm-5.2.json");
    let mut tree: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let listed = read(text);
    tree.as_object_mut().expect("an object").remove("indexer_types").expect("a list");
    let derived = read(&tree.to_string());
    assert_eq!(derived.stack, listed.stack);
    let reused = |model: &Architecture| {
        let seen =
            |mixer: &Mixer| matches!(mixer, Mixer::Latent(latent) if matches!(latent.seen, Seen::Reused(_)));
        model.stack.iter().filter(|layer| seen(&layer.mixer)).map(|layer| layer.count).sum::<u32>()
    };
    assert_eq!(reused(&derived), 57);
}

/// nvidia/Llama-3_3-Nemotron-Super-49B-v1 has layers without attention and blocks of many widths.
#[test]
fn searched_blocks_are_read_one_by_one() {
    let block = |group: &str, idle: bool, width: f64| {
        format!(
            r#"{{"attention":{{"n_heads_in_group":{group},"no_op":{idle},"num_sink_tokens":null,
            "replace_with_linear":false,"window_length":null}},"ffn":{{"ffn_mult":{width},"no_op":false}}}}"#
        )
    };
    let file = |blocks: &str| {
        format!(
            r#"{{"model_type":"nemotron-nas","num_hidden_layers":3,"hidden_size":8192,"num_attention_heads":64,
            "num_key_value_heads":null,"intermediate_size":null,"vocab_size":128256,"block_configs":[{blocks}]}}"#
        )
    };
    let blocks = [block("8", false, 5.25), block("8", false, 2.625), block("null", true, 2.625)];
    let model = read(&file(&blocks.join(",")));
    let widths: Vec<_> =
        model.stack.iter().map(|layer| (layer.mixer.is_some(), layer.ffn, layer.norms)).collect();
    assert_eq!(widths, [(true, Dense(28_672), 2), (true, Dense(14_336), 2), (false, Dense(14_336), 1)]);
    assert_eq!((model.kv_heads, model.head_dim), (8, 128));
    let linear = blocks[0].replace("\"replace_with_linear\":false", "\"replace_with_linear\":true");
    let problem =
        architecture(&file(&[linear.as_str(), &blocks[1], &blocks[2]].join(","))).expect_err("a matrix");
    assert!(problem.to_string().contains("block_configs"), "{problem}");
}
