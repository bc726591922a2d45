//! Errors of each group of rows.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Row;
use super::answer::{Answer, score};
use crate::answer::html;
use crate::figure::{Cell, Table, escape};
use crate::units::format;
use crate::validation::Score;

const HEADINGS: [&str; 7] = ["Rows", "In a fit", "Mean", "Median", "Bias", "90th pct.", "Others’ mean"];

const FINDING: &str = "Absolute errors of rows that nothing was fitted on; bias keeps the sign: above 0 predictions \
                       are too high. Others’ mean: other published estimators, on the rows for which they are known";

impl Answer<'_> {
    /// The table on the page and as data. A group's name is a link to its rows alone, and from there back.
    pub(super) fn groups(&self) -> (String, Table) {
        let by = self.choice().by;
        let mut groups: BTreeMap<&str, Vec<&Row<'_>>> = BTreeMap::new();
        // The group that is filtered stands among the others, so that another can be chosen.
        for row in self.filtered(Some(by)) {
            groups.entry(row.point.of(by)).or_default().push(row);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, rows)| Reverse(rows.len()));
        let percent = Some("%");
        let mut table = Table::new([
            (by.name(), None),
            (HEADINGS[0], None),
            (HEADINGS[1], None),
            (HEADINGS[2], percent),
            (HEADINGS[3], percent),
            (HEADINGS[4], percent),
            (HEADINGS[5], percent),
            (HEADINGS[6], percent),
        ]);
        let mut body = String::new();
        for (name, rows) in groups {
            let cells = scores(&rows);
            body.push_str(&self.group(name, &cells));
            table.rows.push([&[Cell::text(shown(name))], &cells[..]].concat().into());
        }
        let head = html::headings([by.name()].into_iter().chain(HEADINGS));
        let title = format!("Errors by {}", by.name().to_lowercase());
        let body = format!("<tbody>{body}</tbody>");
        (html::table("groups", &title, FINDING, (&head, &body), &html::downloads(&["csv"])), table)
    }

    fn group(&self, name: &str, cells: &[Cell]) -> String {
        let choice = self.choice();
        let current = !name.is_empty() && choice.only(choice.by) == name;
        let there = choice.filtered(choice.by, if current { "" } else { name });
        let head = if name.is_empty() {
            shown(name).to_owned()
        } else {
            html::link(&format!("only-{}-{name}", choice.by.id()), &self.fragment(there), name)
        };
        let cells = html::each(cells, |cell| format!("<td>{}</td>", escape(cell.shown())));
        let class = if current { r#" class="current""# } else { "" };
        format!(r#"<tr{class}><th scope="row">{head}</th>{cells}</tr>"#)
    }
}

fn shown(name: &str) -> &str {
    if name.is_empty() { "not said" } else { name }
}

/// What stands under [`HEADINGS`].
fn scores(rows: &[&Row<'_>]) -> [Cell; 7] {
    let fitted = rows.iter().filter(|row| row.point.used_in_fit).count();
    let peers = rows.iter().filter_map(|row| row.point.peer_pair());
    let peers = Score::of(peers.map(|pair| (pair.predicted, pair.measured)));
    let score = score(rows);
    let count = |count: usize| Cell::number(count as f64, format::grouped(count as f64));
    let percent = |of: &Score, value: f64, show: fn(f64) -> String| {
        if of.count == 0 { Cell::none() } else { Cell::number(100.0 * value, show(value)) }
    };
    [
        count(rows.len()),
        count(fitted),
        percent(&score, score.mean, format::percent),
        percent(&score, score.median, format::percent),
        percent(&score, score.bias, format::signed_percent),
        percent(&score, score.p90, format::percent),
        percent(&peers, peers.mean, format::percent),
    ]
}
