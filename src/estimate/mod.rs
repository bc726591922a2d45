//! Common parts of estimates: terms and operators, memory by class, time by limiting resource.

mod activity;
mod binding;
mod course;
mod footprint;
pub(crate) mod tally;
mod term;

pub use activity::Activity;
pub use binding::{Binding, Shares};
pub use course::{Busy, Course, SLOTS as COURSE_SLOTS};
pub use footprint::Footprint;
pub use term::{OperatorRow, Term};
