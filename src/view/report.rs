//! A question, its answer and its assumptions, on one page of paper.

use serde::{Deserialize, Serialize};

use super::settings::{Setting, settings};
use super::title::title;
use super::{Answer, Card};
use crate::figure::Figure;
use crate::scenario::Scenario;

/// A report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Model and hardware.
    pub title: String,
    /// The answer in a sentence; empty without one.
    pub lead: String,
    /// The numbers of the headline.
    pub cards: Vec<Card>,
    /// The answer's main figure.
    pub figure: Option<Figure>,
    /// Assumptions of the answer, one sentence each.
    pub assumptions: Vec<String>,
    /// The settings of the question's view. Those that follow from model and device unless they are set are left out.
    pub settings: Vec<Setting>,
    /// Constants that the question replaces, by key, with their values.
    pub constants: Vec<(String, String)>,
}

impl Report {
    /// The report of a question and its answer, with the first figure of these parts, or else the first of all.
    pub fn of(question: &Scenario, answer: Answer, parts: &[&str]) -> Self {
        let of_part = answer.figures().find(|figure| parts.contains(&&*figure.id));
        let figure = of_part.or_else(|| answer.figures().next()).cloned();
        let assumptions = assumptions(question, figure.as_ref());
        let set = |setting: &Setting| setting.here && setting.value != "null";
        Self {
            title: title(question),
            figure,
            lead: answer.lead,
            cards: answer.cards,
            assumptions,
            settings: settings(question).into_iter().filter(set).collect(),
            constants: question
                .constants
                .iter()
                .map(|(key, value)| (key.clone(), value.to_string()))
                .collect(),
        }
    }
}

/// The basis of the constants, then what the figure assumes, each sentence once.
fn assumptions(question: &Scenario, figure: Option<&Figure>) -> Vec<String> {
    let mut lines: Vec<String> = vec![question.basis()];
    lines.retain(|line| !line.is_empty());
    for line in figure.into_iter().flat_map(|figure| &figure.assumptions) {
        if !lines.contains(line) {
            lines.push(line.clone());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Size;
    use crate::scenario::link;
    use crate::view::first;

    fn report(link: &str, parts: &[&str]) -> Report {
        let question = link::decode(link).scenario;
        Report::of(&question, first(&question, Size::Wide).expect("an answer"), parts)
    }

    #[test]
    fn it_has_the_question_the_answer_and_its_assumptions() {
        let link = "v=1&tp=4&recompute=full&constants.matmul.bf16.compute_efficiency=0.5";
        let report = report(link, &[]);
        assert!(report.cards.iter().any(|card| card.id == "step"));
        assert!(report.figure.is_some_and(|figure| figure.svg.starts_with("<svg")));
        assert!(report.assumptions.len() > 1);
        let setting = |path: &str| report.settings.iter().find(|setting| setting.path == path);
        let of = |path| setting(path).map(|setting| (setting.shown.as_str(), setting.changed));
        assert_eq!(of("parallelism.tensor"), Some(("4 GPUs", true)));
        assert_eq!(of("system.gpus"), Some(("512", false)));
        assert_eq!(of("inference.input"), None);
        assert!(report.settings.iter().all(|setting| setting.value != "null"));
        assert_eq!(report.constants, [("matmul.bf16.compute_efficiency".to_owned(), "0.5".to_owned())]);
    }

    #[test]
    fn its_figure_is_of_the_open_section() {
        let named = |parts: &[&str]| report("v=1", parts).figure.map(|figure| figure.id.into_owned());
        assert_eq!(named(&["memory"]).as_deref(), Some("memory"));
        assert_eq!(named(&["unknown"]), named(&[]));
    }
}
