//! Equation sets of published papers, computed as their authors do, what the papers show, and the runs with which they are compared.

mod exhibits;
pub mod runs;
pub mod subramanian;

pub use exhibits::{EXHIBITS, Exhibit, Paper, exhibit_named};
