//! Steps towards an answer, the same for every view.

use std::sync::Arc;

use super::sections::opens_published;
use super::{
    Answer, Link, News, Notice, Part, comparison, generations, inference, papers, search, sizing, technology,
    training, validation,
};
use crate::figure::{Pinned, Size};
use crate::scenario::{Problem, Profile, Scenario, View, link};
use crate::serving::simulation::Replay;
use crate::sizing::{Searcher, Share};
use crate::units::Amount;

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
            searcher: Searcher::ALONE,
        }
    }

    /// The same question with the trace that it names.
    pub(crate) fn replaying(self, replay: Option<Arc<Replay>>) -> Self {
        Self { replay, ..self }
    }

    /// The same question beside others.
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
            Some(Pinned { name: comparison::difference(&self.scenario, other), of })
        };
        alike.filter_map(named).collect()
    }

    /// The same question as one of several workers works on it.
    pub(crate) fn shared(self, searcher: Searcher) -> Self {
        Self { searcher, ..self }
    }

    /// The same question with another part of its answer open.
    pub(crate) fn opened(self, part: String) -> Self {
        Self { open: part, ..self }
    }

    /// Returns true if the section of published rows is open.
    pub(crate) fn opens_published(&self) -> bool {
        opens_published(self.scenario.view, &self.open)
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

/// The views that were asked so far, each with what it keeps.
#[derive(Default)]
pub(crate) struct Views(Vec<(View, Box<dyn Working>)>);

impl Views {
    /// The view of such questions.
    pub(crate) fn of(&mut self, view: View) -> &mut dyn Working {
        let place = self.0.iter().position(|(known, _)| *known == view).unwrap_or_else(|| {
            self.0.push((view, of(view)));
            self.0.len() - 1
        });
        &mut *self.0[place].1
    }

    /// Does the next step of a question. The answer's first news begin with the profile that is applied, what an
    /// import left out of its model, and requests beyond the model's context.
    pub(crate) fn step(&mut self, question: &Question) -> Work {
        let mut work = self.of(question.scenario.view).step(question);
        if let Work::Partial(_, _, News::Whole(answer)) | Work::Done(News::Whole(answer)) = &mut work {
            let profile = profile(&question.scenario);
            let corrected = profile.is_some() && question.scenario.is_corrected();
            if corrected && answer.problems.is_empty() && !answer.lead.is_empty() {
                answer.lead.push_str(", with your calibration");
            }
            let notices = [profile, left_out(&question.scenario), beyond_context(&question.scenario)];
            answer.parts.splice(0..0, notices.into_iter().flatten().map(Part::Notice));
        }
        work
    }

    /// Performs every step of a question; `read` supplies the text of a file beside the program.
    pub(crate) fn whole(
        &mut self,
        scenario: &Scenario,
        size: Size,
        read: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<Answer, Vec<Problem>> {
        let mut question = Question::new(scenario.clone(), size);
        let mut answer = Answer::default();
        loop {
            match self.step(&question) {
                Work::Fetch(name) => {
                    let file = read(name);
                    self.of(scenario.view).supply(file.as_deref().map_err(Clone::clone));
                }
                Work::Progress(..) => {}
                Work::Partial(done, _, news) => {
                    question.shown = Some(done);
                    answer.take(news);
                }
                Work::Done(news) => {
                    answer.take(news);
                    return Ok(answer);
                }
                Work::Refused(problems) => return Err(problems),
                Work::Fault(message) => return Err(vec![Problem::new("view", message)]),
            }
        }
    }
}

/// Notice that a calibration profile is applied, with a link to the question without it.
fn profile(scenario: &Scenario) -> Option<Notice> {
    let sentence = scenario.profile_sentence().filter(|_| !scenario.view.is_published())?;
    let off = Scenario { profile: Profile { off: true, ..scenario.profile.clone() }, ..scenario.clone() };
    let link = Link { text: "Without it".to_owned(), link: link::encode(&off), ..Link::default() };
    Some(Notice { id: "profile".to_owned(), text: format!("{sentence}."), links: vec![link] })
}

/// Parts that an import left out of the question's model, where the view's answer depends on it.
fn left_out(scenario: &Scenario) -> Option<Notice> {
    let depends = scenario.view != View::Technology && !scenario.view.is_published();
    let warnings = &scenario.architecture().ok().filter(|_| depends)?.warnings;
    let text = warnings.join(". ");
    (!text.is_empty()).then(|| Notice {
        id: "left-out".to_owned(),
        text: format!("{text}."),
        links: Vec::new(),
    })
}

/// Notice that the requests are longer than the context that the model was published with.
fn beyond_context(scenario: &Scenario) -> Option<Notice> {
    let serves = scenario.serves() && scenario.view != View::Technology;
    let model = scenario.architecture().ok().filter(|_| serves)?;
    let load = &scenario.inference;
    let length = load.input.saturating_add(load.output);
    (length > model.max_sequence).then(|| Notice {
        id: "context".to_owned(),
        text: format!(
            "Prompt and output have {} tokens; {} was published with a context of {}. Servers refuse longer requests unless its \
             position embedding is extended.",
            Amount::count(length),
            model.name,
            Amount::count(model.max_sequence),
        ),
        links: Vec::new(),
    })
}

/// The view that answers such questions: one arm for each view.
fn of(view: View) -> Box<dyn Working> {
    match view {
        View::Training => Box::<training::Training>::default(),
        View::Inference => Box::new(inference::Inference::default()),
        View::Sizing => Box::new(sizing::Sizing::default()),
        View::Search => Box::new(search::Searching::default()),
        View::Generations => Box::new(generations::Generations::default()),
        View::Technology => Box::new(technology::Frontiers::default()),
        View::Papers => Box::new(papers::Papers::default()),
        View::Validation => Box::new(validation::Validating::default()),
    }
}

/// The first step of an answer: its cards and main figures. Views that search or read files have none.
pub fn first(scenario: &Scenario, size: Size) -> Result<Answer, Vec<Problem>> {
    match scenario.view {
        View::Training => training::first(&Question::new(scenario.clone(), size)),
        View::Inference => inference::first(&Question::new(scenario.clone(), size)),
        View::Generations => generations::first(scenario, size),
        View::Sizing | View::Search | View::Technology | View::Papers | View::Validation => {
            Err(vec![Problem::new(
                "view",
                "only training, inference and generations have an answer in one step",
            )])
        }
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
