//! Channel to the service, which answers in a worker, or on the page between animation frames.
//!
//! A worker runs the page's own program: the page sends it the compiled module, so that nothing is fetched or compiled
//! twice. Until it is ready, questions with short answers are answered on the page, so that the first figure does not
//! wait for it. A browser that refuses workers, as in a sandboxed frame, has everything answered on the page.
//! Searches that can be divided have several workers ([`helpers`]).

mod helpers;
mod host;
mod worker;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use web_sys::Worker;

use self::helpers::{Helpers, Shared};
pub(super) use self::host::Host;
use self::worker::{Running, Told};
use crate::figure::Size;
use crate::service::{Ask, Reply, Request, Said};
use crate::sizing::Share;

pub(super) use self::worker::serve;

/// The way to the service.
#[derive(Clone)]
pub(crate) struct Channel(Rc<Inner>);

struct Inner {
    /// The address of the module that loads the program.
    glue: String,
    /// Receives the replies to the newest question.
    hear: Box<dyn Fn(Said)>,
    /// The number of the newest question. Replies with another number are ignored.
    id: Cell<u32>,
    /// The service on the page.
    here: RefCell<Option<Rc<Host>>>,
    /// The worker that answers.
    there: RefCell<There>,
    /// A question that is sent to the worker as soon as that is ready.
    waiting: RefCell<Option<Request>>,
    /// The opened trace, for services that start later.
    trace: RefCell<Option<Rc<Request>>>,
    /// Workers beside the one that answers.
    helpers: Rc<Helpers>,
}

/// How long the answer to a question takes, and who works on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// So short that the page may answer while the worker starts.
    Short,
    /// Too long for the page.
    Long,
    /// Too long for the page, and divided among several workers.
    Shared,
}

/// State of the worker.
enum There {
    /// Not started, because no question was asked yet.
    Unused,
    /// Scheduled to start, or starting.
    Starting(Option<Running>),
    /// Running.
    Ready(Running),
    /// No worker can be started.
    Refused,
}

impl Channel {
    /// A channel to the service; `hear` receives the replies to the newest question.
    pub(crate) fn new(glue: String, hear: impl Fn(Said) + 'static) -> Self {
        Self(Rc::new(Inner {
            glue,
            hear: Box::new(hear),
            id: Cell::new(0),
            here: RefCell::new(None),
            there: RefCell::new(There::Unused),
            waiting: RefCell::new(None),
            trace: RefCell::new(None),
            helpers: Helpers::new(),
        }))
    }

    /// Gives a trace of requests to the service, wherever it answers.
    pub(crate) fn keep_trace(&self, text: String) {
        let request = Rc::new(Request { id: 0, ask: Ask::Trace { text } });
        self.post(&request);
        if let Some(host) = &*self.0.here.borrow() {
            host.ask((*request).clone());
        }
        self.0.helpers.keep_trace(request.clone());
        self.0.trace.replace(Some(request));
    }

    /// Asks a question in place of the previous one: the link of what is shown, and that of its scenario alone.
    pub(crate) fn ask(&self, link: String, scenario: String, size: Size, pace: Pace) {
        let helpers = &self.0.helpers;
        let workers = if pace == Pace::Shared && !matches!(*self.0.there.borrow(), There::Refused) {
            let channel = self.clone();
            helpers.start(&self.0.glue, move |id, share| channel.forward(id, share))
        } else {
            helpers.terminate();
            1
        };
        let request = self.next(Ask::Answer { link: link.clone(), size, workers });
        if workers > 1 {
            helpers.send_question(request.id, Shared { link, scenario });
        }
        let unused = matches!(*self.0.there.borrow(), There::Unused);
        if unused {
            self.0.there.replace(There::Starting(None));
            // So that the page paints its first answer before.
            let channel = self.clone();
            Timeout::new(0, move || channel.start()).forget();
        }
        let starting = match &*self.0.there.borrow() {
            There::Ready(first) => {
                worker::post(first.worker(), &request);
                return helpers.send_shares(first.worker());
            }
            There::Unused | There::Starting(_) => true,
            There::Refused => false,
        };
        if starting && pace != Pace::Short {
            self.0.waiting.replace(Some(request));
        } else {
            self.answer_here(request);
        }
    }

    /// Cancels the newest question.
    pub(crate) fn stop(&self) {
        self.0.helpers.stop();
        self.post(&self.next(Ask::Stop));
    }

    /// Sends a request to the worker, if it is ready.
    fn post(&self, request: &Request) {
        if let There::Ready(first) = &*self.0.there.borrow() {
            worker::post(first.worker(), request);
        }
    }

    /// A request with the next number. The previous question is stopped on the page, and no longer waits for the worker.
    fn next(&self, ask: Ask) -> Request {
        let id = self.0.id.get() + 1;
        self.0.id.set(id);
        self.0.waiting.replace(None);
        if let Some(host) = &*self.0.here.borrow() {
            host.ask(Request { id, ask: Ask::Stop });
        }
        Request { id, ask }
    }

    /// Starts the worker.
    fn start(&self) {
        let (told, failed) = (self.clone(), self.clone());
        let started = worker::start(
            &self.0.glue,
            move |worker, message| told.told(worker, message),
            move |_| failed.failed(),
        );
        match started {
            Ok(running) => drop(self.0.there.replace(There::Starting(Some(running)))),
            Err(_) => self.failed(),
        }
    }

    /// Takes a message of the worker.
    fn told(&self, worker: &Worker, message: Told) {
        match message {
            Told::Ready => {
                self.0.there.replace_with(|there| match there {
                    There::Starting(running) => running.take().map_or(There::Refused, There::Ready),
                    _ => There::Refused,
                });
                if let Some(trace) = &*self.0.trace.borrow() {
                    worker::post(worker, trace);
                }
                if let Some(request) = self.0.waiting.take() {
                    worker::post(worker, &request);
                    self.0.helpers.send_shares(worker);
                }
            }
            Told::Reply(Reply { id, said: Said::Share(share) }) => self.0.helpers.send_share(id, 0, share),
            Told::Reply(reply) => {
                let ended = !matches!(reply.said, Said::Progress { .. } | Said::Partial { .. });
                if ended && reply.id == self.0.id.get() {
                    self.0.helpers.stop();
                }
                self.hear(reply);
            }
        }
    }

    /// Gives the worker that answers a result of another worker.
    fn forward(&self, id: u32, share: Share) {
        self.post(&Request { id, ask: Ask::Share(share) });
    }

    /// The worker cannot start, or had a fault: the page answers from now on.
    fn failed(&self) {
        self.0.helpers.terminate();
        let answering = matches!(self.0.there.replace(There::Refused), There::Ready(_));
        if let Some(Request { id, mut ask }) = self.0.waiting.take() {
            if let Ask::Answer { workers, .. } = &mut ask {
                *workers = 1;
            }
            self.answer_here(Request { id, ask });
        } else if answering {
            self.hear(Reply {
                id: self.0.id.get(),
                said: Said::Fault { message: "The worker of this page has stopped".to_owned() },
            });
        }
    }

    /// Answers on the page.
    fn answer_here(&self, request: Request) {
        let channel = Rc::downgrade(&self.0);
        let host = self
            .0
            .here
            .borrow_mut()
            .get_or_insert_with(|| {
                let host = Host::new(move |reply| {
                    if let Some(inner) = channel.upgrade() {
                        Self(inner).hear(reply);
                    }
                });
                if let Some(trace) = &*self.0.trace.borrow() {
                    host.ask((**trace).clone());
                }
                host
            })
            .clone();
        host.ask(request);
    }

    /// Passes a reply on, if it belongs to the newest question.
    fn hear(&self, reply: Reply) {
        if reply.id == self.0.id.get() {
            (self.0.hear)(reply.said);
        }
    }
}
