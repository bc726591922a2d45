//! Serving: streams of requests, service times as functions of load, and sweeps over one property of the machine.

mod admission;
pub mod capacity;
mod closed;
mod crossing;
mod estimate;
pub mod family;
mod open;
mod pipeline;
mod pools;
mod prompts;
mod run;
mod saturated;
mod served;
mod service;
mod session_sweep;
mod sessions;
pub mod simulation;
mod spacing;
mod stream;
pub mod sweep;
mod think_time;

pub use capacity::{LoadCurve, LoadPoint};
pub use estimate::InferenceEstimate;
pub use saturated::Saturated;
pub use service::Service;
pub use session_sweep::SessionSweep;
pub use sessions::SessionCache;
pub use think_time::ThinkingUsers;
