//! Estimates: operators and collectives composed into step times, latencies and memory, every term kept.

pub mod binding;
pub mod frontier;
pub mod generations;
pub mod inference;
pub mod memory;
pub mod shapley;
pub mod subramanian;
pub mod sweep;
mod tally;
pub mod task;
pub mod term;
pub mod training;
pub mod waterfall;

pub use binding::{Binding, Shares};
pub use generations::{Generation, generations};
pub use inference::{InferenceEstimate, InferenceLoad, Phase};
pub use memory::Footprint;
pub use task::Task;
pub use term::{OperatorRow, Term};
pub use training::{TrainingEstimate, TrainingRecipe};
pub use waterfall::{Waterfall, waterfall};
