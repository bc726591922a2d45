//! Links to other questions: to a search with another scope, and to a plan that was found.

use crate::scenario::{Scenario, View, link};
use crate::search::{Found, Scope};

/// A link to the same search with another scope.
pub(super) fn elsewhere(scenario: &Scenario, search: Scope) -> String {
    link::encode(&Scenario { search, ..scenario.clone() })
}

/// The Training question of a plan, as a link.
pub(in crate::view) fn opened(scenario: &Scenario, found: &Found) -> String {
    let mut scenario = Scenario { view: View::Training, parallelism: found.plan, ..scenario.clone() };
    scenario.system.gpus = found.gpus;
    link::encode(&scenario)
}
