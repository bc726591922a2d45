//! Request traces of serving systems: prompt and output lengths, arrival times and shared prefixes.

mod read;
mod reuse;
mod trace;

pub use read::read;
pub use trace::{Format, Request, Trace};
