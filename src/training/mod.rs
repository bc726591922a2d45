//! Training: the time of one optimizer step, its terms, and the memory of the fullest GPU.

mod activations;
mod balance;
mod binding;
mod communication;
mod course;
mod estimate;
mod framework;
mod job;
mod memo;
mod memory;
pub mod occupancy;
mod offload;
mod optimizer;
mod overheads;
mod passes;
mod phases;
mod prediction;
mod recipe;
mod sensitivity;
mod stage_parameters;
mod stage_times;
mod stages;
mod terms;
pub mod timeline;
mod volume;

pub use course::AFTER_PASSES;
pub use estimate::TrainingEstimate;
pub use framework::{Execution, Framework};
pub use job::TrainingJob;
pub use memo::Memo;
pub use optimizer::Optimizer;
pub use overheads::FrameworkOverheads;
pub use phases::StepPhases;
pub use recipe::{Gradients, TrainingRecipe};
pub use sensitivity::{Parameter, Sensitivity, sensitivities};
pub use volume::Volumes;
