//! Questions that the second program answers: started once the page is painted, in a worker if the browser lets it.

use std::cell::RefCell;

use gloo::timers::callback::Timeout;
use js_sys::{Array, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Event, MessageChannel, MessageEvent, MessagePort, Worker, WorkerOptions, WorkerType};

use super::{PORT, browser};
use crate::worker::{Ask, Reply, Request, Said};

/// The line to the other program.
#[derive(Default)]
struct Line {
    /// Its end here; a worker is used like the port that it is.
    port: Option<MessagePort>,
    /// Whether the other side hears what is said.
    ready: bool,
    /// What is to be said once it does.
    waiting: Vec<Request>,
    /// The number of the newest answer that was asked for.
    id: u32,
}

thread_local! {
    static LINE: RefCell<Line> = RefCell::default();
}

/// Says something to the other program, which `hear` then listens to: what it says of older questions is dropped.
pub(crate) fn ask(ask: Ask, hear: fn(Said)) {
    let open = LINE.with_borrow_mut(|line| {
        if matches!(ask, Ask::Answer { .. }) {
            line.id += 1;
        }
        line.waiting.push(Request { id: line.id, ask });
        line.port.is_some()
    });
    if open {
        flush();
    } else {
        // What is known already is drawn first.
        Timeout::new(0, move || open_line(hear)).forget();
    }
}

/// Voids the last question. Before there is a line, there is nothing to void.
pub(crate) fn stop() {
    LINE.with_borrow_mut(|line| {
        line.waiting.retain(|request| !matches!(request.ask, Ask::Answer { .. }));
        line.id += 1;
        if line.port.is_some() {
            line.waiting.push(Request { id: line.id, ask: Ask::Stop });
        }
    });
    flush();
}

/// Whether the other program answers.
pub(crate) fn ready() -> bool {
    LINE.with_borrow(|line| line.ready)
}

fn flush() {
    LINE.with_borrow_mut(|line| {
        let Some(port) = line.port.as_ref().filter(|_| line.ready) else { return };
        for request in line.waiting.drain(..) {
            say(port, &request.into_texts());
        }
    });
}

/// Starts the other program, unless that was done since it was asked for.
fn open_line(hear: fn(Said)) {
    if LINE.with_borrow(|line| line.port.is_some()) {
        return;
    }
    // A frame without an origin may have no worker, and Firefox complains of the attempt.
    if Reflect::get(&window(), &JsValue::from_str("origin")).is_ok_and(|origin| origin == *"null") {
        return answer_here(hear);
    }
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let Ok(worker) = Worker::new_with_options(&script(), &options) else {
        return answer_here(hear);
    };
    let failed = Closure::<dyn Fn(Event)>::new(move |event: Event| {
        event.prevent_default();
        if LINE.with_borrow(|line| line.ready) {
            broken(hear);
        } else {
            answer_here(hear);
        }
    });
    worker.set_onerror(Some(failed.as_ref().unchecked_ref()));
    failed.forget();
    connect(worker.unchecked_into(), hear);
}

/// Loads the other program into this page, where it works between other things.
fn answer_here(hear: fn(Said)) {
    let loaded = || -> Result<(), JsValue> {
        let channel = MessageChannel::new()?;
        Reflect::set(&window(), &JsValue::from_str(PORT), &channel.port2())?;
        connect(channel.port1(), hear);
        let element = document().create_element("script")?;
        element.set_attribute("type", "module")?;
        element.set_attribute("src", &script())?;
        let failed = Closure::once_into_js(move || broken(hear));
        element.add_event_listener_with_callback("error", failed.unchecked_ref())?;
        document().head().ok_or(JsValue::NULL)?.append_child(&element)?;
        Ok(())
    };
    if loaded().is_err() {
        broken(hear);
    }
}

/// Says that there is no other program; the next question tries again.
fn broken(hear: fn(Said)) {
    LINE.take();
    hear(Said::Fault { message: "A part of this page could not be loaded".to_owned() });
}

fn connect(port: MessagePort, hear: fn(Said)) {
    let heard = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let Some(Reply { id, said }) = Reply::of_texts(texts(&event)) else { return };
        if said == Said::Ready {
            LINE.with_borrow_mut(|line| line.ready = true);
            flush();
            return;
        }
        // Files and forms stand beside the question, which may have changed since.
        let beside = matches!(
            said,
            Said::Form { .. } | Said::More { .. } | Said::Constants { .. } | Said::File { .. }
        );
        if beside || LINE.with_borrow(|line| line.id == id) {
            hear(said);
        }
    });
    port.set_onmessage(Some(heard.as_ref().unchecked_ref()));
    heard.forget();
    LINE.with_borrow_mut(|line| line.port = Some(port));
}

/// Sends a message.
pub(super) fn say(port: &MessagePort, texts: &[String]) {
    let list: Array = texts.iter().map(|text| JsValue::from_str(text)).collect();
    port.post_message(&list).ok();
}

/// The texts of a message; what is no text is left out.
pub(super) fn texts(event: &MessageEvent) -> Vec<String> {
    Array::from(&event.data()).iter().filter_map(|text| text.as_string()).collect()
}

/// Where the other program is: its name changes with its content.
fn script() -> String {
    browser::meta("foretoken-worker").unwrap_or_default()
}
