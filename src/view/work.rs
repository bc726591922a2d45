//! Steps towards an answer, the same for every view.

use std::sync::Arc;

use super::differences::difference;
use super::sections::PUBLISHED;
use super::{Answer, News, Notice, Part};
use crate::figure::{Comparable, Pinned, Size};
use crate::scenario::{Problem, Scenario};
use crate::serving::simulation::Replay;
use crate::sizing::{Searcher, Share};

/// A question that is being answered.
#[derive(Debug)]
pub(crate) struct Question {
    /// The question.
    pub(crate) scenario: Scenario,
    /// The shape of the space that figures are drawn for.
    pub(crate) size: Size,
    /// Name of the open part of the answer, as in links; empty for the first part.
    pub(crate) open: String,
    /// Steps that were done when news of the answer were last sent; absent before the first.
    pub(crate) shown: Option<u32>,
    /// The opened trace whose requests the question simulates, if it is at hand.
    pub(crate) replay: Option<Arc<Replay>>,
    /// Questions whose curves are drawn beside this one's; for Validation, the measured rows that the visitor has collected.
    pub(crate) pinned: Vec<Scenario>,
    /// Answers to pinned questions of views that search.
    pub(crate) answers: Vec<(Scenario, Arc<Answer>)>,
    /// Place of this worker among those that work on the question.
    pub(crate) searcher: Searcher,
}

impl Question {
    /// A question of which nothing is shown yet.
    pub(crate) const fn new(scenario: Scenario, size: Size) -> Self {
        Self {
            scenario,
            size,
            open: String::new(),
            shown: None,
            replay: None,
            pinned: Vec::new(),
            answers: Vec::new(),
            searcher: Searcher::ALONE,
        }
    }

    /// This question, with the trace of requests that it names.
    pub(crate) fn replaying(self, replay: Option<Arc<Replay>>) -> Self {
        Self { replay, ..self }
    }

    /// This question, with others pinned beside it.
    pub(crate) fn beside(self, pinned: Vec<Scenario>) -> Self {
        Self { pinned, ..self }
    }

    /// The measured rows that the visitor has collected, without the question's own values; for Validation.
    pub(crate) fn collected(&self) -> impl Iterator<Item = &Scenario> {
        self.pinned.iter().filter(|other| other.measured != self.scenario.measured)
    }

    /// The data of the pinned questions of the same view, with names; those without an answer are left out.
    pub(crate) fn pinned<T>(&self, of: impl Fn(&Scenario) -> Result<T, Vec<Problem>>) -> Vec<Pinned<T>> {
        let alike = |other: &&Scenario| other.view == self.scenario.view && **other != self.scenario;
        let alike = self.pinned.iter().filter(alike);
        let named = |other: &Scenario| {
            let of = of(other).ok()?;
            Some(Pinned { name: difference(&self.scenario, other), of })
        };
        alike.filter_map(named).collect()
    }

    /// The values of a figure in the answers to pinned questions, for views that search.
    pub(crate) fn searched(&self, figure: &str) -> Vec<Pinned<Vec<Comparable>>> {
        self.pinned(|other| {
            let (_, answer) = self.answers.iter().find(|(known, _)| known == other).ok_or_else(Vec::new)?;
            let found = answer.figures().find(|known| known.id == figure).ok_or_else(Vec::new)?;
            Ok(found.compared.clone())
        })
    }

    /// This question, as one of several workers answers it.
    pub(crate) fn shared(self, searcher: Searcher) -> Self {
        Self { searcher, ..self }
    }

    /// This question, with another part of its answer open.
    pub(crate) fn opened(self, part: String) -> Self {
        Self { open: part, ..self }
    }

    /// Returns true if the section of published rows is open, in a view that has it.
    pub(crate) fn opens_published(&self) -> bool {
        self.open == PUBLISHED
    }
}

/// Result of a step of work.
#[derive(Debug)]
pub(crate) enum Work {
    /// This file, beside the program, is needed first.
    Fetch(&'static str),
    /// Numbers of completed and of all steps, without news to show.
    Progress(u32, u32),
    /// Numbers of completed and of all steps, with news of the answer.
    Partial(u32, u32, News),
    /// The answer is complete with these news.
    Done(News),
    /// The question has no answer.
    Refused(Vec<Problem>),
    /// Something other than the question is wrong, in a sentence without a full stop.
    Fault(String),
}

impl From<Result<Answer, Vec<Problem>>> for Work {
    fn from(answer: Result<Answer, Vec<Problem>>) -> Self {
        answer.map_or_else(Self::Refused, |answer| Self::Done(News::Whole(answer)))
    }
}

/// A view at work. It may keep what it has read and computed for later questions.
pub(crate) trait Working {
    /// Does some milliseconds of work for a question.
    fn step(&mut self, question: &Question) -> Work;

    /// Does some milliseconds of work for a question that another worker answers. Returns false if nothing is left to do.
    fn help(&mut self, question: &Question) -> bool {
        let _ = question;
        false
    }

    /// Results found since the last call, for the other workers on the question.
    fn shares(&mut self) -> Vec<Share> {
        Vec::new()
    }

    /// Takes a result of another worker.
    fn take(&mut self, question: &Question, share: Share) {
        let _ = (question, share);
    }

    /// Receives the text of the file that [`Work::Fetch`] named, or the reason of a failure.
    fn supply(&mut self, file: Result<&str, String>) {
        drop(file);
    }
}

/// A stage of an answer below its first: its machine name and what it computes.
pub(super) type Stage = (&'static str, fn(&Question) -> Result<Vec<Part>, Vec<Problem>>);

/// One step of an answer in stages: the first stage decides whether there is an answer at all; a later one that is
/// refused leaves a notice in its place.
pub(super) fn staged(
    question: &Question,
    first: fn(&Question) -> Result<Answer, Vec<Problem>>,
    later: &[Stage],
) -> Work {
    let (done, news) = match question.shown {
        None => match first(question) {
            Ok(answer) => (1, News::Whole(answer)),
            Err(problems) => return Work::Refused(problems),
        },
        Some(done) => {
            let parts = later.get(done as usize - 1).map(|(id, stage)| {
                stage(question).unwrap_or_else(|problems| vec![Notice::refused(id, &problems).into()])
            });
            (done + 1, News::More(parts.unwrap_or_default()))
        }
    };
    let of = 1 + later.len() as u32;
    if done < of { Work::Partial(done, of, news) } else { Work::Done(news) }
}
