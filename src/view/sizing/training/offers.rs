//! Offers of the Sizing view of a training run. If no device meets the deadline: later deadlines that one meets. Otherwise: a budget
//! that allows a run, and the runs that are best by other objectives.

use super::rows::{Row, Rows};
use crate::order;
use crate::sizing::SizingObjective;
use crate::sizing::training::{Miss, Shortfall};
use crate::units::{Amount, Seconds};
use crate::view::sizing::offers::up_to_two_digits;
use crate::view::{Link, Notice};

/// Maximum number of deadlines that are offered.
const MOST: usize = 3;

/// Notices above the runs, once the search is over.
pub(super) fn offers(rows: &Rows<'_>) -> Vec<Notice> {
    if !rows.search.is_done() {
        return Vec::new();
    }
    if rows.all.is_empty() {
        return later(rows);
    }
    within_budget(rows).into_iter().chain(best_by_others(rows)).collect()
}

/// Offers a budget for the cheapest run, if none is within the asked one.
fn within_budget(rows: &Rows<'_>) -> Option<Notice> {
    rows.all.first().filter(|best| best.within == Some(false))?;
    let cheapest = rows.best_by(SizingObjective::Cost)?;
    let mut there = rows.scenario.clone();
    // In whole dollars, even of a small run.
    let budget = libm::ceil(up_to_two_digits(cheapest.run.bill.usd?));
    there.sizing.budget = Some(budget);
    let link = Link::to(format!("{}: {}", Amount::usd(budget), described(cheapest)), &there);
    Some(Notice::new("budget", "A budget that allows a run:", vec![link]))
}

/// Offers the runs of least cost, fewest GPUs and least energy, except for the best run itself. Each opens in the Training view, as
/// its row does.
fn best_by_others(rows: &Rows<'_>) -> Option<Notice> {
    let mut shown: Vec<&Row<'_>> = rows.all.first().into_iter().collect();
    let mut links = Vec::new();
    for by in SizingObjective::ALL {
        let Some(row) = rows.best_by(by).filter(|row| !shown.iter().any(|other| std::ptr::eq(*other, *row)))
        else {
            continue;
        };
        shown.push(row);
        let what = match by {
            SizingObjective::Cost => "least cost",
            SizingObjective::Gpus => "fewest GPUs",
            SizingObjective::Energy => "least energy",
        };
        links.push(Link::at(format!("{what}: {}", described(row)), rows.link(row)));
    }
    (!links.is_empty()).then(|| Notice::new("others", "Other runs that meet the deadline:", links))
}

/// Machines, time and cost of a run, e.g. `64 × B200 SXM, 21.3 days, $156k`.
fn described(row: &Row<'_>) -> String {
    let usd = row.run.bill.usd.map_or_else(String::new, |usd| format!(", {}", Amount::usd(usd)));
    format!("{}, {}{usd}", row.machines(), Amount::time(row.run.bill.time))
}

/// The earliest deadlines that a device meets, each with the run that meets it; shipping devices first.
fn later(rows: &Rows<'_>) -> Vec<Notice> {
    let time = |miss: &Miss| match miss.shortfall {
        Shortfall::Deadline { gpus, time } => Some((miss.device, gpus, time)),
        _ => None,
    };
    let mut late: Vec<(usize, u32, Seconds)> = rows.search.misses().iter().filter_map(time).collect();
    let announced = |device: usize| rows.search.candidates()[device].accelerator.announced;
    order::sort(&mut late, |a, b| announced(a.0).cmp(&announced(b.0)).then(a.2.get().total_cmp(&b.2.get())));
    let links: Vec<Link> = late.into_iter().filter_map(|late| met(rows, late)).take(MOST).collect();
    if links.is_empty() {
        return Vec::new();
    }
    vec![Notice::new("fits", "Deadlines that a run meets:", links)]
}

/// The question with a deadline in which a device ends the run, if the search finds such a run there.
fn met(rows: &Rows<'_>, (device, gpus, time): (usize, u32, Seconds)) -> Option<Link> {
    let mut there = rows.scenario.clone();
    there.sizing.days = rounded_up(time.to_days());
    let accelerator = &rows.search.candidates()[device].accelerator;
    // The question's own device, which it may have changed, is the first.
    let mut alone = if device == 0 { there.clone() } else { there.on(&accelerator.id) };
    alone.sizing.one_device = true;
    let mut search = alone.sized_runs().ok()?;
    search.run();
    let days = Amount::time(Seconds::from_days(there.sizing.days));
    let text = format!("{days}: {} × {}", Amount::count(gpus), accelerator.name);
    (!search.runs().is_empty()).then(|| Link::to(text, &there))
}

/// Whole days, or tenths of fewer than ten.
fn rounded_up(days: f64) -> f64 {
    if days < 10.0 { libm::ceil(days * 10.0) / 10.0 } else { libm::ceil(days) }
}
