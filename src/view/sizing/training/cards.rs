//! Cards of the Sizing view of a training run: the key numbers of the best run.

use super::rows::{Row, Rows};
use crate::scenario::Topic;
use crate::units::{Amount, Unit};
use crate::validation::Quantity;
use crate::view::sizing::cards::servers_card;
use crate::view::{Card, cards};

/// Cards of the best run (GPUs, time, cost, energy, MFU, memory), and the number of runs found.
pub(super) fn cards(rows: &Rows<'_>) -> Vec<Card> {
    let count = |count: usize| Amount::new(count as f64, Unit::Count);
    let tried = Card::new("runs", "Runs that meet the deadline", count(rows.all.len())).noted(format!(
        "{} combinations of device and number of GPUs tried, {} devices",
        Amount::count(rows.search.tried()),
        count(rows.search.done())
    ));
    let Some(best) = rows.all.first() else { return vec![tried] };
    let (run, question) = (best.run, rows.question(best));
    let budget = rows.scenario.sizing.budget.map(Amount::usd);
    let budget = match (budget, best.within) {
        (None, _) => "of the whole run".to_owned(),
        (Some(budget), Some(true)) => format!("within the budget of {budget}"),
        (Some(budget), Some(false)) => format!("above the budget of {budget}"),
        (Some(_), None) => "the price of this GPU is unknown".to_owned(),
    };
    let deadline = rows.deadline();
    let lost = Amount::percent(1.0 - run.bill.goodput);
    let mut all = vec![
        Card::new("gpus", "GPUs", Amount::count(run.found.gpus)).noted(best.name()),
        cards::time(
            ("days", "Time of the run"),
            run.bill.time,
            format!("deadline {deadline}; {lost} lost to failures and checkpoints"),
            &question,
            (Quantity::IterTime, Topic::Step),
        ),
        Card::words("sure", "Deadline is met", rows.in_time(best).unwrap_or_else(|| "unknown".to_owned()))
            .noted("probability, from errors on similar runs"),
        Card::known("cost", "Cost of the run", run.bill.usd.map(Amount::usd)).noted(budget),
        Card::known("energy", "Energy of the run", best.energy()).noted("of the servers, PUE included"),
        Card::new("gpu-hours", "GPU time", Amount::new(run.bill.gpu_hours, Unit::GpuHours)),
        cards::time(
            ("step", "Step time"),
            run.found.step,
            format!("{} sequences", Amount::count(rows.scenario.recipe.batch)),
            &question,
            (Quantity::IterTime, Topic::Step),
        ),
        Card::new("mfu", "MFU", Amount::percent(run.mfu)).noted("of the dense peak"),
        Card::new("memory", "Memory per GPU", Amount::memory(run.found.memory)).noted("on the fullest GPU"),
    ];
    all.extend(whole_servers(rows, best));
    all.push(tried.noted(format!("best by {}", rows.scenario.sizing.by.spoken())));
    all
}

/// Card of the whole servers or racks that the run fills; `None` where their size is not known.
fn whole_servers(rows: &Rows<'_>, best: &Row<'_>) -> Option<Card> {
    let servers = best.run.servers(rows.economics(best), best.device)?;
    let hours = best.run.bill.gpu_hours / f64::from(best.run.found.gpus);
    let cost = servers.usd.map(|usd| format!("{} for the run", Amount::usd(usd * hours)));
    Some(servers_card(&servers, &[best.device], best.run.found.gpus, cost))
}
