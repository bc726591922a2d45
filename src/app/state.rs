//! The question, and what all components share.

use std::collections::BTreeMap;

use leptos::prelude::*;

use super::answer::{Shown, Status};
use super::browser;
use super::dialogs::{self, Dialog};
use super::form::Typed;
use super::fragment::{self, Opened};
use super::pinned;
use super::theme::Theme;
use crate::figure::Size;
use crate::scenario::fields::Form;
use crate::scenario::{Problem, Scenario, View};
use crate::view::{ALL, Section, section_of, sections};

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
        let unread = move || typed.with(|typed| typed.values().any(|typed| typed.error.is_some()));
        let unanswered = Memo::new(move |_| unread() || shown.status.get() == Status::Refused);
        Self {
            scenario,
            part: RwSignal::new(part),
            view,
            typed,
            link_problems: RwSignal::new(problems),
            dialog: RwSignal::new(compared.is_some().then_some(Dialog::Compare)),
            compared: RwSignal::new(compared.unwrap_or_else(dialogs::stored)),
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

    /// Asks another question in a new entry of the browser's history, so that the back button returns to this one. Within
    /// a view, the same part of the answer stays open.
    pub(crate) fn visit(self, scenario: Scenario) {
        let same = self.view.get_untracked() == scenario.view;
        let part = if same { self.part.get_untracked() } else { String::new() };
        self.visit_at(scenario, part);
    }

    /// Asks another question in a new entry of the browser's history, and opens a part of its answer.
    pub(crate) fn visit_at(self, scenario: Scenario, part: String) {
        fragment::flush();
        fragment::push(&scenario, &part);
        self.part.set(part);
        self.replace(scenario, Vec::new());
    }

    /// Opens a part of this answer in a new entry of the browser's history.
    pub(crate) fn open(self, part: &str) {
        fragment::flush();
        self.scenario.with_untracked(|scenario| fragment::push(scenario, part));
        self.part.set(part.to_owned());
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
