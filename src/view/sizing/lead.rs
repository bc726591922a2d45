//! Lead sentence of the Sizing view: the best fleet.

use super::confidence::{self, Confidence, SURE, Spares};
use super::rows::{Row, Rows, SIMULATED};
use crate::scenario::Scenario;
use crate::serving::capacity::LoadAxis;
use crate::serving::simulation::{Lengths, Level};
use crate::sizing::{DEFAULT_LIMITS_MS, LoadKind, Shortfall};
use crate::units::{Amount, Seconds, Unit, format};
use crate::validation::Quantity;
use crate::view::{Link, Notice, cards};

/// The best fleet in a sentence without a full stop: replicas, device, load, cost, TPOT and TTFT.
pub(super) fn lead(rows: &Rows<'_>) -> String {
    let load = load(rows);
    let Some(best) = rows.best() else {
        return if rows.search.is_done() {
            format!("No device carries {load} under these service levels")
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

/// Replicas beyond those of a fleet for which the levels are met with probability [`LIKELY`] if none are needed, else [`SURE`];
/// `None` if no number suffices, and for disaggregated fleets that need more, whose workers of both kinds would have to grow.
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

/// Ratio of a fleet's replicas with `more` further ones to its replicas.
fn growth(row: &Row<'_>, more: u32) -> f64 {
    let replicas = f64::from(row.fleet.replicas());
    (replicas + f64::from(more)) / replicas
}

/// Hourly cost of a fleet with `more` further replicas, preceded by `word`, e.g. ` for $27.60 per hour`; empty if it is unknown.
fn hourly(row: &Row<'_>, more: u32, word: &str) -> String {
    let usd = row.usd.map(|usd| usd * growth(row, more));
    usd.map_or_else(String::new, |usd| format!("{word}{} per hour", Amount::usd(usd)))
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
        Shortfall::Memory { .. } | Shortfall::Replicas => None,
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
    let ms = time.get() * 1e3;
    let unit = libm::pow(10.0, libm::floor(libm::log10(ms)) - 1.0);
    // Dividing by a whole power gives the decimal number that is nearest.
    if unit < 1.0 { libm::ceil(ms / unit) / (1.0 / unit) } else { libm::ceil(ms / unit) * unit }
}

/// Replicas and devices of a fleet with `more` further replicas, e.g. `2 replicas of 4 × H100 SXM in FP8`, or `1 prefill
/// worker of 2 and 3 decode workers of 4 × H100 SXM in FP8`, or `1 prefill worker of 2 × L40S and 3 decode workers of 4 × H100 SXM in FP8`.
fn replicas(row: &Row<'_>, more: u32) -> String {
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
fn money(row: &Row<'_>) -> String {
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
fn met(sure: Option<f64>, surer: &str) -> String {
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
    match (choice.load, demand.axis) {
        (LoadKind::Users, _) => format!(
            "{} users ({} requests/s at the peak)",
            Amount::count(choice.users),
            format::digits(demand.amount)
        ),
        (_, LoadAxis::Rate) => format!("{} requests/s", format::digits(demand.amount)),
        (_, LoadAxis::Concurrency) => format!("{} concurrent requests", Amount::count(demand.amount)),
    }
}
