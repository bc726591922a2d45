//! The answer to a question as what is shown of it: numbers, figures, tables, and the files that they are saved as.
//!
//! Everything is markup, made the same way wherever it is made: on the page for the view that it opens with, and
//! in its second program for all others. Whatever a file or a link said is escaped on its way into it.

mod deployments;
mod files;
mod generations;
mod generations_more;
mod headline;
pub(crate) mod html;
mod inference;
mod operators;
mod training;
mod training_more;

pub use crate::view::json;
pub use files::{Files, Format};
pub use generations::generations;
pub use generations_more::generations_more;
pub use inference::{inference, inference_among};
pub use training::{training, training_by_operators};
pub use training_more::training_more;

/// What is shown of an answer, and what can be saved of it.
#[derive(Debug, Default)]
pub struct Answer {
    /// Cards of numbers.
    pub headline: String,
    /// Figures and tables.
    pub figures: String,
    /// What can be saved.
    pub files: Files,
}
