//! What the page's remaining scripts compute with: a table of several answers, and a report.

mod comparison;
pub mod errand;
mod report;
