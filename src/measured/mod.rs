//! Measurements that people have: what a benchmark or a training log says, read as a scenario and its quantities.
//!
//! One file a format. A reader is a pure function of a text: it gives what the text says of the scenario as [`Fact`]s,
//! what was measured as [`Reading`]s, which of its rows count by a stated rule ([`steady`]), and what needs a caution.
//! What it does not say is not guessed: [`Measurement::silent`] lists it.

mod aiperf;
mod composer;
mod console;
mod deepspeed;
mod fault;
mod format;
mod guidellm;
mod inferencex;
mod lines;
mod llama_bench;
mod maxtext;
mod measurement;
mod megatron;
mod mlperf;
mod names;
mod nanotron;
mod object;
mod one_batch;
mod open;
mod quantity;
mod read;
mod serving_json;
pub mod steady;
mod torchtitan;
mod trainer;
mod trtllm;

pub use fault::Fault;
pub use format::Format;
pub use measurement::{Fact, Given, LeftOut, Measurement, Reading};
pub use open::{Opened, Point, Report, open, refused};
pub use quantity::{Kind, Statistic};
pub use read::{MAX_BYTES, MAX_POINTS, read};
