//! Workers that help the first one with a search that can be divided.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::window;
use web_sys::Worker;

use super::worker::{self, Told};
use crate::service::{Ask, Reply, Request, Said};
use crate::sizing::Share;

/// Maximum number of workers on a question: each has memory of its own.
const MOST: u32 = 4;

/// Workers that help with the newest question. They start when one needs them, and end with the first that does not.
pub(super) struct Crew(RefCell<Inner>);

#[derive(Default)]
struct Inner {
    /// The helpers, in the order of their places.
    helpers: Vec<Helper>,
    /// The newest question, by its number and its link.
    question: Option<(u32, String)>,
    /// What every helper needs to know of it: results, each with the place of the worker that found it.
    shares: Vec<(u32, Request)>,
    /// The opened trace.
    trace: Option<Request>,
}

struct Helper {
    worker: Worker,
    /// False until it has started, and after a fault.
    ready: bool,
}

impl Inner {
    /// Gives the newest question, with all that is known of it, to a helper.
    fn brief(&self, place: u32, helper: &Worker) {
        let Some((id, link)) = &self.question else { return };
        let ask = Ask::Help { link: link.clone(), place, workers: self.workers() };
        worker::post(helper, &Request { id: *id, ask });
        for (_, share) in self.shares.iter().filter(|(from, _)| *from != place) {
            worker::post(helper, share);
        }
    }

    /// Number of workers, the first one included.
    fn workers(&self) -> u32 {
        self.helpers.len() as u32 + 1
    }

    /// The helpers that are ready, with their places.
    fn ready(&self) -> impl Iterator<Item = (u32, &Worker)> {
        let ready = (1..).zip(&self.helpers).filter(|(_, helper)| helper.ready);
        ready.map(|(place, helper)| (place, &helper.worker))
    }

    /// The helper that a worker is; a worker that was dismissed is none.
    fn helper(&mut self, place: u32, worker: &Worker) -> Option<&mut Helper> {
        let helper = self.helpers.get_mut(place as usize - 1);
        helper.filter(|helper| helper.worker == *worker)
    }
}

impl Crew {
    pub(super) fn new() -> Rc<Self> {
        Rc::new(Self(RefCell::default()))
    }

    /// Starts the helpers, unless they were started; `hear` receives their results. Returns the number of workers on the next
    /// question, the first one included: one for each core, up to [`MOST`].
    pub(super) fn gather(self: &Rc<Self>, glue: &str, hear: impl Fn(u32, Share) + Clone + 'static) -> u32 {
        let cores = window().navigator().hardware_concurrency() as u32;
        let known = self.0.borrow().workers();
        for place in known..cores.min(MOST) {
            let (crew, failed, hear) = (self.clone(), self.clone(), hear.clone());
            let told = move |worker: &Worker, message: Told| match message {
                Told::Ready => crew.join(place, worker),
                Told::Reply(Reply { id, said: Said::Share(share) }) => {
                    crew.tell(id, place, share.clone());
                    hear(id, share);
                }
                Told::Reply(_) => {}
            };
            let Ok(worker) = worker::start(glue, told, move |worker| failed.leave(place, worker)) else {
                break;
            };
            self.0.borrow_mut().helpers.push(Helper { worker, ready: false });
        }
        self.0.borrow().workers()
    }

    /// Asks every helper to help with a question.
    pub(super) fn ask(&self, id: u32, link: String) {
        let mut inner = self.0.borrow_mut();
        inner.question = Some((id, link));
        inner.shares.clear();
        for (place, helper) in inner.ready() {
            inner.brief(place, helper);
        }
    }

    /// Tells helpers a result of the worker at a place.
    pub(super) fn tell(&self, id: u32, from: u32, share: Share) {
        let mut inner = self.0.borrow_mut();
        if inner.question.as_ref().is_none_or(|(newest, _)| *newest != id) {
            return;
        }
        let request = Request { id, ask: Ask::Share(share) };
        for (_, helper) in inner.ready().filter(|(place, _)| *place != from) {
            worker::post(helper, &request);
        }
        inner.shares.push((from, request));
    }

    /// Gives a trace of requests to every helper.
    pub(super) fn keep_trace(&self, trace: &Request) {
        let mut inner = self.0.borrow_mut();
        for (_, helper) in inner.ready() {
            worker::post(helper, trace);
        }
        inner.trace = Some(trace.clone());
    }

    /// Calls the newest question off.
    pub(super) fn stop(&self) {
        let mut inner = self.0.borrow_mut();
        let Some((id, _)) = inner.question.take() else { return };
        inner.shares.clear();
        for (_, helper) in inner.ready() {
            worker::post(helper, &Request { id, ask: Ask::Stop });
        }
    }

    /// Ends every helper.
    pub(super) fn dismiss(&self) {
        self.stop();
        for helper in self.0.borrow_mut().helpers.drain(..) {
            helper.worker.terminate();
        }
    }

    /// A worker has started.
    fn join(&self, place: u32, worker: &Worker) {
        let mut inner = self.0.borrow_mut();
        let Some(helper) = inner.helper(place, worker) else { return };
        helper.ready = true;
        if let Some(trace) = &inner.trace {
            worker::post(worker, trace);
        }
        inner.brief(place, worker);
    }

    /// A worker cannot start, or had a fault. The others do what it left.
    fn leave(&self, place: u32, worker: &Worker) {
        if let Some(helper) = self.0.borrow_mut().helper(place, worker) {
            helper.ready = false;
        }
    }
}
