//! Questions that a worker answers: started once the page is painted. Where none may start, the page answers.

use std::cell::RefCell;

use gloo::timers::callback::Timeout;
use js_sys::{Array, Object, Reflect};
use leptos::prelude::window;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Event, MessageChannel, MessageEvent, MessagePort, Worker, WorkerOptions, WorkerType};

use super::host;
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

/// What starts a worker; it receives the program that runs here.
const SCRIPT: &str = "./worker.js";

thread_local! {
    static LINE: RefCell<Line> = RefCell::default();
    /// The address of the JavaScript that binds the program to a browser.
    static GLUE: RefCell<String> = RefCell::default();
}

/// Where a worker finds the JavaScript that binds the program to a browser.
pub(super) fn set_glue(address: String) {
    GLUE.set(address);
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
    let Ok(worker) = start() else { return answer_here(hear) };
    let failed = Closure::<dyn Fn(Event)>::new(move |event: Event| {
        event.prevent_default();
        answer_here(hear);
    });
    worker.set_onerror(Some(failed.as_ref().unchecked_ref()));
    failed.forget();
    connect(worker.unchecked_into(), hear);
}

/// A worker that runs this program, which is compiled already.
fn start() -> Result<Worker, JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(SCRIPT, &options)?;
    let program = Object::new();
    Reflect::set(&program, &JsValue::from_str("module"), &wasm_bindgen::module())?;
    Reflect::set(&program, &JsValue::from_str("glue"), &JsValue::from_str(&GLUE.with_borrow(Clone::clone)))?;
    worker.post_message(&program)?;
    Ok(worker)
}

/// Answers on this thread, between other things.
fn answer_here(hear: fn(Said)) {
    LINE.with_borrow_mut(|line| line.ready = false);
    if let Ok(channel) = MessageChannel::new() {
        connect(channel.port1(), hear);
        host::serve(channel.port2());
    }
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
