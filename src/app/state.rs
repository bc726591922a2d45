//! The question, and what all components share.
//!
//! Other files add methods for what they do with it: `fragment` visits other questions, `form::edit` applies edits, and `answer`
//! takes in the replies to a question.

mod dialog;
mod shown;
pub(super) mod slots;

use std::collections::BTreeMap;

use leptos::prelude::*;

use super::browser;
use super::compared;
use super::pinned;
use super::theme::Theme;
use crate::figure::Size;
use crate::scenario::fields::Form;
use crate::scenario::{Problem, Scenario, View};
use crate::view::{ALL, Section, section_of, sections};

pub(super) use self::dialog::{Dialog, Progress};
pub(super) use self::shown::{Head, Shown, Status, Subject};

/// What a page is opened with: the content of its address.
pub(crate) struct Opened {
    /// The question, the first one of a comparison.
    pub(crate) question: Scenario,
    /// The part of its answer that is open; empty for the first.
    pub(crate) part: String,
    /// Problems of the parts of the link that cannot be used.
    pub(crate) problems: Vec<Problem>,
    /// All questions of a comparison, where the address has several.
    pub(crate) compared: Option<Vec<Scenario>>,
    /// The questions that are pinned beside the first one, where the address has any.
    pub(crate) pinned: Option<Vec<Scenario>>,
}

/// Text typed into a control.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(super) text: String,
    /// Why the question does not hold it.
    pub(crate) error: Option<String>,
}

/// Returns true if a typed text cannot be read.
fn any_unread(typed: &BTreeMap<&str, Typed>) -> bool {
    typed.values().any(|typed| typed.error.is_some())
}

/// State shared by all components.
#[derive(Clone, Copy)]
pub(crate) struct State {
    /// The question as far as it could be read.
    pub(crate) scenario: RwSignal<Scenario>,
    /// The part of the answer that the link names; empty for the first.
    pub(crate) part: RwSignal<String>,
    /// The view that is shown.
    pub(crate) view: Memo<View>,
    /// Texts typed into the form's controls, by document path. Valid texts are also applied to the question.
    pub(crate) typed: RwSignal<BTreeMap<&'static str, Typed>>,
    /// Problems of the link.
    pub(crate) link_problems: RwSignal<Vec<Problem>>,
    /// The questions that are compared, the baseline first.
    pub(crate) compared: RwSignal<Vec<Scenario>>,
    /// The dialog that is open.
    pub(crate) dialog: RwSignal<Option<Dialog>>,
    /// Colour theme of the page.
    pub(crate) theme: RwSignal<Theme>,
    /// The size of figures.
    pub(crate) size: Memo<Size>,
    /// True if the question has no answer: a typed text cannot be read, or the question is refused.
    pub(crate) unanswered: Memo<bool>,
    /// The answer that is shown.
    pub(crate) shown: Shown,
}

impl State {
    /// The state of a page that was opened at this address.
    pub(crate) fn new(opened: Opened, size: Memo<Size>) -> Self {
        let Opened { question, part, problems, compared, pinned } = opened;
        pinned::pin(pinned.unwrap_or_default());
        let scenario = RwSignal::new(question);
        let view = Memo::new(move |_| scenario.with(|scenario| scenario.view));
        let typed: RwSignal<BTreeMap<&str, Typed>> = RwSignal::default();
        let shown = Shown::new();
        let unanswered = Memo::new(move |_| typed.with(any_unread) || shown.status.get() == Status::Refused);
        Self {
            scenario,
            part: RwSignal::new(part),
            view,
            typed,
            link_problems: RwSignal::new(problems),
            dialog: RwSignal::new(compared.is_some().then_some(Dialog::Compare)),
            compared: RwSignal::new(compared.unwrap_or_else(compared::stored)),
            theme: RwSignal::new(Theme::opened()),
            size,
            unanswered,
            shown,
        }
    }

    /// The form that is shown.
    pub(crate) fn form(self) -> Memo<Form> {
        Memo::new(move |_| self.scenario.with(Form::of))
    }

    /// Returns true if a text in the form cannot be read: the question then has the value from before the edit, which nobody
    /// asked for.
    pub(crate) fn unread(self) -> bool {
        self.typed.with_untracked(any_unread)
    }

    /// Returns true if the displayed answer may belong to an earlier question.
    pub(crate) fn outdated(self) -> bool {
        self.unanswered.get() || self.shown.outdated()
    }

    /// Asks another question in place of this one, in the same entry of the browser's history.
    pub(crate) fn replace(self, scenario: Scenario, link_problems: Vec<Problem>) {
        self.typed.set(BTreeMap::new());
        self.link_problems.set(link_problems);
        self.scenario.set(scenario);
    }

    /// The open section; `None` if all are shown, as inside another page.
    pub(crate) fn section(self) -> Option<&'static Section> {
        let (view, part) = (self.view.get(), self.part.get());
        if browser::embedded() || part == ALL {
            return None;
        }
        let there = |section: &&Section| self.has_parts_of(section);
        let named = section_of(view, &part).filter(|section| there(section) || !self.shown.settled());
        named.or_else(|| sections(view).iter().find(there)).or_else(|| sections(view).first())
    }

    /// The open section, if none of its parts has been computed yet.
    pub(crate) fn awaited(self) -> Option<&'static Section> {
        self.section().filter(|section| !self.shown.settled() && !self.has_parts_of(section))
    }

    fn has_parts_of(self, section: &Section) -> bool {
        self.shown.slots.with(|slots| slots.iter().any(|slot| section.parts.contains(&slot.id())))
    }

    /// Problem of a field: that of the typed text, otherwise that of the scenario; empty if there is none.
    pub(crate) fn message(self, path: &str) -> String {
        if let Some(message) = self.typed.with(|typed| typed.get(path)?.error.clone()) {
            return message;
        }
        self.shown.problems.with(|problems| {
            let mine = problems.iter().filter(|problem| problem.field == path);
            mine.map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("; ")
        })
    }
}

/// The state, which the page provides.
pub(crate) fn state() -> State {
    expect_context()
}
