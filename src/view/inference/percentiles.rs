//! Simulated percentiles of the asked stream of requests.

use crate::figure::{Cell, Column, Table};
use crate::scenario::Scenario;
use crate::serving::simulation::{Level, Quantiles};
use crate::units::{Amount, format};
use crate::view::TablePart;

/// Requests whose times are measured.
const REQUESTS: u32 = 2000;

/// Fewer than these say nothing of a percentile.
const FEWEST: u64 = 200;

/// Steps after which a simulation ends, though not all requests are measured.
const MOST_STEPS: u32 = 1_000_000;

/// Mean and percentiles of TTFT, TPOT and latency of a steady stream; `None` for what is not simulated.
pub(super) fn part(question: &Scenario) -> Option<TablePart> {
    if question.inference.requests > 0 {
        return None;
    }
    let simulation = question.with_inference(|job| job.simulation(question.sizing.lengths, REQUESTS));
    let mut simulation = simulation.ok().flatten()?;
    simulation.advance(MOST_STEPS);
    let simulated = simulation.simulated();
    if simulated.requests < FEWEST {
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
    let finding = format!(
        "A simulation of continuous batching, {} requests with lengths {} around the means{preempted}. The answer above \
         is the mean-field one",
        Amount::count(simulated.requests as u32),
        question.sizing.lengths.name().to_lowercase(),
    );
    Some(TablePart::new("percentiles", "Percentiles", finding, table))
}
