//! Every view by its question: each does the steps of its answers, and all answers begin with the same notices.

use std::sync::Arc;

use super::entry::Entry;
use super::{
    Answer, Link, News, Notice, Part, Question, Work, Working, generations, inference, papers, search,
    sizing, technology, training, validation,
};
use crate::calibration;
use crate::figure::{MOST_PINNED, Size};
use crate::scenario::{Problem, Profile, Scenario, View};
use crate::system::AssumptionSet;
use crate::units::Amount;
use crate::validation::{Quantity, band, maker};

/// The views that were asked so far, each with what it keeps.
#[derive(Default)]
pub(crate) struct Views {
    asked: Vec<(View, Box<dyn Working>)>,
    /// The last answers of views that search, since a question may be pinned once it is answered.
    answers: Vec<(Scenario, Arc<Answer>)>,
    /// The pinned question that is being answered, and its own view, so that the other's search stays as it is.
    beside: Option<(Question, Box<dyn Working>)>,
}

impl Views {
    /// The view of such questions.
    pub(crate) fn of(&mut self, view: View) -> &mut dyn Working {
        let place = self.asked.iter().position(|(known, _)| *known == view).unwrap_or_else(|| {
            self.asked.push((view, (entry(view).start)()));
            self.asked.len() - 1
        });
        &mut *self.asked[place].1
    }

    /// Does the next step of a question. The answer's first news begin with the profile that is applied, what an
    /// import left out of its model, requests beyond the model's context, and a device without published runs.
    pub(crate) fn step(&mut self, question: &mut Question) -> Work {
        if searches(question.scenario.view) {
            if self.answer_pinned(question) {
                return Work::Progress(0, 1);
            }
            question.answers.clone_from(&self.answers);
        }
        let mut work = self.of(question.scenario.view).step(question);
        if let Work::Done(News::Whole(answer)) = &work
            && searches(question.scenario.view)
        {
            self.answers.retain(|(known, _)| question.pinned.contains(known));
            self.answers.push((question.scenario.clone(), Arc::new(answer.clone())));
        }
        if let Work::Partial(_, _, News::Whole(answer)) | Work::Done(News::Whole(answer)) = &mut work {
            let profile = profile(&question.scenario);
            let corrected = profile.is_some() && question.scenario.is_corrected();
            if corrected && answer.problems.is_empty() && !answer.lead.is_empty() {
                answer.lead.push_str(", with your calibration");
            }
            let asked = &question.scenario;
            let notices = [profile, left_out(asked), beyond_context(asked), without_range(asked)];
            answer.parts.splice(0..0, notices.into_iter().flatten().map(Part::Notice));
        }
        work
    }

    /// Does a step towards the answer to a pinned question that is not known yet. Returns false if all are known.
    fn answer_pinned(&mut self, question: &Question) -> bool {
        let own = &question.scenario;
        let drawn = question.pinned.iter().filter(|pinned| pinned.view == own.view && *pinned != own);
        let known = |pinned: &&Scenario| self.answers.iter().any(|(known, _)| known == *pinned);
        let Some(next) = drawn.take(MOST_PINNED).find(|pinned| !known(pinned)) else { return false };
        let (asked, mut view) = match self.beside.take() {
            Some((asked, view)) if asked.scenario == *next => (asked, view),
            _ => (Question::new(next.clone(), Size::Narrow), (entry(next.view).start)()),
        };
        let answer = match view.step(&asked) {
            Work::Done(News::Whole(answer)) => answer,
            Work::Progress(..) | Work::Partial(..) => {
                self.beside = Some((asked, view));
                return true;
            }
            // Without an answer there is nothing to draw.
            _ => Answer::default(),
        };
        self.answers.push((asked.scenario, Arc::new(answer)));
        true
    }

    /// Performs every step of a question; `read` supplies the text of a file beside the program.
    pub(crate) fn whole(
        &mut self,
        mut question: Question,
        read: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<Answer, Vec<Problem>> {
        let mut answer = Answer::default();
        loop {
            match self.step(&mut question) {
                Work::Fetch(name) => {
                    let file = read(name);
                    self.of(question.scenario.view).supply(file.as_deref().map_err(Clone::clone));
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

/// Returns true if a view's answers take so long that those of pinned questions are kept, and carry what is drawn of them.
const fn searches(view: View) -> bool {
    matches!(view, View::Search | View::Sizing | View::Technology)
}

/// Notice that a calibration profile is applied, with a link to the question without it.
fn profile(scenario: &Scenario) -> Option<Notice> {
    let sentence = scenario.profile_sentence().filter(|_| !scenario.view.is_published())?;
    let off = Scenario { profile: Profile { off: true, ..scenario.profile.clone() }, ..scenario.clone() };
    Some(Notice::new("profile", format!("{sentence}."), vec![Link::to("Without it", &off)]))
}

/// Parts that an import left out of the question's model, where the view's answer depends on it.
fn left_out(scenario: &Scenario) -> Option<Notice> {
    let depends = scenario.view != View::Technology && !scenario.view.is_published();
    let warnings = &scenario.architecture().ok().filter(|_| depends)?.warnings;
    let text = warnings.join(". ");
    (!text.is_empty()).then(|| Notice::new("left-out", format!("{text}."), Vec::new()))
}

/// Notice that the requests are longer than the context that the model was published with.
fn beyond_context(scenario: &Scenario) -> Option<Notice> {
    let serves = scenario.serves() && scenario.view != View::Technology;
    let model = scenario.architecture().ok().filter(|_| serves)?;
    let load = &scenario.inference;
    let length = load.input.saturating_add(load.output);
    let text = format!(
        "Prompt and output have {} tokens; {} was published with a context of {}. Servers refuse longer requests unless its \
         position embedding is extended.",
        Amount::count(length),
        model.name,
        Amount::count(model.max_sequence),
    );
    (length > model.max_sequence).then(|| Notice::new("context", text, Vec::new()))
}

/// Notice that an answer has no range, because too few rows are published on devices of the maker.
fn without_range(scenario: &Scenario) -> Option<Notice> {
    let (what, quantity) = match scenario.view {
        View::Training => ("training", Quantity::IterTime),
        View::Inference if scenario.inference.is_stream() => ("serving", Quantity::Tpot),
        View::Inference => ("requests", Quantity::RequestLatency),
        _ => return None,
    };
    let bare =
        scenario.assumptions == AssumptionSet::Calibrated && calibration::reach(scenario, quantity).is_none();
    let device = scenario.system.accelerator().ok().filter(|_| bare)?;
    let text = format!(
        "This prediction has no range: too few measurements of {what} on {} are published to estimate its error.",
        maker::devices(&device)
    );
    (!band::is_published(scenario, quantity)).then(|| Notice::new("no-range", text, Vec::new()))
}

/// The table of views.
pub(super) const fn entry(view: View) -> &'static Entry {
    match view {
        View::Training => &training::ENTRY,
        View::Inference => &inference::ENTRY,
        View::Sizing => &sizing::ENTRY,
        View::Search => &search::ENTRY,
        View::Generations => &generations::ENTRY,
        View::Technology => &technology::ENTRY,
        View::Papers => &papers::ENTRY,
        View::Validation => &validation::ENTRY,
    }
}

/// Machine names of the numbers that a view's answer can have. Documents and their adapters keep them.
pub const fn numbers(view: View) -> &'static [&'static str] {
    entry(view).numbers
}

/// Title of the page, without its own name: `Serving DeepSeek-V3 and R1 on 8 × MI355X`.
pub fn page_title(question: &Scenario) -> String {
    (entry(question.view).title)(question)
}

/// The first step of an answer: its cards and main figures. Views that search or read files have none.
pub fn first(scenario: &Scenario, size: Size) -> Result<Answer, Vec<Problem>> {
    match scenario.view {
        View::Training => training::first(&Question::new(scenario.clone(), size)),
        View::Inference => inference::first(&Question::new(scenario.clone(), size)),
        View::Generations => generations::first(scenario, size),
        _ => {
            let message = "only training, inference and generations have an answer in one step";
            Err(vec![Problem::new("view", message)])
        }
    }
}
