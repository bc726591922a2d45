//! Inference: the served load, the serving engine, one step of a served model, and one batch.

mod apart;
mod audio;
mod batch;
mod binding;
mod disaggregation;
mod draft;
mod drafting;
mod encoders;
mod engine;
mod job;
mod law;
mod limits;
mod llamacpp;
mod load;
mod masked;
mod memory;
mod mlx;
mod multiplies;
mod offload;
pub(crate) mod pass_times;
mod predicting;
mod reload;
mod second_gpu;
pub(crate) mod step;
mod vision;

pub use apart::Place;
pub use audio::RequestAudio;
pub use draft::{Draft, DraftModel};
pub use engine::{Engine, EngineOverheads};
pub use job::{InferenceJob, Phase};
pub use law::LoadFault;
pub use load::{InferenceLoad, Launch};
pub use masked::{Masked, Sharing};
pub use multiplies::Multiplies;
pub use reload::CacheTiers;
pub use vision::RequestImages;
