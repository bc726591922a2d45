//! Checks the errors of predictions on published measurements, and the tables of the README and docs/accuracy.md.
//!
//! `UPDATE=1 cargo test --test it accuracy::` writes the README's headline and the tables anew.

use std::fmt::Write as _;

use foretoken::system::AssumptionSet;

use crate::documents::agrees;
use crate::published::{Row, mean_error, replicated_under, requests, requests_under, steps, steps_under};

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/accuracy.md");
const CALIBRATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/method/calibration.md");

#[test]
fn training_steps_are_within_8_percent_each() {
    for row in steps() {
        let percent = 100.0 * row.error();
        assert!(percent.abs() <= 8.0, "{}: {percent:+.1} %", row.what);
    }
}

#[test]
fn request_latencies_are_within_8_percent_on_average() {
    let rows = requests();
    assert_eq!(rows.len(), 22);
    assert!(mean_error(&rows) <= 0.08, "{:.1} %", 100.0 * mean_error(&rows));
}

/// Under the public constants of arXiv 2407.14645: its own error on these steps is 4.7 %.
fn kundu() -> [Vec<Row>; 2] {
    let set = AssumptionSet::Kundu2024;
    [[steps_under(set), replicated_under(set)].concat(), requests_under(set)]
}

#[test]
fn the_lineage_of_2407_14645_predicts_its_rows() {
    let [steps, requests] = kundu();
    assert_eq!((steps.len(), requests.len()), (11, 22));
    let (steps, requests) = (mean_error(&steps), mean_error(&requests));
    assert!(steps <= 0.05, "{:.1} %", 100.0 * steps);
    assert!(requests <= 0.12, "{:.1} %", 100.0 * requests);
}

#[test]
fn the_method_says_what_the_lineage_gives() {
    agrees(CALIBRATION, &[("kundu", table(&kundu().concat()))], "accuracy");
}

#[test]
fn the_readme_says_what_the_model_gives() {
    agrees(README, &[("headline", headline())], "accuracy");
}

#[test]
fn the_documentation_says_what_the_model_gives() {
    agrees(DOCS, &[("steps", table(&steps())), ("requests", table(&requests()))], "accuracy");
}

/// One sentence for readers in a hurry.
fn headline() -> String {
    let (steps, requests) = (steps(), requests());
    format!(
        "Mean absolute error {:.1} % over {} published training steps (Megatron 22B to 1T on 8 to 512 A100), and {:.1} %\n\
         over {} published Llama-2 requests on 1 to 8 A100 or H100.\n",
        100.0 * mean_error(&steps),
        steps.len(),
        100.0 * mean_error(&requests),
        requests.len()
    )
}

/// A Markdown table of measurements beside predictions.
fn table(rows: &[Row]) -> String {
    let mut text = String::from("| case | measured s | predicted s | error |\n|---|---:|---:|---:|\n");
    for row in rows {
        let Row { what, measured, predicted } = row;
        let percent = 100.0 * row.error();
        let _ = writeln!(text, "| {what} | {measured} | {predicted:.2} | {percent:+.1} % |");
    }
    let _ = writeln!(text, "| **mean absolute error** | | | **{:.1} %** |", 100.0 * mean_error(rows));
    text
}
