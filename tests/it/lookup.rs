//! Names that people type for devices and models: links answer with the entry that is meant, and the page's lists find it.

use foretoken::catalog;
use foretoken::scenario::fields::{Field, Kind, Opt, field};
use foretoken::scenario::{Scenario, link};

/// Names of devices, with the entry that each means.
const DEVICES: [(&str, &str); 25] = [
    ("dgx-spark", "gb10"),
    ("project digits", "gb10"),
    ("ironwood", "tpu-v7x"),
    ("tpu7x", "tpu-v7x"),
    ("trillium", "tpu-v6e"),
    ("m3-ultra", "apple-m3-ultra-60c"),
    ("m4 max", "apple-m4-max-32c"),
    ("a100", "a100-sxm-80gb"),
    ("h100", "h100-sxm"),
    ("dgx h100", "h100-sxm"),
    ("hgx-b200", "b200"),
    ("b200-nvl", "gb200-nvl72"),
    ("mi355", "mi355x"),
    ("mi300", "mi300x"),
    ("gaudi3", "gaudi-3"),
    ("5090", "rtx-5090"),
    ("4090", "rtx-4090"),
    ("rtx5090", "rtx-5090"),
    ("RTX 5090", "rtx-5090"),
    ("7900xtx", "rx-7900-xtx"),
    ("strix-halo", "ryzen-ai-max-395"),
    ("trn2", "trainium2"),
    ("inf2", "inferentia2"),
    ("rtx-pro-6000", "rtx-pro-6000-blackwell"),
    ("ponte vecchio", "max-1550"),
];

/// Names of models, with the entry that each means.
const MODELS: [(&str, &str); 14] = [
    ("llama3", "llama-3-8b"),
    ("llama-3.3-70b-instruct", "llama-3.3-70b"),
    ("llama3.3", "llama-3.3-70b"),
    ("qwen3-30b", "qwen3-30b-a3b"),
    ("qwen3-coder", "qwen3-coder-480b-a35b"),
    ("deepseek-v3.1", "deepseek-v3"),
    ("deepseek-r1", "deepseek-v3"),
    ("deepseek v3", "deepseek-v3"),
    ("kimi-k2-instruct", "kimi-k2"),
    ("kimi", "kimi-k2"),
    ("gpt-oss", "gpt-oss-120b"),
    ("gpt oss 20b", "gpt-oss-20b"),
    ("gemma3", "gemma-3-1b"),
    ("mt-nlg 530b", "megatron-530b"),
];

/// The problem of a link with this value.
fn said(key: &str, name: &str) -> String {
    let decoded = link::decode(&format!("{key}={}", name.replace(' ', "+")));
    assert_eq!(decoded.problems, []);
    decoded.scenario.training().expect_err("an unlisted name")[0].to_string()
}

#[test]
fn a_link_answers_with_the_entry_that_a_name_means() {
    let mut wrong = Vec::new();
    for (key, names) in [("gpu", &DEVICES[..]), ("model", &MODELS[..])] {
        for (name, id) in names {
            let said = said(key, name);
            if !said.ends_with(&format!("is not in the catalogue: did you mean `{id}`?")) {
                wrong.push(said);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(catalog::architecture("llama-3.3-70b").is_some() && catalog::architecture("kimi-k2").is_some());
    for name in ["", "-", "a toaster", &"b200 ".repeat(100)] {
        assert_eq!(catalog::named(name, ["b200"]), None, "{name}");
    }
    assert!(!said("gpu", "toaster").contains("did you mean"));
}

/// The options of a field that its searchable list shows for a text: those that match best.
fn found(field: &Field, text: &str) -> Vec<String> {
    let Kind::Select(options) = field.kind else { panic!("no list") };
    let options = options(&Scenario::default());
    let best = options.iter().filter_map(|option| option.fit(text)).max();
    let fits = |option: &Opt| option.fit(text).is_some() && option.fit(text) == best;
    options.into_iter().filter(fits).map(|option| option.value).collect()
}

#[test]
fn the_lists_of_the_page_find_what_a_name_means() {
    let mut wrong = Vec::new();
    for (path, names) in [("system.accelerator", &DEVICES[..]), ("model", &MODELS[..])] {
        let field = field(path).expect("a field");
        // Names of checkpoints have words that no entry has.
        for (name, id) in names.iter().filter(|(name, _)| !name.ends_with("instruct")) {
            let found = found(field, name);
            if !found.iter().any(|found| found == id) {
                wrong.push(format!("{name}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_alias_is_of_an_entry_and_says_more_than_its_name() {
    let catalog = catalog::catalog();
    let mut aliases = 0;
    for device in &catalog.accelerators {
        for alias in catalog::aliases(&device.id) {
            aliases += 1;
            let own = catalog::fit(alias, &[&device.id, &device.name]);
            assert_ne!(own, Some(catalog::Fit::Whole), "{}: {alias}", device.id);
        }
    }
    // Those of models are published names as well, whose words must follow each other.
    aliases += catalog.architectures.iter().flat_map(|model| catalog::aliases(&model.id)).count();
    let listed: serde_json::Value =
        serde_json::from_str(include_str!("../../src/catalog/data/aliases.json")).expect("JSON");
    let names = |entry: &serde_json::Value| entry["names"].as_array().map_or(0, Vec::len);
    assert_eq!(aliases, listed.as_array().expect("a list").iter().map(names).sum::<usize>());
}
