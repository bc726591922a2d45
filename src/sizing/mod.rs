//! Sizing: which devices, in which deployment and number of replicas, carry given traffic under service levels.
//!
//! [`SizingChoice`] is the traffic: users, a request rate or requests in flight. A [`Search`] finds, for every
//! deployment of one replica on every device, the largest load at which it keeps the levels. As many replicas as the
//! traffic needs are a [`Fleet`]. A device without a fleet is a [`Miss`]. Percentiles of the best fleets are simulated
//! afterwards, and replicas are added to those whose percentile exceeds a limit.

mod choice;
mod fleet;
mod percentiles;
mod search;

pub use choice::{Demand, LoadKind, SizingChoice, SizingObjective};
pub use fleet::{Fleet, Miss, Shortfall};
pub use search::{Candidate, Search};
