//! One request at a time, in short steps.

use super::constants;
use super::message::{Ask, Reply, Request, Said};
use super::search::Searches;
use super::serving::Servings;
use super::technology::Frontiers;
use super::validation::Validation;
use crate::answer::{self, Answer, Files};
use crate::figure::{Size, escape};
use crate::scenario::{Problem, Scenario, View, link};

/// What answers requests. It keeps what it has read and computed for the next ones.
#[derive(Debug, Default)]
pub struct Desk {
    /// The question that is being answered.
    question: Option<Question>,
    /// An answer to which something has to be added.
    more: Option<Request>,
    /// What was asked for in between and is ready.
    outbox: Vec<Reply>,
    validation: Validation,
    searches: Searches,
    servings: Servings,
    frontiers: Frontiers,
    files: Files,
}

/// A question that is being answered.
#[derive(Debug)]
struct Question {
    /// The number of its request.
    id: u32,
    scenario: Scenario,
    size: Size,
    /// Steps that were done when something of its answer was shown, if anything was.
    shown: Option<u32>,
}

/// What follows a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// There is nothing to do until the next request.
    Idle,
    /// Something to tell the page; there may be more to do.
    Tell(Reply),
    /// This file, which lies beside the program, is needed first: see [`Desk::supply`].
    Fetch(&'static str),
}

/// What is left to do before there is an answer.
pub(super) enum Work {
    /// A file has to be read.
    Fetch(&'static str),
    /// This many of so many steps are done.
    Progress(u32, u32),
    /// The same, and what is known so far.
    Partial(u32, u32, Answer),
    /// The answer.
    Done(Answer),
    /// There is none to such a question.
    Refused(Vec<Problem>),
}

impl From<Result<Answer, Vec<Problem>>> for Work {
    fn from(answer: Result<Answer, Vec<Problem>>) -> Self {
        answer.map_or_else(Self::Refused, Self::Done)
    }
}

impl Desk {
    /// Takes a request: a question in place of the one before, anything else beside it.
    pub fn ask(&mut self, request: Request) {
        let id = request.id;
        match request.ask {
            Ask::Answer { link, narrow } => {
                let scenario = link::decode(&link).scenario;
                self.question = Some(Question { id, scenario, size: size(narrow), shown: None });
            }
            Ask::More { .. } => self.more = Some(request),
            Ask::Stop => self.question = None,
            Ask::Constants { link } => {
                let said = match constants::form(&link::decode(&link).scenario) {
                    Ok(form) => Said::Constants { form },
                    Err(message) => Said::Constants { form: escape(&message) },
                };
                self.outbox.push(Reply { id, said });
            }
            Ask::File { link, narrow, of, format } => {
                let question = link::decode(&link).scenario;
                // The page answers this view itself, so that what it shows is made again here.
                if question.view == View::Training {
                    let size = size(narrow);
                    self.files = answer::training(&question, size).unwrap_or_default().files;
                    self.files.extend(answer::training_more(&question, size).unwrap_or_default().files);
                }
                let said = match self.files.text(&of, format) {
                    Some(text) => Said::File { of, format, text },
                    None => Said::Fault { message: format!("There is nothing called {of} to save") },
                };
                self.outbox.push(Reply { id, said });
            }
        }
    }

    /// Brings a file that was needed, or says why there is none.
    pub fn supply(&mut self, file: Result<&str, String>) {
        self.validation.read(file);
    }

    /// Does a little of what there is to do.
    pub fn step(&mut self) -> Step {
        if !self.outbox.is_empty() {
            return Step::Tell(self.outbox.remove(0));
        }
        let Some(question) = self.question.take() else { return self.add() };
        let id = question.id;
        let said = match self.work(&question) {
            Ok(Work::Fetch(file)) => {
                self.question = Some(question);
                return Step::Fetch(file);
            }
            Ok(Work::Progress(done, of)) => {
                self.question = Some(question);
                Said::Progress { done, of }
            }
            Ok(Work::Partial(done, of, Answer { headline, figures, files })) => {
                self.files = files;
                self.question = Some(Question { shown: Some(done), ..question });
                Said::Partial { done, of, headline, figures }
            }
            Ok(Work::Done(Answer { headline, figures, files })) => {
                self.files = files;
                Said::Answer { headline, figures }
            }
            Ok(Work::Refused(problems)) => Said::Refusal { problems },
            Err(message) => Said::Fault { message },
        };
        Step::Tell(Reply { id, said })
    }

    /// What stands below an answer, once there is nothing else to do.
    fn add(&mut self) -> Step {
        let Some(Request { id, ask: Ask::More { link, narrow } }) = self.more.take() else {
            return Step::Idle;
        };
        let scenario = link::decode(&link).scenario;
        let more = match scenario.view {
            View::Training => answer::training_more(&scenario, size(narrow)),
            View::Generations => answer::generations_more(&scenario, size(narrow)),
            View::Inference | View::Search | View::Technology | View::Validation => Ok(Answer::default()),
        };
        // What is wrong with the question was said with its answer.
        let Answer { figures, files, .. } = more.unwrap_or_default();
        self.files.extend(files);
        Step::Tell(Reply { id, said: Said::More { link, figures } })
    }

    fn work(&mut self, question: &Question) -> Result<Work, String> {
        let Question { ref scenario, size, shown, .. } = *question;
        Ok(match scenario.view {
            View::Training => answer::training(scenario, size).into(),
            View::Inference => self.servings.work(scenario, size, shown),
            View::Search => self.searches.work(scenario, size, shown),
            View::Generations => answer::generations(scenario, size).into(),
            View::Technology => self.frontiers.work(scenario, size, shown),
            View::Validation => self.validation.work(scenario, size)?,
        })
    }
}

fn size(narrow: bool) -> Size {
    if narrow { Size::Narrow } else { Size::Wide }
}
