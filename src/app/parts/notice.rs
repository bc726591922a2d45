//! A short text between parts, with or without a row of links.

use leptos::prelude::*;

use crate::view::{Link, Notice, unbroken};

/// A notice.
#[component]
pub(super) fn NoticePart(notice: RwSignal<Notice>, hidden: Signal<bool>) -> impl IntoView {
    let id = notice.with_untracked(|notice| notice.id.clone());
    move || {
        let Notice { text, links, .. } = notice.get();
        let text = unbroken(&text);
        if links.is_empty() {
            return view! { <p class="notice" data-notice=id.clone() hidden=hidden>{text}</p> }.into_any();
        }
        let links = links.into_iter().map(link).collect_view();
        let named = (!text.is_empty()).then(|| format!("notice-{id}"));
        let said = named.clone().map(|named| view! { <p id=named>{text}</p> });
        view! {
            <div class="linked" data-notice=id.clone() hidden=hidden>
                {said}
                <ul class="filters" aria-labelledby=named>{links}</ul>
            </div>
        }
        .into_any()
    }
}

pub(in crate::app) fn link(Link { text, hint, link, address }: Link) -> AnyView {
    let to = if address.is_empty() { format!("#{link}") } else { address };
    let hint = (!hint.is_empty()).then(|| view! { <span class="visually-hidden">", " {hint}</span> });
    view! { <li><a href=to>{text}{hint}</a></li> }.into_any()
}
