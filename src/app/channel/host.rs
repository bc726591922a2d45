//! Runs a service in steps between other things of its thread.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use gloo::timers::callback::Timeout;
use js_sys::{Date, Function, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{MessageChannel, MessagePort, Response};

use crate::service::{Reply, Request, Said, Service, Step};

/// Time after which a running service lets other things of its thread happen, ms: a request waits for it, and half a frame is
/// left to the page.
const TURN_MS: f64 = 8.0;

/// A running service.
pub(in crate::app) struct Host {
    service: RefCell<Service>,
    /// True if a turn is on its way.
    busy: Cell<bool>,
    /// A message to this port begins the next turn, after those that wait already. Timers, which stand in for it, wait 4 ms each.
    next: Option<MessagePort>,
    /// Takes replies.
    tell: Box<dyn Fn(Reply)>,
}

impl Host {
    /// A service whose replies are passed to `tell`.
    pub(in crate::app) fn new(tell: impl Fn(Reply) + 'static) -> Rc<Self> {
        Rc::new_cyclic(|here: &Weak<Self>| Self {
            service: RefCell::default(),
            busy: Cell::new(false),
            next: to_itself(here.clone()),
            tell: Box::new(tell),
        })
    }

    /// Takes a request; its first steps are done at once, the others follow between frames.
    pub(in crate::app) fn ask(self: &Rc<Self>, request: Request) {
        self.service.borrow_mut().ask(request);
        if !self.busy.replace(true) {
            self.turn();
        }
    }

    /// Steps until something is to be shown, or for the time of a turn; the next turn follows after whatever else waits, such as
    /// another request. Of progress only the last is told.
    fn turn(self: &Rc<Self>) {
        let ends = Date::now() + TURN_MS;
        loop {
            let step = self.service.borrow_mut().step();
            match step {
                Step::Idle => return self.busy.set(false),
                Step::Busy | Step::Tell(Reply { said: Said::Progress { .. }, .. }) if Date::now() < ends => {}
                Step::Busy => return self.schedule(),
                Step::Tell(reply) => {
                    (self.tell)(reply);
                    return self.schedule();
                }
                Step::Fetch(name) => {
                    let host = self.clone();
                    spawn_local(async move {
                        let file = fetched(name).await.map_err(|_| format!("{name} could not be loaded"));
                        host.service.borrow_mut().supply(file.as_deref().map_err(Clone::clone));
                        host.turn();
                    });
                    return;
                }
            }
        }
    }

    /// Begins the next turn after whatever else waits.
    fn schedule(self: &Rc<Self>) {
        if self.next.as_ref().is_some_and(|port| port.post_message(&JsValue::UNDEFINED).is_ok()) {
            return;
        }
        let host = self.clone();
        Timeout::new(0, move || host.turn()).forget();
    }
}

/// A port whose messages begin turns of a host.
fn to_itself(host: Weak<Host>) -> Option<MessagePort> {
    let channel = MessageChannel::new().ok()?;
    let turn = Closure::<dyn Fn()>::new(move || {
        if let Some(host) = host.upgrade() {
            host.turn();
        }
    });
    channel.port1().set_onmessage(Some(turn.as_ref().unchecked_ref()));
    turn.forget();
    Some(channel.port2())
}

/// A file beside the program. It has the same name in every release, so that a kept copy is revalidated.
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
