//! The answer in a sentence, and links to questions that the visitor could ask instead.

use leptos::prelude::*;

use super::notice::link;
use crate::app::code_spans::code_spans;
use crate::app::notices::sentence as said;
use crate::app::state::state;
use crate::scenario::View;
use crate::view::{Notice, unbroken};

/// The sentence. Screen readers hear it once the answer is complete.
#[component]
pub(super) fn Lead() -> impl IntoView {
    let state = state();
    let refused = move || {
        let first = state.shown.problems.with(|problems| problems.first().map(said))?;
        state.unanswered.get().then(|| format!("This question has no answer. {first}"))
    };
    let sentence = move || refused().unwrap_or_else(|| state.shown.head.with(|head| head.sentence.clone()));
    let heard = Memo::new(move |last: Option<&String>| {
        let complete = state.shown.settled() && (state.unanswered.get() || !state.outdated());
        if complete { sentence() } else { last.cloned().unwrap_or_default() }
    });
    view! {
        <p
            class="lead"
            data-stale=move || (refused().is_none() && state.outdated()).then_some("")
            data-refused=move || refused().is_some().then_some("")
        >
            {move || code_spans(&unbroken(&sentence()))}
        </p>
        <p class="visually-hidden" role="status" data-heard="">{move || unbroken(&heard.get())}</p>
    }
}

/// Links to questions with better results, or with an answer if this one has none. The Training view reserves their space
/// before they are known, so that nothing moves.
#[component]
pub(super) fn Offers() -> impl IntoView {
    let state = state();
    // If this question is refused, the offers that are still known belong to an earlier question.
    let refused = move || state.unanswered.get();
    let offers = move || {
        let offers = (!refused()).then(|| state.shown.head.with(|head| head.offers.clone()));
        offers.into_iter().flatten().map(offer).collect_view()
    };
    let some = move || refused() || state.shown.head.with(|head| !head.offers.is_empty());
    let training = move || state.view.get() == View::Training;
    let awaited = move || training() && !state.shown.settled();
    // A link of an earlier question's offer would lead back to that question.
    let earlier = move || state.shown.head.with(|head| head.earlier);
    view! {
        <div
            class="offers"
            role="status"
            data-place=move || training().then_some("")
            data-stale=move || (state.outdated() || earlier()).then_some("")
            inert=earlier
        >
            {move || (!some() && awaited()).then(|| view! { <p>"Looking for faster plans"</p> }.into_any())}
            {offers}
        </div>
    }
    .into_any()
}

fn offer(Notice { id, text, links }: Notice) -> AnyView {
    let links = (!links.is_empty()).then(|| {
        let links = links.into_iter().map(link).collect_view();
        view! { <ul class="filters">{links}</ul> }
    });
    view! {
        <div data-offer=id>
            <p>{unbroken(&text)}</p>
            {links}
        </div>
    }
    .into_any()
}
