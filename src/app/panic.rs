//! Message shown after a panic of the page: the failure, and two ways to continue.

use std::panic::PanicHookInfo;

use leptos::prelude::{document, window};
use web_sys::Element;

use super::browser;

/// Reports panics to the console and to the visitor.
pub(crate) fn install() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        show(info);
    }));
}

/// Adds the notice at the top of the page. Its texts are text nodes, since the message may quote the link, which can contain
/// markup.
fn show(info: &PanicHookInfo<'_>) -> Option<()> {
    let document = document();
    if document.get_element_by_id("panic").is_some() {
        return None;
    }
    let notice = document.create_element("section").ok()?;
    notice.set_id("panic");
    notice.set_class_name("panic");
    notice.set_attribute("role", "alert").ok()?;
    append(&notice, "h2", "Something went wrong in this page")?;
    append(&notice, "p", "This is a fault of Foretoken, not of what you entered. Nothing was sent anywhere")?;
    // A link that differs only in its fragment would not load the page again.
    let again = if browser::query("again").is_some() { "?" } else { "?again=1" };
    let path = window().location().pathname().unwrap_or_default();
    let reload = append(&notice, "a", "Reload with the same question")?;
    reload.set_attribute("href", &format!("{path}{again}#{}", browser::hash())).ok()?;
    let fresh = append(&notice, "a", "Start over")?;
    fresh.set_attribute("href", &format!("{path}{again}")).ok()?;
    append(&notice, "pre", &info.to_string())?;
    document.body()?.prepend_with_node_1(&notice).ok()
}

fn append(parent: &Element, tag: &str, text: &str) -> Option<Element> {
    let element = document().create_element(tag).ok()?;
    element.set_text_content(Some(text));
    parent.append_child(&element).ok()?;
    Some(element)
}
