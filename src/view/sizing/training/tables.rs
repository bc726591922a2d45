//! Tables of the Sizing view of a training run: runs that meet the deadline, and devices without such a run.

use super::rows::{Row, Rows};
use crate::economics::Terms;
use crate::figure::{Cell, Column, Table};
use crate::order;
use crate::sizing::training::{MOST_GPUS, Miss, Shortfall};
use crate::units::{Amount, Unit, format};
use crate::validation::Quantity;
use crate::view::sizing::tables::quote;
use crate::view::{TablePart, cards};

/// Number of runs shown on the page. The downloaded file has all.
const SHOWN: u32 = 20;

/// Number of devices without a run shown on the page.
const SHOWN_MISSES: u32 = 25;

/// All runs, best first. Each row links to its question in the Training view.
pub(super) fn runs(rows: &Rows<'_>) -> TablePart {
    let mut table = Table::under([
        // The order of the table of fleets: machines, cost, GPUs, deployment, times, probability, utilisation, energy.
        Column::new("Devices (number × GPU)"),
        Column::of("Cost", "US$"),
        Column::new("GPUs"),
        Column::new("Plan"),
        Column::of("Time", "s"),
        Column::new("Range of the time"),
        Column::new("Deadline met"),
        Column::of("MFU", "%"),
        Column::of("Energy", "kWh"),
        Column::new("Within budget"),
        Column::of("Cost per hour", "US$").file_only(),
        Column::of("Power", "W").file_only(),
        Column::of("Step", "s").file_only(),
        Column::of("Memory per GPU", "GiB").file_only(),
        Column::new("Price of a GPU").file_only(),
        Column::of("Cost on demand", "US$").file_only(),
        Column::of("Cost reserved", "US$").file_only(),
        Column::of("Cost owned", "US$").file_only(),
    ]);
    let chosen = rows.search.candidates().first().map(|candidate| &candidate.accelerator.id);
    for row in &rows.all {
        let found = &row.run.found;
        let on = |terms| Cell::known(rows.usd_on(row, terms).map(Amount::usd));
        let (economics, gpus) = (rows.economics(row), f64::from(found.gpus));
        let hourly = economics.hourly_usd(row.device).map(|usd| Amount::usd(usd * gpus));
        let watts = economics.watts(row.device).map(|watts| Amount::new(watts * gpus, Unit::Watts));
        table.push([
            Cell::text(row.machines()).opening(rows.link(row)),
            Cell::known(row.run.bill.usd.map(Amount::usd)),
            Cell::amount(Amount::count(found.gpus)),
            Cell::text(found.name()),
            Cell::amount(Amount::time(row.run.bill.time)),
            Cell::text(range(rows, row)),
            Cell::text(rows.in_time(row).unwrap_or_else(|| "–".to_owned())),
            Cell::percent(row.run.mfu),
            Cell::known(row.energy()),
            Cell::text(match row.within {
                Some(true) => "yes",
                Some(false) => "no",
                None => "–",
            }),
            Cell::known(hourly),
            Cell::known(watts),
            Cell::amount(Amount::time(found.step)),
            Cell::number(found.memory.to_gib(), Amount::memory(found.memory).to_string()),
            Cell::text(quote(economics, row.device)),
            on(Terms::OnDemand),
            on(Terms::Reserved),
            on(Terms::Owned),
        ]);
        if let Some(last) = table.rows.last_mut() {
            last.current = chosen == Some(&row.device.id);
        }
    }
    let title = format!("Training runs by {}", rows.scenario.sizing.by.spoken());
    TablePart { shown_rows: Some(SHOWN), ..TablePart::new("runs", title, finding(rows), table) }
}

/// Range of the duration from the errors of similar published runs, e.g. `18 to 25 days`.
fn range(rows: &Rows<'_>, row: &Row<'_>) -> String {
    let time = row.run.bill.time;
    cards::reach(&rows.question(row), Quantity::IterTime)
        .map_or_else(|| "–".to_owned(), |(low, high)| format::time_range(time * low, time * high))
}

/// Introduces the table of runs, with the number of devices searched so far.
fn finding(rows: &Rows<'_>) -> String {
    let (done, all) = (rows.search.done(), rows.search.candidates().len());
    let so_far = if done < all { format!(" So far {done} of {all} devices.") } else { String::new() };
    format!(
        "For each device, the smallest power of two of GPUs that finishes the run in {} with the fastest plan tried, \
         and twice that number if it is faster. Deadline met: the probability of that, from the errors of similar published \
         runs or of a calibration profile. Time includes failures and checkpoints. Sorted by cost, GPUs without a \
         price ({}) come last.{so_far}",
        rows.deadline(),
        rows.scenario.economics.terms.name().to_lowercase(),
    )
}

/// Devices without a run that meets the deadline, with the reasons; those closest to the deadline come first.
pub(super) fn missed(rows: &Rows<'_>) -> TablePart {
    let mut misses: Vec<&Miss> = rows.search.misses().iter().collect();
    let distance = |miss: &Miss| match miss.shortfall {
        Shortfall::Deadline { time, .. } => (0, time.get()),
        Shortfall::Memory { needs, has } => (1, needs / has),
        Shortfall::Plan => (2, 0.0),
        Shortfall::Format => (3, 0.0),
    };
    order::sort(&mut misses, |a, b| {
        let (one, other) = (distance(a), distance(b));
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
    });
    let mut table = Table::under([
        Column::new("Device"),
        Column::new("Reason"),
        Column::new("GPUs of the fastest run"),
        Column::of("Time of the fastest run", "s"),
    ]);
    let precision = rows.scenario.recipe.precision.name();
    for miss in misses {
        let (why, best) = match miss.shortfall {
            Shortfall::Format => (format!("matrix units do not support {precision}"), None),
            Shortfall::Plan => ("no plan divides batch, layers and groups over the GPUs".to_owned(), None),
            Shortfall::Memory { needs, has } => {
                let [needs, has] = [needs, has].map(Amount::memory);
                (format!("memory: the smallest plan needs {needs} per GPU ({has} available)"), None)
            }
            Shortfall::Deadline { gpus, time } => {
                (format!("deadline: {} at best", format::time(time)), Some((gpus, time)))
            }
        };
        table.push([
            Cell::text(rows.search.candidates()[miss.device].accelerator.listed_name()),
            Cell::text(why),
            Cell::known(best.map(|(gpus, _)| Amount::count(gpus))),
            Cell::known(best.map(|(_, time)| Amount::time(time))),
        ]);
    }
    let finding = format!(
        "On {} devices, no number of GPUs up to {} finishes the run in {}. Devices closest to the deadline come first. \
         The Search view tries further plans, such as states kept by the host",
        Amount::count(table.rows.len() as f64),
        Amount::count(MOST_GPUS),
        rows.deadline()
    );
    TablePart {
        shown_rows: Some(SHOWN_MISSES),
        ..TablePart::new("missed", "Devices that miss the deadline", finding, table)
    }
}
