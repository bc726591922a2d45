//! The answer that is shown, and how a newer one comes about: on the page for its first view, elsewhere for others.

use std::cell::{Cell, RefCell};

use gloo::timers::callback::Timeout;
use leptos::prelude::*;

use super::state::State;
use super::{export, remote};
use crate::answer::{self, Answer, Format};
use crate::figure::Size;
use crate::form::Form;
use crate::scenario::{Problem, View, link};
use crate::system::AssumptionSet;
use crate::worker::{Ask, Said};

/// How long an answer may take before that is said. Most are there sooner, and would only flicker.
const PATIENCE_MS: u32 = 250;

/// What is known of the answer.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    /// Cards of numbers.
    pub(crate) headline: RwSignal<String>,
    /// Figures and tables.
    pub(crate) figures: RwSignal<String>,
    /// The form.
    pub(crate) form: RwSignal<Form>,
    /// Whether it is whole, or known to stay as it is.
    pub(crate) formed: RwSignal<bool>,
    /// The question whose form was asked for last.
    pub(crate) form_of: StoredValue<String>,
    /// Figures and tables below these, which come later.
    pub(crate) more: RwSignal<String>,
    /// How those are doing.
    pub(crate) rest: RwSignal<Rest>,
    /// The form of constants.
    pub(crate) constants: RwSignal<String>,
    /// How the answer is doing.
    pub(crate) status: RwSignal<Status>,
    /// What is wrong with the question.
    pub(crate) problems: RwSignal<Vec<Problem>>,
    /// The question that is shown.
    question: StoredValue<Question>,
    /// The question that was asked last.
    asked: StoredValue<Question>,
}

/// How the answer is doing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Status {
    /// The first of its view is asked for.
    Asked,
    /// It takes its time; so many steps of so many are done.
    Waiting(u32, u32),
    /// What is known of it is there, and the rest is to come: so many steps of so many are done.
    Growing(u32, u32),
    /// It is there.
    Answered,
    /// The question has none; what is shown is of an earlier one.
    Refused,
    /// Somebody called it off.
    Cancelled,
    /// It is there, but something beside it is not, and this is why.
    Incomplete(String),
    /// There is none, and this is why.
    Failed(String),
}

/// How what stands below an answer is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rest {
    /// It is there, or known not to come.
    There,
    /// It is asked for.
    Due,
    /// It takes its time; what is shown is of an earlier question.
    Late,
}

/// What an answer depends on.
#[derive(Clone, Default)]
struct Question {
    view: Option<View>,
    link: String,
    narrow: bool,
    /// What is wrong with it although it has an answer.
    objections: Vec<Problem>,
}

impl Question {
    /// Whether both have the same answer.
    fn is(&self, other: &Self) -> bool {
        self.link == other.link && self.narrow == other.narrow
    }
}

thread_local! {
    static SHOWN: Cell<Option<Shown>> = const { Cell::new(None) };
    /// Runs out when an answer is late.
    static LATE: RefCell<Option<Timeout>> = const { RefCell::new(None) };
    /// Runs out when what stands below it is.
    static REST_LATE: RefCell<Option<Timeout>> = const { RefCell::new(None) };
}

impl Shown {
    pub(crate) fn new() -> Self {
        Self {
            headline: RwSignal::default(),
            figures: RwSignal::default(),
            more: RwSignal::default(),
            rest: RwSignal::new(Rest::There),
            form: RwSignal::default(),
            formed: RwSignal::new(false),
            form_of: StoredValue::default(),
            constants: RwSignal::default(),
            status: RwSignal::new(Status::Asked),
            problems: RwSignal::default(),
            question: StoredValue::default(),
            asked: StoredValue::default(),
        }
    }

    /// Whether nothing more is to come.
    pub(crate) fn settled(self) -> bool {
        self.formed.get()
            && self.rest.get() == Rest::There
            && !matches!(self.status.get(), Status::Asked | Status::Waiting(..) | Status::Growing(..))
    }

    /// Whether what is shown is not known to be of the question.
    pub(crate) fn doubtful(self) -> bool {
        !matches!(self.status.get(), Status::Growing(..) | Status::Answered | Status::Incomplete(_))
    }

    /// Asks for a file of what is shown.
    pub(crate) fn save(self, of: String, format: Format) {
        let Question { link, narrow, .. } = self.question.get_value();
        remote::ask(Ask::File { link, narrow, of, format }, hear);
    }

    fn show(self, headline: String, figures: String) {
        let question = self.asked.get_value();
        self.problems.set(question.objections.clone());
        self.question.set_value(question);
        self.headline.set(headline);
        self.figures.set(figures);
        self.settle(Status::Answered);
    }

    /// Asks for what stands below what is shown.
    fn ask_more(self) {
        let Question { link, narrow, .. } = self.question.get_value();
        self.rest.set(Rest::Due);
        REST_LATE.set(Some(Timeout::new(PATIENCE_MS, move || self.rest.set(Rest::Late))));
        remote::ask(Ask::More { link, narrow }, hear);
    }

    fn rest_there(self) {
        REST_LATE.set(None);
        self.rest.set(Rest::There);
    }

    fn refuse(self, problems: Vec<Problem>) {
        self.problems.set(problems);
        self.settle(Status::Refused);
    }

    fn settle(self, status: Status) {
        LATE.set(None);
        self.status.set(status);
    }

    fn hear(self, said: Said) {
        match said {
            Said::Ready => {}
            Said::Progress { done, of } => {
                let shown = self.question.with_value(|shown| self.asked.with_value(|asked| shown.is(asked)));
                self.settle(if shown { Status::Growing(done, of) } else { Status::Waiting(done, of) });
            }
            Said::Partial { done, of, headline, figures } => {
                self.show(headline, figures);
                self.settle(Status::Growing(done, of));
            }
            Said::Answer { headline, figures } => {
                self.show(headline, figures);
                self.ask_more();
            }
            Said::More { link, figures } => {
                if self.question.with_value(|question| question.link == link) {
                    self.more.set(figures);
                    self.rest_there();
                }
            }
            Said::Refusal { problems } => self.refuse(problems),
            Said::Form { link, form } => {
                if self.form_of.with_value(|of| *of == link) {
                    self.form.set(form);
                    self.formed.set(true);
                }
            }
            Said::Constants { form } => self.constants.set(form),
            Said::File { of, format, text } => match format {
                Format::Svg => export::svg(&text, &of),
                Format::Png => export::png(&text, &of),
                Format::Csv => export::csv(&text, &of),
            },
            Said::Fault { message } => {
                self.formed.set(true);
                self.rest_there();
                let answered = !self.doubtful();
                self.settle(if answered { Status::Incomplete(message) } else { Status::Failed(message) });
            }
        }
    }
}

/// Passes on what the second program says.
pub(crate) fn hear(said: Said) {
    if let Some(shown) = SHOWN.get() {
        shown.hear(said);
    }
}

/// Asks, and asks anew whenever the question changes.
pub(crate) fn follow(state: State) {
    SHOWN.set(Some(state.shown));
    ask(state);
    let changes = move || {
        state.scenario.track();
        state.epoch.track();
        state.narrow.track();
    };
    Effect::watch(changes, move |(), _, _: Option<()>| ask(state), false);
}

/// Asks the question as it is now.
pub(crate) fn ask(state: State) {
    let (shown, narrow) = (state.shown, state.narrow.get_untracked());
    let question = state.scenario.get_untracked();
    let view = question.view;
    if shown.question.with_value(|last| last.view != Some(view)) {
        shown.question.set_value(Question { view: Some(view), ..Question::default() });
        shown.headline.set(String::new());
        shown.figures.set(String::new());
        shown.more.set(String::new());
        shown.rest_there();
        shown.problems.set(Vec::new());
        shown.settle(Status::Asked);
    }
    let objections = question.unresolved();
    // The errors are of other questions, each with a device of its own.
    if !objections.is_empty() && view != View::Validation {
        remote::stop();
        return shown.refuse(objections);
    }
    let link = link::encode(&question);
    shown.asked.set_value(Question { view: Some(view), link: link.clone(), narrow, objections });
    // Another set's equations are its authors' own, and so rarely asked for that the second program has them alone.
    if view == View::Training && question.assumptions != AssumptionSet::Subramanian2024 {
        remote::stop();
        let size = if narrow { Size::Narrow } else { Size::Wide };
        return match answer::training_by_operators(&question, size) {
            Ok(Answer { headline, figures, .. }) => {
                shown.show(headline, figures);
                shown.ask_more();
            }
            Err(problems) => shown.refuse(problems),
        };
    }
    if matches!(view, View::Validation | View::Search | View::Technology) {
        // It is slow, and may be called off from the beginning.
        shown.settle(Status::Waiting(0, 0));
    } else {
        LATE.set(Some(Timeout::new(PATIENCE_MS, move || shown.status.set(Status::Waiting(0, 0)))));
    }
    remote::ask(Ask::Answer { link, narrow }, hear);
}

/// Calls the answer off.
pub(crate) fn cancel(state: State) {
    remote::stop();
    state.shown.settle(Status::Cancelled);
}
