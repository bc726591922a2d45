//! Every operator of a phase: its size, what it costs, what it waits for.

use super::html;
use crate::estimate::OperatorRow;
use crate::figure::{Cell, Table, escape};
use crate::units::{Flops, Seconds, format};

const HEADINGS: [&str; 8] =
    ["Operator", "*Bound by", "*Size", "Runs", "Each", "Together", "Share", "FLOP per byte"];

const DETAILS: [&str; 7] = ["FLOP", "Bytes", "Compute", "DRAM", "L2", "Network", "Launch"];

/// The operators by phase.
pub(super) fn markup(id: &str, note: &str, operators: &[OperatorRow]) -> String {
    table_of(id, note, operators, &[], |_| String::new())
}

/// The operators by phase, with the work of each run and how long each resource alone would take for it.
pub(super) fn detailed(id: &str, note: &str, operators: &[OperatorRow]) -> String {
    table_of(id, note, operators, &DETAILS, |operator| {
        let cost = &operator.cost;
        let dash = || "–".to_owned();
        let work = if cost.flops > Flops::ZERO { format::flops(cost.flops) } else { dash() };
        let times = [cost.compute, cost.dram, cost.l2, cost.network, cost.launch]
            .map(|time| if time > Seconds::ZERO { format::time(time) } else { dash() });
        html::each([work, format::traffic(cost.bytes)].into_iter().chain(times), |text| {
            format!("<td>{text}</td>")
        })
    })
}

fn table_of(
    id: &str,
    note: &str,
    operators: &[OperatorRow],
    details: &[&'static str],
    more: fn(&OperatorRow) -> String,
) -> String {
    let body = html::each(phases(operators), |rows| phase(&rows, details.len(), more));
    let head = html::headings(HEADINGS.iter().chain(details).copied());
    html::table(id, "What bounds each operator", note, (&head, &body), &html::downloads(&["csv"]))
}

/// The operators of each phase, in the order in which the phases begin.
fn phases(operators: &[OperatorRow]) -> Vec<Vec<&OperatorRow>> {
    let mut phases: Vec<Vec<&OperatorRow>> = Vec::new();
    for operator in operators {
        match phases.iter_mut().find(|rows| rows.iter().any(|row| row.phase == operator.phase)) {
            Some(rows) => rows.push(operator),
            None => phases.push(vec![operator]),
        }
    }
    phases
}

fn together(operator: &OperatorRow) -> Seconds {
    operator.cost.time * operator.count
}

fn phase(operators: &[&OperatorRow], details: usize, more: fn(&OperatorRow) -> String) -> String {
    let name = operators.first().map_or("", |operator| operator.phase);
    let total: Seconds = operators.iter().map(|operator| together(operator)).sum();
    let rows = html::each(operators, |operator| row(operator, total, &more(operator)));
    format!(
        concat!(
            r#"<tbody><tr class="phase"><th scope="rowgroup" colspan="5">{name}</th>"#,
            r#"<td>{total}</td><td colspan="{rest}"></td></tr>{rows}</tbody>"#,
        ),
        name = escape(&capitalised(name)),
        total = format::time(total),
        rest = 2 + details,
        rows = rows,
    )
}

fn row(operator: &OperatorRow, total: Seconds, more: &str) -> String {
    let cost = &operator.cost;
    let share = if total > Seconds::ZERO { together(operator) / total } else { 0.0 };
    let intensity = if cost.intensity() > 0.0 { format::digits(cost.intensity()) } else { "–".to_owned() };
    let numbers = [
        format::number(operator.count),
        format::time(cost.time),
        format::time(together(operator)),
        format::percent(share),
        intensity,
    ];
    format!(
        concat!(
            r#"<tr><th scope="row">{name}</th>"#,
            r#"<td class="text"><span class="bound" data-bound="{bound}">{bound}</span></td>"#,
            r#"<td class="text">{size}</td>{numbers}{more}</tr>"#,
        ),
        name = escape(operator.name),
        bound = cost.bound.name(),
        size = escape(&operator.shape),
        numbers = html::each(numbers, |number| format!("<td>{number}</td>")),
        more = more,
    )
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| format!("{}{}", first.to_ascii_uppercase(), letters.as_str()))
        .unwrap_or_default()
}

/// Everything that is known of the operators, in full precision.
pub(super) fn table(operators: &[OperatorRow]) -> Table {
    const TIME: Option<&str> = Some("s");
    let number = |value: f64| Cell::number(value, "");
    let mut table = Table::new([
        ("Phase", None),
        ("Operator", None),
        ("Size", None),
        ("Runs", None),
        ("Each", TIME),
        ("Together", TIME),
        ("Compute", TIME),
        ("DRAM", TIME),
        ("L2", TIME),
        ("Network", TIME),
        ("Launch", TIME),
        ("Work", Some("FLOP")),
        ("Traffic", Some("B")),
        ("Bound by", None),
    ]);
    for operator in operators {
        let cost = &operator.cost;
        table.push([
            Cell::text(operator.phase),
            Cell::text(operator.name),
            Cell::text(&operator.shape),
            number(operator.count),
            number(cost.time.get()),
            number(together(operator).get()),
            number(cost.compute.get()),
            number(cost.dram.get()),
            number(cost.l2.get()),
            number(cost.network.get()),
            number(cost.launch.get()),
            number(cost.flops.get()),
            number(cost.bytes.get()),
            Cell::text(cost.bound.name()),
        ]);
    }
    table
}
