//! Every operator of a phase: its size, what it costs, what it waits for.

use leptos::prelude::*;

use super::export;
use super::state::state;
use crate::estimate::OperatorRow;
use crate::figure::{Cell, Table};
use crate::units::{Seconds, format};

const COLUMNS: [&str; 8] =
    ["Operator", "Bound by", "Size", "Runs", "Each", "Together", "Share", "FLOP per byte"];

/// The operators by phase.
#[component]
pub(crate) fn OperatorsTable(
    id: &'static str,
    note: &'static str,
    operators: Memo<Vec<OperatorRow>>,
) -> impl IntoView {
    let state = state();
    let heading = move || format!("table-{id}");
    let body =
        move || operators.with(|operators| phases(operators).iter().map(|rows| phase(rows)).collect_view());
    let save = move |_| operators.with_untracked(|operators| export::csv(&table(operators).to_csv(), id));
    view! {
        <section
            class="table-card"
            data-table=id
            data-stale=move || state.stale.get().then_some("")
        >
            <header>
                <h3 id=heading()>"What bounds each operator"</h3>
                <p class="finding">{note}</p>
            </header>
            <div class="scroll" role="region" tabindex="0" aria-labelledby=heading()>
                <table class="operators">
                    <caption class="visually-hidden">"What bounds each operator"</caption>
                    <thead>
                        <tr>{COLUMNS.map(|column| view! { <th scope="col">{column}</th> }).collect_view()}</tr>
                    </thead>
                    {body}
                </table>
            </div>
            <div class="downloads" role="group" aria-label="Download">
                <button type="button" data-export="csv" aria-label="Download data as CSV" on:click=save>"CSV"</button>
            </div>
        </section>
    }
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

fn phase(operators: &[&OperatorRow]) -> impl IntoView + use<> {
    let name = operators.first().map_or("", |operator| operator.phase);
    let total: Seconds = operators.iter().map(|operator| together(operator)).sum();
    let rows = operators.iter().map(|operator| {
        let cost = &operator.cost;
        let share = if total > Seconds::ZERO { together(operator) / total } else { 0.0 };
        let intensity = if cost.intensity() > 0.0 { format::digits(cost.intensity()) } else { "–".to_owned() };
        view! {
            <tr>
                <th scope="row">{operator.name}</th>
                <td class="text"><span class="bound" data-bound=cost.bound.name()>{cost.bound.name()}</span></td>
                <td class="text">{operator.shape.clone()}</td>
                <td>{format::digits(operator.count)}</td>
                <td>{format::time(cost.time)}</td>
                <td>{format::time(together(operator))}</td>
                <td>{format::percent(share)}</td>
                <td>{intensity}</td>
            </tr>
        }
    });
    view! {
        <tbody>
            <tr class="phase">
                <th scope="rowgroup" colspan="5">{capitalised(name)}</th>
                <td>{format::time(total)}</td>
                <td colspan="2"></td>
            </tr>
            {rows.collect_view()}
        </tbody>
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Everything that is known of the operators, in full precision.
fn table(operators: &[OperatorRow]) -> Table {
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
