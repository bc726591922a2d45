//! The accuracy tables of `docs/accuracy.md`, in Markdown.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use super::predictions::Predictions;
use super::{aisimulate, bands, goals, left_out, room, unmeasured};
use crate::published::PeerPrediction;
use foretoken::validation::{Case, Outcome, Quantity, Score};

/// Returns the group of a row.
type Key = fn(&Outcome<'_>) -> String;

/// Predictions and measurements.
type Pairs = Vec<(f64, f64)>;

/// Introduction to the table of left-out software and devices.
const ABROAD: &str = "Errors on rows that no constant was fitted on: with all constants, and without those fitted on the row's own software\n\
(replaced by the medians over other software) or on its own device (replaced by those of the nearest measured device). The\n\
last columns show the error to expect for software and devices that nobody has measured.";

/// Introduction to the table of goals.
const GOALS: &str = "Errors that the project aims at, on rows that no constant was fitted on. Sources without a fitted row are those of\n\
which no row was used in any fit, with the number of their rows in brackets: their software or their devices may have been\n\
measured by others.";

/// Introduction to the table of ranges.
const RANGES: &str = "Each estimate is shown with a range that is expected to hold 80 % of measured values. Ranges are quantiles of\n\
measured / predicted over rows that no constant was fitted on, from at least three sources, each weighted by the square\n\
root of its number of rows. They are widened until they hold 80 % of the rows of sources that were left out.";

/// Introduction to the table of ranges of what is not measured.
const UNMEASURED: &str = "Where no constant was fitted to the software, or the constants of 16-bit multiplies come from \
    another architecture, ranges are widened further, by a factor with which they hold 80 % of rows that were predicted \
    without the constants of their own software, their device's architecture or both. Engines of local inference (llama.cpp, MLX) \
    have ranges of their own for TTFT and TPOT. There is no range on devices of a maker (or on CPUs) with fewer than ten scored values \
    or only one source: such answers say so.";

/// Introduction to the table of refused runs.
const ROOM: &str =
    "Measured runs, and those of them that the memory estimate wrongly refuses as not fitting into memory.";

/// All tables.
pub fn all(cases: &[Case], predictions: &Predictions<'_>, peers: &[PeerPrediction]) -> String {
    let outcomes: Vec<&Outcome<'_>> = predictions.outcomes().collect();
    let mut text = format!(
        "## Measured and unmeasured software and devices\n\n{ABROAD}\n\n{}\n",
        left_out::table(predictions)
    );
    let _ = write!(text, "## Goals\n\n{GOALS}\n\n{}\n", goals::table(predictions));
    let _ = write!(text, "## Ranges\n\n{RANGES}\n\n{}\n", bands::report(predictions));
    let _ = write!(text, "{UNMEASURED}\n\n{}\n", unmeasured::report(predictions));
    let _ = write!(text, "## Memory\n\n{ROOM}\n\n{}\n", room::table(cases));
    let groupings: [(&str, Key); 4] = [
        ("source", |outcome| outcome.case.source.clone()),
        ("device", |outcome| outcome.case.device.clone()),
        ("model family", |outcome| outcome.case.family.name().to_owned()),
        ("precision", |outcome| outcome.case.precision.clone()),
    ];
    for (by, key) in groupings {
        let _ = write!(text, "## By {by}\n\n{}\n", table(by, &outcomes, key));
    }
    let _ = write!(
        text,
        "## Comparison with other estimators\n\n{}\n{}\n",
        aisimulate::paragraph(&outcomes),
        beside(&outcomes, peers)
    );
    let _ = write!(text, "## Rows without a prediction\n\n{}", reasons(&outcomes));
    text
}

/// Replaces the body between the markers of a table (`accuracy`, `abroad`); `None` if the text lacks the markers.
pub fn replaced(text: &str, marker: &str, body: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- {marker} -->\n"), format!("<!-- /{marker} -->"));
    let (before, rest) = text.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}{body}{end}{after}"))
}

fn table(by: &str, outcomes: &[&Outcome<'_>], key: impl Fn(&Outcome<'_>) -> String) -> String {
    let mut groups: BTreeMap<(String, Quantity), Vec<&Outcome<'_>>> = BTreeMap::new();
    for outcome in outcomes {
        groups.entry((key(outcome), outcome.quantity)).or_default().push(outcome);
    }
    let mut text = format!(
        "| {by} | quantity | rows | modelled | scored | mean | median | bias | 90th percentile |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|\n"
    );
    for ((group, quantity), rows) in &groups {
        let modelled = rows.iter().filter(|row| row.predicted.is_ok()).count();
        let scored: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| !row.case.used_in_fit)
            .filter_map(|row| Some((*row.predicted.as_ref().ok()?, row.measured)))
            .collect();
        let group = if group.is_empty() { "–" } else { group };
        let _ = write!(
            text,
            "| {group} | {} | {} | {modelled} | {} |",
            quantity.label(),
            rows.len(),
            scored.len()
        );
        let _ = if scored.is_empty() {
            writeln!(text, " | | | |")
        } else if Score::is_choice(*quantity) {
            let right = Score::right(scored).unwrap_or_default();
            writeln!(text, " {:.1} % right | | | |", 100.0 * right)
        } else {
            let Score { mean, median, bias, p90, .. } = Score::of(scored);
            writeln!(
                text,
                " {:.1} % | {:.1} % | {:+.1} % | {:.1} % |",
                100.0 * mean,
                100.0 * median,
                100.0 * bias,
                100.0 * p90
            )
        };
    }
    text
}

/// Errors of other estimators compared with ours, on the rows that both predict and that no constant was fitted on.
fn beside(outcomes: &[&Outcome<'_>], peers: &[PeerPrediction]) -> String {
    let predicted: HashMap<(&str, Quantity), &PeerPrediction> =
        peers.iter().map(|peer| ((peer.id.as_str(), peer.quantity), peer)).collect();
    let mut groups: BTreeMap<(&str, &str, Quantity), [Pairs; 2]> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| !outcome.case.used_in_fit) {
        let peer = predicted.get(&(outcome.case.id.as_str(), outcome.quantity));
        if let (Some(peer), Ok(ours)) = (peer, &outcome.predicted) {
            let key = (peer.peer, outcome.case.family.name(), outcome.quantity);
            let [own, other] = groups.entry(key).or_default();
            own.push((*ours, outcome.measured));
            other.push((peer.predicted, outcome.measured));
        }
    }
    let mut text = String::from(
        "| estimator | model family | quantity | rows | ours, mean | ours, median | theirs, mean | theirs, median |\n\
         |---|---|---|---:|---:|---:|---:|---:|\n",
    );
    for ((peer, family, quantity), [own, other]) in groups {
        let rows = own.len();
        let (own, other) = (Score::of(own), Score::of(other));
        let _ = writeln!(
            text,
            "| {peer} | {family} | {} | {rows} | {:.1} % | {:.1} % | {:.1} % | {:.1} % |",
            quantity.label(),
            100.0 * own.mean,
            100.0 * own.median,
            100.0 * other.mean,
            100.0 * other.median
        );
    }
    text
}

/// Number of rows without a prediction, by source and reason. A row counts once.
fn reasons(outcomes: &[&Outcome<'_>]) -> String {
    let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut last = "";
    for outcome in outcomes {
        if let Err(skip) = &outcome.predicted {
            if outcome.case.id != last {
                *counts.entry((&outcome.case.source, skip.kind())).or_default() += 1;
            }
            last = &outcome.case.id;
        }
    }
    let mut text = String::from("| source | reason | rows |\n|---|---|---:|\n");
    for ((source, reason), count) in counts {
        let _ = writeln!(text, "| {source} | {reason} | {count} |");
    }
    text
}
