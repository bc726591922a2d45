//! The dialog after opening a file: what was read, and a choice among its points.

use leptos::prelude::*;

use super::frame::modal;
use super::open_button::OpenButton;
use crate::app::browser;
use crate::app::code_spans::code_spans;
use crate::app::state::{Dialog, State, state};
use crate::calibration::rows_of;
use crate::measured::{Contents, Point, Report};

/// Section of the answer with the measured values. A trace of requests has none.
const SECTION: &str = "measured";

/// Shows a point of a file as the page's question.
pub(super) fn visit(state: State, point: &Point) {
    let section = if point.scenario.measured.is_empty() { "" } else { SECTION };
    state.visit_at(point.scenario.clone(), section.to_owned());
}

/// Report on one point of a file (at first the last), and buttons to show the others.
#[component]
pub(super) fn Read(points: Vec<Point>) -> impl IntoView {
    let state = state();
    let modal = modal();
    let count = points.len();
    let names: Vec<String> = points.iter().map(|point| point.report.name.clone()).collect();
    let measured = points.iter().any(|point| point.report.contents == Contents::Measurement);
    let timed = points.iter().any(|point| !rows_of(&point.scenario, "").is_empty());
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
            <p>{format!("The file has {count} points. Shown:")}</p>
            <div class="choices points">{buttons.collect_view()}</div>
        }
    });
    view! {
        <section id="file-read" aria-label="Contents of the file">
            {buttons}
            {report}
            <div class="choices">
                <button type="button" id="file-answer-shown" on:click=move |_| {
                    modal.close();
                    browser::focus("answer");
                }>
                    {if measured { "Compare with the prediction" } else { "Show the answer" }}
                </button>
                {timed.then(|| view! { <OpenButton dialog=Dialog::Calibrate text=calibrate /> })}
            </div>
        </section>
    }
}

/// Report on one point.
#[component]
fn Told(report: Report) -> impl IntoView {
    let Report { summary, measured, says, silent, remarks, .. } = report;
    let pairs = |rows: Vec<[String; 2]>| {
        rows.into_iter().map(|[name, value]| view! { <dt>{name}</dt><dd>{value}</dd> }).collect_view()
    };
    let measured = (!measured.is_empty()).then(|| {
        let rows = measured.into_iter().map(|[name, how, value]| [format!("{name}, {how}"), value]).collect();
        view! {
            <h3>"Measured values"</h3>
            <dl>{pairs(rows)}</dl>
        }
    });
    let quiet = (!silent.is_empty()).then(|| {
        view! {
            <h3>"Not in the file"</h3>
            <p>"The prediction also depends on these settings. If tensor, pipeline and context parallelism together do not divide the GPUs, the degrees that the file leaves out become 1; other settings keep their values. Correct those that differ"</p>
            <dl>{pairs(silent)}</dl>
        }
    });
    let cautions = (!remarks.is_empty()).then(|| {
        let items = remarks.into_iter().map(|remark| view! { <li>{code_spans(&remark)}</li> }).collect_view();
        view! {
            <h3>"Omissions and caveats"</h3>
            <ul>{items}</ul>
        }
    });
    view! {
        <p class="summary" role="status">{summary}</p>
        {quiet}
        {cautions}
        {measured}
        <h3>"Settings read from the file"</h3>
        <dl>{pairs(says)}</dl>
    }
}
