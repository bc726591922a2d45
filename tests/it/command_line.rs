//! The commands `calibrate` and `predict --profile`: rows in, profile out, and predictions under it.

use foretoken::scenario::{Scenario, link, read_profile};
use foretoken::view::json::Answers;
use serde_json::Value;

#[path = "../../examples/calibrated/mod.rs"]
mod calibrated;

use calibrated::calibrated;

/// A step of a job on GPUs of one node.
fn job(batch: u32) -> String {
    format!("v=1&model=llama-3.1-8b&gpu=h100-sxm&gpus=8&tp=2&pp=1&batch={batch}&framework=megatron")
}

fn predicted(link: &str) -> f64 {
    link::decode(link).scenario.training().expect("an estimate").step.get()
}

/// Rows whose steps are this many times as long as predicted, one document a line.
fn rows(factor: f64) -> String {
    let row = |batch: u32| {
        let mut scenario = link::decode(&job(batch)).scenario;
        scenario.measured.step_s = Some(factor * predicted(&job(batch)));
        serde_json::to_string(&scenario).expect("a document") + "\n"
    };
    [32, 64, 128].map(row).concat()
}

fn run(arguments: &[&str], input: &str) -> Result<calibrated::Calibrated, String> {
    calibrated(arguments.iter().map(|word| (*word).to_owned()), input.as_bytes())
}

fn answers() -> Answers {
    Answers::reading(|name| Err(name.to_owned()))
}

fn step(value: &Value) -> f64 {
    value["training"]["step"].as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn rows_give_a_profile_that_changes_predictions() {
    let found = run(&["--name", "lab"], &rows(1.3)).expect("a profile");
    assert!(found.effects.contains("line 3"), "{}", found.effects);
    let document: Value = serde_json::from_str(&found.profile).expect("JSON");
    assert_eq!(document.as_object().map(serde_json::Map::len), Some(1));
    assert_eq!(
        (&document["profile"]["name"], &document["profile"]["gpu"]),
        (&"lab".into(), &"h100-sxm".into())
    );
    let profile = read_profile(&found.profile).expect("a profile");
    let (plain, mut under) = (answers(), answers().under(profile.clone()));
    // What was left out of the fit: another batch, as a link and as a document.
    let other = job(256);
    let before = step(&plain.estimate(&other));
    assert!((before / predicted(&other) - 1.0).abs() < 1e-12);
    let after = step(&under.estimate(&other));
    assert!((after / before / 1.3 - 1.0).abs() < 0.1, "{before} {after}");
    let document = link::decode(&other).scenario.to_json();
    assert!((step(&under.estimate(&document)) / after - 1.0).abs() < 1e-12);
    let whole = under.json(&other);
    assert!((step(&whole) / after - 1.0).abs() < 1e-12 && whole["answer"].is_object());
    // A question with a profile of its own keeps it.
    let own = format!("{other}&profile.kernels=2");
    assert!((step(&under.estimate(&own)) / step(&plain.estimate(&own)) - 1.0).abs() < 1e-12);
    // The constants of another device are not corrected.
    let elsewhere = other.replace("h100-sxm", "a100-sxm-80gb");
    assert!((step(&under.estimate(&elsewhere)) / step(&plain.estimate(&elsewhere)) - 1.0).abs() < 1e-12);
    // A comparison is of questions under the profile.
    let pair = format!(
        "[{},{}]",
        link::decode(&other).scenario.to_json(),
        link::decode(&job(64)).scenario.to_json()
    );
    assert_ne!(under.json(&pair)["comparison"], answers().json(&pair)["comparison"]);
}

#[test]
fn files_are_rows_with_the_settings_of_a_link() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/measurements/");
    let file = format!("{folder}torchtitan_line.txt");
    let refused = run(&[&file], "").err().unwrap_or_default();
    assert!(refused.contains(&file) && refused.contains("--on LINK"), "{refused}");
    let on = job(64);
    let found = run(&["--on", &on, &file], "").expect("a profile");
    assert!(read_profile(&found.profile).is_ok(), "{}", found.profile);
    assert!(found.effects.contains(&file), "{}", found.effects);
}

#[test]
fn what_calibrate_cannot_use_is_refused() {
    for (arguments, input, says) in [
        (&["--what"][..], "", "usage: calibrate"),
        (&["--on"][..], "", "usage: calibrate"),
        (&["/nowhere.log"][..], "", "/nowhere.log"),
        (&[][..], "", ""),
        (&[][..], "{\"measured\": {\"step_ms\": 3}}", "step_s"),
        (&[][..], "{\"gpus\": 3", ""),
        (&[][..], "{\"view\": \"training\"}", "no measured rows"),
    ] {
        let refused = run(arguments, input).err().unwrap_or_else(|| panic!("{arguments:?} {input}"));
        assert!(!refused.is_empty() && refused.contains(says), "{refused} lacks {says}");
    }
}

#[test]
fn a_bad_profile_is_refused_with_its_field() {
    for (file, field, says) in [
        ("{}", "profile", "has no calibration profile"),
        ("{\"view\": \"training\"}", "profile", "has no calibration profile"),
        ("{\"profile\": {}}", "profile", "has no calibration profile"),
        (
            "{\"profile\": {\"kernels\": 1.2, \"gpu\": \"h100-sxn\"}}",
            "profile.gpu",
            "did you mean `h100-sxm`?",
        ),
        ("{\"profile\": {\"kernels\": 1.2, \"gpu\": \"<b>\"}}", "profile.gpu", "is not in the catalogue"),
        (
            "{\"profile\": {\"kernels\": 1.2, \"software\": \"vllm,vlm\"}}",
            "profile.software",
            "`vlm` is no known",
        ),
        ("{\"profile\": {\"kernels\": -1}}", "profile.kernels", ""),
        ("{\"profile\": {\"links\": 1e9}}", "profile.links", ""),
        ("{\"profile\": {\"kernels\": \"fast\"}}", "profile.kernels", ""),
        ("{\"profile\": {\"kernel\": 1.2}}", "profile.kernel", "did you mean `kernels`?"),
        ("{\"version\": 9, \"profile\": {\"kernels\": 1.2}}", "version", ""),
        ("", "document", "is no JSON object"),
        ("[1]", "document", "is no JSON object"),
    ] {
        let problems = read_profile(file).expect_err(file);
        assert_eq!(problems[0].field, field, "{file}: {problems:?}");
        assert!(problems[0].to_string().contains(says), "{} lacks {says}", problems[0]);
    }
    let good = "{\"profile\": {\"kernels\": 1.2, \"gpu\": \"h100-sxm\", \"software\": \"vllm,megatron\"}}";
    assert!(read_profile("{\"profile\": {\"kernels\": 1.2, \"gpu\": \"my-board\"}}").is_ok());
    assert!(read_profile(good).is_ok_and(|profile| (profile.kernels - 1.2).abs() < 1e-12));
    // A scenario with a profile has one, too.
    let whole = Scenario { profile: read_profile(good).expect("a profile"), ..Scenario::default() };
    assert_eq!(read_profile(&whole.to_json()), Ok(whole.profile));
}
