//! The Report dialog: question, answer and assumptions on one printable page.

use leptos::prelude::*;

use super::frame::Frame;
use crate::app::fragment;
use crate::app::notices::paragraphs;
use crate::app::parts::number_card;
use crate::app::state::state;
use crate::figure::Figure;
use crate::scenario::{Problem, Scenario, fields};
use crate::view::{self, Card, Setting};

/// The dialog.
#[component]
pub(super) fn Report() -> impl IntoView {
    let state = state();
    let question = state.scenario.get_untracked();
    let parts = untrack(|| state.section()).map_or(&[][..], |section| section.parts);
    let asked = question.clone();
    let sheet = move || match state.shown.complete() {
        Some(answer) => sheet(view::Report::of(&asked, answer, parts)).into_any(),
        None => without(&state.shown.problems.get()).into_any(),
    };
    view! {
        <Frame title="Report">
            <div class="choices">
                <button type="button" on:click=|_| drop(window().print())>"Print"</button>
            </div>
            <article class="report">
                {sheet}
                {source(&question)}
            </article>
        </Frame>
    }
}

/// What stands in place of the page while there is no complete answer.
fn without(problems: &[Problem]) -> impl IntoView + use<> {
    let waiting = problems.is_empty().then_some("The answer is still being computed");
    view! {
        <p>{waiting}</p>
        {paragraphs(problems)}
    }
}

/// The printable page.
fn sheet(report: view::Report) -> impl IntoView {
    let view::Report { title, lead, cards, figure, assumptions, settings, constants } = report;
    let constants = constants.into_iter().map(|(key, value)| item(key, value, true));
    view! {
        <h3>{title}</h3>
        {(!lead.is_empty()).then(|| view! { <p class="lead">{lead}</p> })}
        <div class="headline"><dl>{cards.into_iter().map(card).collect_view()}</dl></div>
        {figure.map(drawing)}
        <h4>"Assumptions"</h4>
        <ul>{assumptions.into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}</ul>
        <h4>"The question"</h4>
        <ul class="columns">
            {settings.into_iter().map(setting).collect_view()}
            {constants.collect_view()}
        </ul>
    }
}

/// A headline number. Its range is plain text, since paper has no links.
fn card(card: Card) -> impl IntoView {
    let range =
        card.range.as_ref().map(|range| view! { <dd class="range">{range.to_string()}</dd> }.into_any());
    number_card(card, range)
}

/// The main figure, without its data table and downloads.
fn drawing(Figure { title, finding, svg, .. }: Figure) -> impl IntoView {
    view! {
        <h4>{title}</h4>
        <p class="finding">{finding}</p>
        <div class="drawing" inner_html=svg></div>
    }
}

/// A setting of the question, with the label that it has in the form.
fn setting(Setting { path, name, shown, changed, .. }: Setting) -> impl IntoView {
    item(fields::field(&path).map_or(name, |field| field.label.to_owned()), shown, changed)
}

/// A name and its value, in bold if it differs from the default.
fn item(name: String, value: String, changed: bool) -> impl IntoView {
    let value = if changed { view! { <b>{value}</b> }.into_any() } else { value.into_any() };
    view! { <li>{name} ": " {value}</li> }
}

/// The address of the question, printed in full.
fn source(question: &Scenario) -> impl IntoView + use<> {
    let address = fragment::address(question);
    view! { <p class="source">"Link to this question: " <a href=address.clone()>{address.clone()}</a></p> }
}
