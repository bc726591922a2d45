//! New markup in place of old, so that what did not change stays: open folds, the place of the keyboard, the scroll.

use leptos::prelude::document;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::Element;

use super::browser;

/// Puts markup in place of what is there.
pub(crate) fn put(place: &Element, markup: &str) {
    let focused = document().active_element().filter(|element| place.contains(Some(element)));
    if merged(place, markup).is_err() {
        place.set_inner_html(markup);
    }
    // The keyboard stays where it was; where that is gone, it starts at the answer.
    if let Some(focused) = focused.filter(|element| !place.contains(Some(element))) {
        let id = focused.id();
        let known = !id.is_empty() && document().get_element_by_id(&id).is_some();
        browser::focus(if known { &id } else { "answer" });
    }
}

fn merged(place: &Element, markup: &str) -> Result<(), JsValue> {
    let fresh: Element = place.clone_node()?.unchecked_into();
    fresh.set_inner_html(markup);
    merge(place, &fresh)
}

/// Moves the children of `fresh` into `place`, except where the same is there.
fn merge(place: &Element, fresh: &Element) -> Result<(), JsValue> {
    let mut next = place.first_child();
    while let Some(new) = fresh.first_child() {
        let Some(old) = next else {
            place.append_child(&new)?;
            continue;
        };
        next = old.next_sibling();
        if old.is_equal_node(Some(&new)) {
            fresh.remove_child(&new)?;
            continue;
        }
        match (old.dyn_ref::<Element>(), new.dyn_ref::<Element>()) {
            (Some(before), Some(after)) if akin(before, after) => {
                attributes(before, after)?;
                merge(before, after)?;
                fresh.remove_child(&new)?;
            }
            _ => drop(place.replace_child(&new, &old)?),
        }
    }
    while let Some(rest) = next {
        next = rest.next_sibling();
        place.remove_child(&rest)?;
    }
    Ok(())
}

/// Whether one becomes the other. What was typed is not in the markup, except where somebody puts it back after that,
/// and a drawing changes as a whole.
fn akin(old: &Element, new: &Element) -> bool {
    let name = new.tag_name();
    let same = |attribute| old.get_attribute(attribute) == new.get_attribute(attribute);
    let typed = name == "INPUT" && !new.has_attribute("data-field");
    !typed && name != "svg" && name == old.tag_name() && same("id") && same("data-figure")
}

/// Visitors unfold: what is open stays so. What is wrong is marked by who knows it.
fn attributes(old: &Element, new: &Element) -> Result<(), JsValue> {
    for name in old.get_attribute_names().iter().filter_map(|name| name.as_string()) {
        if name != "open" && name != "aria-invalid" && !new.has_attribute(&name) {
            old.remove_attribute(&name)?;
        }
    }
    for name in new.get_attribute_names().iter().filter_map(|name| name.as_string()) {
        let value = new.get_attribute(&name);
        if old.get_attribute(&name) != value {
            old.set_attribute(&name, &value.unwrap_or_default())?;
        }
    }
    Ok(())
}
