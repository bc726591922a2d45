//! A checkpoint's `config.json` gives the shape that the catalogue has for it. `fixtures/configs` holds the fields of
//! such files as their authors publish them, named by the catalogue's entry.

use std::fs;
use std::path::Path;

use foretoken::catalog;
use foretoken::scenario::huggingface::architecture;

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
