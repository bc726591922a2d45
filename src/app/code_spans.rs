//! Code in messages: keys, words and flags between backticks.

use leptos::prelude::*;

/// A text with its parts between backticks as `<code>` elements.
pub(super) fn code_spans(text: &str) -> impl IntoView + use<> {
    let parts = text.split('`').enumerate().map(|(place, part)| {
        let part = part.to_owned();
        if place % 2 == 1 { view! { <code>{part}</code> }.into_any() } else { part.into_any() }
    });
    parts.collect_view()
}
