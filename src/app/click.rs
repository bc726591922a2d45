//! Clicks on links.

use leptos::ev::MouseEvent;

/// Returns true if a click follows the link in this window instead of opening it elsewhere.
pub(crate) fn is_plain(event: &MouseEvent) -> bool {
    event.button() == 0 && !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key())
}
