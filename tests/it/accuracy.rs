//! How far predictions are from published measurements, and that the README says so.
//!
//! `UPDATE=1 cargo test --test it accuracy::` writes the README's tables anew.

use std::fmt::Write as _;

use crate::published::{Row, mean_error, requests, steps};

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");

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

#[test]
fn the_readme_says_what_the_model_gives() {
    let text = std::fs::read_to_string(README).expect("a README");
    let text = text.replace("\r\n", "\n");
    let mut current = text.clone();
    for (name, rows) in [("steps", steps()), ("requests", requests())] {
        current = replaced(&current, name, &table(&rows));
    }
    println!("{}{}", table(&steps()), table(&requests()));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(README, &current).expect("a writable README");
    } else {
        assert!(
            text == current,
            "the README's accuracy is out of date: UPDATE=1 cargo test --test it accuracy::"
        );
    }
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

/// The text with another body between `<!-- name -->` and `<!-- /name -->`.
fn replaced(text: &str, name: &str, body: &str) -> String {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let start = text.find(&open).expect("the table's beginning") + open.len();
    let end = text.find(&close).expect("the table's end");
    format!("{}{body}{}", &text[..start], &text[end..])
}
