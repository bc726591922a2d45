//! Errors of each group of rows.

use std::collections::BTreeMap;

use super::parts::{Parts, Row, score};
use crate::figure::{self, Cell, Column, Table};
use crate::order;
use crate::units::{Amount, Unit};
use crate::validation::Score;
use crate::validation::points::trait_name;
use crate::view::TablePart;

const FINDING: &str = "Absolute errors of rows that no constant was fitted on. Rows that another program computed count only in a \
                       group without measured rows, and not in the errors of all rows. Bias: geometric mean of predicted / measured, \
                       less 1; above 0 predictions are too high. Others’ mean: other published estimators, on the rows \
                       for which they are known";

impl Parts<'_> {
    /// One row a group, the largest first. A group's name filters by it, or removes that filter.
    pub(super) fn groups(&self) -> TablePart {
        let by = self.choice().by;
        let mut groups: BTreeMap<&str, Vec<&Row<'_>>> = BTreeMap::new();
        // The selected group stays among the others, so that another can be chosen.
        for row in self.filtered(Some(by)) {
            groups.entry(row.point.of(by)).or_default().push(row);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        order::sort(&mut groups, |(_, a), (_, b)| b.len().cmp(&a.len()));
        let percent = |label| Column::of(label, "%");
        let mut table = Table::under([
            Column::new(by.name()),
            Column::new("Rows"),
            Column::new("In a fit"),
            percent("Mean"),
            percent("Median"),
            percent("Bias"),
            percent("90th pct."),
            percent("Others’ mean"),
        ]);
        for (name, rows) in groups {
            table.rows.push(self.group(name, &rows));
        }
        TablePart::new("groups", format!("Errors by {}", by.name().to_lowercase()), FINDING, table)
    }

    fn group(&self, name: &str, rows: &[&Row<'_>]) -> figure::Row {
        let choice = self.choice();
        let current = !name.is_empty() && choice.only(choice.by) == name;
        let head = if name.is_empty() {
            Cell::text("not stated")
        } else {
            let there = choice.filtered(choice.by, if current { "" } else { name });
            Cell::text(trait_name(choice.by, name)).opening(self.elsewhere(there))
        };
        let cells = [head].into_iter().chain(scores(rows)).collect();
        figure::Row { group: None, current, cells }
    }
}

/// Counts and errors, as the columns after the group's name have them.
fn scores(rows: &[&Row<'_>]) -> [Cell; 7] {
    let fitted = rows.iter().filter(|row| row.point.used_in_fit).count();
    let peers = rows.iter().filter_map(|row| row.point.peer_pair());
    let peers = Score::of(peers.map(|pair| (pair.predicted, pair.measured)));
    let score = score(rows);
    let count = |count: usize| Cell::amount(Amount::new(count as f64, Unit::Count));
    let known = |of: &Score, cell: Cell| if of.count == 0 { Cell::none() } else { cell };
    [
        count(rows.len()),
        count(fitted),
        known(&score, Cell::percent(score.mean)),
        known(&score, Cell::percent(score.median)),
        known(&score, Cell::signed_percent(score.bias)),
        known(&score, Cell::percent(score.p90)),
        known(&peers, Cell::percent(peers.mean)),
    ]
}
