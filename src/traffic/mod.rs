//! Traces of requests: lengths, arrivals, and prefixes that requests share.

mod read;
mod reuse;
mod trace;

pub use read::read;
pub use trace::{Format, Request, Trace};
