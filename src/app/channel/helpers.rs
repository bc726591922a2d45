//! Workers that help the first one with a search that can be divided.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::window;
use web_sys::Worker;

use super::worker::{self, Running, Told};
use crate::service::{Ask, Reply, Request, Said};
use crate::sizing::Share;

/// Maximum number of workers on a question: each has memory of its own.
const MOST: u32 = 4;

/// Helpers of the worker that answers. They start with the first shared question and are terminated by the next question that is
/// not shared.
pub(super) struct Helpers(RefCell<Inner>);

#[derive(Default)]
struct Inner {
    /// The helpers, in the order of their indices, which begin at 1.
    workers: Vec<Helper>,
    /// The question that is being answered, with the number of its request.
    question: Option<(u32, Shared)>,
    /// Link of the scenario that the results belong to.
    scenario: String,
    /// Results of all workers.
    shares: Vec<Share>,
    /// The opened trace.
    trace: Option<Rc<Request>>,
}

/// A question that several workers share.
pub(super) struct Shared {
    /// Its link.
    pub(super) link: String,
    /// Link of its scenario alone, without the open part and pins, which do not change the search.
    pub(super) scenario: String,
}

struct Helper {
    running: Running,
    /// False until it has started, and after a fault.
    ready: bool,
}

impl Inner {
    /// Gives the newest question, with all that is known of it, to a helper.
    fn send_question(&self, index: u32, helper: &Worker) {
        let Some((id, question)) = &self.question else { return };
        let ask = Ask::Help { link: question.link.clone(), index, workers: self.count() };
        worker::post(helper, &Request { id: *id, ask });
        self.send_shares(helper);
    }

    /// Gives all results so far to a worker that has the newest question.
    fn send_shares(&self, worker: &Worker) {
        let Some((id, _)) = self.question else { return };
        for share in &self.shares {
            worker::post(worker, &Request { id, ask: Ask::Share(share.clone()) });
        }
    }

    /// Number of workers, the first one included.
    fn count(&self) -> u32 {
        self.workers.len() as u32 + 1
    }

    /// The helpers that are ready, with their indices.
    fn ready(&self) -> impl Iterator<Item = (u32, &Worker)> {
        let ready = (1..).zip(&self.workers).filter(|(_, helper)| helper.ready);
        ready.map(|(index, helper)| (index, helper.running.worker()))
    }

    /// The helper with this index, if it still runs on this worker; `None` after termination.
    fn helper(&mut self, index: u32, worker: &Worker) -> Option<&mut Helper> {
        let helper = self.workers.get_mut(index as usize - 1);
        helper.filter(|helper| helper.running.worker() == worker)
    }
}

impl Helpers {
    pub(super) fn new() -> Rc<Self> {
        Rc::new(Self(RefCell::default()))
    }

    /// Starts the helpers, unless they were started; `hear` receives their results. Returns the number of workers on the next
    /// question, the first one included: one for each core, up to [`MOST`].
    pub(super) fn start(self: &Rc<Self>, glue: &str, hear: impl Fn(u32, Share) + Clone + 'static) -> u32 {
        let cores = window().navigator().hardware_concurrency() as u32;
        let known = self.0.borrow().count();
        for index in known..cores.min(MOST) {
            let (here, failed, hear) = (self.clone(), self.clone(), hear.clone());
            let told = move |worker: &Worker, message: Told| match message {
                Told::Ready => here.started(index, worker),
                Told::Reply(Reply { id, said: Said::Share(share) }) => {
                    here.send_share(id, index, share.clone());
                    hear(id, share);
                }
                Told::Reply(_) => {}
            };
            let Ok(running) = worker::start(glue, told, move |worker| failed.failed(index, worker)) else {
                break;
            };
            self.0.borrow_mut().workers.push(Helper { running, ready: false });
        }
        self.0.borrow().count()
    }

    /// Asks every helper to help with a question. Results for the same scenario are kept.
    pub(super) fn send_question(&self, id: u32, question: Shared) {
        let mut inner = self.0.borrow_mut();
        if inner.scenario != question.scenario {
            inner.scenario.clone_from(&question.scenario);
            inner.shares.clear();
        }
        inner.question = Some((id, question));
        for (index, helper) in inner.ready() {
            inner.send_question(index, helper);
        }
    }

    /// Gives all results so far to the worker that answers the newest question.
    pub(super) fn send_shares(&self, answering: &Worker) {
        self.0.borrow().send_shares(answering);
    }

    /// Gives a result of the worker with this index to the other helpers.
    pub(super) fn send_share(&self, id: u32, from: u32, share: Share) {
        let mut inner = self.0.borrow_mut();
        if inner.question.as_ref().is_none_or(|(newest, _)| *newest != id) {
            return;
        }
        let request = Request { id, ask: Ask::Share(share) };
        for (_, helper) in inner.ready().filter(|(index, _)| *index != from) {
            worker::post(helper, &request);
        }
        if let Ask::Share(share) = request.ask {
            inner.shares.push(share);
        }
    }

    /// Gives a trace of requests to every helper.
    pub(super) fn keep_trace(&self, trace: Rc<Request>) {
        let mut inner = self.0.borrow_mut();
        for (_, helper) in inner.ready() {
            worker::post(helper, &trace);
        }
        inner.trace = Some(trace);
    }

    /// Calls the newest question off.
    pub(super) fn stop(&self) {
        let mut inner = self.0.borrow_mut();
        let Some((id, _)) = inner.question.take() else { return };
        for (_, helper) in inner.ready() {
            worker::post(helper, &Request { id, ask: Ask::Stop });
        }
    }

    /// Terminates every helper.
    pub(super) fn terminate(&self) {
        let mut inner = self.0.borrow_mut();
        *inner = Inner { trace: inner.trace.take(), ..Inner::default() };
    }

    /// A worker has started.
    fn started(&self, index: u32, worker: &Worker) {
        let mut inner = self.0.borrow_mut();
        let Some(helper) = inner.helper(index, worker) else { return };
        helper.ready = true;
        if let Some(trace) = &inner.trace {
            worker::post(worker, trace);
        }
        inner.send_question(index, worker);
    }

    /// A worker cannot start, or had a fault. The other workers search its devices.
    fn failed(&self, index: u32, worker: &Worker) {
        if let Some(helper) = self.0.borrow_mut().helper(index, worker) {
            helper.ready = false;
            worker.terminate();
        }
    }
}
