//! The lead of the Sizing view: the best fleet in one sentence.

use super::confidence::Confidence;
use super::rows::{Row, Rows};
use crate::scenario::{Scenario, link};
use crate::serving::capacity::LoadAxis;
use crate::sizing::LoadKind;
use crate::units::{Amount, Unit, format};
use crate::validation::Quantity;
use crate::view::{Link, Notice, cards};

/// Replicas, device, cost, TPOT and TTFT of the best fleet, and the load that it carries.
pub(super) fn lead(rows: &Rows<'_>) -> String {
    let load = load(rows);
    let Some(best) = rows.best() else {
        return if rows.search.is_done() {
            format!("No device carries {load} under these service levels")
        } else {
            format!("No fleet for {load} yet")
        };
    };
    let by = rows.scenario.sizing.by.name();
    let by = if best.usd.is_none() {
        format!(", best by {} among fleets without a price", by.to_lowercase())
    } else {
        String::new()
    };
    let spare = match best.fleet.spare {
        0 => String::new(),
        1 => ", one of them spare".to_owned(),
        spare => format!(", {spare} of them spare"),
    };
    format!("{}{spare} carry {load}{}{}{by}", replicas(best), money(best), speed(rows, best))
}

/// Offers a question with service levels if there are none: without them every replica is loaded until it is full.
pub(super) fn offers(scenario: &Scenario) -> Vec<Notice> {
    let load = &scenario.inference;
    if load.ttft_limit_ms.is_some() || load.tpot_limit_ms.is_some() {
        return Vec::new();
    }
    let mut there = scenario.clone();
    (there.inference.ttft_limit_ms, there.inference.tpot_limit_ms) = (Some(1000.0), Some(50.0));
    let text = "TTFT at most 1 s, TPOT at most 50 ms".to_owned();
    let link = Link { text, link: link::encode(&there), ..Link::default() };
    let text = "No service levels are set: each replica is loaded until it is full. With levels:".to_owned();
    vec![Notice { id: "levels".to_owned(), text, links: vec![link] }]
}

/// `2 replicas of 4 × H100 SXM in FP8`.
fn replicas(row: &Row<'_>) -> String {
    let replicas = row.fleet.replicas();
    format!(
        "{} {} of {} × {} in {}",
        Amount::count(replicas),
        if replicas == 1 { "replica" } else { "replicas" },
        row.fleet.load.worker_gpus(),
        row.device.name,
        row.fleet.load.precision.name(),
    )
}

/// `: $23.60 an hour, $1.10 per million output tokens`.
fn money(row: &Row<'_>) -> String {
    match (row.usd, row.usd_per_million) {
        (Some(usd), Some(million)) => {
            let own = if row.owned { " to own" } else { "" };
            format!(": {} an hour{own}, {} per million output tokens", Amount::usd(usd), Amount::usd(million))
        }
        _ => format!(": {}", Amount::new(f64::from(row.fleet.gpus()), Unit::Gpus)),
    }
}

/// `; TPOT 28 ms (24 to 36 ms), TTFT 320 ms (240 to 700 ms); the levels hold with 83 % probability`.
fn speed(rows: &Rows<'_>, row: &Row<'_>) -> String {
    let question: Scenario = rows.question(row);
    let service = row.fleet.service;
    let sure = Confidence::of(&question).probability(row.fleet).map_or_else(String::new, |sure| {
        format!("; the levels hold with {} probability", Amount::percent(sure))
    });
    format!(
        "; TPOT {}, TTFT {}{sure}",
        cards::spoken(service.tpot, &question, Quantity::Tpot),
        cards::spoken(service.ttft, &question, Quantity::Ttft),
    )
}

/// The load in the terms of the question: users, requests/s or requests in flight.
fn load(rows: &Rows<'_>) -> String {
    let demand = rows.search.demand();
    let choice = &rows.scenario.sizing;
    match (choice.load, demand.axis) {
        (LoadKind::Users, _) => format!(
            "{} users ({} requests/s at the peak)",
            Amount::count(choice.users),
            format::digits(demand.amount)
        ),
        (_, LoadAxis::Rate) => format!("{} requests/s", format::digits(demand.amount)),
        (_, LoadAxis::Concurrency) => format!("{} requests in flight", Amount::count(demand.amount)),
    }
}
