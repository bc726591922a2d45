//! The timeline of a training step as a Chrome trace, held against the rules of the format.

use std::collections::BTreeMap;

use foretoken::measured::{Opened, TRACE_HEAD, is_trace, open};
use foretoken::scenario::{Scenario, import, link};
use foretoken::view::trace::chrome;
use serde_json::{Value, json};

fn trace(rest: &str) -> Value {
    let question = link::decode(&format!("v=1{rest}")).scenario;
    json!(chrome(&question).unwrap_or_else(|problems| panic!("{rest}: {problems:?}")))
}

fn number(event: &Value, field: &str) -> f64 {
    event[field].as_f64().unwrap_or_else(|| panic!("no {field}: {event}"))
}

const PLANS: [&str; 4] = [
    "&tp=8&pp=8&batch=64",
    "&tp=8&pp=4&batch=64&interleave=2",
    "&tp=8&pp=4&batch=64&schedule=zero-bubble-2",
    "&tp=8&pp=1&model=llama-3.1-8b&gpus=8&batch=16&recompute=full",
];

/// Events have what their kind needs, and slices of one thread follow each other.
#[test]
fn events_keep_the_rules_of_the_format() {
    for plan in PLANS {
        let trace = trace(plan);
        assert_eq!(trace["displayTimeUnit"], "ms");
        let mut ends: BTreeMap<(u64, u64), f64> = BTreeMap::new();
        let mut named = Vec::new();
        for event in trace["traceEvents"].as_array().expect("events") {
            let place = (event["pid"].as_u64().expect("a process"), event["tid"].as_u64().unwrap_or(0));
            assert!(event["name"].as_str().is_some_and(|name| !name.is_empty()), "{event}");
            match event["ph"].as_str().expect("a phase") {
                "M" => named.push((place, event["args"]["name"].as_str().expect("a name").to_owned())),
                "X" => {
                    let (from, time) = (number(event, "ts"), number(event, "dur"));
                    let before = ends.insert(place, from + time).unwrap_or(0.0);
                    assert!(time > 0.0 && from >= before - 2e-3, "{plan}: {event} begins before {before}");
                }
                "C" => {
                    let values: Vec<f64> = event["args"]
                        .as_object()
                        .expect("values")
                        .values()
                        .filter_map(Value::as_f64)
                        .collect();
                    assert!(
                        number(event, "ts") >= 0.0 && values.iter().all(|value| *value >= 0.0),
                        "{event}"
                    );
                }
                other => panic!("{other}"),
            }
        }
        assert!(ends.keys().all(|place| named.iter().any(|(known, _)| known == place)), "{plan}");
        assert!(named.iter().any(|(_, name)| name.starts_with("Stage 1 of ")), "{plan}");
    }
}

/// The slices of the first stage end with the step, if no microbatch is left out; the memory is the answer's.
#[test]
fn a_trace_ends_with_its_step_and_peaks_with_its_memory() {
    for plan in PLANS {
        let question = link::decode(&format!("v=1{plan}")).scenario;
        let estimate = question.training().expect("an estimate");
        let trace = trace(plan);
        assert_eq!(trace["otherData"]["microbatchesLeftOut"].as_u64(), Some(0));
        let events = trace["traceEvents"].as_array().expect("events");
        let slices = events.iter().filter(|event| event["ph"] == "X");
        let end = slices.map(|event| number(event, "ts") + number(event, "dur")).fold(0.0, f64::max);
        let step = estimate.step.get() * 1e6;
        assert!((end / step - 1.0).abs() < 0.02, "{plan}: {end} µs of {step}");
        let counters = events.iter().filter(|event| event["ph"] == "C");
        let total = |event: &Value| -> f64 {
            event["args"].as_object().expect("values").values().filter_map(Value::as_f64).sum()
        };
        let peak = counters.map(total).fold(0.0, f64::max);
        let memory = estimate.memory.total().to_gib();
        assert!((peak / memory - 1.0).abs() < 0.02, "{plan}: {peak} GiB of {memory}");
    }
}

/// A timeline that is opened again is the question that it was predicted for, and no measurement.
#[test]
fn a_timeline_opens_as_its_question() {
    for plan in PLANS {
        let question = link::decode(&format!("v=1{plan}")).scenario;
        let file = serde_json::to_string(&chrome(&question).expect("a timeline")).expect("JSON");
        assert!(!is_trace(&file.as_bytes()[..file.len().min(TRACE_HEAD)]), "{plan}");
        let opened = open(&Scenario::default(), &file);
        assert_eq!(opened, Ok(Opened::Question(Box::new(question))), "{plan}");
        assert!(import(&Scenario::default(), &file[..file.len() / 2]).is_err());
    }
}

#[test]
fn what_has_no_timeline_says_so() {
    let field = |rest: &str| {
        let question = link::decode(&format!("v=1{rest}")).scenario;
        chrome(&question).expect_err("no timeline")[0].field.clone()
    };
    assert_eq!(field("&view=inference"), "view");
    assert_eq!(field("&tp=7"), "parallelism.tensor");
    let paper = "&model=gpt3-1t&gpu=subramanian-b200-nvs8&gpus=4096&assumptions=subramanian-2024&tp=8&pp=64&batch=4096\
                 &seq=2048&dropout=true&gradients=bf16&zero=1";
    assert_eq!(field(paper), "assumptions");
}
