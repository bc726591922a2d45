//! The numbers of the headline.

use leptos::prelude::*;

use super::lead::{Lead, Offers};
use super::progress::Progress;
use crate::app::notices::Problems;
use crate::app::state::state;
use crate::view::{Card, Range};

/// Headline numbers of the current view, status of the answer, and problems of the question.
#[component]
pub(crate) fn Headline() -> impl IntoView {
    view! {
        <section class="headline" id="answer" tabindex="-1" aria-labelledby="answer-title">
            <h2 id="answer-title" class="visually-hidden">"Answer"</h2>
            <Lead />
            <Offers />
            <Cards />
            <Progress />
            <Problems />
        </section>
    }
}

/// The numbers themselves.
#[component]
fn Cards() -> impl IntoView {
    let state = state();
    view! {
        <dl data-stale=move || state.outdated().then_some("")>
            {move || state.shown.cards.get().into_iter().map(card).collect_view()}
        </dl>
    }
}

fn card(mut card: Card) -> impl IntoView {
    let range = card.range.take().map(|range| linked(&card.id, range).into_any());
    number_card(card, range)
}

/// A number with its note, and with where measured values probably lie.
pub(crate) fn number_card(card: Card, range: Option<AnyView>) -> impl IntoView {
    let value = card.shown();
    let Card { id, label, note, .. } = card;
    view! {
        <div class="number-card">
            <dt>{label}</dt>
            <dd data-answer=id>{value}</dd>
            {range}
            <dd class="note">{note}</dd>
        </div>
    }
}

/// Range of expected measurements, as a link to the similar published rows.
fn linked(id: &str, range: Range) -> impl IntoView + use<> {
    let (tip, ends) = (format!("{id}-why"), range.to_string());
    let Range { why, link, .. } = range;
    view! {
        <dd class="range">
            <a href=format!("#{link}") data-range=id.to_owned() aria-describedby=tip.clone()>
                {ends}
            </a>
            <span class="tip" role="tooltip" id=tip>{why}</span>
        </dd>
    }
}
