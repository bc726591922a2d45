//! Estimates: operators and collectives composed into step times, latencies and memory, every term kept.

pub mod binding;
pub mod capacity;
pub mod economics;
pub mod engine;
pub mod frontier;
pub mod generations;
pub mod inference;
mod inference_memory;
pub mod load;
mod load_law;
pub mod memory;
pub mod sensitivity;
pub mod serving;
pub mod shapley;
pub mod subramanian;
pub mod sweep;
mod tally;
pub mod task;
pub mod term;
pub mod training;
pub mod waterfall;

pub use binding::{Binding, Shares};
pub use capacity::{LoadCurve, LoadPoint, Service};
pub use economics::{Bill, Economics, TokenBill};
pub use engine::{Engine, Overheads, Sharing};
pub use generations::{Generation, generations};
pub use inference::{InferenceEstimate, Phase};
pub use load::{InferenceLoad, Launch};
pub use load_law::LoadFault;
pub use memory::Footprint;
pub use sensitivity::{Parameter, Sensitivity, sensitivities};
pub use serving::Saturated;
pub use task::{Task, TaskKind};
pub use term::{OperatorRow, Term};
pub use training::{Framework, Gradients, TrainingEstimate, TrainingRecipe};
pub use waterfall::{Waterfall, waterfall};
