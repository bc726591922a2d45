//! Compares simulated percentiles of TTFT and TPOT with published ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use foretoken::serving::simulation::{Lengths, Simulated};
use foretoken::units::Seconds;
use foretoken::validation::{Score, source_name};

use crate::published::held_up::Servers;
use crate::published::inference::scenario;
use crate::published::row::Row;

/// Label of all rows; it sorts before the names of sources.
const ALL: &str = "**all**";

/// Number of simulated requests of a steady stream. A run of a given number of requests is simulated as a whole.
const REQUESTS: u32 = 2000;

/// A published percentile in ms: column of the table, name in the rows, and the simulated time.
type Column = (&'static str, &'static str, fn(&Simulated) -> Seconds);

const PUBLISHED: [Column; 4] = [
    ("TTFT p50", "ttft_ms_median", |simulated| simulated.ttft.p50),
    ("TTFT p99", "ttft_ms_p99", |simulated| simulated.ttft.p99),
    ("TPOT p50", "tpot_ms_median", |simulated| simulated.tpot.p50),
    ("TPOT p99", "tpot_ms_p99", |simulated| simulated.tpot.p99),
];

/// The percentiles of one published row.
#[derive(Clone, Debug, PartialEq)]
pub struct Percentiles {
    /// Source and software.
    pub of: String,
    /// Simulated and published values, ms, in the order of the table's columns.
    pub pairs: [(f64, f64); PUBLISHED.len()],
}

/// Percentiles of the rows of a JSON Lines file that have all percentiles and that can be simulated.
pub fn percentiles(text: &str) -> Vec<Percentiles> {
    let rows: Vec<Row> = text.lines().filter_map(Row::read).collect();
    let servers = Servers::of(&rows);
    rows.iter().filter(|row| servers.defect(row).is_none()).filter_map(simulated).collect()
}

fn simulated(row: &Row) -> Option<Percentiles> {
    let published: Vec<f64> =
        PUBLISHED.iter().map(|(_, name, _)| row.measured(name)).collect::<Option<_>>()?;
    let scenario = scenario(row).ok()?;
    let mut simulation = scenario.with_inference(|job| job.simulation(lengths(row), REQUESTS)).ok()??;
    let simulated = simulation.run();
    let pairs = std::array::from_fn(|place| {
        let (_, _, time) = PUBLISHED[place];
        (time(&simulated).get() * 1e3, published[place])
    });
    let software = row.framework.split(' ').next().unwrap_or_default();
    let of = format!("{}, {software}", source_name(&row.source_group));
    Some(Percentiles { of, pairs })
}

/// Words in a row's `workload.dataset`, and the distribution of its lengths. No quantiles of `ShareGPT`'s conversations are published;
/// they are taken as Azure's.
const DATASETS: [(&str, Lengths); 3] = [
    ("sharegpt", Lengths::Conversation),
    ("uniform in 0.8", Lengths::Narrow),
    ("uniform in 1..", Lengths::Uniform),
];

/// The distribution of a benchmark's lengths; of one length where the row states none.
fn lengths(row: &Row) -> Lengths {
    let dataset = row.workload.as_ref().and_then(|workload| workload.dataset.as_deref()).unwrap_or_default();
    let dataset = dataset.to_lowercase();
    let found = DATASETS.iter().find(|(words, _)| dataset.contains(words));
    found.map_or(Lengths::Constant, |(_, lengths)| *lengths)
}

/// Median errors of percentiles by source and software, and of all rows, as Markdown.
pub fn table(rows: &[Percentiles]) -> String {
    let columns = PUBLISHED.map(|(column, ..)| column).join(" | ");
    let mut text = format!("| median error | rows | {columns} |\n|---|---:|---:|---:|---:|---:|\n");
    let mut groups: BTreeMap<&str, Vec<&Percentiles>> = BTreeMap::new();
    for row in rows {
        groups.entry(&row.of).or_default().push(row);
        groups.entry(ALL).or_default().push(row);
    }
    for (of, rows) in groups {
        let cells = [0, 1, 2, 3].map(|place| {
            let Score { median, bias, .. } = Score::of(rows.iter().map(|row| row.pairs[place]));
            format!("{:.0} % ({:+.0} %)", 100.0 * median, 100.0 * bias)
        });
        let _ = writeln!(text, "| {of} | {} | {} |", rows.len(), cells.join(" | "));
    }
    text
}
