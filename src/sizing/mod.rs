//! Sizing of serving fleets and of training runs. A fleet is a device, a deployment and a number of replicas that serve
//! given traffic within service levels; a training run is sized to meet a deadline ([`training`]).
//!
//! [`SizingChoice`] is the question: traffic as users, a request rate or concurrent requests; or a deadline. For every
//! deployment of one replica on every device, a [`Search`] finds the largest load within the service levels. The number
//! of replicas that the traffic needs makes a [`Fleet`]; a device without a fleet is a [`Miss`]. Of disaggregated fleets,
//! workers that prefill and workers that decode are counted separately, and may have different
//! devices. Percentiles of the best fleets are simulated afterwards, and replicas are added to fleets whose percentile exceeds a limit.

mod candidate;
mod carried;
mod choice;
mod demand;
mod fleet;
mod objective;
mod pairs;
mod percentiles;
mod pools;
mod search;
mod servers;
pub mod training;
mod walk;
mod work_order;

pub use candidate::Candidate;
pub use choice::{DEFAULT_LIMITS_MS, LoadKind, SizingChoice, SizingJob};
pub use demand::Demand;
pub(crate) use fleet::MOST_REPLICAS;
pub use fleet::{Fleet, Miss, Shortfall};
pub use objective::SizingObjective;
pub use search::{Search, Share};
pub use servers::Servers;
pub(crate) use walk::DRAFTS;
pub use walk::DeviceFleets;
pub use work_order::Searcher;
