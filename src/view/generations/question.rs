//! The training question of a machine's outcome.

use crate::generations::machines::Outcome;
use crate::scenario::{Choice, Scenario, SystemChoice, View};

/// The training question that gives an outcome.
pub(super) fn trained(question: &Scenario, accelerator: &str, outcome: &Outcome) -> Scenario {
    let mut trained = Scenario {
        view: View::Training,
        system: SystemChoice {
            accelerator: Choice::Named(accelerator.to_owned()),
            gpus: question.system.gpus,
            ..SystemChoice::default()
        },
        parallelism: outcome.plan,
        ..question.clone()
    };
    trained.constants.clear();
    (trained.recipe.precision, trained.recipe.batch) = (outcome.precision, outcome.batch);
    trained
}
