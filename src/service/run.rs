//! One question at a time, in short steps.

use std::sync::Arc;

use super::message::{Ask, Reply, Request, Said};
use crate::scenario::link::{self, Decoded};
use crate::serving::simulation::{Lengths, Replay};
use crate::sizing::SizingChoice;
use crate::traffic;
use crate::view::{Question, Views, Work};

/// Answers requests, and keeps what views have read and computed for later questions.
#[derive(Default)]
pub struct Service {
    /// The question that is being answered, with the number of its request.
    question: Option<(u32, Question)>,
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
    /// A reply to send; there may be more to do.
    Tell(Reply),
    /// This file, beside the program, is needed before the next step; see [`Service::supply`].
    Fetch(&'static str),
}

impl Service {
    /// Takes a request: a question replaces the one before it, and a trace the last trace.
    pub fn ask(&mut self, request: Request) {
        match request.ask {
            Ask::Answer { link, size } => {
                let mut questions = link::decode_all(&link).into_iter();
                let Decoded { scenario, part, .. } = questions.next().unwrap_or_else(|| link::decode(""));
                let pinned = questions.map(|pinned| pinned.scenario).collect();
                let replay = self.replayed(&scenario.sizing);
                let question = Question::new(scenario, size).opened(part).replaying(replay).beside(pinned);
                self.question = Some((request.id, question));
            }
            Ask::Trace { text } => {
                let read = traffic::read(&text);
                self.trace = read.map(|trace| (trace.checksum(), trace.replay())).or(self.trace.take());
            }
            Ask::Stop => self.question = None,
        }
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
        let Some((id, mut question)) = self.question.take() else { return Step::Idle };
        let said = match self.views.step(&question) {
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
