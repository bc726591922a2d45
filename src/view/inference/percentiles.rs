//! Simulated percentiles of TTFT, TPOT and latency in the Inference view.

use crate::figure::{Cell, Column, Table};
use crate::scenario::Problem;
use crate::serving::simulation::{Lengths, Level, Quantiles, Simulation};
use crate::units::{Amount, format};
use crate::view::{Part, Question, TablePart};

/// Requests to measure.
const REQUESTS: u32 = 2000;

/// Measured requests of a stream below which no percentiles are shown.
const FEWEST: u64 = 200;

/// Minimum number of requests for percentiles of a finite run, all of whose requests are measured.
const FEWEST_OF_RUN: u64 = 20;

/// Engine steps after which a simulation ends, even if fewer requests are measured.
const MOST_STEPS: u32 = 1_000_000;

/// Mean and percentiles of TTFT, TPOT and latency of a stream or a run; no part for loads that are not simulated.
///
/// A stage of its own: the figures of the hardware are shown without waiting for the simulation.
pub(super) fn stage(question: &Question) -> Result<Vec<Part>, Vec<Problem>> {
    let lengths = question.scenario.sizing.lengths;
    let simulation = question.scenario.with_inference(|job| match &question.replay {
        Some(replay) => job.trace_simulation(replay, REQUESTS),
        None => job.simulation(lengths, REQUESTS),
    })?;
    let missing = lengths == Lengths::Trace && question.replay.is_none();
    let sessions = question.replay.is_none() && question.scenario.inference.turns > 1;
    Ok(simulation
        .and_then(|simulation| part(simulation, missing, sessions))
        .map(Part::from)
        .into_iter()
        .collect())
}

/// The table of percentiles, unless too few requests were measured. `missing` is true if the question names a trace that is not
/// open, `sessions` if requests are turns of sessions.
fn part(mut simulation: Simulation, missing: bool, sessions: bool) -> Option<TablePart> {
    simulation.advance(MOST_STEPS);
    let simulated = simulation.simulated();
    let replays = simulation.lengths() == Lengths::Trace && !missing;
    let run = simulation.run_length();
    let fewest = match run {
        None => FEWEST,
        Some(all) if replays => all.clamp(FEWEST_OF_RUN, FEWEST),
        Some(all) => all.max(FEWEST_OF_RUN),
    };
    if simulated.requests < fewest {
        return None;
    }
    let headings = Level::ALL.map(|level| Column::of(level.name(), "s"));
    let headings: Vec<Column> = std::iter::once(Column::new("Time")).chain(headings).collect();
    let mut table = Table::under(headings);
    for (name, time) in
        [("TTFT", simulated.ttft), ("TPOT", simulated.tpot), ("Request latency", simulated.latency)]
    {
        let cells = Level::ALL.map(|level| Cell::amount(Amount::time(Quantiles::at(&time, level))));
        let cells: Vec<Cell> = std::iter::once(Cell::text(name)).chain(cells).collect();
        table.rows.push(cells.into());
    }
    let preempted = match simulated.preempted {
        none if none <= 0.0 => String::new(),
        share => format!("; the KV cache runs full, {} preemptions per request", format::digits(share)),
    };
    let requests = Amount::count(simulated.requests as u32);
    let (prefilling, decoding) = simulation.replicas();
    let replicas = format!("attention replicas, {prefilling} for prefill and {decoding} for decode");
    let load = match run {
        Some(_) if replays && prefilling > 0 => {
            format!("{requests} requests of the opened trace, at its own times, on {replicas}")
        }
        Some(_) if replays => {
            format!("{requests} requests of the opened trace, at its own times, dealt to replicas at random")
        }
        Some(_) if prefilling > 0 => {
            format!("the whole run of {requests} requests on {replicas}, idle at first")
        }
        None if prefilling > 0 && sessions => {
            format!("{requests} requests of sessions on {replicas}, to which each session keeps")
        }
        None if prefilling > 0 => format!("{requests} requests of an endless stream on {replicas}"),
        Some(_) => format!("the whole run of {requests} requests on each replica, the first at an idle one"),
        None if sessions => format!("{requests} requests of sessions, each of which stays on its replica"),
        None => format!("{requests} requests of an endless stream"),
    };
    // The mean-field model assumes prompts that arrive at random, and lengths that vary.
    let in_step = match simulation.lengths() {
        Lengths::Constant if simulation.stages() > 1 => {
            "; requests of one length keep the groups of a pipeline in step, which shortens its rounds: with lengths that \
             vary the simulation is nearer to the mean-field model"
        }
        Lengths::Constant if simulation.is_closed() => {
            "; requests of one length that begin together also end together, so that their prompts arrive in bursts and \
             wait for each other"
        }
        _ => "",
    };
    let steady = if simulated.keeps_up() {
        "The answer above is the mean-field model's"
    } else {
        "The queue grows: the replica serves less than what arrives, so that TTFT has no steady state and the mean-field \
         model's answer above is too short"
    };
    let lengths = match (replays, missing) {
        (true, _) => "lengths and shared prefixes are its own".to_owned(),
        (_, true) => "lengths: constant, because the trace that the question names is not open".to_owned(),
        _ => format!("lengths: {}", simulation.lengths().name()),
    };
    let tiers = ["on the GPUs", "in host memory", "on SSDs"].into_iter().zip(simulated.cached);
    let cached: Vec<String> = tiers
        .filter(|(_, share)| *share > 0.0)
        .map(|(place, share)| format!("{} {place}", Amount::percent(share)))
        .collect();
    let cached = if cached.is_empty() {
        String::new()
    } else {
        format!("; of the prompt tokens, {} were cached", cached.join(", "))
    };
    let finding = format!(
        "Discrete-event simulation of continuous batching: {load}; {lengths}{cached}{preempted}{in_step}. {steady}"
    );
    Some(TablePart::new("percentiles", "Percentiles", finding, table))
}
