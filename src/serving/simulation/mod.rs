//! Percentiles of service by a discrete-event simulation of continuous batching.
//!
//! Requests arrive at random times, or so many circulate; they wait for a place, are read in chunks within a token
//! budget, decode one token a step, and give their place back to the waiting queue when the KV cache is full. A step's
//! time is that of the inference model, tabulated once ([`Pace`]). The same seed gives the same bits everywhere.

mod histogram;
mod lengths;
mod pace;
mod random;
mod replica;
mod results;

pub use histogram::Histogram;
pub use lengths::Lengths;
pub use pace::{Pace, Reach};
pub use random::Random;
pub use replica::{Arrivals, Scheduler, Simulation};
pub use results::{Level, Quantiles, Simulated};
