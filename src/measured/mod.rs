//! Reads benchmark results, training logs and profiles: the scenario that was run, and the measured quantities.
//!
//! Each format has a module. A reader is a pure function of the text: it returns scenario fields as
//! [`Facts`](crate::scenario::Facts), measured values as [`Reading`]s, and remarks. [`steady`] states the rule by which
//! steps of a log are selected. Fields that the text does not give are not guessed; [`Measurement::silent`] lists them.

mod aiperf;
mod composer;
mod consistency;
mod console;
mod deepspeed;
mod fault;
mod format;
mod guidellm;
mod inferencex;
mod json_string;
mod kernels;
mod kineto;
mod limits;
mod lines;
mod llama_bench;
mod llmd;
mod load;
mod maxtext;
mod measurement;
mod megatron;
mod mlperf;
mod nanotron;
mod nsys;
mod object;
mod one_batch;
mod open;
mod plausibility;
mod quantity;
mod read;
mod reading;
mod report;
mod serving_json;
mod sglang_server;
pub mod steady;
mod torchtitan;
mod trainer;
mod trtllm;
mod unsloth;
mod yaml;

pub use fault::Fault;
pub use format::Format;
pub use kineto::{Reader as TraceReader, begins as is_trace};
pub use limits::{MAX_BYTES, MAX_KERNELS, MAX_POINTS};
pub use measurement::Measurement;
pub use open::{Contents, Opened, Point, Report, open, opened, question_of, refused};
pub use quantity::{Kind, Statistic};
pub use read::{TRACE_HEAD, decoded, read, read_long};
pub use reading::{LeftOut, Reading, Spent};
pub use report::{LongReport, is_report};
