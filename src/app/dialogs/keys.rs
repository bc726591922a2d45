//! The Keys dialog: keyboard shortcuts.

use leptos::prelude::*;

use super::frame::Frame;
use crate::app::keys::{self, SHORTCUTS};
use crate::scenario::View;

/// Keys other than single letters, and their effects.
const OTHERS: [(&str, &str); 5] = [
    ("Ctrl+Z or ⌘Z", "undo an edit of the form"),
    ("Ctrl+Shift+Z, Ctrl+Y", "redo an edit"),
    ("Space, Enter or letters", "search the focused long list"),
    ("F1", "explain the focused field"),
    ("Escape", "close an explanation or a dialog"),
];

/// The dialog.
#[component]
pub(super) fn Keys() -> impl IntoView {
    let views = (format!("1 to {}", View::ALL.len()), "open the view with this number");
    let shortcuts = SHORTCUTS.iter().map(|shortcut| (shortcut.key.to_owned(), shortcut.does));
    let others = OTHERS.iter().map(|&(keys, does)| (keys.to_owned(), does));
    let rows = [views].into_iter().chain(shortcuts).chain(others);
    let rows = rows
        .map(|(keys, does)| view! { <tr><th scope="row"><kbd>{keys}</kbd></th><td>{does}</td></tr> })
        .collect_view();
    view! {
        <Frame title="Keyboard shortcuts">
            <table><tbody>{rows}</tbody></table>
            <div class="choices">
                <input
                    type="checkbox"
                    id="keys-single"
                    prop:checked=keys::single()
                    on:change=|event| keys::set_single(event_target_checked(&event))
                />
                <label for="keys-single">"Enable single-key shortcuts outside fields"</label>
            </div>
        </Frame>
    }
}
