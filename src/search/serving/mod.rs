//! Search for the deployments of a model that meet given service levels, ranked by throughput per GPU.
//!
//! A deployment is how a worker is cut (tensor, pipeline, attention replicas, experts), its number format, and whether
//! prompts are read by workers of their own and by how many. Each has the largest load that meets the levels
//! ([`InferenceJob::largest_load`](crate::inference::InferenceJob::largest_load)). The walk tries one deployment after another in a fixed order.

mod disaggregated;
mod formats;
mod found;
mod problem;
mod run;
mod workers;

pub use found::Found;
pub use problem::DeploymentProblem;
pub use run::{Search, Tally};
pub(crate) use workers::{LARGEST_WORKER, STAGES, WIDE};
