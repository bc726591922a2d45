//! The launch command of a tool for a question.

use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use super::writer::Writer;
use super::{Tool, bridge, llamacpp, megatron, mlx, sglang, torchtitan, trl, trtllm, vllm};
use crate::scenario::{Scenario, View};

/// The shell commands that start the servers, or the training job, of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The software, e.g. `vLLM`.
    pub tool: String,
    /// The source of the flags: repository and commit.
    pub version: String,
    /// The commands, as shell text.
    pub text: String,
    /// Settings that the commands omit or assume: one sentence each, without a full stop.
    pub notes: Vec<String>,
}

impl Command {
    /// The commands that start a tool with the settings of a question. If it has none, the text is a comment that says why.
    pub fn of(question: &Scenario, tool: Tool) -> Self {
        if let Some(refusal) = Refusal::of(question, tool) {
            let text = format!("# No command: {refusal}\n");
            return Self::from_parts(tool, text, refusal.notes());
        }
        let mut writer = Writer::new(question, tool);
        match tool {
            Tool::Vllm => vllm::write(&mut writer),
            Tool::Sglang => sglang::write(&mut writer),
            Tool::Trtllm => trtllm::write(&mut writer),
            Tool::Llamacpp => llamacpp::write(&mut writer),
            Tool::Mlx => mlx::write(&mut writer),
            Tool::Trl => trl::write(&mut writer),
            Tool::Megatron => megatron::write(&mut writer),
            Tool::Bridge => bridge::write(&mut writer),
            Tool::Torchtitan => torchtitan::write(&mut writer),
        }
        if tool.view() == View::Inference && question.inference.expert_gpus > 0 {
            writer.lacks("inference.expert_gpus");
        }
        let (text, notes) = writer.into_parts();
        Self::from_parts(tool, text, notes)
    }

    fn from_parts(tool: Tool, text: String, notes: Vec<String>) -> Self {
        Self { tool: tool.name().to_owned(), version: tool.version().to_owned(), text, notes }
    }
}
