//! Machines compared: the same task on each, each at its best, and the causes of a speed-up.

pub mod frontier;
pub mod machines;
pub mod shapley;
pub mod task;
pub mod waterfall;

pub use machines::{Generation, generations};
pub use task::{Task, TaskKind};
pub use waterfall::{Waterfall, waterfall};
