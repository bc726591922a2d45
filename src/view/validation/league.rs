//! Comparison of Foretoken with other estimators, each on the rows that both predict.

use std::collections::BTreeMap;

use super::parts::{Parts, Row};
use crate::figure::{self, Cell, Column, Table};
use crate::order;
use crate::units::{Amount, Unit};
use crate::validation::Score;
use crate::validation::points::trait_name;
use crate::view::TablePart;

const FINDING: &str = "Errors against measured values, on the rows that both estimators answer and on which no constant was \
                       fitted. What an estimator gives is output of its program, never a measurement";

/// Name of this model among estimators.
const OWN: &str = "Foretoken";

/// Name of the visitor's own rows.
const YOURS: &str = "Your measurements";

/// Predicted and measured values of the same rows, by this model and by another estimator.
#[derive(Default)]
struct Shared {
    own: Vec<(f64, f64)>,
    other: Vec<(f64, f64)>,
}

impl Parts<'_> {
    /// Two rows for each estimator: over all rows that pass the filters, then for each group; then those of the visitor's rows that pass
    /// the filters. Empty if no other estimator predicts one of the rows.
    pub(super) fn league(&self, rows: &[&Row<'_>]) -> Option<TablePart> {
        let by = self.choice().by;
        let whole = shared(rows);
        if whole.is_empty() {
            return None;
        }
        let mut groups: BTreeMap<&str, Vec<&Row<'_>>> = BTreeMap::new();
        for row in rows {
            groups.entry(row.point.of(by)).or_default().push(row);
        }
        let mut groups: Vec<_> = groups.into_iter().map(|(name, rows)| (name, shared(&rows))).collect();
        groups.retain(|(_, shared)| !shared.is_empty());
        let size = |shared: &BTreeMap<&str, Shared>| shared.values().map(|of| of.own.len()).sum::<usize>();
        order::sort(&mut groups, |(_, a), (_, b)| size(b).cmp(&size(a)));
        let percent = |label| Column::of(label, "%");
        let mut table = Table::under([
            Column::new(by.name()).file_only(),
            Column::new("Estimator"),
            Column::new("Rows"),
            percent("Mean"),
            percent("Median"),
            percent("Bias"),
            percent("90th pct."),
        ]);
        table.rows.extend(compared("All rows that pass the filters", &whole));
        // One group alone is the whole cohort.
        if groups.len() > 1 {
            for (name, shared) in &groups {
                let name = if name.is_empty() { "not stated" } else { trait_name(by, name) };
                table.rows.extend(compared(name, shared));
            }
        }
        let own: Vec<(f64, f64)> = self.own_filtered().map(|row| (row.predicted, row.measured)).collect();
        if !own.is_empty() {
            table.rows.push(scored((YOURS, Some(YOURS.to_owned())), OWN, &own));
        }
        Some(TablePart::new("league", "Beside other estimators", FINDING, table))
    }
}

/// The rows of each other estimator that count.
fn shared<'a>(rows: &[&Row<'a>]) -> BTreeMap<&'a str, Shared> {
    let mut all: BTreeMap<&str, Shared> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.point.used_in_fit && !row.point.is_computed()) {
        let Some(((name, _), other)) = row.point.peer.as_ref().zip(row.point.peer_pair()) else { continue };
        let both = [row.pair, other].map(|pair| (pair.predicted, pair.measured));
        // A row counts for both or for neither.
        if both.iter().all(|(predicted, measured)| *predicted > 0.0 && *measured > 0.0) {
            let shared = all.entry(name.as_str()).or_default();
            shared.own.push(both[0]);
            shared.other.push(both[1]);
        }
    }
    all
}

/// The errors of an estimator on predicted and measured values, as a row. The first row of a cohort names its group.
fn scored((cohort, group): (&str, Option<String>), estimator: &str, pairs: &[(f64, f64)]) -> figure::Row {
    let score = Score::of(pairs.iter().copied());
    let cells = vec![
        Cell::text(cohort),
        Cell::text(estimator),
        Cell::amount(Amount::new(score.count as f64, Unit::Count)),
        Cell::percent(score.mean),
        Cell::percent(score.median),
        Cell::signed_percent(score.bias),
        Cell::percent(score.p90),
    ];
    figure::Row { group, current: estimator == OWN, cells }
}

/// The rows of one cohort.
fn compared(cohort: &str, shared: &BTreeMap<&str, Shared>) -> Vec<figure::Row> {
    let mut rows = Vec::new();
    for (name, Shared { own, other }) in shared {
        for (estimator, pairs) in [(OWN, own), (name, other)] {
            let group = (estimator == OWN).then(|| format!("{cohort}, with {name}"));
            rows.push(scored((cohort, group), estimator, pairs));
        }
    }
    rows
}
