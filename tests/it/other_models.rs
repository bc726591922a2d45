//! The table of other models on the question's GPUs.

use foretoken::figure::Row;
use foretoken::scenario::{Scenario, link};
use foretoken::service::Said;
use foretoken::view::{Answer, Part};

fn rows(answer: &Answer) -> Vec<Row> {
    answer.part("models").and_then(Part::table).expect("a table").rows.clone()
}

fn answered(rest: &str) -> Answer {
    let said: Vec<Said> = crate::service::replies(&format!("v=1&view=inference&{rest}"));
    crate::service::answered(&said).clone()
}

fn asked(row: &Row) -> Scenario {
    link::decode(row.cells[0].link.as_deref().expect("a link")).scenario
}

#[test]
fn a_card_of_24_gb_holds_what_the_table_says() {
    let rows = rows(&answered(
        "model=llama-3.1-8b&gpu=rtx-4090&serve.tp=1&serve.engine=llamacpp_flash&serve.in=2048&serve.out=256",
    ));
    assert!(rows.len() > 60, "{} models", rows.len());
    assert!(rows.windows(2).all(|pair| pair[0].cells[1].value >= pair[1].cells[1].value), "largest first");
    for row in &rows {
        let question = asked(row);
        let estimate = question.inference().expect("an answer");
        assert!(estimate.memory.fits() && estimate.memory.capacity.to_gib() < 24.1);
        let speed = row.cells[4].value.expect("a speed");
        assert!((speed * estimate.tpot.get() - 1.0).abs() < 1e-9, "the link answers the same");
    }
    let of = |name: &str| rows.iter().find(|row| row.cells[0].text == name);
    // 8 billion parameters of 2 bytes fit, 32 billion only in about 4 bits, 70 billion not at all.
    let format = |name: &str| of(name).map(|row| row.cells[2].text.clone());
    assert_eq!(format("Llama-3.1-8B").as_deref(), Some("BF16"));
    let four = format("Qwen3-32B").expect("a format");
    assert!(["Q5_K_M", "Q4_K_M", "Q3_K_M"].iter().any(|name| four.contains(name)), "{four}");
    assert!(of("Llama-3.1-70B").is_none_or(|row| row.cells[2].text.contains("Q2_K")));
}

#[test]
fn a_model_that_does_not_fit_is_answered_with_those_that_do() {
    let answer = answered("model=llama-3.1-405b&gpu=rtx-4090&serve.tp=1");
    assert!(!answer.problems.is_empty());
    assert!(rows(&answer).iter().all(|row| asked(row).inference().is_ok()));
}

#[test]
fn eight_gpus_hold_larger_models() {
    let of = |tensor: u32| {
        rows(&answered(&format!("model=llama-3.1-8b&gpu=h100-sxm&serve.tp={tensor}&serve.engine=vllm"))).len()
    };
    assert!(of(8) > of(1));
}
