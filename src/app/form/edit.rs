//! Applies edits of the form to the question.
//!
//! A text that cannot be parsed stays in its control; the question then has the value from before the edit.

use leptos::prelude::*;

use crate::app::state::{State, Typed};
use crate::scenario::Scenario;
use crate::scenario::fields::{self, Field, Mismatch, Number, Value};

impl State {
    /// The text of a number's control.
    pub(super) fn text(self, field: &Field, number: Number) -> String {
        self.scenario.with(|scenario| {
            self.typed.with(|typed| {
                let typed = typed.get(field.path).map(|typed| typed.text.as_str());
                number.text_after(field.get(scenario), typed)
            })
        })
    }

    /// The value of a number's field.
    pub(super) fn held(self, field: &Field) -> Value<'static> {
        self.scenario.with_untracked(|scenario| {
            field.get(scenario).as_number().map_or(Value::Absent, Value::of_number)
        })
    }

    /// Takes the text of a number's control. While a text such as `5x` is typed, its beginning is a number, so that the value
    /// from `before` the edit is put back.
    pub(super) fn enter(self, field: &'static Field, number: Number, text: String, before: Value<'static>) {
        let outcome = match number.parse(field.without_unit(&text)) {
            Ok(value) => self.put(|question| field.set(question, value)),
            Err(error) if self.held(field) == before => Err(error),
            Err(error) => self.put(|question| field.set(question, before)).and(Err(error)),
        };
        self.record(field, text, outcome);
    }

    /// Ends an edit: a number with letters or its unit, such as `5e3`, `100M` or `38 %`, is written out.
    pub(super) fn finish(self, field: &'static Field) {
        let lettered = |typed: &Typed| {
            typed.error.is_none() && typed.text.contains(|c: char| c.is_alphabetic() || "%$×".contains(c))
        };
        if self.typed.with_untracked(|typed| typed.get(field.path).is_some_and(lettered)) {
            self.typed.update(|typed| drop(typed.remove(field.path)));
        }
    }

    /// One step of a number, up or down.
    pub(super) fn step(self, field: &'static Field, number: Number, up: bool) {
        let text = self.scenario.with_untracked(|scenario| {
            self.typed.with_untracked(|typed| {
                let typed = typed.get(field.path).map(|typed| typed.text.as_str());
                let value = field.get(scenario);
                number.step(scenario, value, Some(&number.text_after(value, typed)), up)
            })
        });
        self.enter(field, number, text, self.held(field));
    }

    /// Takes an option of a field's list.
    pub(crate) fn choose(self, path: &str, option: &str) {
        if let Some(field) = fields::field(path) {
            let outcome = self.put(|question| {
                let (before, demand) = (question.model.clone(), question.sizing.demand(&question.inference));
                field.choose(question, option)?;
                question.sizing.keep_demand(demand, &mut question.inference);
                if before != question.model {
                    question.serve_native(&before);
                }
                Ok(())
            });
            self.record(field, option.to_owned(), outcome);
        }
    }

    /// Takes a check box.
    pub(super) fn switch(self, field: &'static Field, on: bool) {
        let outcome = self.put(|question| {
            let was_frozen = question.recipe.frozen;
            field.set(question, Value::Switch(on))?;
            question.train_usual(was_frozen);
            Ok(())
        });
        self.record(field, String::new(), outcome);
    }

    /// Changes the question.
    fn put(self, change: impl FnOnce(&mut Scenario) -> Result<(), Mismatch>) -> Result<(), String> {
        let mut outcome = Ok(());
        self.scenario.update(|question| outcome = change(question));
        outcome.map_err(|fault| fault.to_string())
    }

    /// Records the typed text and its problem.
    fn record(self, field: &Field, text: String, outcome: Result<(), String>) {
        self.typed.update(|typed| drop(typed.insert(field.path, Typed { text, error: outcome.err() })));
    }
}
