//! Deadlines that are met, offered where no device meets the asked one.

use super::rows::Rows;
use crate::order;
use crate::sizing::training::{Miss, Shortfall};
use crate::units::{Amount, Seconds};
use crate::view::{Link, Notice};

/// Maximum number of deadlines that are offered.
const MOST: usize = 3;

/// The earliest deadlines that a device meets, each with the run that meets it; shipping devices first.
pub(super) fn offers(rows: &Rows<'_>) -> Vec<Notice> {
    if !rows.search.is_done() || !rows.all.is_empty() {
        return Vec::new();
    }
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
