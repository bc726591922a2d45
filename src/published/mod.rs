//! Equation sets of published papers, computed as their authors do, and what the papers show.

mod exhibits;
pub mod subramanian;

pub use exhibits::{EXHIBITS, Exhibit, Paper, exhibit_named};
