//! The compared questions, which the browser keeps between visits.

use super::browser;
use crate::scenario::{Scenario, link};

/// Local-storage key of the questions.
const STORED: &str = "foretoken-compared";

/// The compared questions of the previous visit.
pub(super) fn stored() -> Vec<Scenario> {
    let links = browser::recall(STORED).filter(|links| !links.is_empty());
    links.map_or_else(Vec::new, |links| {
        link::decode_all(&links).into_iter().map(|decoded| decoded.scenario).collect()
    })
}

/// Stores the compared questions.
pub(super) fn store(questions: &[Scenario]) {
    browser::remember(STORED, &joined(questions));
}

/// The link of a comparison, without `#`: the questions' links joined by `~`, baseline first.
pub(super) fn joined(questions: &[Scenario]) -> String {
    questions.iter().map(link::encode).collect::<Vec<_>>().join(&link::AND.to_string())
}
