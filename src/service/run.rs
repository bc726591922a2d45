//! One question at a time, in short steps.

use std::sync::Arc;

use super::message::{Ask, Reply, Request, Said};
use crate::calibration::MAX_ROWS;
use crate::figure::Size;
use crate::scenario::link::{self, Decoded};
use crate::serving::simulation::{Lengths, Replay};
use crate::sizing::{Searcher, Share, SizingChoice};
use crate::traffic;
use crate::view::{Question, Views, Work};

/// Answers requests, and keeps what views have read and computed for later questions.
#[derive(Default)]
pub struct Service {
    /// The question that is being answered, with the number of its request.
    question: Option<(u32, Question)>,
    /// Results of the last step that are not sent yet.
    shares: Vec<Share>,
    /// The views that were asked so far.
    views: Views,
    /// The opened trace, with its checksum.
    trace: Option<(u32, Arc<Replay>)>,
}

/// Result of a step of the service.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// No work until the next request.
    Idle,
    /// No reply yet; the question needs more steps.
    Busy,
    /// A reply to send; there may be more to do.
    Tell(Reply),
    /// This file, beside the program, is needed before the next step; see [`Service::supply`].
    Fetch(&'static str),
}

impl Service {
    /// Takes a request: a question replaces the one before it, and a trace the last trace.
    pub fn ask(&mut self, request: Request) {
        if !matches!(request.ask, Ask::Share(_) | Ask::Trace { .. }) {
            self.shares.clear();
        }
        match request.ask {
            Ask::Answer { link, size, workers } => {
                let question = self.read(&link, size).shared(Searcher { index: 0, count: workers });
                self.question = Some((request.id, question));
            }
            Ask::Help { link, index, workers } => {
                let question = self.read(&link, Size::Narrow).shared(Searcher { index, count: workers });
                self.question = Some((request.id, question));
            }
            Ask::Share(share) => {
                if let Some((_, question)) = self.question.as_ref().filter(|(id, _)| *id == request.id) {
                    self.views.of(question.scenario.view).take(question, share);
                }
            }
            Ask::Trace { text } => {
                let read = traffic::read(&text);
                self.trace = read.ok().map(|trace| (trace.checksum(), trace.replay())).or(self.trace.take());
            }
            Ask::Stop => self.question = None,
        }
    }

    /// The question of a link.
    fn read(&self, link: &str, size: Size) -> Question {
        let mut questions = link::decode_up_to(link, 1 + MAX_ROWS).into_iter();
        let Decoded { scenario, part, .. } = questions.next().unwrap_or_else(|| link::decode(""));
        let pinned = questions.map(|pinned| pinned.scenario).collect();
        let replay = self.replayed(&scenario.sizing);
        Question::new(scenario, size).opened(part).replaying(replay).beside(pinned)
    }

    /// The trace that a question names, if it is the opened one.
    fn replayed(&self, asked: &SizingChoice) -> Option<Arc<Replay>> {
        let (checksum, replay) = self.trace.as_ref()?;
        (asked.lengths == Lengths::Trace && asked.trace == *checksum).then(|| replay.clone())
    }

    /// Receives the text of a requested file, or the reason of a failure. Ignored without a question.
    pub fn supply(&mut self, file: Result<&str, String>) {
        if let Some((_, question)) = &self.question {
            let view = question.scenario.view;
            self.views.of(view).supply(file);
        }
    }

    /// Does some milliseconds of work.
    pub fn step(&mut self) -> Step {
        let Some((id, question)) = self.question.take() else { return Step::Idle };
        if let Some(share) = self.shares.pop() {
            self.question = Some((id, question));
            return Step::Tell(Reply { id, said: Said::Share(share) });
        }
        if question.searcher.index > 0 { self.help(id, question) } else { self.answer(id, question) }
    }

    /// One step of a question that another worker answers.
    fn help(&mut self, id: u32, question: Question) -> Step {
        let view = self.views.of(question.scenario.view);
        let more = view.help(&question);
        self.shares = view.shares();
        if !more && self.shares.is_empty() {
            return Step::Idle;
        }
        self.question = Some((id, question));
        Step::Busy
    }

    /// One step towards the answer of a question.
    fn answer(&mut self, id: u32, mut question: Question) -> Step {
        let work = self.views.step(&mut question);
        let shares = self.views.of(question.scenario.view).shares();
        self.shares = if question.searcher.count > 1 { shares } else { Vec::new() };
        let said = match work {
            Work::Fetch(file) => {
                self.question = Some((id, question));
                return Step::Fetch(file);
            }
            Work::Progress(done, of) => {
                self.question = Some((id, question));
                Said::Progress { done, of }
            }
            Work::Partial(done, of, news) => {
                question.shown = Some(done);
                self.question = Some((id, question));
                Said::Partial { done, of, news }
            }
            Work::Done(news) => Said::Answer(news),
            Work::Refused(problems) => Said::Refused(problems),
            Work::Fault(message) => Said::Fault { message },
        };
        Step::Tell(Reply { id, said })
    }
}
