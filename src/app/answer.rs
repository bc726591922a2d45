//! How the newest question gets its answer.

use gloo::timers::callback::Timeout;
use leptos::prelude::*;

use super::channel::{Channel, Pace};
use super::collected::{confirmed, rows};
use super::pinned::pinned;
use super::state::{Head, Shown, State, Status, Subject, slots};
use crate::scenario::{Problem, View, link};
use crate::service::Said;
use crate::view::{Answer, News, Notice, opens_published};

/// Delay before the progress bar of an answer appears, ms. Most answers are complete sooner, and a bar would only
/// flicker.
const PATIENCE_MS: u32 = 250;

impl Shown {
    /// Removes the displayed answer.
    fn clear(self) {
        self.subject.set_value(None);
        self.head.set(Head::default());
        self.cards.set(Vec::new());
        self.slots.set(Vec::new());
        self.problems.set(Vec::new());
        self.age.update(|age| age.blank = true);
    }

    /// Shows a message about the answer to the newest question. `whole` is true for the last one, with which the answer is
    /// complete.
    fn show(self, news: News, whole: bool) {
        // True if problems prevent an answer, e.g. too little memory. Parts of an earlier answer do not apply to such a
        // question and are removed.
        let mut unfit = false;
        let (known, parts) = match news {
            News::Whole(Answer { lead, offers, problems, cards, parts }) => {
                unfit = !problems.is_empty();
                let objections = self.newest.with_value(|newest| newest.objections.clone());
                let fitted = self.problems.with_untracked(Vec::is_empty);
                put(self.problems, [objections, problems].concat());
                // Offers of the last question stay until those of this one are known, so that nothing moves. Offers for a question
                // that did not fit are removed at once, since this one fits.
                let keep = !whole && !unfit && fitted && offers.is_empty();
                self.newest.update_value(|newest| newest.offers = !keep);
                let offers = if keep { self.head.with_untracked(|head| head.offers.clone()) } else { offers };
                put(self.head, Head { sentence: lead, offers, earlier: keep });
                put(self.cards, cards);
                (0, parts)
            }
            News::More(parts) => (self.newest.with_value(|newest| newest.slots), parts),
            News::Offers(offers) => {
                self.newest.update_value(|newest| newest.offers = true);
                self.put_offers(offers);
                (self.newest.with_value(|newest| newest.slots), Vec::new())
            }
        };
        self.newest.update_value(|newest| newest.slots = known + parts.len());
        slots::renew(self.slots, known, parts, whole || unfit);
        if whole && !self.newest.with_value(|newest| newest.offers) {
            self.put_offers(Vec::new());
        }
        if !self.age.get_untracked().fresh {
            self.age.update(|age| age.fresh = true);
        }
    }

    /// Shows other offers beside the same sentence.
    fn put_offers(self, offers: Vec<Notice>) {
        let sentence = self.head.with_untracked(|head| head.sentence.clone());
        put(self.head, Head { sentence, offers, earlier: false });
    }

    /// Ends the newest question.
    fn settle(self, status: Status) {
        self.patience.set_value(None);
        self.progress.set(None);
        self.status.set(status);
        self.age.update(|age| age.blank = false);
    }

    fn advance(self, done: u32, of: u32) {
        if self.progress.with_untracked(Option::is_some) {
            self.progress.set(Some((done, of)));
        }
    }

    fn hear(self, said: Said, subject: Option<Subject>) {
        match said {
            Said::Progress { done, of } => self.advance(done, of),
            Said::Partial { done, of, news } => {
                self.subject.set_value(subject);
                self.show(news, false);
                self.advance(done, of);
            }
            Said::Answer(news) => {
                self.subject.set_value(subject);
                self.show(news, true);
                self.settle(Status::Answered);
            }
            Said::Refused(problems) => self.refuse(problems, subject.as_ref()),
            // Only workers use these: each receives what the others found.
            Said::Share(_) => {}
            Said::Fault { message } => self.settle(Status::Failed(message)),
        }
    }

    /// Shows the problems of a question without an answer. An answer to another subject is removed, because it would
    /// mislead.
    fn refuse(self, problems: Vec<Problem>, subject: Option<&Subject>) {
        if self.subject.with_value(|shown| shown.as_ref() != subject) {
            self.clear();
        }
        self.age.update(|age| age.fresh = false);
        self.problems.set(problems);
        self.settle(Status::Refused);
    }
}

/// Sets a signal unless its value is equal, to avoid needless rendering.
fn put<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|shown| *shown != value) {
        signal.set(value);
    }
}

/// Asks the page's question, and asks again whenever it changes.
pub(crate) fn follow(state: State, glue: String) {
    let shown = state.shown;
    let channel = Channel::new(glue, move |said| {
        let subject = state.scenario.with_untracked(Subject::of);
        shown.hear(said, Some(subject));
    });
    shown.channel.set_value(Some(channel));
    ask(state);
    let changes = move || {
        state.scenario.track();
        state.size.track();
        pinned().track();
        // Only the Validation view shows the collected rows.
        if state.view.get() == View::Validation {
            rows().track();
        }
    };
    Effect::watch(changes, move |(), _, _: Option<()>| ask(state), false);
    // The file of published rows is fetched only once their section is open, so opening it asks the question again.
    let published = Memo::new(move |_| opens_published(state.view.get(), &state.part.get()));
    let open = move |now: &bool, _: Option<&bool>, _: Option<()>| {
        if *now {
            ask(state);
        }
    };
    Effect::watch(move || published.get(), open, false);
}

/// Gives an opened trace of requests to the service.
pub(crate) fn keep_trace(state: State, text: &str) {
    if let Some(channel) = state.shown.channel.get_value() {
        channel.keep_trace(text.to_owned());
    }
}

/// Asks the current question.
pub(crate) fn ask(state: State) {
    let shown = state.shown;
    let Some(channel) = shown.channel.get_value() else { return };
    let question = state.scenario.get_untracked();
    let view = question.view;
    if shown.subject.with_value(|subject| subject.as_ref().is_some_and(|subject| subject.view != view)) {
        shown.clear();
    } else if shown.subject.with_value(|subject| subject.as_ref() != Some(&Subject::of(&question))) {
        // The offers are for another model or device.
        shown.put_offers(Vec::new());
    }
    let objections = question.unresolved();
    // The errors of the Validation view and the results of the Papers view belong to other questions, each with a device of its
    // own. Problems of this question do not prevent them.
    if !objections.is_empty() && !view.is_published() {
        channel.stop();
        return shown.refuse(objections, Some(&Subject::of(&question)));
    }
    shown.newest.update_value(|newest| newest.objections = objections);
    shown.age.update(|age| age.fresh = false);
    shown.status.set(Status::Working);
    let slow = !view.has_estimate();
    if slow {
        // The button that cancels the answer is beside the progress bar, which therefore appears at once.
        shown.patience.set_value(None);
        shown.progress.set(Some((0, 0)));
    } else {
        shown.progress.set(None);
        let late = Timeout::new(PATIENCE_MS, move || shown.progress.set(Some((0, 0))));
        shown.patience.set_value(Some(late));
    }
    let size = state.size.get_untracked();
    let part = state.part.get_untracked();
    let beside = match view {
        View::Validation => untrack(confirmed).into_iter().map(|(_, row)| row).collect(),
        _ => pinned().get_untracked(),
    };
    let link = link::encode_pinned(&question, &part, &beside);
    let pace = match slow {
        false => Pace::Short,
        true if question.is_shared() => Pace::Shared,
        true => Pace::Long,
    };
    channel.ask(link, link::encode(&question), size, pace);
}

/// Cancels the answer.
pub(crate) fn cancel(state: State) {
    if let Some(channel) = state.shown.channel.get_value() {
        channel.stop();
    }
    state.shown.settle(Status::Cancelled);
}
