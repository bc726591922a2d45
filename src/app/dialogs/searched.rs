//! Answers of compared questions whose views search, computed while the dialog is open.

use leptos::prelude::*;

use crate::app::channel::Host;
use crate::figure::Size;
use crate::scenario::{Problem, Scenario, link};
use crate::service::{Ask, Request, Said};
use crate::view::News;
use crate::view::comparison::{Cards, searches};

/// The compared questions, with the cards of those answers that are complete.
#[derive(Clone, Copy)]
pub(super) struct Searched {
    compared: RwSignal<Vec<Scenario>>,
    complete: RwSignal<Vec<(Scenario, Cards)>>,
}

impl Searched {
    /// Computes the answers one after another, in steps between which the page reacts.
    pub(super) fn follow(compared: RwSignal<Vec<Scenario>>) -> Self {
        let searched = Self { compared, complete: RwSignal::default() };
        // The newest request's number and question.
        let asked = StoredValue::new((0_u32, None::<Scenario>));
        let hear = move |id: u32, said: Said| {
            let cards = match said {
                Said::Progress { .. } | Said::Partial { .. } | Said::Share(_) => return,
                Said::Answer(News::Whole(answer)) if answer.problems.is_empty() => Ok(answer.cards),
                Said::Answer(News::Whole(answer)) => Err(answer.problems),
                Said::Answer(_) => Ok(Vec::new()),
                Said::Refused(problems) => Err(problems),
                Said::Fault { message } => Err(vec![Problem::new("view", message)]),
            };
            let (newest, question) = asked.try_get_value().unwrap_or_default();
            if let Some(question) = question.filter(|_| id == newest) {
                let _ = searched.complete.try_update(|complete| complete.push((question, cards)));
            }
        };
        let host = StoredValue::new_local(Host::new(move |reply| hear(reply.id, reply.said)));
        let ask = move |ask| {
            asked.update_value(|(id, _)| *id += 1);
            host.with_value(|host| host.ask(Request { id: asked.with_value(|(id, _)| *id), ask }));
        };
        Effect::new(move || {
            let Some(question) = searched.missing().into_iter().next() else { return };
            let link = link::encode(&question);
            asked.update_value(|(_, asked)| *asked = Some(question));
            ask(Ask::Answer { link, size: Size::Narrow, workers: 1 });
        });
        on_cleanup(move || ask(Ask::Stop));
        searched
    }

    /// Compared questions whose answers are not complete.
    pub(super) fn missing(self) -> Vec<Scenario> {
        let missing = |question: &&Scenario| searches(question) && self.cards(question).is_none();
        self.compared.with(|questions| questions.iter().filter(missing).cloned().collect())
    }

    /// The cards of a question, once its answer is complete.
    pub(super) fn cards(self, question: &Scenario) -> Option<Cards> {
        let found = |complete: &Vec<(Scenario, Cards)>| {
            complete.iter().find(|(known, _)| known == question).map(|(_, cards)| cards.clone())
        };
        self.complete.with(found)
    }
}
