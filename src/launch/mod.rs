//! Launch commands of serving and training software: written from a question, and read back into one.
//!
//! Each tool has a table of flags, which both the writer and the reader use. Settings that depend on several flags at
//! once (nested parallelism degrees, number formats, pools of servers) have functions of their own.

mod bridge;
mod client;
mod command;
mod flag;
mod found;
mod line;
mod llamacpp;
mod megatron;
mod megatron_arguments;
mod megatron_flags;
mod megatron_layout;
mod megatron_model;
mod mlx;
mod pool;
mod read;
mod refusal;
mod role;
mod servers;
mod sglang;
mod shell;
mod tool;
mod torchrun;
mod torchtitan;
mod trl;
mod trtllm;
mod vllm;
mod weights;
mod writer;

pub use command::Command;
pub(crate) use llamacpp::cache as llamacpp_cache;
pub use megatron_arguments::megatron_arguments;
pub use read::{Launched, read};
pub use tool::Tool;
