//! A checkpoint's `config.json` gives the shape that the catalogue has for it. `fixtures/configs` holds the fields of
//! such files as their authors publish them, named by the catalogue's entry.

use std::fs;
use std::path::Path;

use foretoken::catalog;
use foretoken::scenario::huggingface::architecture;
use serde_json::Value;

#[test]
fn shapes_are_those_of_the_catalogue() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/configs");
    let mut files = 0;
    for file in fs::read_dir(folder).expect("a folder") {
        let file = file.expect("a file").path();
        files += 1;
        let id = file.file_stem().and_then(|id| id.to_str()).expect("a catalogue id");
        let ours = catalog::architecture(id).expect(id);
        let theirs = architecture(&fs::read_to_string(&file).expect(id)).expect(id);
        assert_eq!(theirs.parameters(), ours.parameters(), "{id}");
        assert_eq!(theirs.window, ours.window, "{id}");
        assert_eq!(
            (theirs.heads, theirs.kv_heads, theirs.head_dim),
            (ours.heads, ours.kv_heads, ours.head_dim)
        );
        assert_eq!((theirs.rotary, theirs.parallel_block), (ours.rotary, ours.parallel_block), "{id}");
    }
    assert_eq!(files, 11);
}

#[test]
fn what_is_missing_is_named() {
    let problem = architecture("{}").expect_err("no shape");
    let allowed = r#"a whole number above zero, such as `"num_hidden_layers": 32`"#;
    assert_eq!(problem.to_string(), format!("config.json num_hidden_layers: is missing: add {allowed}"));
    let problem = architecture(r#"{"num_hidden_layers": 0}"#).expect_err("no layers");
    assert_eq!(problem.to_string(), format!("config.json num_hidden_layers: must be {allowed}"));
    for broken in ["", "[]", "7", "null", r#"{"num_hidden_layers":"many"}"#] {
        assert!(architecture(broken).is_err(), "{broken}");
    }
}

#[test]
fn hostile_numbers_do_no_harm() {
    let hostile = r#"{"num_hidden_layers":4294967295,"hidden_size":4294967295,"num_attention_heads":1,"vocab_size":4294967295,"num_experts":4294967295,"num_experts_per_tok":4294967295,"moe_intermediate_size":4294967295,"n_shared_experts":4294967295,"interleave_moe_layer_step":4294967295,"sliding_window":1,"sliding_window_pattern":4294967295}"#;
    assert!(architecture(hostile).is_ok());
}

/// Configurations as their authors publish them (`fixtures/imports`, each with its source), with parameters, layers of each
/// kind and bytes kept of a sequence as another program counted them.
#[test]
fn hybrids_are_counted_layer_by_layer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/imports");
    let text = fs::read_to_string(folder.join("expected.json")).expect("a file");
    let expected: serde_json::Map<String, Value> = serde_json::from_str(&text).expect("an object");
    assert_eq!(expected.len(), 15);
    let mut exact = 0;
    for (id, expected) in &expected {
        let file = fs::read_to_string(folder.join(format!("{id}.json"))).expect(id);
        let model = architecture(&file).unwrap_or_else(|problem| panic!("{id}: {problem}"));
        let number = |name: &str| expected[name].as_f64().unwrap_or_else(|| panic!("{id}: {name}"));
        let counted = model.parameters();
        let off = counted.total as f64 / number("total") - 1.0;
        assert!(off.abs() < 2e-3, "{id}: {} for {}", counted.total, number("total"));
        exact += u32::from(expected["total"] == counted.total);
        assert!((counted.active as f64 / number("active") - 1.0).abs() < 5e-3, "{id}: {}", counted.active);
        assert_eq!(expected["layers"], model.layers, "{id}");
        let mut counts: Vec<u64> = model.layer_kinds().map(|layer| layer.count.into()).collect();
        counts.sort_unstable();
        let kinds = expected["counts"].as_array().expect("a list");
        if !model.stack.is_empty() && model.stack.len() == kinds.len() {
            assert_eq!(counts, kinds.iter().filter_map(Value::as_u64).collect::<Vec<_>>(), "{id}");
        }
        let Some(kept) = expected["kept"].as_object() else { continue };
        let [growing, windows, state, recent] = crate::layers::kept(&model);
        let known = |name: &str| kept[name].as_u64().expect("a number");
        assert_eq!(growing, known("kv_bytes_per_token"), "{id}: growing");
        assert_eq!(windows + recent, known("window_bytes") + known("conv_bytes"), "{id}: windows, recent");
        if !id.starts_with("deepseek-v4") {
            assert_eq!(state, known("recurrent_bytes"), "{id}: state");
        }
    }
    assert!(exact >= 9, "{exact} exact");
}

#[test]
fn what_is_not_understood_is_named() {
    let file = r#"{"model_type":"llama","num_hidden_layers":2,"hidden_size":128,"num_attention_heads":2,"vocab_size":8,
        "intermediate_size":256,"secret_blocks":3,"rms_norm_eps":1e-6,"time_step_limit":[0.0,Infinity],"note":"a \"NaN\""}"#;
    let model = architecture(file).expect("a model");
    let expected = ["config.json: not understood and left out: `secret_blocks`, `note`"];
    assert_eq!(model.warnings, expected);
    let model = architecture(&file.replace("llama", "sparkle")).expect("a model");
    assert!(model.warnings[0].contains("`sparkle` is not known"), "{:?}", model.warnings);
    let many = (0..100).fold(String::new(), |text, place| format!("{text}\"odd_{place}\":1,"));
    let model = architecture(&file.replacen('{', &format!("{{{many}"), 1)).expect("a model");
    assert!(model.warnings.iter().all(|warning| warning.len() <= 240) && model.warnings.len() <= 7);
    let told = model.warnings.join("; ");
    assert!((0..100).all(|place| told.contains(&format!("`odd_{place}`"))), "{told}");
    let more = (0..1000).fold(String::new(), |text, place| format!("{text}\"odd_{place}\":1,"));
    let model = architecture(&file.replacen('{', &format!("{{{more}"), 1)).expect("a model");
    assert!(
        model.warnings.last().is_some_and(|warning| warning.ends_with("more keys")),
        "{:?}",
        model.warnings
    );
}

#[test]
fn kinds_that_are_not_modelled_are_refused() {
    for (key, value, part) in [
        ("short_conv_kernel_size", r#"4,"layer_group_size":4"#, "Ling 3"),
        ("num_mem_blocks", "2", "Zamba2"),
        ("layer_types", r#"["full_attention","retention"]"#, "`retention`"),
        ("hybrid_override_pattern", r#""MX""#, "letters other"),
    ] {
        let file = format!(
            r#"{{"model_type":"new","num_hidden_layers":2,"hidden_size":128,"num_attention_heads":2,"vocab_size":8,"{key}":{value}}}"#
        );
        let problem = architecture(&file).expect_err(key).to_string();
        assert!(problem.contains(key) && problem.contains(part), "{problem}");
    }
}

/// A warning of an import stands on the answer and in what `predict` gives, also after the question became a link.
#[test]
fn warnings_stand_on_the_answer() {
    let file = r#"{"model_type":"llama","num_hidden_layers":2,"hidden_size":128,"num_attention_heads":2,"vocab_size":512,
        "intermediate_size":256,"secret_blocks":3}"#;
    let scenario = foretoken::scenario::link::decode("v=1&view=inference&serve.tp=1&gpus=1").scenario;
    let scenario = foretoken::scenario::import(&scenario, file).expect("a question");
    let scenario = foretoken::scenario::link::decode(&foretoken::scenario::link::encode(&scenario)).scenario;
    let mut answers = foretoken::view::json::Answers::reading(|name| Err(format!("there is no file {name}")));
    let value = answers.json(&scenario.to_json());
    assert!(value["warnings"][0].as_str().is_some_and(|text| text.contains("`secret_blocks`")), "{value}");
    let first = &value["answer"]["parts"][0];
    assert_eq!(first["kind"], "notice", "{first}");
    assert!(first["text"].as_str().is_some_and(|text| text.contains("`secret_blocks`")), "{first}");
}

/// Each published model trains and serves: it has an estimate, or does not fit into memory.
#[test]
fn published_files_are_answered() {
    for (name, text) in crate::config_keys::published() {
        // As many GPUs as divide the heads.
        let heads = architecture(&text).expect("a model").heads;
        let tensor = if heads.is_multiple_of(8) { 8 } else { 1 };
        let link =
            format!("v=1&gpu=gb300-nvl72&gpus=1024&tp=1&pp=1&batch=1024&serve.tp={tensor}&serve.batch=8");
        let scenario = foretoken::scenario::link::decode(&link).scenario;
        let scenario = foretoken::scenario::import(&scenario, &text)
            .unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let training = scenario.training().map(|estimate| estimate.step.get());
        let serving = scenario.inference().map(|estimate| estimate.ttft.get());
        for (what, answer) in [("training", training), ("inference", serving)] {
            match answer {
                Ok(time) => assert!(time.is_finite() && time > 0.0, "{name}: {what} {time}"),
                Err(problems) => assert!(
                    problems.iter().all(|problem| ["iB per GPU", "fit"]
                        .iter()
                        .any(|part| problem.message.contains(part))),
                    "{name}: {what} {problems:?}"
                ),
            }
        }
    }
}

/// A checkpoint is served in its published number format unless the visitor had chosen one.
#[test]
fn an_imported_checkpoint_is_served_in_its_format() {
    let file = include_str!("../fixtures/imports/deepseek-v3.2.json");
    let read = |link: &str| {
        let scenario = foretoken::scenario::link::decode(link).scenario;
        let mut scenario = foretoken::scenario::import(&scenario, file).expect("a question");
        let served = foretoken::scenario::link::encode(&scenario);
        let before = std::mem::replace(
            &mut scenario.model,
            foretoken::scenario::Choice::Named("llama-3.1-8b".to_owned()),
        );
        scenario.serve_native(&before);
        (served, foretoken::scenario::link::encode(&scenario))
    };
    let (served, picked) = read("v=1&view=inference");
    assert!(served.contains("serve.precision=fp8block"), "{served}");
    assert!(!picked.contains("serve.precision"), "{picked}");
    let (served, picked) = read("v=1&view=inference&serve.precision=int8");
    assert!(
        served.contains("serve.precision=int8") && picked.contains("serve.precision=int8"),
        "{served} {picked}"
    );
}
