//! The page embedded in another one: it reports its height and numbers, takes the host's colours, and shows one figure if the
//! address names one.
//!
//! docs/embed.md describes the messages. Heights and numbers are sent to any origin because they are not secret; messages are
//! accepted from the embedding document only.

use gloo::events::EventListener;
use js_sys::{Object, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{CssStyleDeclaration, HtmlElement, MessageEvent, ResizeObserver};

use super::browser;
use super::state::State;
use crate::view::{Card, Range};

/// Names of the colours and the font that a host may set, with the custom properties of the page's style sheets.
const SKIN: [(&str, &[&str]); 6] = [
    ("surface", &["--surface", "--figure-paper"]),
    ("ink", &["--ink", "--figure-ink"]),
    ("muted", &["--ink-soft", "--figure-muted"]),
    ("line", &["--line", "--edge", "--figure-grid"]),
    ("accent", &["--accent"]),
    ("font", &["--sans"]),
];

/// Heights that an embedded page reports are ignored from here on, in pixels. `embed.js` has the same limit.
const MOST_HEIGHT: f64 = 20_000.0;

/// Number of colours of a chart's series that a host may set: `series-1` to `series-8`.
const SERIES: u8 = 8;

/// The figure or table that the address names. Only this one is then shown.
pub(crate) fn wanted() -> Option<String> {
    browser::query("embed").filter(|embed| embed == "figure").and_then(|_| browser::query("figure"))
}

/// Sends the host heights and numbers, and takes its theme and colours.
pub(crate) fn follow(state: State) {
    let Some(host) = window().parent().ok().flatten().map(JsValue::from) else { return };
    if browser::query("embed").as_deref() == Some("value") {
        Effect::new(move |_| {
            if state.shown.settled() {
                state.shown.cards.with(|cards| tell("values", &[("values", values(cards).into())]));
            }
        });
    }
    let heard = move |event: &web_sys::Event| {
        let event: Option<&MessageEvent> = event.dyn_ref();
        let from = event.and_then(MessageEvent::source);
        if let Some(event) = event.filter(|_| from.is_some_and(|from| JsValue::from(from) == host)) {
            hear(&event.data());
        }
    };
    EventListener::new(&window(), "message", heard).forget();
    // Heights are known only after the first layout.
    request_animation_frame(|| {
        measure();
        tell("ready", &[]);
    });
}

/// The height that a page embedded in this one reports in a message, if it is one.
pub(crate) fn told_height(event: &web_sys::Event) -> Option<f64> {
    let message = event.dyn_ref::<MessageEvent>()?.data();
    let read = |name: &str| Reflect::get(&message, &name.into()).ok();
    let height =
        read("height").filter(|_| read("foretoken").is_some_and(|what| what == "height"))?.as_f64()?;
    (height > 0.0 && height < MOST_HEIGHT).then_some(height)
}

/// Sends the host the height of the content, now and after every change.
fn measure() {
    let Some(content) = browser::html_element("app") else { return };
    let place = content.clone();
    let changed = Closure::<dyn FnMut()>::new(move || {
        let bottom = place.get_bounding_client_rect().bottom() + window().scroll_y().unwrap_or_default();
        tell("height", &[("height", bottom.ceil().into())]);
    });
    if let Ok(observer) = ResizeObserver::new(changed.as_ref().unchecked_ref()) {
        observer.observe(&content);
        changed.forget();
    }
}

/// Sends a message to the host.
fn tell(what: &str, content: &[(&str, JsValue)]) {
    let message = Object::new();
    set(&message, "foretoken", &what.into());
    for (name, value) in content {
        set(&message, name, value);
    }
    if let Ok(Some(host)) = window().parent() {
        host.post_message(&message, "*").ok();
    }
}

/// Sets a property of an object.
fn set(object: &Object, name: &str, value: &JsValue) {
    // Setting a property of a new object cannot fail.
    Reflect::set(object, &name.into(), value).ok();
}

/// The numbers of the answer with their ranges and equations, by name.
fn values(cards: &[Card]) -> Object {
    let values = Object::new();
    for card in cards {
        let value = Object::new();
        let range = card.range.as_ref().map(Range::to_string);
        set(&value, "text", &card.shown().into());
        set(&value, "range", &range.unwrap_or_default().into());
        set(&value, "equation", &card.equation.as_str().into());
        set(&values, &card.id, &value.into());
    }
    values
}

/// Handles a message of the host: `theme` or `skin`.
fn hear(message: &JsValue) {
    let text = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).ok()?.as_string();
    let Some(root) = browser::root() else { return };
    match text(message, "foretoken").as_deref() {
        Some("theme") => {
            let theme = text(message, "theme").filter(|theme| theme == "light" || theme == "dark");
            if let Some(theme) = theme {
                root.set_attribute("data-theme", &theme).ok();
            }
        }
        Some("skin") => {
            let Ok(skin) = Reflect::get(message, &"skin".into()) else { return };
            let style = HtmlElement::style(&root);
            for (name, properties) in SKIN {
                dress(&style, properties, text(&skin, name).as_deref());
            }
            for series in 1..=SERIES {
                let property = format!("--figure-{series}");
                dress(&style, &[&property], text(&skin, &format!("series-{series}")).as_deref());
            }
        }
        _ => {}
    }
}

/// Sets custom properties. An empty or invalid value restores the page's own.
fn dress(style: &CssStyleDeclaration, properties: &[&str], value: Option<&str>) {
    // Keywords and `var()` are valid values of any property, so that `supports` accepts them. They are neither colours nor fonts.
    let takes = |value: &&str| {
        let keyword = ["inherit", "initial", "unset", "revert", "revert-layer"].contains(value)
            || value.contains("var(");
        if keyword {
            return false;
        }
        let property = if properties == ["--sans"] { "font-family" } else { "color" };
        web_sys::css::supports_with_value(property, value).unwrap_or_default()
    };
    let value = value.filter(takes);
    for property in properties {
        match value {
            Some(value) => style.set_property(property, value).ok(),
            None => style.remove_property(property).ok().map(drop),
        };
    }
}
