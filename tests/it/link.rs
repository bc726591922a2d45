//! Links keep their meaning, read as people write them, and say what is wrong with them.

use std::fs;
use std::path::Path;

use foretoken::catalog::{accelerator, catalog};
use foretoken::scenario::fields::{self, FIELDS, Kind};
use foretoken::scenario::link::{self, LINK, MAX_BYTES, MAX_PAIRS, decode, encode};
use foretoken::scenario::preset::presets;
use foretoken::scenario::{Choice, Scenario, View};

/// The scenario of a link that has nothing wrong.
fn read(link: &str) -> Scenario {
    let decoded = decode(link);
    assert_eq!(decoded.problems, [], "{link}");
    decoded.scenario
}

/// The problems of a link as `field: message`.
fn complaints(link: &str) -> Vec<String> {
    decode(link).problems.iter().map(ToString::to_string).collect()
}

#[test]
fn presets_are_links_without_problems() {
    for preset in presets() {
        let scenario = read(preset.link);
        assert_eq!(preset.scenario(), scenario);
        assert_eq!(read(&encode(&scenario)), scenario, "{}", preset.id);
        assert!(!preset.why.ends_with('.') && !preset.name.is_empty(), "{}", preset.id);
        assert_eq!(presets().iter().filter(|other| other.id == preset.id).count(), 1, "{}", preset.id);
    }
}

#[test]
fn pinned_questions_follow_the_one_that_is_asked() {
    let (asked, pinned) = (read("v=1&view=inference&serve.tp=4"), read("v=1&view=inference&serve.tp=2"));
    let link = link::encode_pinned(&asked, "load", std::slice::from_ref(&pinned));
    let read = link::decode_all(&link);
    let parts: Vec<_> = read.iter().map(|link| (&link.scenario, link.part.as_str(), link.pin)).collect();
    assert_eq!(parts, [(&asked, "load", false), (&pinned, "", true)]);
    assert!(read.iter().all(|link| link.problems.is_empty()));
    assert_eq!(complaints("v=1&pin=maybe"), ["pin: `pin` is `true` or `false`, not `maybe`"]);
}

#[test]
fn a_part_of_the_answer_is_no_part_of_the_question() {
    let plain = read("v=1&view=inference&serve.tp=4");
    let opened = decode("v=1&view=inference&serve.tp=4&part=dram");
    assert_eq!((&opened.scenario, opened.part.as_str(), opened.problems.len()), (&plain, "dram", 0));
    assert_eq!(link::encode_at(&plain, "dram"), format!("{}&part=dram", encode(&plain)));
    assert_eq!(link::encode_at(&plain, ""), encode(&plain));
    assert_eq!(decode(&encode(&plain)).part, "");
}

#[test]
fn catalogue_entries_can_be_spelled_out() {
    for architecture in &catalog().architectures {
        for accelerator in &catalog().accelerators {
            let mut scenario =
                Scenario { model: Choice::Explicit(Box::new(architecture.clone())), ..Scenario::default() };
            scenario.system.accelerator = Choice::Explicit(Box::new(accelerator.clone()));
            let link = encode(&scenario);
            assert!(link.split('&').count() + FIELDS.len() <= MAX_PAIRS, "{link}");
            assert_eq!(read(&link), scenario);
        }
    }
}

/// Each file of `fixtures/links` is a link that somebody may have kept; the JSON beside it is what it means.
#[test]
fn old_links_mean_what_they_meant() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/links");
    let mut links = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "link") {
            continue;
        }
        links += 1;
        let link = fs::read_to_string(&path).unwrap();
        let meaning = fs::read_to_string(path.with_extension("json")).unwrap();
        let meaning: Scenario = serde_json::from_str(&meaning).unwrap();
        assert_eq!(decode(link.trim_end()).scenario, meaning, "{}", path.display());
    }
    assert!(links >= 10);
}

#[test]
fn the_default_is_the_shortest_link() {
    assert_eq!(encode(&Scenario::default()), "v=1");
    for link in [
        "",
        "#",
        "v=1",
        "#v=1",
        "&&",
        "v=1&view=training&model=llama-3.1-70b&gpu=h100-sxm&gpus=512&tp=8&pp=4",
    ] {
        assert_eq!(read(link), Scenario::default(), "{link}");
    }
}

#[test]
fn links_read_like_sentences() {
    let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
    scenario.model = Choice::Named("my model.".to_owned());
    scenario.system.dram_gb_s = Some(8000.0);
    scenario.recipe.tokens = 3e11;
    scenario.parallelism.sequence_parallel = false;
    assert_eq!(encode(&scenario), "v=1&view=inference&model=my+model.&dram_gb_s=8000&sp=false&tokens=3e11");
    scenario = Scenario { model: scenario.model, ..Scenario::default() };
    assert_eq!(encode(&scenario), "v=1&model=my+model%2E");
}

#[test]
fn numbers_are_read_as_people_write_them() {
    let scenario = read("gpus=1e3&tokens=1.5e+13&tp=+4&dram_gib=+80.50&dropout=1");
    assert_eq!((scenario.system.gpus, scenario.recipe.tokens), (1000, 1.5e13));
    assert_eq!((scenario.parallelism.tensor, scenario.system.dram_gib), (4, Some(80.5)));
    assert!(scenario.recipe.dropout);
    for bad in [
        "gpus=1.5",
        "gpus=-1",
        "gpus=NaN",
        "gpus=4294967296",
        "tokens=inf",
        "tokens=1e999",
        "zero=256",
        "tp=8x",
    ] {
        let decoded = decode(bad);
        assert_eq!((decoded.scenario, decoded.problems.len()), (Scenario::default(), 1), "{bad}");
    }
}

#[test]
fn a_catalogue_entry_can_be_altered() {
    let Some(known) = accelerator("h100-sxm") else { panic!("no h100-sxm") };
    let mut altered = known.clone();
    altered.dram.capacity_gib = 144.0;
    let scenario = read("gpu.dram.capacity_gib=144&gpu=h100-sxm");
    assert_eq!(scenario.system.accelerator, Choice::Explicit(Box::new(altered)));
    assert_eq!(read(&encode(&scenario)), scenario);
}

/// A device or a model with an empty name has that of the entry that it changes.
#[test]
fn an_empty_name_is_none() {
    assert_eq!(read("gpu=h100-sxm&gpu.name="), read("gpu=h100-sxm"));
    assert_eq!(
        read("model=llama-3.1-8b&model.name=&model.layers=16"),
        read("model=llama-3.1-8b&model.layers=16")
    );
    let (changed, known) =
        (read("gpu=h100-sxm&gpu.dram.capacity_gib=144&gpu.name="), accelerator("h100-sxm"));
    let mut device = known.expect("h100-sxm").clone();
    assert_eq!(changed.system.accelerator().expect("a device").name, device.name);
    // A device that is spelled out has no other entry, but the id of the one that it came from.
    device.name.clear();
    let mut spelled = Scenario::default();
    spelled.system.accelerator = Choice::Explicit(Box::new(device));
    assert_eq!(read(&encode(&spelled)), spelled);
    assert_eq!(spelled.system.accelerator().as_ref(), Ok(known.expect("h100-sxm")));
}

#[test]
fn what_is_wrong_is_said_and_the_rest_is_kept() {
    let decoded = decode("tp=4&tensor=2&pp=two&sp=maybe&view=trainin&gpus=&mb&batch=8&batch=16&v=2");
    let mut right = Scenario::default();
    (right.parallelism.tensor, right.recipe.batch) = (4, 16);
    assert_eq!(decoded.scenario, right);
    let said: Vec<String> = decoded.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "tensor: there is no key `tensor`: did you mean `tp`?",
            "parallelism.pipeline: `pp` must be a whole number from 1 to 1,024 stages, not `two`",
            "parallelism.sequence_parallel: `sp` is `true` or `false`, not `maybe`",
            "view: `view` must be one of `training`, `inference`, `sizing`, `search`, `generations`, `technology`, \
             `papers`, `validation`, not `trainin`: did you mean `training`?",
            "system.gpus: `gpus` has no value",
            "parallelism.microbatch: `mb` has no value",
            "version: `v` is 1, not `2`: the link is read as version 1",
        ]
    );
    let noticed: Vec<String> = decoded.notices.iter().map(ToString::to_string).collect();
    assert_eq!(noticed, ["recipe.batch: `batch` is there more than once: the last one counts"]);
    assert_eq!(
        complaints("gpuss=4&xyzzyx=1"),
        ["gpuss: there is no key `gpuss`: did you mean `gpus`?", "xyzzyx: there is no key `xyzzyx`"]
    );
    // What the link has is said, not the name of the field that it resembles; far keys are not offered.
    assert_eq!(
        complaints("system.gpus=4&foo=1"),
        ["system.gpus: there is no key `system.gpus`: did you mean `gpus`?", "foo: there is no key `foo`"]
    );
    let twice = link::decode("model=%f&model=%ff&%=1");
    assert_eq!((twice.problems.len(), twice.notices.len()), (3, 1));
    assert_eq!(complaints("tp=4&amp;pp=2"), [""; 0]);
}

/// Notices of a link.
fn noticed(link: &str) -> Vec<String> {
    let decoded = decode(link);
    assert_eq!(decoded.problems, [], "{link}");
    decoded.notices.iter().map(ToString::to_string).collect()
}

#[test]
fn keys_of_the_same_quantity_are_told_apart() {
    for (link, said) in [
        (
            "view=inference&serve.concurrency=8&serve.rate=2&serve.batch=4",
            &[
                "inference.concurrency: `serve.concurrency` has no effect: `serve.rate` gives the load",
                "inference.batch: `serve.batch` has no effect: `serve.rate` gives the load",
            ][..],
        ),
        (
            "view=inference&serve.batch=4&serve.concurrency=8&serve.rounds=2&serve.requests=100",
            &[
                "inference.batch: `serve.batch` has no effect: `serve.concurrency` gives the load",
                "inference.requests: `serve.requests` has no effect: `serve.rounds` gives the number of requests",
            ],
        ),
        (
            "view=inference&serve.rate=4&serve.rounds=2&serve.requests=100",
            &[
                "inference.rounds: `serve.rounds` has no effect: `serve.requests` gives the number of requests",
            ],
        ),
        (
            "view=sizing&size.users=800&serve.rate=4&size.think=20&size.per_minute=2&serve.turns=2&serve.interval=9",
            &[
                "inference.rate: `serve.rate` has no effect: `size.users` gives the load",
                "sizing.per_minute: `size.per_minute` has no effect: `size.think` gives the time between requests",
                "inference.turn_interval_s: `serve.interval` has no effect: `size.think` gives the time between requests",
            ],
        ),
        (
            "view=inference&serve.draft=2&serve.draft_model=llama-3.1-8b&serve.draft_cost=0.1",
            &[
                "inference.draft_cost: `serve.draft_cost` has no effect: `serve.draft_model` gives the time of a draft",
            ],
        ),
        (
            "gpu=h100-sxm&gpu.dram.bandwidth_gb_s=4000&dram_gb_s=5000&gpu.scale_up.domain=16&scale_up_domain=8",
            &[
                "system.accelerator: `gpu.dram.bandwidth_gb_s` has no effect: `dram_gb_s` gives the DRAM bandwidth",
                "system.accelerator: `gpu.scale_up.domain` has no effect: `scale_up_domain` gives the scale-up domain",
            ],
        ),
        // Zero leaves the load to the next key, and other views and loads do not depend on it.
        ("view=inference&serve.concurrency=8&serve.rate=0", &[]),
        ("view=training&serve.concurrency=8&serve.rate=2", &[]),
        ("view=sizing&size.load=rate&size.users=800&serve.rate=4", &[]),
        ("view=inference&serve.draft_model=none&serve.draft_cost=0.1", &[]),
        ("gpu=h100-sxm&gpu.dram.capacity_gib=144&dram_gb_s=5000", &[]),
    ] {
        assert_eq!(noticed(link), said, "{link}");
    }
}

/// The range is that of the field, not of the type of number that holds it; in the unit of links.
#[test]
fn a_number_of_the_wrong_kind_is_answered_with_the_fields_range() {
    for (link, says) in [
        ("gpus=0.5", "system.gpus: `gpus` must be a whole number from 1 to 1,048,576, not 0.5"),
        ("gpus=-1", "system.gpus: `gpus` must be a whole number from 1 to 1,048,576, not -1"),
        ("gpus=4294967296", "system.gpus: `gpus` must be a whole number from 1 to 1,048,576, not 4294967296"),
        ("zero=1.5", "parallelism.zero: `zero` must be one of `0`, `1`, `2`, `3`, not 1.5"),
        (
            "cost.power=half",
            "economics.power_share: `cost.power` must be a number from 0.01 to 1, not `half`",
        ),
    ] {
        assert_eq!(complaints(link), [says]);
    }
}

#[test]
fn what_is_wrong_with_something_spelled_out_is_said() {
    let decoded = decode("gpu=h100-sxm&gpu.dram.capacity_gb=144&gpu.dram.bandwidth_gb_s=4000&gpu.year=soon");
    let Choice::Explicit(device) = decoded.scenario.system.accelerator else { panic!("not altered") };
    assert_eq!(device.dram.bandwidth_gb_s.to_bits(), 4000_f64.to_bits());
    let fields: Vec<&str> = decoded.problems.iter().map(|problem| problem.field.as_str()).collect();
    assert_eq!(fields, ["system.accelerator.dram.capacity_gb", "system.accelerator.year"]);
    assert!(decoded.problems[0].message.contains("`capacity_gib`"), "{}", decoded.problems[0]);

    let decoded = decode("model=nobody&model.layers=3&tp=2");
    assert_eq!(decoded.scenario.model, Choice::Named("nobody".to_owned()));
    assert_eq!(decoded.scenario.parallelism.tensor, 2);
    assert_eq!(decoded.problems.len(), 2, "{:?}", decoded.problems);
}

#[test]
fn each_unknown_leaf_is_named_in_the_order_of_the_link() {
    let leaves = [
        ("b", "unknown field `b`"),
        ("dram.x", "unknown field `x`"),
        ("a.c", "unknown field `a`"),
        ("tdp_w", "must be a number"),
        ("a.d", "unknown field `a`"),
        ("dram.y", "unknown field `y`"),
    ];
    let spelled = leaves.iter().map(|(key, _)| format!("&gpu.{key}=no")).collect::<Vec<_>>().concat();
    let decoded = decode(&format!("gpu=h100-sxm{spelled}"));
    assert_eq!(decoded.problems.len(), leaves.len());
    for ((key, why), problem) in leaves.iter().zip(&decoded.problems) {
        assert_eq!(problem.field, format!("system.accelerator.{key}"));
        assert!(problem.message.contains(why), "{problem}");
    }
}

#[test]
fn limits_come_before_work() {
    let decoded = decode(&format!("tp=2&model={}", "a".repeat(MAX_BYTES)));
    assert_eq!(decoded.scenario, Scenario::default());
    assert_eq!((decoded.problems.len(), decoded.problems[0].field.as_str()), (1, LINK));

    let decoded = decode(&format!("{}tp=2", "pp=2&".repeat(MAX_PAIRS)));
    assert_eq!((decoded.scenario.parallelism.pipeline, decoded.scenario.parallelism.tensor), (2, 8));
    assert_eq!(decoded.problems.last().map(|problem| problem.field.as_str()), Some(LINK));

    assert_eq!(complaints(&format!("model={}", "a".repeat(link::MAX_VALUE + 1))).len(), 1);
    assert_eq!(complaints(&format!("model{}=1", ".a".repeat(4000))).len(), 1);
}

/// Fields without a key would be lost in links.
#[test]
fn every_field_has_a_key_and_every_key_is_documented() {
    let document = serde_json::to_value(Scenario::default()).unwrap();
    for (section, value) in document.as_object().unwrap() {
        let fields =
            value.as_object().map(|fields| fields.keys().map(|name| format!("{section}.{name}")).collect());
        for path in fields.unwrap_or_else(|| vec![section.clone()]) {
            assert!(path == "version" || fields::field(&path).is_some(), "{path}");
        }
    }
    let grammar = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/link.md")).unwrap();
    for field in &FIELDS {
        assert!(grammar.contains(&format!("\n| `{}` | `{}` | ", field.key, field.path)), "{}", field.key);
    }
}

/// A row that lists a field's words lists all of them; a row may refer to those of another field.
#[test]
fn every_word_of_a_choice_is_documented() {
    let grammar = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/link.md")).unwrap();
    let mut missing = Vec::new();
    for field in &FIELDS {
        let Kind::Select(options) = field.kind else { continue };
        let begins = format!("| `{}` | ", field.key);
        let row = grammar.lines().find(|line| line.starts_with(&begins)).unwrap();
        let listed = |word: &str| row.contains(&format!("`{word}`"));
        let words: Vec<String> =
            options(&Scenario::default()).into_iter().map(|option| option.value).collect();
        let refers = row.contains("those of `") || row.contains("id of");
        // A row with at most two words names a default or `none`. `precision` offers the formats of serving too, which
        // `serve.precision` lists.
        if !refers && field.key != "precision" && words.iter().filter(|word| listed(word)).count() > 2 {
            missing.extend(
                words.iter().filter(|word| !listed(word)).map(|word| format!("{}={word}", field.key)),
            );
        }
    }
    assert_eq!(missing, [] as [&str; 0]);
}

/// In HTML text, these names begin a character reference even without a semicolon.
#[test]
fn no_key_begins_like_an_html_entity() {
    const ENTITIES: [&str; 40] = [
        "amp", "lt", "gt", "quot", "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect",
        "uml", "copy", "ordf", "laquo", "not", "shy", "reg", "macr", "deg", "plusmn", "sup", "acute",
        "micro", "para", "middot", "cedil", "ordm", "raquo", "frac", "iquest", "times", "divide", "szlig",
        "eth", "thorn", "agrave", "ouml", "yuml",
    ];
    for key in FIELDS.iter().map(|field| field.key) {
        assert!(!ENTITIES.iter().any(|entity| key.starts_with(entity)), "{key}");
    }
}

#[test]
fn a_fitted_constant_can_be_replaced() {
    let link = "v=1&constants.matmul.bf16.compute_efficiency=0.5";
    let scenario = read(link);
    assert_eq!(encode(&scenario), link);
    let step = |scenario: &Scenario| scenario.training().unwrap().step;
    assert!(step(&scenario) > step(&Scenario::default()));
    let unknown = complaints("constants.matmul.bf16.compute_eficiency=0.5");
    assert!(unknown[0].contains("did you mean `matmul.bf16.compute_efficiency`?"), "{unknown:?}");
    assert_eq!(complaints("constants.=1").len(), 1);
    assert_eq!(complaints("constants.matmul.bf16.compute_efficiency=fast").len(), 1);
    // The scenario's own check decides if a value is sensible.
    let far = read("constants.matmul.bf16.compute_efficiency=50").problems();
    assert_eq!(far[0].field, "constants.matmul.bf16.compute_efficiency");
}
