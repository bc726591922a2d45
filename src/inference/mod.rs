//! Inference: the served load, the serving engine, one step of a served model, and one batch.

mod batch;
mod binding;
mod disaggregation;
mod draft;
mod drafting;
mod engine;
mod job;
mod kernels;
mod law;
mod limits;
mod llamacpp;
mod load;
mod memory;
pub(crate) mod step;

pub use draft::Draft;
pub use engine::{Engine, EngineOverheads};
pub use job::{InferenceJob, Phase};
pub use kernels::{Masked, Multiplies, Sharing};
pub use law::LoadFault;
pub use load::{InferenceLoad, Launch};
