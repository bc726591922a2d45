//! Answers of compared questions whose views search, computed while the dialog is open.

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::channel::Host;
use crate::figure::Size;
use crate::scenario::{Problem, Scenario, link};
use crate::service::{Ask, Request, Said};
use crate::view::News;
use crate::view::comparison::{self, searches};

/// The compared questions, with those answers that are complete.
#[derive(Clone, Copy)]
pub(super) struct Searched {
    compared: RwSignal<Vec<Scenario>>,
    complete: RwSignal<Vec<(Scenario, comparison::Searched)>>,
}

impl Searched {
    /// Computes the answers one after another, in steps between which the page reacts.
    pub(super) fn follow(compared: RwSignal<Vec<Scenario>>) -> Self {
        let searched = Self { compared, complete: RwSignal::default() };
        // The newest request's number and question.
        let asked = StoredValue::new((0_u32, None::<Scenario>));
        let hear = move |id: u32, said: Said| {
            let answer = match said {
                Said::Progress { .. } | Said::Partial { .. } | Said::Share(_) => return,
                Said::Answer(News::Whole(answer)) if answer.problems.is_empty() => Ok(Arc::new(answer)),
                Said::Answer(News::Whole(answer)) => Err(answer.problems),
                Said::Answer(_) => Ok(Arc::default()),
                Said::Refused(problems) => Err(problems),
                Said::Fault { message } => Err(vec![Problem::new("view", message)]),
            };
            let (newest, question) = asked.try_get_value().unwrap_or_default();
            if let Some(question) = question.filter(|_| id == newest) {
                let _ = searched.complete.try_update(|complete| complete.push((question, answer)));
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
        let missing = |question: &&Scenario| searches(question) && self.answer(question).is_none();
        self.compared.with(|questions| questions.iter().filter(missing).cloned().collect())
    }

    /// The answer to a question, once it is complete.
    pub(super) fn answer(self, question: &Scenario) -> Option<comparison::Searched> {
        self.complete.with(|complete| {
            complete.iter().find(|(known, _)| known == question).map(|(_, answer)| answer.clone())
        })
    }
}
