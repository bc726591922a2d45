//! An answer as plain JSON: numbers as numbers, drawings left out.

use serde_json::{Value, json};

use crate::figure::{Cell, Table};
use crate::units::Amount;
use crate::view::comparison::{Compared, Comparison};
use crate::view::{Answer, Card, Link, Notice, Part};

/// `{lead, offers, problems, cards, parts}` in the page's order; the first three are omitted if empty.
///
/// A card has `id`, `label`, `value` in the base unit of `unit`, the `text` that the page shows, a `note`, its
/// `equation` with numbers, and the `range` of measured values. A part has its `kind` (`figure`, `table`, `notice` or `commands`), `id` and contents: a table has
/// `columns` and `rows` of cells.
pub(super) fn value(answer: &Answer) -> Value {
    let cards: Vec<Value> = answer.cards.iter().map(card).collect();
    let parts: Vec<Value> = answer.parts.iter().map(part).collect();
    let mut value = json!({ "cards": cards, "parts": parts });
    put(&mut value, "lead", &answer.lead);
    if !answer.offers.is_empty() {
        value["offers"] = answer.offers.iter().map(notice).collect();
    }
    if !answer.problems.is_empty() {
        value["problems"] = json!(answer.problems);
    }
    value
}

/// An offer's or a notice's text and links.
fn notice(notice: &Notice) -> Value {
    let links: Vec<Value> = notice.links.iter().map(link).collect();
    json!({ "kind": "notice", "id": notice.id, "text": notice.text, "links": links })
}

fn card(card: &Card) -> Value {
    let mut value = json!({ "id": card.id, "label": card.label, "text": card.shown() });
    put_amount(&mut value, card.amount);
    put(&mut value, "note", &card.note);
    put(&mut value, "equation", &card.equation);
    if let Some(range) = &card.range {
        let (low, high) = (amount(range.low), amount(range.high));
        value["range"] = json!({ "low": low, "high": high, "why": range.why, "link": range.link });
    }
    value
}

fn part(part: &Part) -> Value {
    match part {
        Part::Figure(figure) => json!({
            "kind": "figure",
            "id": figure.id,
            "title": figure.title,
            "finding": figure.finding,
            "assumptions": figure.assumptions,
            "columns": columns(&figure.table),
            "rows": rows(&figure.table),
        }),
        Part::Table(table) => json!({
            "kind": "table",
            "id": table.id,
            "title": table.title,
            "finding": table.finding,
            "columns": columns(&table.table),
            "rows": rows(&table.table),
        }),
        Part::Notice(part) => notice(part),
        Part::Commands(part) => json!({
            "kind": "commands",
            "id": part.id,
            "title": part.title,
            "finding": part.finding,
            "commands": part.commands,
        }),
    }
}

fn columns(table: &Table) -> Vec<Value> {
    table.columns.iter().map(|column| json!({ "label": column.label, "unit": column.unit })).collect()
}

fn rows(table: &Table) -> Vec<Vec<Value>> {
    table.rows.iter().map(|row| row.cells.iter().map(cell).collect()).collect()
}

/// A cell's `text`, and if present `value` in the column's unit, `note` and `link`.
fn cell(cell: &Cell) -> Value {
    let mut value = json!({ "text": cell.text });
    if let Some(number) = cell.value {
        value["value"] = number.into();
    }
    put(&mut value, "note", &cell.note);
    if let Some(link) = &cell.link {
        value["link"] = link.as_str().into();
    }
    value
}

fn link(link: &Link) -> Value {
    let mut value = json!({ "text": link.text });
    put(&mut value, "link", &link.link);
    put(&mut value, "address", &link.address);
    put(&mut value, "hint", &link.hint);
    value
}

/// Questions side by side, in the shape of [`Comparison`].
pub(super) fn comparison(comparison: &Comparison) -> Value {
    let numbers: Vec<Value> = comparison
        .numbers
        .iter()
        .map(|number| {
            let values: Vec<Value> =
                number.values.iter().map(|value| value.as_ref().map_or(Value::Null, compared)).collect();
            json!({ "label": number.label, "values": values })
        })
        .collect();
    json!({
        "questions": comparison.questions,
        "settings": comparison.settings,
        "numbers": numbers,
        "refusals": comparison.refusals,
    })
}

fn compared(compared: &Compared) -> Value {
    let mut value = amount(compared.amount);
    put(&mut value, "text", &compared.words);
    if let Some(ratio) = compared.ratio {
        value["ratio"] = ratio.value.into();
    }
    value
}

/// `value` in the base unit of `unit`, and the `text` that the page shows.
fn amount(amount: Amount) -> Value {
    let mut value = json!({ "text": amount.to_string() });
    put_amount(&mut value, Some(amount));
    value
}

/// Adds a value and its unit; JSON has no infinite numbers, which stay text alone.
fn put_amount(value: &mut Value, amount: Option<Amount>) {
    let Some(amount) = amount else { return };
    value["value"] = amount.value.into();
    value["unit"] = serde_json::to_value(amount.unit).unwrap_or_default();
}

/// Adds a text that is not empty.
fn put(value: &mut Value, key: &str, text: &str) {
    if !text.is_empty() {
        value[key] = text.into();
    }
}
