//! The answer in a sentence, and what else could be asked.

use leptos::prelude::*;

use super::notice::link;
use crate::app::state::state;
use crate::scenario::View;
use crate::view::Notice;

/// The sentence.
#[component]
pub(super) fn Lead() -> impl IntoView {
    let state = state();
    view! {
        <p class="lead" data-stale=move || state.outdated().then_some("")>{move || state.shown.head.with(|head| head.0.clone())}</p>
    }
}

/// Better questions, or such as have an answer. In the Training view they have a place before they are known.
#[component]
pub(super) fn Offers() -> impl IntoView {
    let state = state();
    let offers = move || state.shown.head.with(|head| head.1.iter().cloned().map(offer).collect_view());
    let some = move || state.shown.head.with(|head| !head.1.is_empty());
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
            <p>{text}</p>
            {links}
        </div>
    }
    .into_any()
}
