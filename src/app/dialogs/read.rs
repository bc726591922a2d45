//! What was read of a benchmark or a log, and which of its points is shown.

use leptos::prelude::*;

use super::frame::modal;
use super::{Dialog, OpenButton};
use crate::app::state::{State, state};
use crate::measured::{Point, Report};

/// The section of an answer that has the measured numbers.
const SECTION: &str = "measured";

/// Makes a point of a file the page's question.
pub(super) fn visit(state: State, point: &Point) {
    state.visit_at(point.scenario.clone(), SECTION.to_owned());
}

/// What was read of the last point of a file, and buttons for the others.
#[component]
pub(super) fn Read(points: Vec<Point>) -> impl IntoView {
    let state = state();
    let modal = modal();
    let count = points.len();
    let names: Vec<String> = points.iter().map(|point| point.report.name.clone()).collect();
    let points = StoredValue::new(points);
    let chosen = RwSignal::new(count.saturating_sub(1));
    let choose = move |place: usize| {
        chosen.set(place);
        points.with_value(|points| points.get(place).inspect(|point| visit(state, point)).is_some());
    };
    let calibrate = if count > 1 { "Calibrate on these rows" } else { "Calibrate on this row" };
    let report = move || {
        let place = chosen.get();
        points.with_value(|points| {
            points.get(place).map(|point| view! { <Told report=point.report.clone() /> })
        })
    };
    let buttons = (count > 1).then(|| {
        let buttons = names.into_iter().enumerate().map(|(place, name)| {
            view! {
                <button
                    type="button"
                    aria-pressed=move || (chosen.get() == place).to_string()
                    on:click=move |_| choose(place)
                >
                    {if name.is_empty() { format!("Point {}", place + 1) } else { name }}
                </button>
            }
        });
        view! {
            <p>{format!("It has {count} points. This one is shown:")}</p>
            <div class="choices points">{buttons.collect_view()}</div>
        }
    });
    view! {
        <section id="file-read" aria-label="What was read">
            {buttons}
            {report}
            <div class="choices">
                <button type="button" id="file-answer-shown" on:click=move |_| modal.close()>
                    "Show measured beside predicted"
                </button>
                <OpenButton dialog=Dialog::Calibrate text=calibrate />
            </div>
        </section>
    }
}

/// What was read of one point.
#[component]
fn Told(report: Report) -> impl IntoView {
    let Report { summary, measured, says, silent, remarks, .. } = report;
    let pairs = |rows: Vec<[String; 2]>| {
        rows.into_iter().map(|[name, value]| view! { <dt>{name}</dt><dd>{value}</dd> }).collect_view()
    };
    let measured = measured.into_iter().map(|[name, how, value]| [format!("{name}, {how}"), value]).collect();
    let quiet = (!silent.is_empty()).then(|| {
        view! {
            <h3>"What it does not say"</h3>
            <p>"The prediction needs these too. Each keeps the value that it had: set what is different"</p>
            <dl>{pairs(silent)}</dl>
        }
    });
    let cautions = (!remarks.is_empty()).then(|| {
        let items = remarks.into_iter().map(|remark| view! { <li>{remark}</li> }).collect_view();
        view! {
            <h3>"Left out, and cautions"</h3>
            <ul>{items}</ul>
        }
    });
    view! {
        <p class="summary" role="status">{summary}</p>
        {quiet}
        {cautions}
        <h3>"What was measured"</h3>
        <dl>{pairs(measured)}</dl>
        <h3>"What it says of the question"</h3>
        <dl>{pairs(says)}</dl>
    }
}
