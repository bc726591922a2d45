//! A model or a GPU of one's own: what its form makes, and its way through a link.

use foretoken::scenario::own::{Kind, Own};
use foretoken::scenario::{Choice, Scenario, link};
use serde_json::json;

fn own(kind: Kind, question: &Scenario) -> Own {
    kind.base(question).expect("an entry")
}

fn asked(entry: &mut Own, path: &str, text: &str) -> Result<(), String> {
    let kind = if matches!(entry, Own::Model(_)) { Kind::Model } else { Kind::Gpu };
    let ask = kind.asks().into_iter().find(|ask| ask.path == path).expect("a number");
    entry.take(ask, text)
}

#[test]
fn a_model_of_ones_own_is_answered_and_travels_in_the_link() {
    let mut question = Scenario::default();
    let mut model = own(Kind::Model, &question).named("My model 2");
    for (path, text) in [("layers", "48"), ("hidden", "6,144"), ("vocab", "100000")] {
        asked(&mut model, path, text).expect("a number");
    }
    assert_eq!(model.to_json()["id"], "own-my-model-2");
    assert_eq!(Kind::Model.read(&model.to_json()), Some(model.clone()));
    assert_eq!(Kind::Model.read(&json!({ "id": "x" })), None);
    model.put(&mut question);
    let read = link::decode(&link::encode(&question));
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    assert_eq!(read.scenario.model, question.model);
    let parameters = |question: &Scenario| question.architecture().expect("a model").parameters().total;
    assert!(parameters(&question) < parameters(&Scenario::default()));
    assert!(question.training().is_ok());
}

#[test]
fn experts_come_and_go() {
    let mut model = own(Kind::Model, &Scenario::default());
    for (path, text) in [("moe.experts", "64"), ("moe.top_k", "4"), ("moe.ffn", "2048")] {
        asked(&mut model, path, text).expect("a number");
    }
    let moe = model.to_json()["moe"].clone();
    assert_eq!((&moe["experts"], &moe["top_k"], &moe["ffn"]), (&json!(64), &json!(4), &json!(2048)));
    let paths = ["moe.shared_ffn", "moe.experts", "moe.top_k", "moe.ffn"];
    for first in 0..paths.len() {
        for offset in 0..paths.len() {
            asked(&mut model, paths[(first + offset) % paths.len()], "").expect("no number");
        }
        assert_eq!(model.to_json().get("moe"), None);
        // The numbers may be entered in any order.
        asked(&mut model, paths[first], "7").expect("a number");
        assert_eq!(model.text(paths[first]), "7");
    }
}

#[test]
fn a_gpu_of_ones_own_is_answered_and_travels_in_the_link() {
    let mut question = Scenario::default();
    question.system.dram_gb_s = Some(1234.0);
    let mut device = own(Kind::Gpu, &question).named("Ours");
    assert_eq!(device.text("dram.bandwidth_gb_s"), "1234", "what the question changes is taken along");
    asked(&mut device, "matrix_tflops.bf16", "2000.5").expect("a number");
    asked(&mut device, "matrix_tflops.fp4", "").expect("no number");
    device.put(&mut question);
    let before = Scenario::default().training().expect("an answer").step;
    assert!(question.training().expect("an answer").step < before);
    let read = link::decode(&link::encode(&question));
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    assert_eq!(read.scenario, question);
}

#[test]
fn an_unchanged_copy_of_a_gpu_is_as_fast() {
    for id in ["h100-sxm", "h200-sxm", "b300", "mi300x"] {
        let mut question = Scenario::default();
        question.system.accelerator = Choice::Named(id.to_owned());
        let step = question.training().expect("an answer").step;
        own(Kind::Gpu, &question).named("Ours").put(&mut question);
        assert_eq!(question.training().expect("an answer").step, step, "{id}");
    }
}

#[test]
fn layers_with_windows_are_no_more_than_layers() {
    let question = Scenario { model: Choice::Named("gpt-oss-20b".to_owned()), ..Scenario::default() };
    let mut model = own(Kind::Model, &question).named("Shallow");
    asked(&mut model, "layers", "2").expect("a number");
    assert!(!model.problems().is_empty());
    assert!(model.fitted().problems().is_empty());
}

#[test]
fn what_no_equation_holds_for_is_said() {
    let mut model = own(Kind::Model, &Scenario::default());
    assert_eq!(asked(&mut model, "layers", "4.5"), Err("Must be a whole number".to_owned()));
    for text in ["many", "-5", "1e", "9,5", "5e9", "5000000000"] {
        assert!(asked(&mut model, "layers", text).is_err(), "{text}");
    }
    asked(&mut model, "layers", "100000").expect("a number");
    assert_eq!(model.problems()[0].field, "model.layers");
    let mut device = own(Kind::Gpu, &Scenario::default());
    asked(&mut device, "dram.bandwidth_gb_s", "0.5").expect("a number");
    assert!(device.problems().iter().any(|problem| problem.field.ends_with("dram.bandwidth_gb_s")));
}
