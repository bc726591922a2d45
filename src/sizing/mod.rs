//! Sizing: how many of which device, deployed how, carry given traffic under given service levels.
//!
//! [`SizingChoice`] is the traffic as people know it. A [`Search`] tries every deployment of one replica on every device,
//! each at the largest load at which it keeps the levels, and gives [`Fleet`]s: so many replicas of it. What can't keep
//! the levels is kept as a [`Miss`]. Percentiles of chosen fleets are simulated afterwards, and replicas added where a
//! percentile misses its limit.

mod choice;
mod fleet;
mod percentiles;
mod search;

pub use choice::{Demand, LoadKind, SizingChoice, SizingObjective};
pub use fleet::{Fleet, Miss, Shortfall};
pub use search::{Candidate, Search};
