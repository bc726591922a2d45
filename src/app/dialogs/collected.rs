//! The list of collected rows in the Calibrate dialog.

use leptos::prelude::*;

use crate::app::collected::{confirmed, rows};
use crate::app::export;
use crate::app::state::state;
use crate::calibration::{Collected, Kept, put, row_name, rows_of};
use crate::measured::question_of;
use crate::scenario::{Profile, Scenario, write_rows};
use crate::view::title;

/// A row in one line: model and hardware, measured values, and what is not confirmed.
fn described(row: &Collected) -> String {
    let rows = rows_of(&row.question, "");
    let each: Vec<String> = rows.iter().map(|row| row.quantity.stated(row.measured)).collect();
    let values = if each.is_empty() { "no value that its view predicts".to_owned() } else { each.join("; ") };
    match &row.open {
        None => format!("{}; {values}", title(&row.question)),
        Some(open) => {
            format!("{values}. Not used yet, since the file does not give {}", open.missing().join(", "))
        }
    }
}

/// The collected rows. `changed` is called after each change.
#[component]
pub(super) fn CollectedRows(changed: impl Fn() + Copy + Send + Sync + 'static) -> impl IntoView {
    let state = state();
    let measured = move || state.scenario.with(|scenario| !scenario.measured.is_empty());
    let kept = RwSignal::new(None::<Kept>);
    let add = move |_| {
        let question = state.scenario.get_untracked();
        kept.set(rows().try_update(|rows| put(rows, Collected { question, open: None })));
        changed();
    };
    let confirm = move |_| {
        let current = state.scenario.get_untracked();
        rows().update(|rows| {
            for row in rows.iter_mut() {
                if let Some(open) = row.open.take() {
                    let question = question_of(&current, &open);
                    row.question = Scenario { profile: Profile::default(), ..question };
                }
            }
        });
        kept.set(None);
        changed();
    };
    let remove = move |place: usize| {
        rows().update(|rows| {
            if place < rows.len() {
                rows.remove(place);
            }
        });
        kept.set(None);
        changed();
    };
    let save = move |_| {
        let questions: Vec<Scenario> = confirmed().into_iter().map(|(_, question)| question).collect();
        export::lines(&write_rows(&questions), "rows");
    };
    let listed = move || {
        rows().with(|rows| {
            rows.iter()
                .enumerate()
                .map(|(place, row)| {
                    let name = row_name(place, &row.question);
                    let label = format!("Remove {name}");
                    let what = described(row);
                    view! {
                        <li>
                            {format!("{name}: {what} ")}
                            <button type="button" aria-label=label on:click=move |_| remove(place)>"Remove"</button>
                        </li>
                    }
                })
                .collect_view()
        })
    };
    let hint = move || {
        rows().with(Vec::is_empty).then_some(
            "No rows yet. Drop a benchmark result, a training log or saved rows on the page, or enter measured values in the \
             form",
        )
    };
    let waits = move || rows().with(|rows| rows.iter().any(|row| row.open.is_some()));
    let none = move || rows().with(|rows| rows.iter().all(|row| row.open.is_some()));
    view! {
        <h3>"Measured rows"</h3>
        <p>{hint}</p>
        <ul id="calibrate-rows">{listed}</ul>
        <Show when=waits>
            <p>"Set what a file does not give in the form, then confirm:"</p>
        </Show>
        <div class="choices">
            <Show when=waits>
                <button type="button" id="calibrate-confirm" on:click=confirm>
                    "Use the form's settings for these rows"
                </button>
            </Show>
            <button type="button" id="calibrate-add" disabled=move || !measured() on:click=add>
                "Add the values measured in this question"
            </button>
            <button type="button" id="calibrate-rows-save" class="quiet" disabled=none on:click=save>
                "Save the rows (JSON Lines)"
            </button>
        </div>
        <p id="calibrate-kept" role="status">{move || kept.get().map(Kept::sentence)}</p>
    }
}
