//! The question, the answers that follow from it, and what is wrong with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;

use super::field_kind::Field;
use super::fields::FIELDS;
use super::fragment;
use super::remote_view::Remote;
use crate::estimate::sweep::DramSweep;
use crate::estimate::{Generation, InferenceEstimate, TrainingEstimate};
use crate::scenario::{Problem, Scenario, View};

/// What all components share. Answers are computed when something on the page reads them, not before.
#[derive(Clone, Copy)]
pub(crate) struct State {
    /// The question as far as it could be read.
    pub(crate) scenario: RwSignal<Scenario>,
    /// The view that is shown.
    pub(crate) view: Memo<View>,
    /// What was typed and cannot be read, by document path.
    pub(crate) errors: RwSignal<BTreeMap<&'static str, String>>,
    /// Counts replacements of the whole question, after which controls forget what was typed.
    pub(crate) epoch: RwSignal<u32>,
    /// What the link said that could not be used.
    pub(crate) link_problems: RwSignal<Vec<Problem>>,
    /// Whether figures have to be narrow.
    pub(crate) narrow: ReadSignal<bool>,
    /// What is wrong with the question.
    pub(crate) problems: Memo<Vec<Problem>>,
    /// Whether the answers belong to an earlier question.
    pub(crate) stale: Memo<bool>,
    /// The training step.
    pub(crate) training: Memo<Kept<TrainingEstimate>>,
    /// The request served.
    pub(crate) inference: Memo<Kept<InferenceEstimate>>,
    /// The device generations.
    pub(crate) generations: Memo<Kept<Vec<Generation>>>,
    /// Latency against DRAM bandwidth.
    pub(crate) dram: Memo<Kept<DramSweep>>,
    /// What the second program answers.
    pub(crate) remote: Remote,
}

/// An answer with its question.
pub(crate) struct Answer<T> {
    /// What was asked.
    pub(crate) question: Scenario,
    /// What came out.
    pub(crate) estimate: T,
}

/// The last answer there was, and why there is no newer one.
pub(crate) struct Kept<T> {
    /// The answer to the newest question that had one.
    pub(crate) answer: Option<Arc<Answer<T>>>,
    /// Why the current question has none.
    pub(crate) problems: Vec<Problem>,
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self { answer: self.answer.clone(), problems: self.problems.clone() }
    }
}

/// Two are equal if they are the same answer, which is cheap to see.
impl<T> PartialEq for Kept<T> {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.answer, &other.answer) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        };
        same && self.problems == other.problems
    }
}

impl State {
    /// The state of a page that was opened with this question.
    pub(crate) fn new(opened: Scenario, link_problems: Vec<Problem>, narrow: ReadSignal<bool>) -> Self {
        let scenario = RwSignal::new(opened);
        let view = Memo::new(move |_| scenario.with(|scenario| scenario.view));
        let errors = RwSignal::new(BTreeMap::new());
        let training = kept(scenario, Scenario::training);
        let inference = kept(scenario, Scenario::inference);
        let generations = kept(scenario, Scenario::generations);
        let dram = kept(scenario, Scenario::dram_sweep);
        let unanswered = Memo::new(move |_| match view.get() {
            View::Training => training.with(|kept| kept.problems.clone()),
            View::Inference => inference.with(|kept| kept.problems.clone()),
            View::Generations => generations.with(|kept| kept.problems.clone()),
            View::Validation => Vec::new(),
        });
        let problems = Memo::new(move |_| {
            let mut problems = scenario.with(Scenario::problems);
            for problem in unanswered.get() {
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
            problems
        });
        let stale = Memo::new(move |_| !errors.with(BTreeMap::is_empty) || !unanswered.with(Vec::is_empty));
        Self {
            scenario,
            view,
            errors,
            epoch: RwSignal::new(0),
            link_problems: RwSignal::new(link_problems),
            narrow,
            problems,
            stale,
            training,
            inference,
            generations,
            dram,
            remote: Remote::new(),
        }
    }

    /// Asks another question in place of this one, without a new entry in the history.
    pub(crate) fn replace(self, scenario: Scenario, link_problems: Vec<Problem>) {
        self.errors.set(BTreeMap::new());
        self.link_problems.set(link_problems);
        self.scenario.set(scenario);
        self.epoch.update(|epoch| *epoch += 1);
    }

    /// Asks another question, to which back returns from.
    pub(crate) fn visit(self, scenario: Scenario) {
        fragment::flush();
        fragment::push(&scenario);
        self.replace(scenario, Vec::new());
    }

    /// What is wrong with one field: what was typed, or else what the scenario makes of it.
    pub(crate) fn message(self, field: &'static Field) -> Memo<Option<String>> {
        let path = field.place.path;
        Memo::new(move |_| {
            self.errors.with(|errors| errors.get(path).cloned()).or_else(|| {
                self.problems.with(|problems| {
                    let mine: Vec<&str> = problems
                        .iter()
                        .filter(|problem| problem.field == path)
                        .map(|problem| problem.message.as_str())
                        .collect();
                    (!mine.is_empty()).then(|| mine.join("; "))
                })
            })
        })
    }
}

/// The field at a document path, if it has a control in this view.
pub(crate) fn shown_field(path: &str, view: View) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.place.path == path && field.views.contains(&view))
}

/// The state, which the page provides.
pub(crate) fn state() -> State {
    expect_context()
}

/// An answer that is computed anew with the question, and kept when a question has none.
fn kept<T: Send + Sync + 'static>(
    scenario: RwSignal<Scenario>,
    ask: fn(&Scenario) -> Result<T, Vec<Problem>>,
) -> Memo<Kept<T>> {
    Memo::new(move |last: Option<&Kept<T>>| {
        scenario.with(|question| match ask(question) {
            Ok(estimate) => Kept {
                answer: Some(Arc::new(Answer { question: question.clone(), estimate })),
                problems: Vec::new(),
            },
            Err(problems) => Kept { answer: last.and_then(|kept| kept.answer.clone()), problems },
        })
    })
}
