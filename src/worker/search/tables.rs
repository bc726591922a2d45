//! Tables of a search: the best plans, what stopped the others, what was tried.

use std::cmp::Reverse;

use super::answer::Answer;
use super::fragment;
use crate::answer::html;
use crate::catalog::Accelerator;
use crate::figure::{Cell, Scaled, Table, escape};
use crate::search::{AXES, Reason};
use crate::units::format;

const RANKING: &str = "Best first. A plan's name opens it in the Training view; back returns here";
const STOPPED: &str = "Each plan is counted once, under the first reason that was found";
const TRIED: &str = "The search tries every combination. What is fixed stays as the Training view has it";

/// A row whose first cell is markup and heads it; the other cells are the data's.
fn row(head: &str, cells: &[Cell]) -> String {
    let cells = html::each(cells, |cell| match cell.value {
        None => format!(r#"<td class="text">{}</td>"#, escape(&cell.text)),
        Some(_) => format!("<td>{}</td>", escape(&cell.text)),
    });
    format!(r#"<tr><th scope="row">{head}</th>{cells}</tr>"#)
}

/// A table on the page and as data; the first cell of each row is shown as this markup.
fn table(id: &str, title: &str, finding: &str, data: Table, heads: &[String]) -> (String, Table) {
    let names = data.columns.iter().enumerate().map(|(place, column)| {
        let text = data.rows.first().is_some_and(|row| row.cells[place].value.is_none()) && place > 0;
        if text { format!("*{}", column.label) } else { column.label.clone() }
    });
    let names: Vec<String> = names.collect();
    let head = html::headings(names.iter().map(String::as_str));
    let rows = data.rows.iter().zip(heads).map(|(cells, head)| row(head, &cells.cells[1..]));
    let body = format!("<tbody>{}</tbody>", rows.collect::<String>());
    (html::table(id, title, finding, (&head, &body), &html::downloads(&["csv"])), data)
}

impl Answer<'_> {
    /// The best plans, each with a link that opens it.
    pub(super) fn ranking(&self, device: &Accelerator) -> (String, Table) {
        let mut data = Table::new([
            ("Plan", None),
            ("Step", Some("s")),
            ("MFU", Some("%")),
            ("Memory", Some("GiB")),
            ("Cost per step", Some("US$")),
            ("Energy per step", Some("kWh")),
        ]);
        let mut heads = Vec::new();
        for (place, found) in self.search.asked().best.found().iter().enumerate() {
            let Scaled { mfu, bill, .. } = self.costed(found, device);
            let number = |value: Option<f64>, unit: &str| {
                value.map_or_else(
                    || Cell::number(f64::NAN, "–"),
                    |value| Cell::number(value, format!("{} {unit}", format::digits(value))),
                )
            };
            heads.push(html::link(&format!("plan-{}", place + 1), &self.there(found), &found.name()));
            data.push([
                Cell::text(found.name()),
                Cell::number(found.step.get(), format::time(found.step)),
                Cell::number(100.0 * mfu, format::percent(mfu)),
                Cell::number(found.memory.to_gib(), format::memory(found.memory)),
                number(bill.usd, "$"),
                number(bill.kwh, "kWh"),
            ]);
        }
        let gpus = format::grouped(f64::from(self.search.asked().gpus));
        let title = format!("Best plans on {gpus} GPUs by {}", self.scenario.search.by.name().to_lowercase());
        table("ranking", &title, RANKING, data, &heads)
    }

    /// What stopped the plans that do not fit.
    pub(super) fn stopped(&self) -> (String, Table) {
        let mut data = Table::new([("Reason", None), ("Plans", None), ("For example", None)]);
        let mut reasons: Vec<_> = self.search.asked().stopped.iter().collect();
        reasons.sort_by_key(|(_, count)| Reverse(*count));
        let mut heads = Vec::new();
        for (reason, count) in reasons {
            let (name, example) = self.reason(reason);
            heads.push(escape(&name));
            data.push([
                Cell::text(name),
                Cell::number(*count as f64, format::grouped(*count as f64)),
                Cell::text(example),
            ]);
        }
        table("stopped", "What stopped the other plans", STOPPED, data, &heads)
    }

    /// A reason in words, and an example of it.
    fn reason(&self, reason: &Reason) -> (String, String) {
        match reason {
            Reason::Same => {
                let example = "sequence parallelism without tensor parallelism, ZeRO with one replica";
                ("Does not differ from another in time and memory".to_owned(), example.to_owned())
            }
            Reason::Memory(least) => {
                let limit = format::memory(self.search.question().limit());
                let example = format!("the smallest of them needs {} of {limit}", format::memory(*least));
                ("Does not fit into memory".to_owned(), example)
            }
            Reason::Law(law) => {
                let field = law.field();
                let axis = AXES.iter().find(|axis| field.ends_with(axis.id)).map(|axis| axis.name);
                let name = match (field, axis) {
                    (_, Some(name)) => name,
                    ("system.gpus", _) => "Degrees and number of GPUs",
                    ("recipe.batch", _) => "Replicas, microbatch and batch",
                    ("recipe.sequence", _) => "Parts of a sequence",
                    _ => field,
                };
                (name.to_owned(), law.to_string())
            }
        }
    }

    /// What was tried of each axis, with links that fix or free it.
    pub(super) fn axes(&self) -> (String, Table) {
        let mut data = Table::new([("What plans differ in", None), ("Candidates", None), ("Values", None)]);
        let question = self.search.question();
        let space = question.space(self.search.asked().gpus);
        let mut heads = Vec::new();
        for (axis, values) in AXES.iter().zip(space.values()) {
            let fixed = question.scope.fixes(axis.id);
            let there = fragment(self.scenario, question.scope.toggled(axis.id));
            let (id, text) = if fixed {
                (format!("free-{}", axis.id), format!("{}: fixed, set free", axis.name))
            } else {
                (format!("fix-{}", axis.id), format!("{}: free, fix", axis.name))
            };
            heads.push(html::link(&id, &there, &text));
            let shown: Vec<String> = values.iter().map(|value| (axis.show)(*value)).collect();
            data.push([
                Cell::text(axis.name),
                Cell::number(values.len() as f64, values.len().to_string()),
                Cell::text(shown.join(", ")),
            ]);
        }
        table("axes", "What was tried", TRIED, data, &heads)
    }
}
