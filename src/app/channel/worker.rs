//! The page's program in a worker, and messages to and fro: requests as JSON texts, replies as buffers of JSON text,
//! which change hands without a copy.

use js_sys::{Array, ArrayBuffer, Object, Reflect, Uint8Array};
use leptos::prelude::window;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::host::Host;
use crate::service::{Reply, Request};

/// The script of the worker, which receives the program.
const SCRIPT: &str = "./worker.js";

/// The first message of a worker. What was sent to it before is lost.
const READY: &str = "ready";

/// A message of a worker.
pub(super) enum Told {
    /// The worker is ready for requests.
    Ready,
    /// A reply to one of them.
    Reply(Reply),
}

impl Told {
    fn of(message: &JsValue) -> Option<Self> {
        match message.dyn_ref::<ArrayBuffer>() {
            Some(buffer) => Reply::from_bytes(&Uint8Array::new(buffer).to_vec()).map(Self::Reply),
            None => (*message == *READY).then_some(Self::Ready),
        }
    }
}

/// A worker with the functions that receive its events. It is terminated when this is dropped.
pub(super) struct Running {
    worker: Worker,
    _heard: Closure<dyn Fn(MessageEvent)>,
    _failed: Closure<dyn Fn(Event)>,
}

impl Running {
    /// The worker.
    pub(super) const fn worker(&self) -> &Worker {
        &self.worker
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// Starts a worker with this compiled program. `told` receives its messages; `failed` is called if it does not start,
/// and on its errors.
pub(super) fn start(
    glue: &str,
    told: impl Fn(&Worker, Told) + 'static,
    failed: impl Fn(&Worker) + 'static,
) -> Result<Running, JsValue> {
    // A frame without an origin may have no worker, and Firefox complains of the attempt.
    if Reflect::get(&window(), &JsValue::from_str("origin"))? == *"null" {
        return Err(JsValue::NULL);
    }
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(SCRIPT, &options)?;
    let faulty = worker.clone();
    let failed = Closure::<dyn Fn(Event)>::new(move |event: Event| {
        event.prevent_default();
        failed(&faulty);
    });
    worker.set_onerror(Some(failed.as_ref().unchecked_ref()));
    let sender = worker.clone();
    let heard = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        if let Some(message) = Told::of(&event.data()) {
            told(&sender, message);
        }
    });
    worker.set_onmessage(Some(heard.as_ref().unchecked_ref()));
    let program = Object::new();
    Reflect::set(&program, &JsValue::from_str("module"), &wasm_bindgen::module())?;
    Reflect::set(&program, &JsValue::from_str("glue"), &JsValue::from_str(glue))?;
    worker.post_message(&program)?;
    Ok(Running { worker, _heard: heard, _failed: failed })
}

/// Sends a request. A worker that has ended ignores it; its error event reports the end.
pub(super) fn post(worker: &Worker, request: &Request) {
    worker.post_message(&JsValue::from_str(&request.to_text())).ok();
}

/// Answers the page's requests from now on; called in a worker.
pub(crate) fn serve() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let page = scope.clone();
    let host = Host::new(move |reply| {
        let text = Uint8Array::from(reply.to_bytes().as_slice()).buffer();
        page.post_message_with_transfer(&text, &Array::of1(&text)).ok();
    });
    let heard = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        if let Some(request) = event.data().as_string().as_deref().and_then(Request::from_text) {
            host.ask(request);
        }
    });
    scope.set_onmessage(Some(heard.as_ref().unchecked_ref()));
    heard.forget();
    scope.post_message(&JsValue::from_str(READY)).ok();
}
