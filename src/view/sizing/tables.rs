//! Tables of the Sizing view: fleets, and devices on which no fleet meets the service levels.

use super::cards;
use super::confidence::{self, Confidence};
use super::rows::{Rows, SIMULATED};
use crate::catalog::Accelerator;
use crate::economics::{Economics, Terms};
use crate::figure::{Cell, Column, Table};
use crate::order;
use crate::scenario::link;
use crate::search::serving::{LARGEST_WORKER, STAGES, WIDE};
use crate::serving::simulation::{Lengths, Level};
use crate::sizing::{DRAFTS, MOST_REPLICAS, Miss, Shortfall};
use crate::units::{Amount, Seconds, Unit, format};
use crate::view::TablePart;

/// Number of fleets shown on the page. The downloaded file has all.
const SHOWN: u32 = 20;

/// Number of devices without a fleet shown on the page.
const SHOWN_MISSES: u32 = 25;

/// All fleets, best first. Each row links to its question in the Inference view.
pub(super) fn fleets(rows: &Rows<'_>) -> TablePart {
    let asked = rows.scenario.sizing.percentile;
    // Times that only the file has, by their place in [`Fleet::times`]: all statistics but the asked one; of the latency, all
    // percentiles.
    let filed_times: Vec<(&str, usize, Level)> = ["TTFT", "TPOT", "Latency"]
        .into_iter()
        .enumerate()
        .flat_map(|(place, time)| {
            let shown = if time == "Latency" { Level::Mean } else { asked };
            Level::ALL.into_iter().filter(move |level| *level != shown).map(move |level| (time, place, level))
        })
        .collect();
    let cached = Column::new("Prompt tokens cached");
    let shown = [
        // A phone shows the first three.
        Column::new("Fleet (replicas × GPUs of each)"),
        Column::of("Cost per hour", "US$"),
        Column::new("GPUs"),
        Column::new("Format"),
        Column::new("Deployment"),
        Column::of("Cost per million output tokens", "US$"),
        of_level("TTFT", asked),
        of_level("TPOT", asked),
        Column::new("Levels met"),
        Column::new("Utilisation"),
        Column::of("Power", "W"),
    ];
    // Fleets for users with a think time differ in it.
    let rate = Column::of("Request rate", "requests/s");
    let thinks = rows.search.demand().thinking.is_some();
    let rate = if thinks { rate } else { rate.file_only() };
    let filed = [
        Column::new("Maximum load of a replica"),
        Column::new("Output tokens per second per user"),
        Column::new("Price of a GPU"),
        Column::of("Cost per hour on demand", "US$"),
        Column::of("Cost per hour reserved", "US$"),
        Column::of("Cost per hour owned", "US$"),
    ];
    let filed = filed.into_iter().chain(filed_times.iter().map(|(time, _, level)| of_level(time, *level)));
    let cached = if rows.scenario.inference.has_history() { cached } else { cached.file_only() };
    let columns = shown.into_iter().chain([rate]).chain(filed.map(Column::file_only)).chain([cached]);
    let mut table = Table::under(columns.collect::<Vec<_>>());
    let chosen = rows.search.candidates().first().map(|candidate| &candidate.accelerator.id);
    for row in &rows.all {
        let fleet = row.fleet;
        let number = |value: f64| Cell::number(value, format::digits(value));
        let at = |level: Level, place: usize| match (level, fleet.simulated) {
            (Level::Mean, _) | (_, Some(_)) => Cell::amount(Amount::time(fleet.times(level)[place])),
            _ => Cell::known(None),
        };
        // Percentiles are not known before a fleet is simulated; the note has the mean.
        let shown = |place: usize| match fleet.simulated {
            None if asked != Level::Mean => {
                at(asked, place).noted(format!("mean {}", Amount::time(fleet.times(Level::Mean)[place])))
            }
            _ => at(asked, place),
        };
        let question = rows.question(row);
        let sure = Confidence::of(&question).probability(rows, fleet);
        let economics = &row.economics;
        let on = |terms| Cell::known(row.usd_on(terms).map(Amount::usd));
        let quoted = row.prefill.map(|device| quote(&economics.listed(), device)).into_iter();
        let quotes: Vec<String> = quoted.chain(std::iter::once(quote(economics, row.device))).collect();
        let first = [
            Cell::text(row.machines()).opening(link::encode(&question)),
            Cell::known(row.usd.map(Amount::usd)),
            Cell::amount(Amount::count(fleet.gpus())),
            Cell::text(row.formats()),
            Cell::text(row.deployment()),
            Cell::known(row.usd_per_million.map(Amount::usd)),
            shown(0),
            shown(1),
            sure.map_or_else(
                || Cell::known(None),
                |sure| Cell::number(100.0 * sure, confidence::spoken(sure)),
            ),
            Cell::percent(fleet.utilisation()),
            Cell::known(row.watts.map(|watts| Amount::new(watts, Unit::Watts))),
            number(fleet.requests_per_second()),
            number(fleet.largest.load),
            number(fleet.per_user()),
            Cell::text(quotes.join("; ")),
            on(Terms::OnDemand),
            on(Terms::Reserved),
            on(Terms::Owned),
        ];
        let times = filed_times.iter().map(|(_, place, level)| at(*level, *place));
        let cached =
            fleet.simulated.map_or_else(Cell::none, |simulated| Cell::percent(simulated.cached.iter().sum()));
        table.rows.push(first.into_iter().chain(times).chain([cached]).collect::<Vec<_>>().into());
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

/// Column of a time at a level; that of the mean has no suffix.
fn of_level(time: &str, level: Level) -> Column {
    match level {
        Level::Mean => Column::of(time, "s"),
        level => Column::of(format!("{time} {}", level.name()), "s"),
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
        let lengths: Vec<String> = DRAFTS.iter().filter(|tokens| **tokens > 0).map(u32::to_string).collect();
        format!(
            " Drafts of {} tokens are tried; each proposed token is accepted with the probability that the load gives.",
            lengths.join(" and ")
        )
    } else {
        String::new()
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
    let rates = match rows.search.demand().thinking {
        Some(_) => " Each fleet has the request rate at which it answers the users.",
        None => "",
    };
    format!(
        "Replicas × GPUs per replica, with service levels at {levels}. The best {SIMULATED} are simulated {requests}, with more \
         replicas where a level would be missed; the others, which follow, have mean times. Of each device and format, \
         fleets are left out that another beats in both GPUs and TPOT. Narrower formats lose quality, which is not \
         modelled. Costs include prompts. Levels met: a probability, from the errors on similar published runs, of TTFT under \
         a similar load. GPUs \
         without a price ({terms}) come last by cost.{rates}{apart}{experts}{tiers}{drafts}{so_far}"
    )
}

/// Devices without a fleet, with the reasons; those closest to the service levels come first.
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
        Shortfall::Format => f64::INFINITY,
    };
    order::sort(&mut misses, |a, b| distance(a).total_cmp(&distance(b)));
    let slow = misses.iter().any(|miss| matches!(miss.shortfall, Shortfall::Levels { .. }));
    let timed = |label| {
        let column = Column::of(label, "s");
        if slow { column } else { column.file_only() }
    };
    let mut table = Table::under([
        Column::new("Device"),
        Column::new("Reason"),
        timed("Shortest TTFT"),
        timed("Shortest TPOT"),
    ]);
    for miss in misses {
        let device = &rows.search.candidates()[miss.device].accelerator;
        let (why, times) = match miss.shortfall {
            Shortfall::Replicas => {
                let most = Amount::new(MOST_REPLICAS, Unit::Count);
                (format!("more than {most} replicas would be needed"), None)
            }
            Shortfall::Format => (format!("format: no kernels for {}", load.precision.name()), None),
            Shortfall::Memory { needs, has } => {
                let [needs, has] = [needs, has].map(Amount::memory);
                (format!("memory: needs {needs} per GPU before the first request ({has} available)"), None)
            }
            Shortfall::Levels { ttft: first, tpot: each } => {
                let slow: Vec<String> = levels(first, each)
                    .filter(|(_, time, limit)| over(*time, *limit) > 1.0)
                    .map(|(name, time, limit)| format!("{name}: {} at best", cards::above(time, limit)))
                    .collect();
                let why = if slow.is_empty() {
                    "each level is met, but by different deployments".to_owned()
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
    let stages: Vec<String> = STAGES.iter().filter(|stages| **stages > 1).map(u32::to_string).collect();
    let times = if slow {
        " The shortest TTFT and the shortest TPOT, with one request at a time, are each of the deployment that is best at it, and may \
         be of different ones. The nearest to the levels come first."
    } else {
        ""
    };
    let finding = format!(
        "No deployment carries the load on {}.{times} Replicas of up to {LARGEST_WORKER} GPUs of a scale-up domain were \
         tried, of {} pipeline stages of a whole domain each, and of {} to {} GPUs with expert parallelism",
        format::counted(table.rows.len() as u32, "devices"),
        stages.join(" or "),
        WIDE[0],
        WIDE[WIDE.len() - 1]
    );
    TablePart {
        shown_rows: Some(SHOWN_MISSES),
        ..TablePart::new("missed", "Devices without a fleet", finding, table)
    }
}
