//! Predictions beside what others measured.
//!
//! A [`Case`] is one published row: what was measured, and the scenario that asks the model for the same.
//! `published` makes cases from the files; [`Case::outcomes`] answers them; [`Score`] sums up the errors.

pub mod band;
mod case;
mod outcome;
pub mod points;
#[cfg(not(target_arch = "wasm32"))]
pub mod published;
mod quantity;
mod score;

pub use case::{Case, Family, Question, Skip};
pub use outcome::Outcome;
pub use quantity::Quantity;
pub use score::{Score, quantile};
