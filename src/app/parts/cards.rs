//! The numbers of the headline.

use gloo::events::EventListener;
use leptos::prelude::*;

use super::lead::{Lead, Offers};
use super::progress::Progress;
use crate::app::notices::Problems;
use crate::app::state::state;
use crate::view::{Card, Range, unbroken};

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

/// Numbers of the headline that are shown at once: a row of a wide window.
const FIRST: usize = 5;

/// The numbers themselves. If there are many, the later ones unfold, so that the answer's chart is on the first screen.
#[component]
fn Cards() -> impl IntoView {
    let shown = state().shown.cards;
    let more = Memo::new(move |_| shown.with(|cards| cards.len().saturating_sub(FIRST)));
    // One more number needs no more space than the line that unfolds it.
    let folded = Memo::new(move |_| more.get() > 1);
    let first = move || shown.with(|cards| if folded.get() { &cards[..FIRST] } else { cards }.to_vec());
    let rest = move || shown.with(|cards| cards.iter().skip(FIRST).cloned().collect());
    // Paper has all numbers.
    let open = RwSignal::new(false);
    let before = EventListener::new(&window(), "beforeprint", move |_| open.set(true));
    let after = EventListener::new(&window(), "afterprint", move |_| open.set(false));
    let listeners = StoredValue::new_local((before, after));
    on_cleanup(move || listeners.dispose());
    view! {
        <List cards=Signal::derive(first) />
        <Show when=move || folded.get()>
            <details class="more-numbers" open=move || open.get()>
                // Where a summary is written from right to left, the text inside keeps its own direction.
                <summary><span>{move || format!("{} more numbers", more.get())}</span></summary>
                <List cards=Signal::derive(rest) />
            </details>
        </Show>
    }
}

/// A list of numbers.
#[component]
fn List(cards: Signal<Vec<Card>>) -> impl IntoView {
    let state = state();
    view! {
        <dl data-stale=move || state.outdated().then_some("")>
            {move || cards.get().into_iter().map(card).collect_view()}
        </dl>
    }
}

fn card(mut card: Card) -> impl IntoView {
    let range = card.range.take().map(|range| linked(&card.id, range).into_any());
    number_card(card, range)
}

/// A number with its note, and with where measured values probably lie.
pub(crate) fn number_card(card: Card, range: Option<AnyView>) -> impl IntoView {
    let value = unbroken(&card.shown());
    let Card { id, label, note, .. } = card;
    view! {
        <div class="number-card">
            <dt>{label}</dt>
            <dd data-answer=id>{value}</dd>
            {range}
            <dd class="note">{unbroken(&note)}</dd>
        </div>
    }
}

/// Range of expected measurements, as a link to the similar published rows.
fn linked(id: &str, range: Range) -> impl IntoView + use<> {
    let (tip, ends) = (format!("{id}-why"), unbroken(&range.to_string()));
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
