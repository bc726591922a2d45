//! The commands that start what a question asks about.

use super::Commands;
use crate::launch::{Command, Tool};
use crate::scenario::Scenario;

/// The machine name of the part.
const ID: &str = "launch";

/// A command for each tool of the question's view: that of its engine or framework first.
pub(super) fn part(question: &Scenario) -> Commands {
    let commands = Tool::of(question).into_iter().map(|tool| Command::of(question, tool)).collect();
    Commands {
        id: ID.to_owned(),
        title: "Launch commands".to_owned(),
        finding: "What starts this configuration. A command that you change or have already, pasted under Files, becomes \
                  the question"
            .to_owned(),
        commands,
    }
}
