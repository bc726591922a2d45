//! What is shown of the answer. `answer` takes in the replies that change it.

use gloo::timers::callback::Timeout;
use leptos::prelude::*;

use super::slots::Slot;
use crate::app::channel::Channel;
use crate::catalog::{Accelerator, Architecture};
use crate::scenario::{Choice, Problem, Scenario, View};
use crate::view::{Answer, Card, Notice};

/// Displayed state of an answer.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    /// The sentence and the offers above the numbers.
    pub(crate) head: RwSignal<Head>,
    /// The numbers of the headline.
    pub(crate) cards: RwSignal<Vec<Card>>,
    /// Figures, tables and notices.
    pub(crate) slots: RwSignal<Vec<Slot>>,
    /// Status of the newest question.
    pub(crate) status: RwSignal<Status>,
    /// Steps done and steps in all while a progress bar is shown; both are 0 until they are known.
    pub(crate) progress: RwSignal<Option<(u32, u32)>>,
    /// Age of the displayed answer.
    pub(crate) age: RwSignal<Age>,
    /// Problems of the question.
    pub(crate) problems: RwSignal<Vec<Problem>>,
    /// What is known of the newest question.
    pub(in crate::app) newest: StoredValue<Newest>,
    /// Subject of the displayed answer.
    pub(in crate::app) subject: StoredValue<Option<Subject>>,
    /// Channel to the service, which exists from the first question on.
    pub(in crate::app) channel: StoredValue<Option<Channel>, LocalStorage>,
    /// The timer that shows the progress bar of a late answer.
    pub(in crate::app) patience: StoredValue<Option<Timeout>, LocalStorage>,
}

/// The top of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// The answer in a sentence; empty if the view has none.
    pub(crate) sentence: String,
    /// Questions with better results, or with an answer if this one has none.
    pub(crate) offers: Vec<Notice>,
    /// True if the offers are those of an earlier question, which stay until this one's are known.
    pub(crate) earlier: bool,
}

/// What is known of the newest question.
#[derive(Default)]
pub(in crate::app) struct Newest {
    /// Number of displayed slots that belong to its answer, from the first on.
    pub(in crate::app) slots: usize,
    /// True if the displayed offers belong to its answer.
    pub(in crate::app) offers: bool,
    /// Its problems that do not prevent an answer.
    pub(in crate::app) objections: Vec<Problem>,
}

/// Age of the displayed answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Age {
    /// True if the answer belongs to the newest question, even if parts of it are still computed.
    pub(crate) fresh: bool,
    /// True until the first question of a view is answered completely or refused.
    pub(crate) blank: bool,
}

/// Status of the newest question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Status {
    /// The answer is not complete yet.
    Working,
    /// The answer is complete.
    Answered,
    /// The question has no answer; its problems state the reasons.
    Refused,
    /// The visitor cancelled it.
    Cancelled,
    /// The answer failed for a reason that is not the question's: a sentence.
    Failed(String),
}

/// Subject of an answer. An answer is not shown for a question with another subject that has no answer.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::app) struct Subject {
    pub(in crate::app) view: View,
    model: Choice<Architecture>,
    accelerator: Choice<Accelerator>,
}

impl Subject {
    pub(in crate::app) fn of(question: &Scenario) -> Self {
        Self {
            view: question.view,
            model: question.model.clone(),
            accelerator: question.system.accelerator.clone(),
        }
    }
}

impl Shown {
    pub(crate) fn new() -> Self {
        Self {
            head: RwSignal::default(),
            cards: RwSignal::default(),
            slots: RwSignal::default(),
            status: RwSignal::new(Status::Working),
            progress: RwSignal::default(),
            age: RwSignal::new(Age { fresh: false, blank: true }),
            problems: RwSignal::default(),
            newest: StoredValue::default(),
            subject: StoredValue::default(),
            channel: StoredValue::new_local(None),
            patience: StoredValue::new_local(None),
        }
    }

    /// Returns true if the answer is complete, or if there will be none.
    pub(crate) fn settled(self) -> bool {
        self.status.get() != Status::Working
    }

    /// Returns true if nothing is shown.
    pub(crate) fn is_empty(self) -> bool {
        self.head.with(|head| head.sentence.is_empty())
            && self.cards.with(Vec::is_empty)
            && self.slots.with(Vec::is_empty)
    }

    /// Returns true until the first figure, table or notice of a view is shown, or it is certain that there is none.
    pub(crate) fn bare(self) -> bool {
        self.age.get().blank && self.slots.with(Vec::is_empty)
    }

    /// Returns true if the displayed answer has belonged to an earlier question for a while.
    pub(crate) fn outdated(self) -> bool {
        let late = self.progress.get().is_some();
        !self.age.get().fresh && (late || !matches!(self.status.get(), Status::Working | Status::Answered))
    }

    /// The displayed answer, if it is the newest question's and complete.
    pub(crate) fn complete(self) -> Option<Answer> {
        (self.age.get().fresh && self.status.get() == Status::Answered).then(|| {
            let head = self.head.get_untracked();
            Answer {
                lead: head.sentence,
                offers: head.offers,
                problems: Vec::new(),
                cards: self.cards.get_untracked(),
                parts: self.slots.with_untracked(|slots| slots.iter().map(Slot::part).collect()),
            }
        })
    }
}
