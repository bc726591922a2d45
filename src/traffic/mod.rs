//! Request traces of serving systems: prompt and output lengths, arrival times and shared prefixes.

mod datasets;
mod fault;
mod read;
mod remarks;
mod sessions;
mod trace;

pub use crate::serving::simulation::TraceRequest as Request;
pub use fault::Fault;
pub use read::read;
pub use trace::{Format, Trace};
