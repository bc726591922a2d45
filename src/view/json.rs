//! Questions and answers as JSON, for programs and notebooks.

use serde_json::{Value, json};

use crate::scenario::{Problem, Scenario, View};

/// The answer to a scenario file's question, as an object named by its view; or `error` and `problems`.
pub fn json(document: &str) -> Value {
    Scenario::from_json(document)
        .and_then(|scenario| estimate(&scenario))
        .unwrap_or_else(|problems| refusal(&problems))
}

/// The answer to a question, under the name of its view.
pub fn estimate(scenario: &Scenario) -> Result<Value, Vec<Problem>> {
    match scenario.view {
        View::Training => scenario.training().map(|estimate| json!({ "training": estimate })),
        View::Inference => scenario.inference().map(|estimate| json!({ "inference": estimate })),
        View::Generations => scenario.generations().map(|rows| json!({ "generations": rows })),
        View::Search | View::Technology | View::Validation => {
            let message = "the Search, Technology and Validation views have no estimate: ask for training, inference or generations";
            Err(vec![Problem::new("view", message)])
        }
    }
}

/// The answer to a question under the name of its view, or `error` and `problems`.
pub fn answer(scenario: &Scenario) -> Value {
    estimate(scenario).unwrap_or_else(|problems| refusal(&problems))
}

/// Why there is no answer.
pub fn refusal(problems: &[Problem]) -> Value {
    let sentences: Vec<String> = problems.iter().map(ToString::to_string).collect();
    json!({ "error": sentences.join("; "), "problems": problems })
}
