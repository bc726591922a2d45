//! The points of sweeps in the Inference view open questions, whose answers have the values that the points show.

use foretoken::scenario::link;
use foretoken::serving::InferenceEstimate;
use foretoken::view::Part;

use crate::service::{answered, replies};

/// Largest relative difference: near saturation, fixed points have tolerances of some thousandths.
const CLOSE: f64 = 5e-3;

/// Checks that each point of a line opens a question whose answer has the value in this column of the figure's table.
fn check(question: &str, figure: &str, (line, column): (&str, &str), value: fn(&InferenceEstimate) -> f64) {
    let said = replies(question);
    let Some(Part::Figure(figure)) = answered(&said).part(figure) else { panic!("no {figure}") };
    let of_line = figure.reads.iter().filter(|read| !read.link.is_empty() && read.text.starts_with(line));
    let links: Vec<&str> = of_line.map(|read| read.link.as_str()).collect();
    let csv = figure.table.to_csv();
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let columns = rows.next().expect("a header");
    let place = columns.iter().position(|name| *name == column).unwrap_or_else(|| panic!("{columns:?}"));
    let shown: Vec<f64> = rows.map(|row| row[place].parse().expect("a number")).collect();
    assert!(links.len() > 20 && links.len() == shown.len(), "{} links, {} rows", links.len(), shown.len());
    for (there, shown) in links.into_iter().zip(shown) {
        let scenario = link::decode(there).scenario;
        let estimate = scenario.inference().unwrap_or_else(|problems| panic!("{there}: {problems:?}"));
        let value = value(&estimate);
        assert!((value / shown - 1.0).abs() < CLOSE, "{line}: {shown} opens {value}: {there}");
    }
}

const BATCH: &str =
    "v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&serve.tp=2&serve.batch=8&serve.engine=vllm";

#[test]
fn loads_open() {
    for stream in ["serve.concurrency=16", "serve.rate=2"] {
        let question = format!("{BATCH}&{stream}&serve.in=900&serve.out=200");
        let [first, each] = [
            ("Time to first token", "Time to first token (s)"),
            ("Time per output token", "Time per output token (s)"),
        ];
        check(&question, "load", first, |estimate| estimate.ttft.get());
        check(&question, "load", each, |estimate| estimate.tpot.get());
    }
}

#[test]
fn bandwidths_open_one_batch() {
    for question in [BATCH.to_owned(), format!("{BATCH}&serve.concurrency=16")] {
        let (whole, first) =
            (("Whole request", "Whole request (s)"), ("First token", "Time to first token (s)"));
        check(&question, "dram-latency", whole, |estimate| estimate.latency.get());
        check(&question, "dram-latency", first, |estimate| estimate.ttft.get());
        check(&question, "link-latency", whole, |estimate| estimate.latency.get());
    }
}

/// Every point of a family's curves opens the curve's choice at the point's bandwidth.
#[test]
fn points_of_each_family_open_their_choice() {
    for question in [BATCH.to_owned(), format!("{BATCH}&serve.concurrency=16")] {
        let said = replies(&question);
        let mut families = 0;
        for id in ["dram-gpus", "dram-batch", "dram-format", "dram-model"] {
            let Some(Part::Figure(figure)) = answered(&said).part(id) else { continue };
            families += 1;
            let links: Vec<&str> =
                figure.reads.iter().map(|read| read.link.as_str()).filter(|link| !link.is_empty()).collect();
            let rows = &figure.table.rows;
            assert!(links.len() == rows.len() && rows.len() > 80, "{id}: {} of {}", links.len(), rows.len());
            for (there, row) in links.into_iter().zip(rows) {
                let scenario = link::decode(there).scenario;
                let estimate =
                    scenario.inference().unwrap_or_else(|problems| panic!("{there}: {problems:?}"));
                let shown = row.cells[4].value.expect("a latency");
                let opened = estimate.latency.get();
                assert!(
                    (opened / shown - 1.0).abs() < CLOSE,
                    "{id}, {}: {shown} opens {opened}: {there}",
                    row.cells[0].text
                );
            }
        }
        assert_eq!(families, 4, "{question}");
    }
}

#[test]
fn capacities_open_as_many_requests_as_fit() {
    let all = ("Output tokens per second, all", "Output tokens per second");
    check(BATCH, "capacity", all, |estimate| estimate.tokens_per_second);
}

/// The part of an answer's figure where requests wait: the card, the finding and the marks have one number.
#[test]
fn the_most_requests_at_once_are_the_same_everywhere() {
    let model = "v=1&view=inference&model=llama-3.1-8b";
    for (rest, most) in [
        // Memory, the engine's limit, and three attention replicas of 889.9 places.
        ("serve.tp=1&serve.engine=vllm&serve.concurrency=600", "389"),
        ("serve.tp=1&serve.engine=vllm&serve.concurrency=600&gpu=b200", "1,024"),
        ("serve.tp=2&serve.dp=3&serve.engine=vllm&serve.concurrency=600", "2,669"),
    ] {
        let said = replies(&format!("{model}&{rest}"));
        let answer = answered(&said);
        let figure = |id| answer.figures().find(|figure| figure.id == id).expect("a figure");
        assert_eq!(answer.card("batch").expect("a card").shown(), most, "{rest}");
        let load = figure("load");
        assert!(
            load.finding.contains(&format!("memory or slots are full at {most} requests")),
            "{}",
            load.finding
        );
        assert!(load.svg.contains(&format!("Full at {most}")), "{rest}");
        // Small memories hold fewer requests than are asked for.
        assert!(figure("capacity").svg.contains("As asked: 600; some wait where fewer fit"), "{rest}");
    }
    let said = replies(&format!("{model}&serve.tp=1&serve.batch=8"));
    let capacity = answered(&said).figures().find(|figure| figure.id == "capacity").expect("a figure");
    assert!(!capacity.svg.contains("some wait"), "no number of concurrent requests is asked for");
}
