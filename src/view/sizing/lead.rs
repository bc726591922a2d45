//! Lead sentence of the Sizing view: the best fleet.

use super::confidence::{self, Confidence, SURE, Spares};
use super::rows::{Row, Rows};
use crate::scenario::Scenario;
use crate::serving::capacity::LoadAxis;
use crate::serving::simulation::Level;
use crate::sizing::LoadKind;
use crate::units::{Amount, Unit, format};
use crate::validation::Quantity;
use crate::view::cards;

/// The best fleet in a sentence without a full stop: replicas, device, load, cost, TPOT and TTFT.
pub(super) fn lead(rows: &Rows<'_>) -> String {
    let load = load(rows);
    let Some(best) = rows.best() else {
        return if rows.search.is_done() {
            let levels = rows.scenario.inference.limits().iter().any(Option::is_some);
            format!("No device carries {load}{}", if levels { " under these service levels" } else { "" })
        } else {
            format!("No fleet for {load} yet")
        };
    };
    let by = rows.scenario.sizing.by.spoken();
    let by = if best.usd.is_none() {
        format!(", best by {by} among fleets without a price")
    } else {
        String::new()
    };
    let spare = match best.fleet.spare {
        0 => String::new(),
        spare if best.fleet.prefill_workers() > 0 => format!(", {spare} of each kind spare"),
        1 => ", one of them spare".to_owned(),
        spare => format!(", {spare} of them spare"),
    };
    let alone = best.fleet.replicas() == 1 && best.fleet.prefill_workers() == 0;
    let carry = if alone { "carries" } else { "carry" };
    let so_far = if rows.search.is_done() { "" } else { "Best so far: " };
    format!("{so_far}{}{spare} {carry} {load}: {}{}{by}", replicas(best, 0), money(best), speed(rows, best))
}

/// Ratio of a fleet's replicas with `more` further ones to its replicas.
pub(super) fn growth(row: &Row<'_>, more: u32) -> f64 {
    let replicas = f64::from(row.fleet.replicas());
    (replicas + f64::from(more)) / replicas
}

/// Hourly cost of a fleet with `more` further replicas, preceded by `word`, e.g. ` for $27.60 per hour`; empty if it is unknown.
pub(super) fn hourly(row: &Row<'_>, more: u32, word: &str) -> String {
    let usd = row.usd.map(|usd| usd * growth(row, more));
    usd.map_or_else(String::new, |usd| format!("{word}{} per hour", Amount::usd(usd)))
}

/// Replicas and devices of a fleet with `more` further replicas, e.g. `2 replicas of 4 × H100 SXM in FP8`, or `1 prefill
/// worker of 2 and 3 decode workers of 4 × H100 SXM in FP8`, or `1 prefill worker of 2 × L40S and 3 decode workers of 4 × H100 SXM in FP8`.
pub(super) fn replicas(row: &Row<'_>, more: u32) -> String {
    let replicas = row.fleet.replicas().saturating_add(more);
    let prefill = row.fleet.prefill_workers();
    if prefill > 0 {
        let workers = |count: u32, what: &str, gpus: u32| {
            let workers = if count == 1 { "worker" } else { "workers" };
            format!("{} {what} {workers} of {gpus}", Amount::count(count))
        };
        let load = &row.fleet.load;
        let other = row.prefill.map_or_else(String::new, |device| format!(" × {}", device.listed_name()));
        return format!(
            "{}{other} and {} × {} in {}",
            workers(prefill, "prefill", load.prefill_worker_gpus()),
            workers(replicas, "decode", load.worker_gpus()),
            row.device.listed_name(),
            row.formats(),
        );
    }
    format!(
        "{} {} of {} × {} in {}",
        Amount::count(replicas),
        if replicas == 1 { "replica" } else { "replicas" },
        row.fleet.load.worker_gpus(),
        row.device.listed_name(),
        row.formats(),
    )
}

/// Cost on the question's terms, e.g. `$23.60 per hour, $1.10 per million output tokens`; the number of GPUs if the price
/// is not known.
pub(super) fn money(row: &Row<'_>) -> String {
    match (row.usd, row.usd_per_million) {
        (Some(usd), Some(million)) => {
            format!(
                "{} per hour, {} per million output tokens with their prompts",
                Amount::usd(usd),
                Amount::usd(million)
            )
        }
        _ => Amount::new(f64::from(row.fleet.gpus()), Unit::Gpus).to_string(),
    }
}

/// Mean times, e.g. `; TPOT 28 ms (24 to 36 ms), TTFT 320 ms (240 to 700 ms); 83 % probability of meeting the levels, 95 % with
/// 8 replicas for $27.60 per hour`.
fn speed(rows: &Rows<'_>, row: &Row<'_>) -> String {
    let question: Scenario = rows.question(row);
    let confidence = Confidence::of(&question);
    let sure = confidence.probability(rows, row.fleet);
    let sure = met(sure, &sure.map_or_else(String::new, |_| surer(rows, row, &confidence)));
    let mean = if question.sizing.percentile == Level::Mean { "" } else { "mean " };
    format!(
        "; {mean}TPOT {}, {mean}TTFT {}{sure}",
        cards::spoken(row.fleet.tpot(), &question, Quantity::Tpot),
        cards::spoken(row.fleet.ttft(), &question, Quantity::Ttft),
    )
}

/// A fleet's probability of meeting the levels, followed by what makes it surer; empty if it is not known.
pub(super) fn met(sure: Option<f64>, surer: &str) -> String {
    sure.map_or_else(String::new, |sure| {
        format!("; {} probability of meeting the levels{surer}", confidence::spoken(sure))
    })
}

/// Number of replicas that meet the levels with probability [`SURE`], and their cost. Empty if the fleet already does, if no
/// number suffices, and for disaggregated fleets, which also need more prefill workers.
fn surer(rows: &Rows<'_>, row: &Row<'_>, confidence: &Confidence) -> String {
    let fleet = row.fleet;
    let more = match confidence.spares(rows, row) {
        Some(Spares::More(more)) if more > 0 && fleet.prefill_workers() == 0 => more,
        _ => return String::new(),
    };
    let all = Amount::count(f64::from(fleet.replicas()) + f64::from(more));
    format!(", {} with {all} replicas{}", confidence::spoken(SURE), hourly(row, more, " for "))
}

/// The load as the question gives it: users, requests/s or concurrent requests.
fn load(rows: &Rows<'_>) -> String {
    let demand = rows.search.demand();
    let choice = &rows.scenario.sizing;
    let users = format::counted(choice.users, "users");
    if let Some(thinking) = demand.thinking {
        // Each fleet has a rate of its own.
        let rate = rows.best().map_or_else(String::new, |best| {
            format!(" ({} requests/s at the peak)", format::digits(best.fleet.requests_per_second()))
        });
        return format!("{users} with a think time of {}{rate}", format::time(thinking.think));
    }
    match (choice.load, demand.axis) {
        (LoadKind::Users, _) => {
            format!("{users} ({} requests/s at the peak)", format::digits(demand.amount))
        }
        (_, LoadAxis::Rate) => format!("{} requests/s", format::digits(demand.amount)),
        (_, LoadAxis::Concurrency) => format::counted(demand.amount as u32, "concurrent requests"),
    }
}
