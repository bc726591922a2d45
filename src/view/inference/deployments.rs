//! The deployments that meet the service levels, ranked by throughput.

use crate::economics::ServedWork;
use crate::figure::{Cell, Column, Table};
use crate::scenario::{Scenario, View, link};
use crate::search::serving::{Found, Search};
use crate::units::{Amount, Unit, format};
use crate::view::TablePart;

/// Deployments that the page shows; the file has all.
const SHOWN: u32 = 15;

/// The ranking: each deployment opens as a question.
pub(super) fn part(question: &Scenario, search: &Search) -> TablePart {
    let mut table = Table::under([
        Column::new("Deployment"),
        Column::new("Format"),
        Column::new("GPUs"),
        Column::new("Load"),
        Column::new("Concurrent requests").file_only(),
        Column::new("Requests per second").file_only(),
        Column::of("TTFT", "s"),
        Column::of("TPOT", "s"),
        Column::new("Output tokens/s per GPU"),
        Column::of("Cost per million output tokens", "US$"),
    ]);
    for (found, work) in search.found().iter().zip(search.work()) {
        let load = &found.load;
        table.push([
            Cell::text(found.name()).opening(opened(question, found)),
            Cell::text(load.precision.name()),
            Cell::amount(Amount::count(load.gpus())),
            Cell::text(amount_of(found)),
            Cell::amount(Amount::count(load.concurrency)),
            Cell::number(load.rate, format::digits(load.rate)),
            Cell::amount(Amount::time(found.service.ttft)),
            Cell::amount(Amount::time(found.service.tpot)),
            Cell::amount(Amount::new(found.per_gpu(), Unit::None)),
            Cell::known(dollars(question, found, work).map(Amount::usd)),
        ]);
    }
    TablePart {
        shown_rows: Some(SHOWN),
        ..TablePart::new("deployments", "Deployments by throughput", finding(question, search), table)
    }
}

/// The load of a deployment: a rate where requests arrive, else how many run at once.
fn amount_of(found: &Found) -> String {
    let load = &found.load;
    if load.rate > 0.0 {
        format!("{} requests/s", format::digits(load.rate))
    } else {
        format!("{} concurrent", Amount::count(load.concurrency))
    }
}

fn finding(question: &Scenario, search: &Search) -> String {
    let load = &question.inference;
    let tally = search.tally();
    let names = ["TTFT", "TPOT", "latency"].into_iter().zip(load.limits());
    let limits: Vec<String> =
        names.filter_map(|(name, limit)| Some(format!("{name} at most {}", format::time(limit?)))).collect();
    let levels = if limits.is_empty() {
        "No service levels are set: each deployment takes as many requests as its memory holds".to_owned()
    } else {
        format!("Each deployment has the largest load with {}", limits.join(" and "))
    };
    let left_out = [(tally.too_large, "do not fit in memory"), (tally.too_slow, "are too slow")];
    let left_out = left_out.into_iter().filter(|(count, _)| *count > 0);
    let left_out = left_out.map(|(count, why)| format!("; {} {why}", format::grouped(count as f64)));
    format!(
        "{levels}. {} of {} deployments are feasible{}. Costs include prompts. Formats of fewer bits cost quality, which is not \
         modelled.",
        format::grouped(search.found().len() as f64),
        format::grouped(tally.tried as f64),
        left_out.collect::<String>(),
    )
}

/// The question that a deployment answers, as a link.
pub(in crate::view) fn opened(question: &Scenario, found: &Found) -> String {
    let mut scenario = Scenario { view: View::Inference, inference: found.load, ..question.clone() };
    // Few digits are enough, rounded down so that the rate stays below the largest that meets the levels.
    scenario.inference.rate = libm::floor(found.load.rate * 100.0) / 100.0;
    if scenario.inference.rate <= 0.0 {
        scenario.inference.rate = found.load.rate;
    }
    link::encode(&scenario)
}

/// The price of the whole machine over all of its output: prompts are paid with the answers.
fn dollars(question: &Scenario, found: &Found, work: &ServedWork) -> Option<f64> {
    let own = question.system.accelerator().ok()?;
    let prefill = question.prefill_device(&found.load);
    let hourly = question.economics.served_hourly_usd(&own, prefill, &work.on(&own))?;
    Some(hourly / 3600.0 / found.per_gpu() * 1e6)
}
