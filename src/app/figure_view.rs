//! A figure with everything that belongs to it: title, finding, drawing, data, assumptions, downloads.

use gloo::timers::callback::Timeout;
use leptos::prelude::*;

use super::export;
use super::state::state;
use crate::figure::{Figure, Table};

/// How long a table waits for the next change of its figure.
const PAUSE_MS: u32 = 150;

/// A figure, greyed while it belongs to an earlier question.
#[component]
pub(crate) fn FigureView(id: &'static str, figure: Memo<Option<Figure>>) -> impl IntoView {
    let state = state();
    let title = part(figure, |figure| figure.title.clone());
    let finding = part(figure, |figure| figure.finding.clone());
    let svg = part(figure, |figure| figure.svg.clone());
    let assumptions = part(figure, |figure| figure.assumptions.clone());
    let settled = settled(figure);
    let heading = move || format!("figure-{id}");
    view! {
        <figure
            data-figure=id
            data-stale=move || state.stale.get().then_some("")
            aria-labelledby=heading()
        >
            <figcaption>
                <h3 id=heading()>{title}</h3>
                <p class="finding">{finding}</p>
            </figcaption>
            <div class="drawing" inner_html=svg></div>
            <div class="assumptions">
                <h4>"Assumptions"</h4>
                <ul>
                    {move || assumptions.get().into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}
                </ul>
            </div>
            <div class="figure-foot">
                <details class="data">
                    <summary>"Data" <span class="visually-hidden">" of " {title}</span></summary>
                    <div class="scroll" role="region" tabindex="0" aria-labelledby=heading()>
                        {move || settled.with(|figure| figure.as_ref().map(|figure| rows(&figure.table, title)))}
                    </div>
                </details>
                <Downloads id figure />
            </div>
        </figure>
    }
}

/// The figure after a pause in its changes: its table, mostly folded away, need not follow every key press.
fn settled(figure: Memo<Option<Figure>>) -> ReadSignal<Option<Figure>> {
    let (settled, settle) = signal(figure.get_untracked());
    let later = StoredValue::new_local(None);
    let follow = move |(): &(), _: Option<&()>, _: Option<()>| {
        later.set_value(Some(Timeout::new(PAUSE_MS, move || {
            settle.try_set(figure.try_get_untracked().flatten());
        })));
    };
    Effect::watch(move || figure.track(), follow, false);
    settled
}

/// One part of a figure, which changes only when it does.
fn part<T>(figure: Memo<Option<Figure>>, part: fn(&Figure) -> T) -> Memo<T>
where
    T: Default + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |_| figure.with(|figure| figure.as_ref().map(part).unwrap_or_default()))
}

#[component]
fn Downloads(id: &'static str, figure: Memo<Option<Figure>>) -> impl IntoView {
    let save = move |save: fn(&Figure, &str)| {
        figure.with_untracked(|figure| {
            if let Some(figure) = figure {
                save(figure, id);
            }
        });
    };
    view! {
        <div class="downloads" role="group" aria-label="Download">
            <button
                type="button"
                data-export="svg"
                aria-label="Download as SVG"
                on:click=move |_| save(|figure, id| export::svg(&figure.standalone_svg(), id))
            >
                "SVG"
            </button>
            <button
                type="button"
                data-export="png"
                aria-label="Download as PNG"
                on:click=move |_| save(|figure, id| export::png(&figure.standalone_svg(), id))
            >
                "PNG"
            </button>
            <button
                type="button"
                data-export="csv"
                aria-label="Download data as CSV"
                on:click=move |_| save(|figure, id| export::csv(&figure.table.to_csv(), id))
            >
                "CSV"
            </button>
        </div>
    }
}

fn rows(table: &Table, title: Memo<String>) -> impl IntoView + use<> {
    let columns = table.columns.iter().map(|column| view! { <th scope="col">{column.label.clone()}</th> });
    let rows = table.rows.iter().map(|row| {
        let cells = row.iter().enumerate().map(|(index, cell)| {
            let text = cell.shown().to_owned();
            if index == 0 {
                view! { <th scope="row">{text}</th> }.into_any()
            } else {
                view! { <td>{text}</td> }.into_any()
            }
        });
        view! { <tr>{cells.collect_view()}</tr> }
    });
    view! {
        <table>
            <caption class="visually-hidden">{title}</caption>
            <thead><tr>{columns.collect_view()}</tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
}
