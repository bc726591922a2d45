//! Request traces of serving systems: prompt and output lengths, arrival times and shared prefixes.

mod read;
mod trace;

pub use crate::serving::simulation::TraceRequest as Request;
pub use read::read;
pub use trace::{Format, Trace};
