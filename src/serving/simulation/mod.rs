//! Percentiles of TTFT, TPOT and latency by a discrete-event simulation of continuous batching.
//!
//! Requests arrive as a Poisson process, at the times of a trace or turn by turn in sessions, or a constant number of them is
//! concurrent. They wait for a slot, are prefilled in chunks within a token budget, decode one token per step (more with a draft
//! model), and are preempted when the KV cache is full. With disaggregated serving they are
//! prefilled on one replica and decode on another. Step times are the inference model's, tabulated once ([`Pace`]). The same seed
//! gives the same bits natively and in browsers.

mod admission;
mod event_loop;
mod group;
mod histogram;
mod job;
mod lengths;
mod pace;
mod pool;
mod prefix_cache;
mod random;
mod replay;
mod replicas;
mod request;
mod results;
mod scheduler;
mod session_source;
mod source;
mod state;
mod sums;

pub use histogram::Histogram;
pub use lengths::Lengths;
pub use pace::{Pace, Reach, Reading};
pub use pool::{Handover, Pool, Reload};
pub use prefix_cache::PrefixCache;
pub use random::Random;
pub use replay::{Replay, TraceRequest};
pub use results::{Level, Quantiles, Simulated};
pub use scheduler::{Arrivals, Extent, Scheduler};
pub use source::Source;
pub use state::Simulation;
