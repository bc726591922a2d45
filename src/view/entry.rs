//! What is known of a view before it answers.

use super::sections::Section;
use super::work::Working;
use crate::scenario::Scenario;

/// A view's entry in the table of views.
pub(super) struct Entry {
    /// The sections of its answers, in reading order.
    pub(super) sections: &'static [Section],
    /// Machine names of the numbers that its answers can have. Documents keep them, so none is renamed or removed.
    pub(super) numbers: &'static [&'static str],
    /// Title of the page for a question, without the page's own name.
    pub(super) title: fn(&Scenario) -> String,
    /// The view, which has answered nothing yet.
    pub(super) start: fn() -> Box<dyn Working>,
}
