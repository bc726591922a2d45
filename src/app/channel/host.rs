//! Runs a service in steps between other things of its thread.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::Response;

use crate::app::turn::{self, Turn};
use crate::service::{Reply, Request, Said, Service, Step};

/// A running service.
pub(in crate::app) struct Host {
    service: RefCell<Service>,
    /// True if a turn is on its way.
    busy: Cell<bool>,
    /// Takes replies.
    tell: Box<dyn Fn(Reply)>,
}

impl Host {
    /// A service whose replies are passed to `tell`.
    pub(in crate::app) fn new(tell: impl Fn(Reply) + 'static) -> Rc<Self> {
        Rc::new(Self { service: RefCell::default(), busy: Cell::new(false), tell: Box::new(tell) })
    }

    /// Takes a request; its first steps are done at once, the others follow between frames.
    pub(in crate::app) fn ask(self: &Rc<Self>, request: Request) {
        self.service.borrow_mut().ask(request);
        if !self.busy.replace(true) {
            self.turn();
        }
    }

    /// Steps until something is to be shown, or for the time of a turn; the next turn follows after whatever else waits, such as
    /// another request. Only the latest progress is reported.
    fn turn(self: &Rc<Self>) {
        let turn = Turn::begin();
        loop {
            let step = self.service.borrow_mut().step();
            match step {
                Step::Idle => return self.busy.set(false),
                Step::Busy | Step::Tell(Reply { said: Said::Progress { .. }, .. }) if !turn.is_over() => {}
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

    /// Schedules the next turn, unless the service is dropped before.
    fn schedule(self: &Rc<Self>) {
        let host = Rc::downgrade(self);
        spawn_local(async move {
            turn::next().await;
            if let Some(host) = host.upgrade() {
                host.turn();
            }
        });
    }
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
