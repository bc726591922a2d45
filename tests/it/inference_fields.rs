//! No field of a served load is without effect: each changes the answer, is refused, or is listed here with a reason.

use foretoken::catalog::{self, Architecture};
use foretoken::figure::Size;
use foretoken::inference::{Engine, InferenceLoad};
use foretoken::scenario::fields::FIELDS;
use foretoken::scenario::{Choice, NONE, Scenario, View, link};
use foretoken::units::format;
use foretoken::view::{self, Part};
use serde_json::{Value, json};

/// Name of a kind of load, and the function that makes one.
type Kind = (&'static str, fn(&mut InferenceLoad));

/// Kinds of loads, each of which uses other fields.
const LOADS: [Kind; 11] = [
    ("one batch", |load| load.batch = 8),
    ("one batch, prompts apart", |load| {
        (load.batch, load.prefill_workers, load.prefill_tensor) = (8, 1, 4);
    }),
    ("closed loop", |load| load.concurrency = 64),
    ("closed loop, SGLang", |load| (load.concurrency, load.engine) = (64, Engine::Sglang)),
    ("closed loop, prompts apart", |load| {
        (load.concurrency, load.prefill_workers, load.prefill_tensor) = (64, 1, 4);
    }),
    ("open loop", |load| load.rate = 2.0),
    ("open loop, prompts apart", |load| {
        (load.rate, load.prefill_workers, load.prefill_tensor) = (2.0, 1, 4);
    }),
    // So long apart that caches fill.
    ("sessions", |load| (load.rate, load.turns, load.turn_interval_s) = (2.0, 3, 2000.0)),
    ("sessions, prompts apart", |load| {
        (load.rate, load.turns, load.turn_interval_s) = (2.0, 3, 2000.0);
        (load.prefill_workers, load.prefill_tensor) = (1, 4);
    }),
    ("run", |load| (load.rate, load.requests) = (2.0, 200)),
    ("run, prompts apart", |load| {
        (load.rate, load.requests, load.prefill_workers, load.prefill_tensor) = (2.0, 200, 1, 4);
    }),
];

/// A field, where it has no effect, and why.
type Exemption = (&'static str, fn(&Scenario, &Architecture) -> bool, &'static str);

/// Fields without effect under a condition, with the reason.
const WITHOUT_EFFECT: &[Exemption] = &[
    ("batch", |asked, _| asked.inference.is_stream(), "requests come one by one"),
    (
        "concurrency",
        |asked, _| asked.inference.rate > 0.0,
        "requests come at a rate, however many are in flight",
    ),
    (
        "rounds",
        |asked, _| !closed(&asked.inference),
        "clients that wait for an answer are those of a closed loop",
    ),
    ("requests", |asked, _| asked.inference.rate <= 0.0, "they are counted where they come at a rate"),
    (
        "uniform",
        |asked, _| !closed(&asked.inference) || asked.inference.prefill_workers > 0,
        "requests end together where they are read and decoded together, and each is replaced",
    ),
    ("max_sequences", |asked, _| !asked.inference.is_stream(), "one batch is served whole"),
    ("token_budget", |asked, _| !asked.inference.is_stream(), "one batch is read at once"),
    (
        "admission",
        |asked, _| !asked.inference.is_stream() || asked.inference.prefill_workers > 0,
        "one batch is read at once, and workers that only read prompts admit them at once",
    ),
    (
        "mixed",
        |asked, _| {
            let own = asked.inference.engine.product() == Engine::Sglang;
            !asked.inference.is_stream() || asked.inference.prefill_workers > 0 || !own
        },
        "one batch is read at once, workers that only read prompts run nothing else, and it is a setting of SGLang",
    ),
    ("memory_share", |asked, _| !asked.inference.is_stream(), "one batch has the memory that it takes"),
    ("acceptance", |asked, _| asked.inference.draft == 0, "nothing is proposed"),
    (
        "draft_cost",
        |asked, _| asked.inference.draft == 0 || named(asked),
        "nothing is proposed, or by a model whose shapes say what that takes",
    ),
    ("turns", |asked, _| !asked.inference.is_stream(), "one batch has no requests before it"),
    ("shared_prefix", |asked, _| !asked.inference.is_stream(), "one batch has no requests before it"),
    ("turn_interval_s", |asked, _| asked.inference.turns <= 1, "requests have no next turn"),
    (
        "host_cache_gib",
        |asked, _| asked.inference.turns <= 1,
        "turns or a trace fill it, whose requests only simulated percentiles have",
    ),
    (
        "ssd_cache_gib",
        |asked, _| asked.inference.turns <= 1,
        "turns or a trace fill it, whose requests only simulated percentiles have",
    ),
    ("ssd_gb_s", |asked, _| asked.inference.cached_ssd <= 0.0, "nothing is read from SSDs"),
    ("image_width", |asked, _| asked.inference.images == 0, "requests have no images"),
    ("image_height", |asked, _| asked.inference.images == 0, "requests have no images"),
    ("speculation.model", |asked, _| asked.inference.draft == 0, "nothing is proposed"),
    (
        "speculation.shared",
        |asked, _| asked.inference.draft == 0 || !named(asked),
        "nothing is proposed, or by no model that could be shared",
    ),
    ("expert", |_, model| model.moe.is_none(), "there are no experts"),
    (
        "prefill_expert",
        |asked, model| model.moe.is_none() || asked.inference.prefill_workers == 0,
        "there are no experts, or no workers that only read prompts",
    ),
    ("prefill_tensor", |asked, _| asked.inference.prefill_workers == 0, "no workers only read prompts"),
    ("prefill_data", |asked, _| asked.inference.prefill_workers == 0, "no workers only read prompts"),
];

/// Returns true if a draft is named.
fn named(asked: &Scenario) -> bool {
    asked.speculation.model != NONE
}

/// Returns true if so many requests are in flight, each replaced when it ends.
fn closed(load: &InferenceLoad) -> bool {
    load.concurrency > 0 && load.rate <= 0.0
}

/// Values to which a field is set in turn.
fn values(field: &str) -> Vec<Value> {
    match field {
        "precision" | "kv_precision" => vec![json!("fp8"), json!("fp4")],
        "launch" => vec![json!("stream")],
        "all_reduce" => vec![json!("two-shot"), json!("ring"), json!("in-switch")],
        "engine" => vec![json!("vllm"), json!("sglang"), json!("llamacpp")],
        "uniform" | "mixed" | "speculation.shared" => vec![json!(true)],
        // Each has the vocabulary of one of the models.
        "speculation.model" => vec![json!("llama-3.2-1b"), json!("mistral-7b-v0.1")],
        "rate" => vec![json!(1.0), json!(3.0)],
        "turn_interval_s" => vec![json!(500.0), json!(20_000.0)],
        "cached" | "cached_host" | "cached_ssd" | "acceptance" | "draft_cost" => {
            vec![json!(0.25), json!(0.5)]
        }
        "max_sequences" => vec![json!(1), json!(2)],
        "token_budget" => vec![json!(128), json!(256)],
        "memory_share" => vec![json!(0.001), json!(0.0012)],
        "ttft_limit_ms" | "tpot_limit_ms" => vec![json!(0.1)],
        "latency_limit_s" => vec![json!(0.01)],
        "tensor" | "prefill_tensor" => vec![json!(2), json!(8)],
        "rounds" | "requests" => vec![json!(3), json!(100)],
        "concurrency" => vec![json!(16), json!(128)],
        "input" | "output" => vec![json!(100), json!(4000)],
        "batch" => vec![json!(2), json!(32)],
        _ => vec![json!(2), json!(4)],
    }
}

fn with(scenario: &Scenario, field: &str, value: &Value) -> Scenario {
    let mut document = serde_json::to_value(scenario).expect("a document");
    match field.split_once('.') {
        Some((group, field)) => document[group][field] = value.clone(),
        None => document["inference"][field] = value.clone(),
    }
    serde_json::from_value(document).expect("a scenario")
}

/// The visible answer: the estimate, or its problems; for limits, the largest load within them.
fn answer(scenario: &Scenario, field: &str) -> Value {
    if field.contains("_limit_") {
        return json!(scenario.load_curve().ok().and_then(|curve| curve.largest));
    }
    match scenario.inference() {
        Ok(estimate) => json!(estimate),
        Err(problems) => json!(problems[0].to_string()),
    }
}

#[test]
fn every_field_changes_the_answer() {
    let mut found = Vec::new();
    for (model, draft) in [("llama-3.1-70b", "llama-3.2-1b"), ("mixtral-8x7b", "mistral-7b-v0.1")] {
        for (kind, load) in LOADS {
            for (draft, by) in [(0, NONE), (3, NONE), (3, draft)] {
                let mut base = Scenario { view: View::Inference, ..Scenario::default() };
                base.model = Choice::Named(model.to_owned());
                base.inference.draft = draft;
                base.speculation.model = by.to_owned();
                load(&mut base.inference);
                let architecture = catalog::architecture(model).expect("a model");
                assert!(base.inference().is_ok(), "{model}, {kind}, {by}");
                for path in FIELDS.iter().map(|field| field.path) {
                    let field = path.strip_prefix("inference.").unwrap_or(path);
                    if field == path && !path.starts_with("speculation.") {
                        continue;
                    }
                    let before = answer(&base, field);
                    for value in values(field) {
                        let changed = with(&base, field, &value);
                        if changed == base {
                            continue;
                        }
                        let same = answer(&changed, field) == before;
                        let holds =
                            |(name, holds, _): &&Exemption| *name == field && holds(&base, architecture);
                        let reason = WITHOUT_EFFECT.iter().find(holds).map(|(.., reason)| *reason);
                        if same != reason.is_some() {
                            let what = format!("{model}, {kind}, {draft} tokens by {by}, {field} {value}");
                            found.push(match reason {
                                None => format!("{what}: changes nothing"),
                                Some(reason) => format!("{what}: changes the answer, although {reason}"),
                            });
                        }
                    }
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// With more requests than slots the answer says how many wait: those that do not run.
#[test]
fn requests_that_wait_are_named() {
    let of = |concurrency: u32| {
        let scenario = link::decode(&format!(
            "v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&serve.tp=1&serve.in=8000&serve.out=500&serve.concurrency={concurrency}"
        ))
        .scenario;
        let estimate = scenario.inference().expect("an estimate");
        let answer = foretoken::view::first(&scenario, Size::Wide).expect("an answer");
        (estimate, answer.lead)
    };
    let (all_run, lead) = of(8);
    assert!(all_run.waiting() < 0.5 && !lead.contains(" waiting"), "{lead}");
    let (estimate, lead) = of(400);
    let there = estimate.waiting() + estimate.running;
    assert!((there / 400.0 - 1.0).abs() < 0.05, "{} and {}", estimate.waiting(), estimate.running);
    assert!(lead.contains(" of 400 requests waiting for memory or a slot: "), "{lead}");
}

/// The prefill yields the first output token, so that a single one has no price and no energy of its own.
#[test]
fn a_single_output_token_is_not_decoded() {
    let card = |output: u32, id: &str| {
        let question =
            link::decode(&format!("v=1&view=inference&model=llama-3.1-8b&serve.tp=1&serve.out={output}"))
                .scenario;
        let answer = view::first(&question, Size::Wide).expect("an answer");
        answer.card(id).unwrap_or_else(|| panic!("no {id}")).clone()
    };
    assert_eq!(card(1, "latency").note, "1 output token");
    assert_eq!(card(2, "latency").note, "2 output tokens");
    for id in ["usd-output", "energy"] {
        let (none, some) = (card(1, id), card(2, id));
        assert_eq!((none.amount, none.range.is_none()), (None, true), "{id}");
        assert!(none.note.contains("nothing is decoded"), "{}", none.note);
        assert!(some.amount.is_some_and(|amount| amount.value > 0.0), "{id}");
    }
    assert!(card(1, "usd-input").amount.is_some_and(|amount| amount.value > 0.0));
}

/// Prices at extreme request rates are written with an exponent.
#[test]
fn a_hardly_used_server_has_a_price_of_few_digits() {
    let link = "v=1&view=inference&model=llama-3.1-8b&serve.tp=1&serve.engine=vllm&serve.rate=1e-300";
    let answer = view::first(&link::decode(link).scenario, Size::Wide).expect("an answer");
    let shown = answer.card("usd-output").expect("a price").shown();
    assert!(shown.len() < 12 && shown.contains('e'), "{shown}");
    assert!(answer.lead.len() < 400, "{}", answer.lead);
}

/// Limits that the predicted times exceed are named with both numbers.
#[test]
fn an_answer_says_which_levels_are_not_met() {
    let notice = |limits: &str| {
        let link = format!("v=1&view=inference&model=llama-3.1-8b&serve.tp=1&serve.batch=8{limits}");
        let question = link::decode(&link).scenario;
        let answer = view::first(&question, Size::Wide).expect("an answer");
        let text = answer.part("levels-exceeded").map(|part| match part {
            Part::Notice(notice) => notice.text.clone(),
            other => panic!("{}", other.id()),
        });
        (question.inference().expect("an answer"), text)
    };
    let (estimate, none) = notice("");
    assert_eq!(none, None);
    assert_eq!(notice("&serve.ttft=60000&serve.tpot=1000").1, None);
    let [ttft, tpot] = [estimate.ttft, estimate.tpot].map(format::time);
    let said = |what: &str| Some(format!("Service levels are not met: {what}."));
    assert_eq!(
        notice("&serve.ttft=1&serve.tpot=1000").1,
        said(&format!("TTFT is {ttft}, and at most 1.00 ms is allowed"))
    );
    assert_eq!(
        notice("&serve.ttft=1&serve.tpot=0.1").1,
        said(&format!(
            "TTFT is {ttft}, and at most 1.00 ms is allowed; TPOT is {tpot}, and at most 100 µs is allowed"
        ))
    );
}
