//! Tables of the Technology view: where the budgets went, how far built dies are missed, every scaling number.

use super::answer::Answer;
use crate::answer::html;
use crate::catalog::technology_numbers::Listed;
use crate::figure::{Cell, Table, escape};
use crate::technology::{DiePart, references};
use crate::units::format;

/// Bytes of a text that is not kept on one line.
const LONG: usize = 24;

/// A row of markup whose first cell heads it; texts are marked.
fn row(cells: &[Cell]) -> String {
    let cells = html::each(cells.iter().enumerate(), |(place, cell)| {
        let text = escape(cell.shown());
        match cell.value {
            _ if place == 0 => format!(r#"<th scope="row">{text}</th>"#),
            // Sources take more than one line.
            None if text.len() > LONG => format!(r#"<td class="text origin">{text}</td>"#),
            None => format!(r#"<td class="text">{text}</td>"#),
            Some(_) => format!("<td>{text}</td>"),
        }
    });
    format!("<tr>{cells}</tr>")
}

/// A table on the page, and as data.
fn table(id: &str, title: &str, finding: &str, heads: &[&str], data: Table) -> (String, Table) {
    let head = html::headings(heads.iter().copied());
    let body = format!("<tbody>{}</tbody>", html::each(&data.rows, |line| row(&line.cells)));
    (html::table(id, title, finding, (&head, &body), &html::downloads(&["csv"])), data)
}

/// A number as it is read: what is counted without a point.
fn shown(value: f64) -> String {
    if value.fract() == 0.0 { format::grouped(value) } else { format::digits(value) }
}

fn number(value: f64) -> Cell {
    Cell::number(value, shown(value))
}

/// A number as it was published, digit for digit.
fn exact(value: f64) -> Cell {
    Cell::number(value, value.to_string())
}

impl Answer<'_> {
    /// Where the chosen die's budgets went.
    pub(super) fn account(&self) -> (String, Table) {
        let choice = &self.scenario.technology;
        let mut data =
            Table::new([("Part", None), ("Area", Some("mm²")), ("Power", Some("W")), ("Edge", Some("mm"))]);
        let mut finding = "There is no such accelerator".to_owned();
        if let Some(point) = self.chosen() {
            let account = &point.die.budgets;
            for part in DiePart::ALL {
                data.push([
                    Cell::text(part.name()),
                    number(account.area.get(part).get()),
                    number(account.power.get(part).get()),
                    number(account.edge.get(part).get()),
                ]);
            }
            data.push([
                Cell::text("Together"),
                number(account.area.total().get()),
                number(account.power.total().get()),
                number(account.edge.total().get()),
            ]);
            finding = format!(
                "The best die in {} with {} and {} for {}: its {} is used up first. Power is with everything busy",
                point.node,
                point.memory,
                point.fabric,
                choice.task.name().to_ascii_lowercase(),
                point.die.bound.name()
            );
        }
        let title = "Where the budgets of a die go";
        table("account", title, &finding, &["*Part", "Area, mm²", "Power, W", "Edge, mm"], data)
    }

    /// How far the dies that were built are from the model's.
    pub(super) fn built(&self) -> (String, Table) {
        let built = references(self.technology);
        let mut data = Table::new([
            ("Figure of a die", None),
            ("Unit", None),
            ("Accelerator", None),
            ("Fitted", None),
            ("Published", None),
            ("Model", None),
            ("Error", Some("%")),
        ]);
        for reference in &built {
            for miss in &reference.misses {
                data.push([
                    Cell::text(miss.quantity),
                    Cell::text(miss.unit),
                    Cell::text(&reference.name),
                    Cell::text(if reference.fitted { "yes" } else { "no" }),
                    number(miss.real),
                    number(miss.model),
                    Cell::number(miss.error() * 100.0, format::signed_percent(miss.error())),
                ]);
            }
        }
        let quantities = built.first().map_or(&[][..], |reference| &reference.misses[..]);
        let body = html::each(quantities.iter().enumerate(), |(place, quantity)| {
            let cells = html::each(&built, |reference| {
                reference.misses.get(place).map_or_else(String::new, |miss| {
                    let [model, real] = [miss.model, miss.real].map(shown);
                    let error = format::signed_percent(miss.error());
                    format!("<td>{error}<br><small>{model} for {real}</small></td>")
                })
            });
            let unit = if quantity.unit.is_empty() { String::new() } else { format!(", {}", quantity.unit) };
            format!(r#"<tr><th scope="row">{}{unit}</th>{cells}</tr>"#, escape(quantity.quantity))
        });
        let names: Vec<String> = built
            .iter()
            .map(|reference| {
                if reference.fitted {
                    reference.name.clone()
                } else {
                    format!("{}, not fitted", reference.name)
                }
            })
            .collect();
        let head =
            html::headings(std::iter::once("*Figure of a die").chain(names.iter().map(String::as_str)));
        let title = "What the model makes of dies that were built";
        let finding = "Each built from its own node, memory, links and budgets, with the numbers below. Model over \
                       published; fitted are four numbers, to nine figures";
        (
            html::table(
                "built",
                title,
                finding,
                (&head, &format!("<tbody>{body}</tbody>")),
                &html::downloads(&["csv"]),
            ),
            data,
        )
    }

    /// Every scaling number, those of the visitor's marked.
    pub(super) fn numbers(&self) -> (String, Table) {
        let mut data = Table::new([
            ("Number", None),
            ("Unit", None),
            ("Value", None),
            ("Yours", None),
            ("Confidence", None),
            ("Source", None),
        ]);
        let published = crate::catalog::technology().listed();
        for (known, own) in published.iter().zip(self.technology.listed()) {
            let Listed { of, what, sourced, .. } = known;
            let changed = own.sourced.value.to_bits() != sourced.value.to_bits();
            data.push([
                Cell::text(format!("{of}: {}", what.meaning)),
                Cell::text(what.unit),
                exact(sourced.value),
                if changed { exact(own.sourced.value) } else { Cell::none() },
                Cell::text(sourced.confidence.name()),
                Cell::text(&sourced.source),
            ]);
        }
        let finding =
            "Each can be changed: under Constants, below the form. What is changed stands in the link";
        let heads = ["*Number", "*Unit", "Value", "Yours", "*Confidence", "*Source"];
        table("numbers", "Every scaling number", finding, &heads, data)
    }
}
