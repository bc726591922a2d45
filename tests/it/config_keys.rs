//! Keys of a checkpoint's `config.json`: at every level of the file, each is read, known to be irrelevant, or named in a
//! warning. `fixtures/configs` and `fixtures/imports` hold published files.

use std::fs;
use std::path::Path;

use foretoken::scenario::huggingface::architecture;
use serde_json::{Map, Value, json};

/// The published files, by name.
pub(crate) fn published() -> Vec<(String, String)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut files = Vec::new();
    for folder in ["configs", "imports"] {
        for file in fs::read_dir(fixtures.join(folder)).expect("a folder") {
            let path = file.expect("a file").path();
            let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
            if name != "expected" {
                files.push((name, fs::read_to_string(&path).expect("a text")));
            }
        }
    }
    files.sort();
    files
}

/// A small Llama with further fields.
fn llama(fields: &str) -> Vec<String> {
    let file = format!(
        r#"{{"model_type":"llama","num_hidden_layers":4,"hidden_size":128,"num_attention_heads":4,"vocab_size":8,
        "intermediate_size":256,"tie_word_embeddings":false{fields}}}"#
    );
    architecture(&file).unwrap_or_else(|problem| panic!("{fields}: {problem}")).warnings
}

/// Paths of all objects of a tree.
fn objects(value: &Value, path: &str, found: &mut Vec<String>) {
    let Value::Object(fields) = value else { return };
    found.push(path.to_owned());
    for (key, value) in fields {
        objects(value, &format!("{path}/{key}"), found);
    }
}

/// Parts that a warning names as a whole, and objects whose keys are chosen by the file.
const WHOLE: [&str; 6] =
    ["vision_config", "img_token_compression_config", "id2label", "label2id", "auto_map", "producer"];

#[test]
fn an_unknown_key_is_named_wherever_it_stands() {
    let values = [json!(3), json!("word"), json!(true), json!([1, 2]), json!({"inner": 1})];
    let mut tried = 0;
    for (name, text) in published() {
        // Python writes `Infinity`, which JSON lacks.
        let tree: Value = serde_json::from_str(&text.replace("Infinity", "1e9")).expect("JSON");
        let mut paths = Vec::new();
        objects(&tree, "", &mut paths);
        for (place, path) in paths.iter().enumerate() {
            if WHOLE.iter().any(|whole| path.split('/').any(|part| part == *whole)) {
                continue;
            }
            let mut changed = tree.clone();
            let object = changed.pointer_mut(path).and_then(Value::as_object_mut).expect("an object");
            object.insert("puzzling_blocks".to_owned(), values[place % values.len()].clone());
            let model = architecture(&changed.to_string())
                .unwrap_or_else(|problem| panic!("{name} {path}: {problem}"));
            let named = model.warnings.iter().any(|warning| warning.contains("puzzling_blocks"));
            assert!(named, "{name} {path}: {:?}", model.warnings);
            tried += 1;
        }
    }
    assert!(tried >= 50, "{tried} objects");
}

/// Every key of the published files is understood.
#[test]
fn published_files_are_understood() {
    for (name, text) in published() {
        let model = architecture(&text).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert!(
            model.warnings.iter().all(|warning| !warning.contains("not understood")),
            "{name}: {:?}",
            model.warnings
        );
        assert!(model.warnings.iter().all(|warning| warning.len() <= 320), "{name}: {:?}", model.warnings);
    }
}

#[test]
fn a_known_key_with_an_unfit_value_is_named() {
    for (fields, part) in [
        (r#","head_dim":"wide""#, "`head_dim`"),
        (r#","num_key_value_heads":-2"#, "`num_key_value_heads`"),
        (r#","sliding_window":64,"sliding_window_pattern":"LXG""#, "`sliding_window_pattern`"),
        (r#","attention_bias":"yes""#, "`attention_bias`"),
        (r#","max_position_embeddings":[1]"#, "`max_position_embeddings`"),
        (r#","layer_types":["full_attention",2,3,4]"#, "`layer_types`"),
    ] {
        let warnings = llama(fields);
        assert!(warnings.iter().any(|warning| warning.contains(part)), "{fields}: {warnings:?}");
    }
}

#[test]
fn what_is_switched_off_is_no_warning() {
    let off = r#","mlp_bias":false,"use_bias":false,"use_cla":false,"num_mem_blocks":0,"num_kv_shared_layers":0,
        "is_encoder_decoder":false,"add_cross_attention":false,"mlp_only_layers":[],"use_puzzling_blocks":false,
        "num_puzzling_blocks":0,"puzzling_blocks":null,"puzzling_list":[]"#;
    assert_eq!(llama(off), Vec::<String>::new());
    let on = llama(r#","gated_puzzle":false,"puzzling_width":0"#);
    assert!(on[0].contains("`gated_puzzle`, `puzzling_width`"), "{on:?}");
}

#[test]
fn what_cannot_be_counted_is_refused() {
    for (fields, part) in [
        (r#","is_encoder_decoder":true"#, "is_encoder_decoder"),
        (r#","add_cross_attention":true"#, "add_cross_attention"),
        (r#","cross_attention_layers":[3]"#, "cross_attention_layers"),
        (r#","num_key_value_heads":[1,2,2,4]"#, "num_key_value_heads"),
        (r#","num_key_value_heads":0"#, "num_key_value_heads"),
    ] {
        let file = format!(
            r#"{{"model_type":"llama","num_hidden_layers":4,"hidden_size":128,"num_attention_heads":4,"vocab_size":8{fields}}}"#
        );
        let problem = architecture(&file).expect_err(fields).to_string();
        assert!(problem.contains(part), "{problem}");
    }
}

/// The encoders of a multimodal model are described at the second of three levels.
#[test]
fn towers_are_named_at_every_level() {
    let text: Map<String, Value> = serde_json::from_str(
        r#"{"model_type":"qwen3_omni_moe_text","num_hidden_layers":2,"hidden_size":128,"num_attention_heads":2,
        "vocab_size":512,"intermediate_size":256,"num_key_value_heads":2,"tie_word_embeddings":false}"#,
    )
    .expect("an object");
    let file = json!({
        "model_type": "qwen3_omni_moe",
        "talker_config": {"hidden_size": 64},
        "thinker_config": {"text_config": text, "audio_config": {"d_model": 64}, "vision_config": {"depth": 2}, "odd": 1},
    });
    let warnings = architecture(&file.to_string()).expect("a model").warnings;
    for part in ["vision encoder", "audio encoder", "talker", "`thinker_config.odd`"] {
        assert!(warnings.iter().any(|warning| warning.contains(part)), "{part}: {warnings:?}");
    }
}
