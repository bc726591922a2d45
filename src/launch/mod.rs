//! Launch commands of serving and training software: a question as a command, and a command as a question.
//!
//! Each tool has a table of its flags, by which commands are written and read, and a few functions for what its flags
//! put together: degrees that contain one another, number formats, pools of servers.

mod bridge;
mod client;
mod command;
mod flag;
mod llamacpp;
mod megatron;
mod pool;
mod read;
mod sglang;
mod shell;
mod tool;
mod torchrun;
mod torchtitan;
mod trtllm;
mod vllm;
mod weights;

pub use command::Command;
pub use read::{Launched, read};
pub use tool::Tool;
