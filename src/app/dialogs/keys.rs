//! The sheet of shortcuts.

use leptos::prelude::*;

use super::frame::Frame;
use crate::app::keys::{self, SHORTCUTS};
use crate::scenario::View;

/// Keys that are no single letters, and what they do.
const OTHERS: [(&str, &str); 4] = [
    ("Ctrl+Z or ⌘Z", "undo an edit of the form"),
    ("Ctrl+Shift+Z, Ctrl+Y", "redo it"),
    ("Space, Enter or letters", "search a long list that has the keyboard"),
    ("Escape", "close an explanation or a dialog"),
];

/// The dialog.
#[component]
pub(super) fn Keys() -> impl IntoView {
    let views = (format!("1 to {}", View::ALL.len()), "the view of this number");
    let shortcuts = SHORTCUTS.iter().map(|shortcut| (shortcut.key.to_owned(), shortcut.does));
    let others = OTHERS.iter().map(|&(keys, does)| (keys.to_owned(), does));
    let rows = [views].into_iter().chain(shortcuts).chain(others);
    let rows = rows
        .map(|(keys, does)| view! { <tr><th scope="row"><kbd>{keys}</kbd></th><td>{does}</td></tr> })
        .collect_view();
    view! {
        <Frame title="Keys">
            <table><tbody>{rows}</tbody></table>
            <div class="choices">
                <input
                    type="checkbox"
                    id="keys-single"
                    prop:checked=keys::single()
                    on:change=|event| keys::set_single(event_target_checked(&event))
                />
                <label for="keys-single">"Use single keys outside of fields"</label>
            </div>
        </Frame>
    }
}
