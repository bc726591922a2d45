//! Short calls of the browser's interfaces. A call that fails has no effect, or returns nothing.

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, UrlSearchParams};

/// The element with this id.
pub(crate) fn html_element(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// The root element, which carries the theme.
pub(crate) fn root() -> Option<HtmlElement> {
    document().document_element()?.dyn_into().ok()
}

/// The first visible element that a selector finds: one that has a box in the layout.
pub(crate) fn shown_element(selector: &str) -> Option<HtmlElement> {
    let found = document().query_selector_all(selector).ok()?;
    let elements = (0..found.length()).filter_map(|index| found.item(index)?.dyn_into::<HtmlElement>().ok());
    elements.into_iter().find(|element| element.get_client_rects().length() > 0)
}

/// Returns true if the focus is in this element.
pub(crate) fn has_focus(element: &HtmlElement) -> bool {
    element.contains(document().active_element().as_deref())
}

/// Returns true if a media query matches.
pub(crate) fn media(query: &str) -> bool {
    window().match_media(query).ok().flatten().is_some_and(|query| query.matches())
}

/// Returns true if the page runs from right to left.
pub(crate) fn right_to_left() -> bool {
    document().dir() == "rtl"
}

/// The window's width, in pixels.
pub(crate) fn window_width() -> f64 {
    window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or_default()
}

/// The window's height, in pixels.
pub(crate) fn window_height() -> f64 {
    window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default()
}

/// Returns true if no element has the focus, e.g. because the focused one was removed.
pub(crate) fn focus_is_lost() -> bool {
    let body = document().body();
    document().active_element().is_none_or(|active| body.is_some_and(|body| *body == active))
}

/// Returns true if the focus is within an element that a selector finds.
pub(crate) fn focus_is_within(selector: &str) -> bool {
    document().active_element().is_some_and(|active| matches!(active.closest(selector), Ok(Some(_))))
}

/// Moves the focus to the element with this id.
pub(crate) fn focus(id: &str) {
    if let Some(element) = html_element(id) {
        element.focus().ok();
    }
}

/// Moves the focus to the element with this id. If it is in a closed fold, that is opened.
pub(crate) fn reveal(id: &str) {
    let element = html_element(id);
    if let Some(fold) = element.and_then(|element| element.closest("details").ok().flatten()) {
        fold.set_attribute("open", "").ok();
    }
    focus(id);
}

/// Scrolls to the top of the element that a selector finds, if that is above the window.
pub(crate) fn scroll_up_to(selector: &str) {
    let found = shown_element(selector).filter(|found| found.get_bounding_client_rect().top() < 0.0);
    if let Some(found) = found {
        found.scroll_into_view();
    }
}

/// Scrolls each list that matches a selector sideways, so that its current item is in the middle.
pub(crate) fn center_current(selector: &str) {
    let Ok(lists) = document().query_selector_all(selector) else { return };
    for list in (0..lists.length()).filter_map(|index| lists.item(index)?.dyn_into::<HtmlElement>().ok()) {
        if let Ok(Some(current)) = list.query_selector("[aria-current]") {
            let (list_box, item) = (list.get_bounding_client_rect(), current.get_bounding_client_rect());
            let off = (item.left() + item.right() - list_box.left() - list_box.right()) / 2.0;
            list.scroll_by_with_x_and_y(off, 0.0);
        }
    }
}

/// A parameter of the query string, which controls the display of the page.
pub(crate) fn query(name: &str) -> Option<String> {
    UrlSearchParams::new_with_str(&window().location().search().ok()?).ok()?.get(name)
}

/// Returns true if the page is shown inside another one, which then owns the address.
pub(crate) fn embedded() -> bool {
    query("embed").is_some()
}

/// The address without its query and fragment.
pub(crate) fn address() -> String {
    let href = window().location().href().unwrap_or_default();
    href.split(['?', '#']).next().unwrap_or_default().to_owned()
}

/// The site's address that its HTML states (`make site`), otherwise the address at which the page is open, without
/// `index.html`.
pub(crate) fn site() -> String {
    let link = document().query_selector("link[rel=canonical]").ok().flatten();
    let stated = link.and_then(|link| link.get_attribute("href")).filter(|address| !address.is_empty());
    stated.unwrap_or_else(|| address().trim_end_matches("index.html").to_owned())
}

/// The fragment without its `#`.
pub(crate) fn hash() -> String {
    window().location().hash().unwrap_or_default().trim_start_matches('#').to_owned()
}

/// A value that was stored in an earlier visit. Sandboxed frames have no storage: the call throws there.
pub(crate) fn recall(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(key).ok()?
}

/// Returns true if the browser keeps values between visits: not in a sandboxed frame, nor where a visitor forbids it.
pub(crate) fn remembers() -> bool {
    window().local_storage().is_ok_and(|storage| storage.is_some())
}

/// Stores a value between visits, if storage is allowed.
pub(crate) fn remember(key: &str, value: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        storage.set_item(key, value).ok();
    }
}

/// Today's date in UTC, e.g. `2026-11-22`.
pub(crate) fn today() -> String {
    let now = String::from(js_sys::Date::new_0().to_iso_string());
    now.split('T').next().unwrap_or_default().to_owned()
}

/// Loads a module script, unless the page has it already.
pub(crate) fn load_module(address: &str) {
    let known = document().query_selector(&format!("script[src=\"{address}\"]"));
    if let (Ok(None), Some(head), Ok(script)) =
        (known, document().head(), document().create_element("script"))
    {
        script.set_attribute("type", "module").ok();
        script.set_attribute("src", address).ok();
        head.append_child(&script).ok();
    }
}
