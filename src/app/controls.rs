//! What the controls of the form hold: shown and read by the document path that each of them bears.
//!
//! What cannot be read stays as typed, and the question stays as it was.

use std::cell::RefCell;

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

use super::browser;
use super::state::State;
use crate::form::{CUSTOM, control};
use crate::scenario::fields::{Kind, Number, Value, field};

thread_local! {
    /// The paths whose controls were marked as wrong last.
    static WRONG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// The number that a text field holds; nothing if it is no field for numbers.
fn number_of(input: &Element) -> Option<Number> {
    let field = field(&input.get_attribute("data-field")?)?;
    if let Kind::Number(number) = field.kind { Some(number) } else { None }
}

/// The text of what a list or a check box can hold.
fn plain(value: Value<'_>) -> String {
    match value {
        Value::Absent => String::new(),
        Value::Text(text) => text.to_owned(),
        Value::Switch(flag) => flag.to_string(),
        Value::Entry(_) => CUSTOM.to_owned(),
        Value::Whole(whole) => whole.to_string(),
        Value::Number(number) => number.to_string(),
    }
}

/// Shows in all controls what the question says and what is wrong with it; what was typed gives way where another
/// question took the place of the last one.
pub(crate) fn refresh(state: State, form: &Element, replaced: bool) {
    let Ok(controls) = form.query_selector_all("[data-field]") else { return };
    let mut wrong = Vec::new();
    for index in 0..controls.length() {
        // Lists have all of this that is used here.
        let Some(control) = controls.item(index).map(JsCast::unchecked_into::<HtmlInputElement>) else {
            continue;
        };
        let Some(path) = control.get_attribute("data-field") else { continue };
        let stays = state.errors.with_untracked(|errors| errors.contains_key(&path)) && !replaced;
        state.scenario.with_untracked(|question| {
            if let Some(value) = question.at(&path) {
                show(&control, value, stays);
            }
        });
        let message = state.message(&path);
        let place = browser::html_element(&format!("{}-message", control.id()));
        if let Some(place) = place.filter(|place| place.text_content().as_ref() != Some(&message)) {
            place.set_text_content(Some(&message));
        }
        if message.is_empty() {
            control.remove_attribute("aria-invalid").ok();
            continue;
        }
        control.set_attribute("aria-invalid", "true").ok();
        // A fold opens when something in it becomes wrong, and may be closed then.
        let fold = control.closest("details").ok().flatten();
        if let Some(fold) = fold.filter(|_| WRONG.with_borrow(|wrong| !wrong.contains(&path))) {
            fold.set_attribute("open", "").ok();
        }
        wrong.push(path);
    }
    WRONG.set(wrong);
}

/// Shows one value, unless what is typed says it, or is to stay.
fn show(control: &HtmlInputElement, value: Value<'_>, stays: bool) {
    if let Some(number) = number_of(control) {
        let said = number.parse(&control.value());
        if !stays && said.map_or(true, |said| number.text(said) != number.text(value)) {
            control.set_value(&number.text(value));
        }
        return;
    }
    let text = plain(value);
    if control.type_() == "checkbox" {
        control.set_checked(text == "true");
        return;
    }
    control.set_value(&text);
    if control.value() == text {
        return;
    }
    // Only a link can say something that is not on offer.
    if let Ok(other) = document().create_element("option") {
        let label = if text == CUSTOM { "Custom, from the link" } else { &text };
        other.set_attribute("value", &text).ok();
        other.set_text_content(Some(label));
        control.prepend_with_node_1(&other).ok();
        control.set_value(&text);
    }
}

/// The control that an event is about, and the path of its field.
fn target(event: &web_sys::Event) -> Option<(HtmlInputElement, String)> {
    let element: Element = event.target()?.dyn_into().ok()?;
    let path = element.get_attribute("data-field")?;
    Some((element.unchecked_into(), path))
}

/// Takes what was typed into a text field.
pub(crate) fn typed(state: State, event: &ev::Event) {
    if let Some((input, path)) = target(event)
        && let Some(number) = number_of(&input)
    {
        take(state, &path, number.parse(&input.value()));
    }
}

/// Takes what was chosen from a list or ticked.
pub(crate) fn chosen(state: State, event: &ev::Event) {
    let Some((control, path)) = target(event).filter(|(control, _)| number_of(control).is_none()) else {
        return;
    };
    let text = control.value();
    let value = match field(&path)
        .map(|field| state.scenario.with_untracked(|question| matches!(field.get(question), Value::Whole(_))))
    {
        _ if control.type_() == "checkbox" => Some(Value::Switch(control.checked())),
        Some(true) => text.parse().ok().map(Value::Whole),
        _ => (text != CUSTOM).then_some(Value::Text(&text)),
    };
    if let Some(value) = value {
        take(state, &path, Ok(value));
    }
}

/// Steps with the arrow keys.
pub(crate) fn pressed(state: State, event: &ev::KeyboardEvent) {
    let up = match event.key().as_str() {
        "ArrowUp" => true,
        "ArrowDown" => false,
        _ => return,
    };
    if let Some((input, path)) = target(event)
        && step(state, &input, &path, up).is_some()
    {
        event.prevent_default();
    }
}

/// Steps with the buttons beside a field.
pub(crate) fn stepped(state: State, event: &ev::MouseEvent) {
    let button = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(up) = button.as_ref().and_then(|button| button.get_attribute("data-by")) else { return };
    let beside = button.and_then(|button| button.parent_element()?.first_element_child());
    if let Some(input) = beside.map(JsCast::unchecked_into::<HtmlInputElement>)
        && let Some(path) = input.get_attribute("data-field")
    {
        step(state, &input, &path, up == "1");
    }
}

/// One step from what is there, or else from what holds instead, within the range.
fn step(state: State, input: &HtmlInputElement, path: &str, up: bool) -> Option<()> {
    let number = number_of(input)?;
    let held =
        || state.scenario.with_untracked(|question| question.at(path)?.as_number()).map(|n| n / number.scale);
    let otherwise = || input.placeholder().parse().ok();
    let typed = number.shown(&input.value()).ok();
    let from = typed.or_else(held).or_else(otherwise).unwrap_or(number.limits().0);
    input.set_value(&number.stepped(from, up).to_string());
    take(state, path, number.parse(&input.value()));
    Some(())
}

/// Puts a value into the question, or says what is wrong with what was typed.
pub(crate) fn take(state: State, path: &str, value: Result<Value<'_>, String>) {
    let value = value.and_then(|value| {
        if state.errors.with_untracked(|errors| errors.contains_key(path)) {
            state.errors.update(|errors| drop(errors.remove(path)));
        }
        let mut outcome = Ok(());
        state.scenario.update(|question| outcome = question.put(path, value));
        outcome.map_err(|fault| fault.to_string())
    });
    if let Err(message) = value {
        state.errors.update(|errors| drop(errors.insert(path.to_owned(), message)));
    }
}

/// Moves the keyboard to the control of a field.
pub(crate) fn focus(path: &str) {
    browser::focus(&control::id(path));
}
