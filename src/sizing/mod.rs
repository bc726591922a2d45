//! Sizing: which devices, in which deployment and number of replicas, carry given traffic under service levels; and
//! which devices, how many and in which plan, end a training run before a deadline ([`training`]).
//!
//! [`SizingChoice`] is the question: traffic as users, a request rate or requests in flight, or a
//! deadline. A [`Search`] finds, for every
//! deployment of one replica on every device, the largest load at which it keeps the levels. As many replicas as the
//! traffic needs are a [`Fleet`]. A device without a fleet is a [`Miss`]. Percentiles of the best fleets are simulated
//! afterwards, and replicas are added to those whose percentile exceeds a limit.

mod choice;
mod fleet;
mod percentiles;
mod search;
pub mod training;

pub use choice::{Demand, LoadKind, SizingChoice, SizingJob, SizingObjective};
pub use fleet::{Fleet, Miss, Shortfall};
pub use search::{Candidate, Search};
