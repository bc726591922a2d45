//! Tables of the Sizing view: fleets, and devices on which no fleet meets the service levels.

use super::confidence::{self, Confidence};
use super::rows::Rows;
use crate::catalog::Accelerator;
use crate::economics::{Economics, Terms};
use crate::figure::{Cell, Column, Table};
use crate::order;
use crate::scenario::link;
use crate::serving::simulation::{Lengths, Level, Simulated};
use crate::sizing::{Miss, Shortfall};
use crate::units::{Amount, Seconds, Unit, format};
use crate::view::TablePart;

/// Number of fleets shown on the page. The downloaded file has all.
const SHOWN: u32 = 20;

/// Number of devices without a fleet shown on the page.
const SHOWN_MISSES: u32 = 25;

/// All fleets, best first. Each row links to its question in the Inference view.
pub(super) fn fleets(rows: &Rows<'_>) -> TablePart {
    let cached = Column::new("Prompt tokens cached");
    let mut table = Table::under([
        Column::new("Fleet"),
        Column::new("Format"),
        Column::new("Deployment"),
        Column::new("GPUs"),
        Column::of("Cost per hour", "US$"),
        Column::of("Cost per million output tokens", "US$"),
        Column::of("TTFT", "s"),
        Column::of("TPOT", "s"),
        Column::of("TTFT p95", "s"),
        Column::of("TPOT p95", "s"),
        Column::new("Levels met"),
        Column::new("Utilisation"),
        Column::of("Power", "W"),
        Column::new("Maximum load of a replica").file_only(),
        Column::new("Output tokens per second per user").file_only(),
        Column::new("Price of a GPU").file_only(),
        Column::of("Cost per hour on demand", "US$").file_only(),
        Column::of("Cost per hour reserved", "US$").file_only(),
        Column::of("Cost per hour owned", "US$").file_only(),
        Column::of("TTFT p50", "s").file_only(),
        Column::of("TTFT p90", "s").file_only(),
        Column::of("TTFT p99", "s").file_only(),
        Column::of("TPOT p50", "s").file_only(),
        Column::of("TPOT p90", "s").file_only(),
        Column::of("TPOT p99", "s").file_only(),
        Column::of("Latency p50", "s").file_only(),
        Column::of("Latency p90", "s").file_only(),
        Column::of("Latency p95", "s").file_only(),
        Column::of("Latency p99", "s").file_only(),
        if rows.scenario.inference.has_history() { cached } else { cached.file_only() },
    ]);
    let chosen = rows.search.candidates().first().map(|candidate| &candidate.accelerator.id);
    for row in &rows.all {
        let fleet = row.fleet;
        let number = |value: f64| Cell::number(value, format::digits(value));
        let simulated = |time: fn(&Simulated) -> Seconds| {
            Cell::known(fleet.simulated.as_ref().map(|simulated| Amount::time(time(simulated))))
        };
        let question = rows.question(row);
        let sure = Confidence::of(&question).probability(fleet);
        let economics = &row.economics;
        let on = |terms| Cell::known(row.total(&economics.on(terms), Economics::hourly_usd).map(Amount::usd));
        let quoted = row.prefill.map(|device| quote(&economics.listed(), device)).into_iter();
        let quotes: Vec<String> = quoted.chain(std::iter::once(quote(economics, row.device))).collect();
        table.push([
            Cell::text(row.machines()).opening(link::encode(&question)),
            Cell::text(fleet.load.precision.name()),
            Cell::text(row.deployment()),
            Cell::amount(Amount::count(fleet.gpus())),
            Cell::known(row.usd.map(Amount::usd)),
            Cell::known(row.usd_per_million.map(Amount::usd)),
            Cell::amount(Amount::time(fleet.ttft())),
            Cell::amount(Amount::time(fleet.tpot())),
            simulated(|simulated| simulated.ttft.p95),
            simulated(|simulated| simulated.tpot.p95),
            sure.map_or_else(
                || Cell::known(None),
                |sure| Cell::number(100.0 * sure, confidence::spoken(sure)),
            ),
            Cell::percent(fleet.utilisation()),
            Cell::known(row.watts.map(|watts| Amount::new(watts, Unit::Watts))),
            number(fleet.largest.load),
            number(fleet.per_user()),
            Cell::text(quotes.join("; ")),
            on(Terms::OnDemand),
            on(Terms::Reserved),
            on(Terms::Owned),
            simulated(|simulated| simulated.ttft.p50),
            simulated(|simulated| simulated.ttft.p90),
            simulated(|simulated| simulated.ttft.p99),
            simulated(|simulated| simulated.tpot.p50),
            simulated(|simulated| simulated.tpot.p90),
            simulated(|simulated| simulated.tpot.p99),
            simulated(|simulated| simulated.latency.p50),
            simulated(|simulated| simulated.latency.p90),
            simulated(|simulated| simulated.latency.p95),
            simulated(|simulated| simulated.latency.p99),
            fleet.simulated.map_or_else(Cell::none, |simulated| Cell::percent(simulated.cached.iter().sum())),
        ]);
        if let Some(last) = table.rows.last_mut() {
            last.current = chosen == Some(&row.device.id);
        }
    }
    let by = rows.scenario.sizing.by.spoken();
    TablePart {
        shown_rows: Some(SHOWN),
        ..TablePart::new("fleets", format!("Fleets by {by}"), finding(rows), table)
    }
}

/// Source and date of a GPU's published price; empty if there is none.
pub(super) fn quote(economics: &Economics, device: &Accelerator) -> String {
    economics.quote(device).map_or_else(String::new, |quote| format!("{}, {}", quote.source, quote.date))
}

/// Introduces the table of fleets, with the number of devices searched so far.
fn finding(rows: &Rows<'_>) -> String {
    let (done, all) = (rows.search.done(), rows.search.candidates().len());
    let levels = match rows.scenario.sizing.percentile {
        Level::Mean => "mean TTFT and TPOT",
        level => level.name(),
    };
    let so_far = if done < all { format!(" So far {done} of {all} devices.") } else { String::new() };
    let terms = rows.scenario.economics.terms.name().to_lowercase();
    let apart = if rows.all.iter().any(|row| row.fleet.prefill_workers() > 0) {
        " Disaggregated fleets: prefill workers + decode workers, on one device or on two; few published runs are disaggregated, so \
         that their probability rests mostly on the errors of others."
    } else {
        ""
    };
    let experts = if rows.all.iter().any(|row| row.fleet.load.expert_gpus > 0) {
        " Of expert GPUs no published run was scored, and no engine's release has them."
    } else {
        ""
    };
    let load = &rows.scenario.inference;
    let tiers = if load.host_cache_gib + load.ssd_cache_gib + load.cached_host + load.cached_ssd > 0.0 {
        " Devices whose link to the host is not known have a prefix cache in GPU memory alone."
    } else {
        ""
    };
    let drafts = if rows.scenario.sizing.speculative {
        " Drafts of 1 and 3 tokens are tried; each proposed token is accepted with the probability that the load gives."
    } else {
        ""
    };
    let lengths = rows.scenario.sizing.lengths;
    let requests = match (lengths, rows.search.replays()) {
        (_, true) => "with the arrivals, lengths and shared prefixes of the opened trace".to_owned(),
        (Lengths::Trace, false) => {
            "with Poisson arrivals of requests of constant lengths, because the trace that the question names is not open".to_owned()
        }
        (lengths, false) if rows.scenario.inference.turns > 1 => format!(
            "turn by turn in sessions of {} (lengths: {}), each of which stays on its replica and its prefix cache",
            Amount::count(rows.scenario.inference.turns),
            lengths.name()
        ),
        (lengths, false) => format!("with Poisson arrivals (lengths: {})", lengths.name()),
    };
    format!(
        "Fleets (replicas × GPUs per replica) that carry the load with service levels at {levels}. The best 50 are \
         simulated {requests}; they get more replicas where their queue grows or a level is missed; the mean-field model alone \
         judges the others, which follow. For each device and number format, the deployments that are Pareto-optimal in GPUs and TPOT are \
         listed. Formats with fewer bits lose quality, which is not modelled. Levels met: probability that times stay within their limits, from errors on \
         published runs of similar models and devices. In the order by cost, GPUs without a price ({terms}) come \
         last.{apart}{experts}{tiers}{drafts}{so_far}"
    )
}

/// Devices on which no deployment meets the service levels, with the reasons; those closest to the levels come first.
pub(super) fn missed(rows: &Rows<'_>) -> TablePart {
    let load = &rows.scenario.inference;
    let limits = load.limits();
    let mut misses: Vec<&Miss> = rows.search.misses().iter().collect();
    let over = |time: Seconds, limit: Option<Seconds>| limit.map_or(0.0, |limit| time / limit);
    // Name, time and limit of each level.
    let levels = |ttft: Seconds, tpot: Seconds| {
        let times = [("TTFT", ttft), ("TPOT", tpot), ("latency", load.request_latency(ttft, tpot))];
        times.into_iter().zip(limits).map(|((name, time), limit)| (name, time, limit))
    };
    let distance = |miss: &Miss| match miss.shortfall {
        Shortfall::Replicas => 0.0,
        Shortfall::Levels { ttft: first, tpot: each } => {
            levels(first, each).map(|(_, time, limit)| over(time, limit)).fold(0.0, f64::max)
        }
        Shortfall::Memory { needs, has } => 1e9 * (needs / has),
    };
    order::sort(&mut misses, |a, b| distance(a).total_cmp(&distance(b)));
    let mut table = Table::under([
        Column::new("Device"),
        Column::new("Reason"),
        Column::of("TTFT of a single request", "s"),
        Column::of("TPOT of a single request", "s"),
    ]);
    for miss in misses {
        let device = &rows.search.candidates()[miss.device].accelerator;
        let (why, times) = match miss.shortfall {
            Shortfall::Replicas => ("more than 65,536 replicas would be needed".to_owned(), None),
            Shortfall::Memory { needs, has } => {
                let [needs, has] = [needs, has].map(Amount::memory);
                (format!("memory: needs {needs} per GPU before the first request ({has} available)"), None)
            }
            Shortfall::Levels { ttft: first, tpot: each } => {
                let slow: Vec<String> = levels(first, each)
                    .filter(|(_, time, limit)| over(*time, *limit) > 1.0)
                    .map(|(name, time, _)| format!("{name}: {} at best", format::time(time)))
                    .collect();
                let why = if slow.is_empty() {
                    "no deployment meets all levels at once".to_owned()
                } else {
                    slow.join("; ")
                };
                (why, Some((first, each)))
            }
        };
        let time = |time: Option<Seconds>| Cell::known(time.map(Amount::time));
        table.push([
            Cell::text(device.listed_name()),
            Cell::text(why),
            time(times.map(|(first, _)| first)),
            time(times.map(|(_, each)| each)),
        ]);
    }
    let finding = format!(
        "On {} devices no deployment meets the levels, even with one request at a time. Replicas of up to 16 GPUs of \
         a scale-up domain were tried, of 2 or 4 pipeline stages of a whole domain each, and of 16 to 72 GPUs with \
         expert parallelism. The nearest to the levels come first",
        Amount::new(table.rows.len() as f64, Unit::Count)
    );
    TablePart {
        shown_rows: Some(SHOWN_MISSES),
        ..TablePart::new("missed", "Devices that miss the levels", finding, table)
    }
}
