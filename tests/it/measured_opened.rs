//! Opened measurements: a question on top of the visitor's, with the measured numbers beside the prediction.

use foretoken::figure::Size;
use foretoken::measured::{Opened, Point, open, refused};
use foretoken::scenario::{Scenario, link};
use foretoken::view::{Answer, Part, first};

use crate::samples::sample;

/// The points of a sample, opened on top of a question.
fn opened(current: &str, name: &str) -> Vec<Point> {
    match open(&link::decode(current).scenario, &sample(name)) {
        Ok(Opened::Points(points)) => points,
        other => panic!("{name}: {other:?}"),
    }
}

fn answer(link: &str) -> Answer {
    let decoded = link::decode(link);
    assert_eq!(decoded.problems, [], "{link}");
    first(&decoded.scenario, Size::Wide).expect("an answer")
}

/// The rows of the table of measured numbers, as texts.
fn beside(answer: &Answer) -> Vec<Vec<String>> {
    let table = answer.part("measured").and_then(Part::table).expect("a table");
    table.rows.iter().map(|row| row.cells.iter().map(|cell| cell.text.clone()).collect()).collect()
}

#[test]
fn an_opened_benchmark_is_a_question_with_its_numbers_beside_the_prediction() {
    let [point] = &opened("v=1&serve.tp=1&cost.gpu_hour=3", "vllm_bench_serve_row.json")[..] else {
        panic!("points")
    };
    let link = link::encode(&point.scenario);
    for pair in [
        "view=inference",
        "serve.tp=1",
        "cost.gpu_hour=3",
        "measured.from=vllm+bench+serve",
        "measured.tpot=13.57",
    ] {
        assert!(link.contains(pair), "{pair}: {link}");
    }
    let report = &point.report;
    assert_eq!(report.summary, "Read as vllm bench serve, from 300 requests");
    assert!(
        report.silent.iter().any(|[name, kept]| name == "Load: Weights" && kept == "BF16"),
        "{:?}",
        report.silent
    );
    assert!(
        report.says.iter().any(|[name, value]| name.ends_with("GPU") && value == "L40S"),
        "{:?}",
        report.says
    );
    let answer = answer(&link);
    assert_eq!(answer.card("measured").expect("a card").shown(), "54.6 ms");
    let rows = beside(&answer);
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(names, ["Time to first token", "Time per output token", "Output tokens per second"]);
    assert!(rows[1][1] == "13.6 ms" && rows[1][3] == "+6.88 %" && rows[1][5].ends_with(" %"), "{rows:?}");
    assert!(answer.part("measured-rows").is_some());
}

#[test]
fn typed_numbers_stand_beside_the_prediction_and_change_nothing() {
    let plain = answer("v=1");
    assert!(plain.part("measured").is_none() && plain.card("measured").is_none());
    let typed = answer("v=1&measured.step=16&measured.mfu=0.38&measured.peak=1979");
    let shown = |answer: &Answer| answer.card("step").map(|card| (card.amount, card.note.clone()));
    assert_eq!(shown(&plain), shown(&typed));
    let rows = beside(&typed);
    assert_eq!((rows[0][1].as_str(), rows[1][1].as_str()), ("16.0 s", "38.0 %"));
    // The peak of sparse multiplies is twice the dense one, so that the predicted MFU is half.
    let dense = beside(&answer("v=1&measured.mfu=0.38"));
    let number = |text: &str| text.trim_end_matches(" %").parse::<f64>().expect("a share");
    assert!((number(&dense[0][2]) / number(&rows[1][2]) - 2.0).abs() < 0.01, "{rows:?} {dense:?}");
    // Both agree if their meanings agree.
    let step = beside(&answer("v=1&measured.step=13.8"));
    assert!(step[0][5].ends_with(" %"), "{step:?}");
    let served = answer("v=1&view=inference&measured.ttft=100&measured.latency=2000");
    assert_eq!(beside(&served).len(), 2);
}

#[test]
fn a_log_is_opened_on_top_of_the_question() {
    let [point] = &opened("v=1&gpus=256", "torchtitan_line.txt")[..] else { panic!("points") };
    let link = link::encode(&point.scenario);
    assert_eq!(
        link,
        "v=1&gpus=256&measured.from=torchtitan&measured.tokens=4376&measured.mfu=0.2562&measured.peak=989.1"
    );
    assert!(
        point.report.silent.iter().any(|[name, _]| name == "Model and hardware: GPUs"),
        "{:?}",
        point.report
    );
    assert_eq!(beside(&answer(&link)).len(), 2);
    let points = opened("v=1", "llama_bench.md");
    assert_eq!(points.len(), 4);
    assert_eq!(points[2].report.name, "batch 1, in 1024, out 1");
    assert!(matches!(open(&Scenario::default(), "v=1#tp=4"), Ok(Opened::Question(_))));
    let problems = open(&Scenario::default(), &sample("chrome_trace_minimal.json")).expect_err("a trace");
    assert!(problems[0].to_string().starts_with("file: looks like PyTorch profiler"), "{problems:?}");
    assert!(refused(1e8).is_some() && refused(1e6).is_none());
}

#[test]
fn a_log_of_another_model_is_noticed() {
    let told = |current: &str, name: &str| opened(current, name).remove(0).report.remarks.join("; ");
    let apart = "GFLOP per token";
    assert!(told("v=1", "torchtitan_line.txt").contains(apart), "{}", told("v=1", "torchtitan_line.txt"));
    let right = told("v=1&model=llama-3.1-8b&seq=8192", "torchtitan_line.txt");
    assert!(!right.contains(apart), "{right}");
}
