//! Machines compared: the same task on each, each at its best, and the causes of a speed-up.

pub mod frontier;
pub mod machines;
pub mod serving;
pub mod shapley;
pub mod task;
pub mod waterfall;

pub use machines::{Generation, Machines};
pub use serving::{Deployed, Measure, ServedGeneration, ServedMachines};
pub use task::{Task, TaskKind};
pub use waterfall::{Waterfall, waterfall};
