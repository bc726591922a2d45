//! Launch commands for the configuration of a question.

use super::Commands;
use crate::launch::{Command, Tool};
use crate::scenario::Scenario;

/// The machine name of the part.
const ID: &str = "launch";

/// The commands of each tool that can run the question. The question's own engine or framework comes first.
pub(super) fn part(question: &Scenario) -> Commands {
    let commands: Vec<Command> =
        Tool::of(question).into_iter().map(|tool| Command::of(question, tool)).collect();
    let finding = if commands.is_empty() {
        "No command is written: of the tools whose flags are known, none reads this format of weights"
    } else {
        "Commands that start this configuration. Paste a command of your own under Files to load its settings"
    };
    Commands { id: ID.to_owned(), title: "Launch commands".to_owned(), finding: finding.to_owned(), commands }
}
