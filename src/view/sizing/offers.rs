//! Notices above the fleets of the Sizing view: questions that are offered instead.

use super::confidence::{self, Confidence, Spares};
use super::lead::{growth, hourly, met, money, replicas};
use super::rows::{Row, Rows, SIMULATED};
use crate::scenario::Scenario;
use crate::serving::simulation::Lengths;
use crate::sizing::{DEFAULT_LIMITS_MS, Shortfall};
use crate::units::{Amount, Seconds, format};
use crate::view::{Link, Notice};

/// Ratio of an offered level to the time of a lone request, which leaves room for other requests on the GPU.
const ROOM: f64 = 1.5;

/// Ratio of an offered TTFT at a percentile to that of a lone request with the mean prompt. It has room for the percentile's
/// prompt length, and for its wait behind other prefills at half the capacity: S ln(0.5 / (1 − share)) for a prefill of time S (the tail of M/D/1).
fn room_of_ttft(scenario: &Scenario) -> f64 {
    let Some(share) = scenario.sizing.percentile.share() else { return ROOM };
    let wait = libm::log(0.5 / (1.0 - share));
    ROOM.max((1.0 + wait) * scenario.sizing.lengths.prompt_quantile(share).max(1.0))
}

/// Notices above the fleets: a trace that is not open, and offers of other questions.
pub(super) fn offers(rows: &Rows<'_>) -> Vec<Notice> {
    without_trace(rows).into_iter().chain(other_questions(rows)).collect()
}

/// Notice that the question names a trace that is not open, so that other requests are simulated.
fn without_trace(rows: &Rows<'_>) -> Option<Notice> {
    let named = rows.scenario.sizing.lengths == Lengths::Trace;
    let text = "The trace of this question is not open: a link names it but does not contain it. Until its file is opened here, \
                arrivals are Poisson and all requests have the mean lengths, so that percentiles are too short.";
    (named && !rows.search.replays()).then(|| Notice::new("trace", text, Vec::new()))
}

/// Offers the question with service levels, if none are set; with levels in reach, if no device meets those that are.
fn other_questions(rows: &Rows<'_>) -> Vec<Notice> {
    let scenario = rows.scenario;
    let load = &scenario.inference;
    if load.limits().iter().any(Option::is_some) {
        return in_reach(rows).into_iter().chain(likely(rows)).chain(in_asked_format(rows)).collect();
    }
    let mut there = scenario.clone();
    let (ttft, tpot) = DEFAULT_LIMITS_MS;
    (there.inference.ttft_limit_ms, there.inference.tpot_limit_ms) = (Some(ttft), Some(tpot));
    let text = format!("TTFT at most {} s, TPOT at most {tpot} ms", ttft / 1000.0);
    let link = Link::to(text, &there);
    let text = "No service levels are set, so each replica is loaded to capacity. With levels:";
    vec![Notice::new("levels", text, vec![link])]
}

/// Probability of meeting the levels below which the best fleet is offered with a surer one.
const LIKELY: f64 = 0.9;

/// Offers the simulated fleet that meets the levels with probability [`LIKELY`], with as many more replicas as that takes, at the
/// lowest cost. `None` if the best fleet meets them without more replicas or is the cheapest with them, if no fleet does, and
/// while the search goes on.
fn likely(rows: &Rows<'_>) -> Option<Notice> {
    let (level, by) = (rows.scenario.sizing.percentile, rows.scenario.sizing.by);
    let best = rows.best().filter(|_| rows.search.is_done())?;
    let of_best = Confidence::of(&rows.question(best)).probability(rows, best.fleet);
    let of_best = of_best.filter(|of_best| *of_best < LIKELY)?;
    let mut cheapest: Option<(&Row<'_>, u32, f64)> = None;
    for row in rows.all.iter().filter(|row| row.fleet.holds(level)).take(SIMULATED) {
        let Some(cost) = row.cost(by).map(|cost| cost.value) else { continue };
        // More replicas only add to the cost, so that their number need not be found.
        if cheapest.is_some_and(|(.., least)| cost >= least) {
            continue;
        }
        let Some(more) = more_replicas(rows, row) else { continue };
        let cost = cost * growth(row, more);
        if cheapest.is_none_or(|(.., least)| cost < least) {
            cheapest = Some((row, more, cost));
        }
    }
    // The sentence has the best fleet with more replicas.
    let (row, more, _) = cheapest.filter(|(row, ..)| !std::ptr::eq(*row, best))?;
    let link = if more == 0 {
        let text = format!("{}: {}", row.machines(), money(row));
        Link::to(text, &rows.question(row))
    } else {
        let mut there = rows.scenario.clone();
        there.sizing.spare = there.sizing.spare.saturating_add(more);
        let text = format!("{}{}", replicas(row, more), hourly(row, more, ", "));
        Link::to(text, &there)
    };
    let text = format!(
        "The levels are met with a probability of {} only. The best fleet with at least {}:",
        confidence::spoken(of_best),
        Amount::percent(LIKELY),
    );
    Some(Notice::new("likely", text, vec![link]))
}

/// Replicas beyond those of a fleet for which the levels are met with probability [`LIKELY`] if none are needed, else
/// [`SURE`](super::confidence::SURE); `None` if no number suffices, and for disaggregated fleets that need more, whose workers of
/// both kinds would have to grow.
fn more_replicas(rows: &Rows<'_>, row: &Row<'_>) -> Option<u32> {
    let confidence = Confidence::of(&rows.question(row));
    if confidence.probability(rows, row.fleet)? >= LIKELY {
        return Some(0);
    }
    match confidence.spares(rows, row) {
        Some(Spares::More(more)) if row.fleet.prefill_workers() == 0 => Some(more),
        _ => None,
    }
}

/// Offers the search restricted to the question's formats, with weights as the model is published if those are narrower, and the
/// best fleet in these formats; `None` unless the best fleet has narrower weights or another KV cache.
fn in_asked_format(rows: &Rows<'_>) -> Option<Notice> {
    let (asked, native) = (rows.scenario.inference.precision, rows.scenario.native_precision());
    let asked = if native.element() < asked.element() { native } else { asked };
    let best = rows.best()?;
    let narrower = best.fleet.load.precision;
    let weights = (narrower.element() < asked.element())
        .then(|| format!("Weights in {} instead of {}", narrower.name(), asked.name()));
    let cache = best.cache.map(|cache| {
        let article = if weights.is_some() { "and a" } else { "A" };
        format!(
            "{article} KV cache in {} instead of {}",
            cache.name(),
            rows.scenario.inference.kv_precision.name()
        )
    });
    if weights.is_none() && cache.is_none() {
        return None;
    }
    let level = rows.scenario.sizing.percentile;
    let wide =
        |row: &&Row<'_>| row.fleet.load.precision == asked && row.cache.is_none() && row.fleet.holds(level);
    let mut there = rows.scenario.clone();
    (there.sizing.narrower, there.sizing.quantized) = (false, false);
    there.inference.precision = asked;
    let found = rows.all.iter().find(wide).map(|row| {
        let sure = Confidence::of(&rows.question(row)).probability(rows, row.fleet);
        format!(": {}, {}{}", row.machines(), money(row), met(sure, ""))
    });
    let text = format!("In {}{}", asked.name(), found.unwrap_or_default());
    let link = Link::to(text, &there);
    let what: Vec<String> = weights.into_iter().chain(cache).collect();
    let text = format!("{} may lower the model's quality, which is not modelled.", what.join(" "));
    Some(Notice::new("format", text, vec![link]))
}

/// Offers levels that the device nearest to the question's could meet; `None` if a device meets them, if the search is not
/// over, and if a level of the request latency is set.
fn in_reach(rows: &Rows<'_>) -> Option<Notice> {
    let [ttft_limit, tpot_limit, latency_limit] = rows.scenario.inference.limits();
    if rows.best().is_some() || !rows.search.is_done() || latency_limit.is_some() {
        return None;
    }
    let over = |time: Seconds, limit: Option<Seconds>| limit.map_or(0.0, |limit| time / limit);
    let of_levels = rows.search.misses().iter().filter_map(|miss| match miss.shortfall {
        Shortfall::Levels { ttft, tpot } => Some((miss.device, ttft, tpot)),
        Shortfall::Memory { .. } | Shortfall::Replicas | Shortfall::Format => None,
    });
    let distance =
        |&(_, ttft, tpot): &(usize, Seconds, Seconds)| over(ttft, ttft_limit).max(over(tpot, tpot_limit));
    let (device, ttft, tpot) = of_levels.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    // A level that a lone request keeps stays as it is.
    let loosened = |time: Seconds, limit: Option<Seconds>, room: f64| {
        limit.map(|limit| if limit > time * room { limit } else { time * room }).map(in_ms)
    };
    let mut there = rows.scenario.clone();
    there.inference.ttft_limit_ms = loosened(ttft, ttft_limit, room_of_ttft(rows.scenario));
    there.inference.tpot_limit_ms = loosened(tpot, tpot_limit, ROOM);
    let levels = [("TTFT", there.inference.ttft_limit_ms), ("TPOT", there.inference.tpot_limit_ms)];
    let levels = levels.into_iter().filter_map(|(name, limit)| {
        Some(format!("{name} at most {}", format::time(Seconds::new(limit? * 1e-3))))
    });
    let text = levels.collect::<Vec<_>>().join(", ");
    let name = &rows.search.candidates()[device].accelerator.name;
    let nearest = format!(
        "The nearest device is {name}: a lone request has a TTFT of {} and a TPOT of {} at best. With levels in reach:",
        format::time(ttft),
        format::time(tpot)
    );
    Some(Notice::new("levels", nearest, vec![Link::to(text, &there)]))
}

/// A time in milliseconds, rounded up to two significant digits.
fn in_ms(time: Seconds) -> f64 {
    up_to_two_digits(time.get() * 1e3)
}

/// A positive number, rounded up to two significant digits.
pub(super) fn up_to_two_digits(value: f64) -> f64 {
    let unit = libm::pow(10.0, libm::floor(libm::log10(value)) - 1.0);
    // Dividing by a whole power gives the decimal number that is nearest.
    if unit < 1.0 { libm::ceil(value / unit) / (1.0 / unit) } else { libm::ceil(value / unit) * unit }
}
