//! The other side of [`super::remote`]: answers requests in a worker, or on the page between frames.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{MessageEvent, MessagePort, Response};

use super::remote::{say, texts};
use crate::worker::{Desk, Reply, Request, Said, Step};

/// A desk and the page that it serves.
struct Host {
    port: MessagePort,
    desk: RefCell<Desk>,
    /// Whether a turn is on its way.
    busy: Cell<bool>,
}

/// Answers what arrives at a worker's scope, which is used like the port that it is.
pub(super) fn serve_worker() {
    serve(js_sys::global().unchecked_into());
}

/// Answers what arrives at a port.
pub(super) fn serve(port: MessagePort) {
    let host = Rc::new(Host { port, desk: RefCell::default(), busy: Cell::new(false) });
    let hear = Closure::<dyn Fn(MessageEvent)>::new({
        let host = host.clone();
        move |event: MessageEvent| {
            if let Some(request) = Request::of_texts(texts(&event)) {
                host.desk.borrow_mut().ask(request);
                if !host.busy.replace(true) {
                    turn(host.clone());
                }
            }
        }
    });
    host.port.set_onmessage(Some(hear.as_ref().unchecked_ref()));
    hear.forget();
    // What was sent to a worker before now is lost.
    say(&host.port, &Reply { id: 0, said: Said::Ready }.into_texts());
}

/// One step; the next follows after whatever else is waiting, such as another request.
fn turn(host: Rc<Host>) {
    let step = host.desk.borrow_mut().step();
    match step {
        Step::Idle => host.busy.set(false),
        Step::Tell(reply) => {
            say(&host.port, &reply.into_texts());
            Timeout::new(0, move || turn(host)).forget();
        }
        Step::Fetch(name) => spawn_local(async move {
            let file = fetched(name).await.map_err(|_| format!("{name} could not be loaded"));
            host.desk.borrow_mut().supply(file.as_deref().map_err(Clone::clone));
            turn(host);
        }),
    }
}

/// A file beside the program. It has the same name in every release, so that a kept copy is asked after.
async fn fetched(name: &str) -> Result<String, JsValue> {
    let global = js_sys::global();
    let fetch: Function = Reflect::get(&global, &JsValue::from_str("fetch"))?.dyn_into()?;
    let options = Object::new();
    Reflect::set(&options, &JsValue::from_str("cache"), &JsValue::from_str("no-cache"))?;
    let answer: Promise = fetch.call2(&global, &JsValue::from_str(name), &options)?.dyn_into()?;
    let response: Response = JsFuture::from(answer).await?.dyn_into()?;
    if !response.ok() {
        return Err(JsValue::NULL);
    }
    Ok(JsFuture::from(response.text()?).await?.as_string().unwrap_or_default())
}
