//! The answer in a sentence, and what else could be asked.

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
        state.stale.get().then(|| format!("This question has no answer. {first}"))
    };
    let sentence = move || refused().unwrap_or_else(|| state.shown.head.with(|head| head.0.clone()));
    let heard = Memo::new(move |last: Option<&String>| {
        let complete = state.shown.settled() && (state.stale.get() || !state.outdated());
        if complete { sentence() } else { last.cloned().unwrap_or_default() }
    });
    view! {
        <p class="lead" data-stale=move || (refused().is_none() && state.outdated()).then_some("")>
            {move || code_spans(&unbroken(&sentence()))}
        </p>
        <p class="visually-hidden" role="status" data-heard="">{move || unbroken(&heard.get())}</p>
    }
}

/// Better questions, or such as have an answer. In the Training view they have a place before they are known.
#[component]
pub(super) fn Offers() -> impl IntoView {
    let state = state();
    // Offers beside an earlier answer would answer an earlier question.
    let refused = move || state.stale.get();
    let offers = move || {
        let offers = (!refused()).then(|| state.shown.head.with(|head| head.1.clone()));
        offers.into_iter().flatten().map(offer).collect_view()
    };
    let some = move || refused() || state.shown.head.with(|head| !head.1.is_empty());
    let training = move || state.view.get() == View::Training;
    let awaited = move || training() && !state.shown.settled();
    view! {
        <div
            class="offers"
            role="status"
            data-place=move || training().then_some("")
            data-stale=move || state.outdated().then_some("")
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
