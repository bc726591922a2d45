//! The deployments that keep the service levels, ranked.

use super::html;
use crate::economics::Economics;
use crate::figure::{Cell, Table};
use crate::scenario::{Scenario, View, link};
use crate::search::serving::{Found, Search};
use crate::units::format;

/// Deployments that are shown; the file has all.
const SHOWN: usize = 15;

const HEADINGS: [&str; 8] = [
    "*Deployment",
    "*Format",
    "GPUs",
    "Load",
    "TTFT",
    "TPOT",
    "Tokens/s per GPU",
    "$ per million output tokens, prompts included",
];

/// The ranking: each a link to its own question.
pub(super) fn markup(question: &Scenario, search: &Search) -> String {
    let rows = search.found().iter().take(SHOWN).enumerate();
    let body = html::each(rows, |(place, found)| row(question, place, found));
    let head = html::headings(HEADINGS);
    let body = format!("<tbody>{body}</tbody>");
    html::table(
        "deployments",
        "Deployments by throughput",
        &finding(question, search),
        (&head, &body),
        &html::downloads(&["csv"]),
    )
}

fn finding(question: &Scenario, search: &Search) -> String {
    let load = &question.inference;
    let tally = search.tally();
    let levels = match (load.ttft_limit_ms, load.tpot_limit_ms) {
        (None, None) => {
            "No service levels are asked for: each deployment takes as many requests as have room".to_owned()
        }
        (ttft, tpot) => {
            let level = |name: &str, ms: Option<f64>| {
                ms.map(|ms| format!("{name} at most {} ms", format::digits(ms)))
            };
            let levels: Vec<String> =
                [level("TTFT", ttft), level("TPOT", tpot)].into_iter().flatten().collect();
            format!("Each deployment is loaded as far as it keeps {}", levels.join(" and "))
        }
    };
    format!(
        "{levels}. {} of {} deployments do; {} have no room for the weights, {} are too slow. Formats of fewer bits cost quality, which is not modelled.",
        format::grouped(search.found().len() as f64),
        format::grouped(tally.tried as f64),
        format::grouped(tally.too_large as f64),
        format::grouped(tally.too_slow as f64),
    )
}

/// The question that a deployment answers.
fn fragment(question: &Scenario, found: &Found) -> String {
    let mut scenario = Scenario { view: View::Inference, inference: found.load, ..question.clone() };
    // Few digits are enough, and nothing beyond the largest rate is asked for.
    scenario.inference.rate = libm::floor(found.load.rate * 100.0) / 100.0;
    if scenario.inference.rate <= 0.0 {
        scenario.inference.rate = found.load.rate;
    }
    link::encode(&scenario)
}

fn dollars(question: &Scenario, found: &Found) -> Option<f64> {
    let economics: &Economics = &question.economics;
    let accelerator = question.system.accelerator().ok()?;
    // The whole machine's price over all of its output: prompts are paid with the answers.
    Some(economics.hourly_usd(&accelerator)? / 3600.0 / found.per_gpu() * 1e6)
}

fn row(question: &Scenario, place: usize, found: &Found) -> String {
    let load = &found.load;
    let amount = if load.rate > 0.0 {
        format!("{} per second", format::digits(load.rate))
    } else {
        format!("{} in flight", format::grouped(f64::from(load.concurrency)))
    };
    let dollars = dollars(question, found).map_or_else(|| "–".to_owned(), format::digits);
    let cells = [
        load.gpus().to_string(),
        amount,
        format::time(found.service.ttft),
        format::time(found.service.tpot),
        format::digits(found.per_gpu()),
        dollars,
    ];
    let name = html::link(&format!("deployment-{place}"), &fragment(question, found), &found.name());
    format!(
        r#"<tr><th scope="row">{name}</th><td class="text">{}</td>{}</tr>"#,
        load.precision.name(),
        html::each(cells, |cell| format!("<td>{cell}</td>")),
    )
}

/// All that were found.
pub(super) fn table(question: &Scenario, search: &Search) -> Table {
    let mut table = Table::new([
        ("Deployment", None),
        ("Format", None),
        ("GPUs", None),
        ("Requests in flight", None),
        ("Requests per second", None),
        ("Time to first token", Some("s")),
        ("Time per output token", Some("s")),
        ("Output tokens per second and GPU", None),
        ("Per million output tokens", Some("USD")),
    ]);
    for found in search.found() {
        let number = |value: f64| Cell::number(value, "");
        table.push([
            Cell::text(found.name()),
            Cell::text(found.load.precision.name()),
            number(f64::from(found.load.gpus())),
            number(f64::from(found.load.concurrency)),
            number(found.load.rate),
            number(found.service.ttft.get()),
            number(found.service.tpot.get()),
            number(found.per_gpu()),
            dollars(question, found).map_or_else(Cell::none, number),
        ]);
    }
    table
}
