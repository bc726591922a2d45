//! Predictions of published measurements, and their errors.
//!
//! A [`Case`] is one published row: the measurement, and the scenario that predicts it.
//! The tools crate reads cases from files; [`Case::outcomes`] predicts them; [`Score`] sums up the errors.

mod abroad;
pub mod band;
pub mod by_load;
mod case;
pub mod maker;
mod nearest;
mod outcome;
pub mod points;
mod predicted;
mod quantity;
mod score;
mod served;
mod source;
mod traits;
pub mod unmeasured;

pub use crate::order::quantile;
pub use abroad::abroad;
pub use case::{COMPUTED, Case, Family, Question, Skip, Tier};
pub use nearest::{Near, nearest};
pub use outcome::Outcome;
pub(crate) use predicted::Predicted;
pub use predicted::{Replaced, predicted};
pub use quantity::Quantity;
pub use score::Score;
pub use served::{ServedRun, served_runs};
pub use source::source_name;
