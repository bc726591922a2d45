//! A figure with its finding, assumptions, data and downloads.

use leptos::ev;
use leptos::prelude::*;
use web_sys::Element;

use super::download::Download;
use super::drawing::Drawing;
use super::pins::{self, Pins};
use super::table::Rows;
use crate::app::export;
use crate::figure::{Figure, Table};

/// Rows of a figure's data that are put on the page; its file has all of them.
const MOST_ROWS: usize = 1000;

/// A figure.
#[component]
pub(in crate::app) fn FigurePart(
    figure: RwSignal<Figure>,
    late: Signal<Option<&'static str>>,
    hidden: Signal<bool>,
) -> impl IntoView {
    let id = StoredValue::new(figure.with_untracked(|figure| figure.id.to_string()));
    let pinnable = pins::are_drawn_on(&id.read_value());
    let named = StoredValue::new(format!("figure-{}", id.get_value()));
    let heading = named.get_value();
    let title = Memo::new(move |_| figure.with(|figure| figure.title.clone()));
    let table = Memo::new(move |_| figure.with(|figure| figure.table.clone()));
    let assumptions = move || {
        figure
            .with(|figure| figure.assumptions.clone())
            .into_iter()
            .map(|line| view! { <li>{line}</li> })
            .collect_view()
    };
    let cut =
        move || table.with(|Table { rows, .. }| rows.len()).checked_sub(MOST_ROWS).filter(|more| *more > 0);
    let note = move || {
        cut().map(|more| view! { <p>{format!("The first {MOST_ROWS} of {} rows; the file has all", MOST_ROWS + more)}</p> })
    };
    // Table rows are rendered when the table is first opened, because they are most of a figure's elements.
    let open = RwSignal::new(false);
    let toggled = move |event: ev::Event| open.set(event_target::<Element>(&event).has_attribute("open"));
    let save = move |file: fn(&str, &str)| file(&figure.read_untracked().standalone_svg(), &id.read_value());
    view! {
        <figure data-figure=id.get_value() data-stale=late hidden=hidden aria-labelledby=heading.clone()>
            <figcaption>
                <h3 id=heading.clone()>{title}</h3>
                <p class="finding">{move || figure.with(|figure| figure.finding.clone())}</p>
            </figcaption>
            <Drawing figure title />
            <div class="assumptions"><h4>"Assumptions"</h4><ul>{assumptions}</ul></div>
            <div class="figure-foot">
                <details class="data" on:toggle=toggled>
                    <summary>"Data "<span class="visually-hidden">"of " {title}</span></summary>
                    <Show when=move || open.get()>
                        <div class="scroll" role="region" tabindex="0" aria-labelledby=named.get_value()>
                            {note}
                            <Rows table title most=Some(MOST_ROWS) />
                        </div>
                    </Show>
                </details>
                {pinnable.then(|| view! { <Pins /> })}
                <div class="downloads" role="group" aria-label="Download">
                    <Download name="svg" label="Download as SVG" save=move || save(export::svg) />
                    <Download name="png" label="Download as PNG" save=move || save(export::png) />
                    <Download name="csv" label="Download data as CSV" save=move || export::csv(&table.read_untracked().to_csv(), &id.read_value()) />
                </div>
            </div>
        </figure>
    }
}
