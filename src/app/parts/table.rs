//! A table under a heading, and rows and columns on their own.

use leptos::prelude::*;

use super::download::Download;
use crate::app::export;
use crate::figure::{Cell, Row, Table};
use crate::units::format;
use crate::view::{self, Pager};

/// Maximum number of rows of a table that is shown in full height instead of scrolling.
const SHORT: usize = 25;

/// A table with its heading, which scrolls by itself.
#[component]
pub(super) fn TablePart(
    part: RwSignal<view::TablePart>,
    late: Signal<Option<&'static str>>,
    hidden: Signal<bool>,
) -> impl IntoView {
    let id = part.with_untracked(|part| part.id.clone());
    let heading = format!("table-{id}");
    let title = Memo::new(move |_| part.with(|part| part.title.clone()));
    let table = Memo::new(move |_| part.with(|part| part.table.clone()));
    let most = Memo::new(move |_| part.with(|part| part.shown_rows.map(|rows| rows as usize)));
    let whole = move || most.get().unwrap_or(usize::MAX).min(table.with(|table| table.rows.len())) <= SHORT;
    let saved = Memo::new(move |_| part.with(|part| part.saved));
    let cut = move || {
        let (all, most) = (table.with(|table| table.rows.len()), most.get()?);
        let more = if saved.get() { "; the CSV file has all" } else { "" };
        let count = |rows: usize| format::grouped(rows as f64);
        (most < all).then(|| format!("{} of {} rows are shown{more}", count(most), count(all)))
    };
    let pager = move || part.with(|part| part.pager.clone()).map(pager);
    let name = id.clone();
    let download = move || {
        let name = name.clone();
        saved.get().then(|| {
            view! {
                <div class="figure-foot">
                    <div class="downloads" role="group" aria-label="Download">
                        <Download
                            name="csv"
                            label="Download data as CSV"
                            save=move || export::csv(&table.read_untracked().to_csv(), &name)
                        />
                    </div>
                </div>
            }
        })
    };
    view! {
        <section class="table-card" data-table=id data-stale=late hidden=hidden>
            <header>
                <h3 id=heading.clone()>{title}</h3>
                <p class="finding">{move || part.with(|part| part.finding.clone())}</p>
            </header>
            <div class="scroll" class:whole=whole role="region" tabindex="0" aria-labelledby=heading>
                {move || view! { <Rows table title most=most.get() /> }}
            </div>
            {move || cut().map(|rows| view! { <p class="finding">{rows}</p> })}
            {pager}
            {download}
        </section>
    }
}

/// Rows and columns.
#[component]
pub(crate) fn Rows(
    /// The rows and columns.
    table: Memo<Table>,
    /// The caption, for a screen reader.
    title: Memo<String>,
    /// The most rows that are shown.
    most: Option<usize>,
) -> impl IntoView {
    let head = move || {
        let table = table.read();
        let headings = table.columns.iter().enumerate().filter(|(_, column)| !column.file_only).map(
            |(place, column)| {
                view! { <th scope="col" class:text=table.is_text(place)>{column.label.clone()}</th> }
            },
        );
        headings.collect_view()
    };
    let body = move || {
        let table = table.read();
        let columns: Vec<Column> = table
            .columns
            .iter()
            .enumerate()
            .filter(|(_, column)| !column.file_only)
            .map(|(place, _)| Column { place, text: table.is_text(place) })
            .collect();
        let rows = table.rows.iter().take(most.unwrap_or(usize::MAX));
        rows.map(|shown| row(shown, &columns)).collect_view()
    };
    view! {
        <table>
            <caption class="visually-hidden">{title}</caption>
            <thead><tr>{head}</tr></thead>
            <tbody>{body}</tbody>
        </table>
    }
}

/// A column that is shown.
struct Column {
    /// Index among all columns.
    place: usize,
    /// True if it holds words.
    text: bool,
}

/// A row, preceded by the heading of its group if it begins one.
fn row(row: &Row, columns: &[Column]) -> impl IntoView + use<> {
    let group = row.group.clone().map(|group| {
        view! { <tr class="phase"><th scope="rowgroup" colspan=columns.len()>{group}</th></tr> }
    });
    let cells = columns.iter().enumerate().map(|(index, column)| {
        let cell = row.cells.get(column.place).cloned().unwrap_or_default();
        let prose = cell.is_prose();
        if index == 0 {
            view! { <th scope="row" class:prose=prose>{content(cell)}</th> }.into_any()
        } else {
            view! { <td class:text=column.text class:prose=prose>{content(cell)}</td> }.into_any()
        }
    });
    view! {
        {group}
        <tr class:current=row.current>{cells.collect_view()}</tr>
    }
}

/// Content of a cell: the text, as a link if it opens a question, and the second line.
fn content(Cell { text, note, bound, link, .. }: Cell) -> impl IntoView {
    let text = match (link, bound) {
        (Some(link), _) => view! { <a href=format!("#{link}")>{text}</a> }.into_any(),
        (None, Some(bound)) => {
            view! { <span class="bound" data-bound=bound.into_owned()>{text}</span> }.into_any()
        }
        (None, None) => text.into_any(),
    };
    let note = (!note.is_empty()).then(|| view! { <div class="why-not">{note}</div> });
    (text, note)
}

/// Links to the pages before and after.
fn pager(Pager { page, pages, previous, next }: Pager) -> impl IntoView {
    let way = |id: &'static str, text: &'static str, link: Option<String>| match link {
        Some(link) => view! { <a id=id href=format!("#{link}")>{text}</a> }.into_any(),
        None => view! { <span>{text}</span> }.into_any(),
    };
    view! {
        <nav class="pager" aria-label="Pages of rows">
            {way("page-before", "Previous", previous)}
            <span>{format!("Page {page} of {pages}")}</span>
            {way("page-after", "Next", next)}
        </nav>
    }
}
