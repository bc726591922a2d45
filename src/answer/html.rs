//! Markup of what views have in common.

use std::fmt::Write as _;

use crate::figure::{Cell, Figure, Table, escape};

/// Rows of a figure's data that are put on the page; files have all of them.
const MOST_ROWS: usize = 100;

/// A number of the headline.
pub(crate) fn card(id: &str, label: &str, value: &str, note: &str) -> String {
    card_within(id, label, value, note, "")
}

/// A number of the headline with where it probably is, which is markup.
pub(crate) fn card_within(id: &str, label: &str, value: &str, note: &str, range: &str) -> String {
    let [label, value, note] = [label, value, note].map(escape);
    format!(
        concat!(
            r#"<div class="number-card"><dt>{label}</dt><dd data-answer="{id}">{value}</dd>"#,
            r#"{range}<dd class="note">{note}</dd></div>"#,
        ),
        label = label,
        id = id,
        value = value,
        range = range,
        note = note,
    )
}

/// A link to another question. Its id is what the keyboard's place is kept by.
pub(crate) fn link(id: &str, href: &str, text: &str) -> String {
    let id: String = id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!(r##"<a id="{id}" href="#{}">{}</a>"##, escape(href), escape(text))
}

/// The markup of each item, together.
pub(crate) fn each<T>(items: impl IntoIterator<Item = T>, markup: impl Fn(T) -> String) -> String {
    let parts: Vec<String> = items.into_iter().map(markup).collect();
    parts.concat()
}

/// A figure with its finding, assumptions, data and downloads.
pub(crate) fn figure(figure: &Figure) -> String {
    let Figure { id, title, finding, svg, table, assumptions, .. } = figure;
    let (title, finding) = (escape(title), escape(finding));
    let lines = each(assumptions, |line| format!("<li>{}</li>", escape(line)));
    format!(
        concat!(
            r#"<figure data-figure="{id}" aria-labelledby="figure-{id}">"#,
            r#"<figcaption><h3 id="figure-{id}">{title}</h3><p class="finding">{finding}</p></figcaption>"#,
            r#"<div class="drawing">{svg}</div>"#,
            r#"<div class="assumptions"><h4>Assumptions</h4><ul>{lines}</ul></div>"#,
            r#"<div class="figure-foot"><details class="data"><summary>Data "#,
            r#"<span class="visually-hidden">of {title}</span></summary>"#,
            r#"<div class="scroll" role="region" tabindex="0" aria-labelledby="figure-{id}">{data}</div></details>"#,
            r#"{downloads}</div></figure>"#,
        ),
        id = id,
        title = title,
        finding = finding,
        svg = svg,
        lines = lines,
        data = data(table, &title),
        downloads = downloads(&["svg", "png", "csv"]),
    )
}

/// Buttons that the page acts on, by `data-export`.
pub(crate) fn downloads(formats: &[&str]) -> String {
    let buttons = each(formats, |format| {
        let name = format.to_ascii_uppercase();
        let what = if *format == "csv" { "data as" } else { "as" };
        format!(
            r#"<button type="button" data-export="{format}" aria-label="Download {what} {name}">{name}</button>"#
        )
    });
    format!(r#"<div class="downloads" role="group" aria-label="Download">{buttons}</div>"#)
}

/// A figure's data, as far as it fits.
fn data(table: &Table, title: &str) -> String {
    let mut html = String::new();
    if table.rows.len() > MOST_ROWS {
        // Writing to a string cannot fail.
        let _ = write!(html, "<p>The first {MOST_ROWS} of {} rows; the file has all</p>", table.rows.len());
    }
    let _ = write!(html, r#"<table><caption class="visually-hidden">{title}</caption><thead><tr>"#);
    for column in &table.columns {
        let _ = write!(html, r#"<th scope="col">{}</th>"#, escape(&column.label));
    }
    html.push_str("</tr></thead><tbody>");
    for row in table.rows.iter().take(MOST_ROWS) {
        html.push_str("<tr>");
        for (index, cell) in row.cells.iter().map(Cell::shown).map(escape).enumerate() {
            let _ = if index == 0 {
                write!(html, r#"<th scope="row">{cell}</th>"#)
            } else {
                write!(html, "<td>{cell}</td>")
            };
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table>");
    html
}

/// A table under a heading, which scrolls by itself. Headings and row groups are markup, and so is what is below.
pub(crate) fn table(id: &str, title: &str, finding: &str, (head, body): (&str, &str), foot: &str) -> String {
    let (title, finding) = (escape(title), escape(finding));
    format!(
        concat!(
            r#"<section class="table-card" data-table="{id}"><header><h3 id="table-{id}">{title}</h3>"#,
            r#"<p class="finding">{finding}</p></header>"#,
            r#"<div class="scroll" role="region" tabindex="0" aria-labelledby="table-{id}">"#,
            r#"<table><caption class="visually-hidden">{title}</caption>"#,
            "<thead><tr>{head}</tr></thead>{body}</table></div>{foot}</section>",
        ),
        id = id,
        title = title,
        finding = finding,
        head = head,
        body = body,
        foot = foot,
    )
}

/// Column headings; those of text begin with `*`.
pub(crate) fn headings<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    each(names, |name| match name.strip_prefix('*') {
        Some(name) => format!(r#"<th scope="col" class="text">{}</th>"#, escape(name)),
        None => format!(r#"<th scope="col">{}</th>"#, escape(name)),
    })
}
