//! Estimates: operators and collectives composed into step times, latencies and memory, every term kept.

pub mod generations;
pub mod inference;
pub mod memory;
pub mod subramanian;
pub mod sweep;
mod tally;
pub mod term;
pub mod training;

pub use generations::{Generation, generations};
pub use inference::{InferenceEstimate, InferenceLoad, Phase};
pub use memory::Footprint;
pub use term::{OperatorRow, Term};
pub use training::{TrainingEstimate, TrainingRecipe};
