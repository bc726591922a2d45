//! Views: what each question shows, as data that the page draws.
//!
//! A view is a folder here, whose entry is a line of `views::entry`. It answers a question in short steps, so that the first cards
//! and figure come early, progress shows and a newer question can replace it: each step gives `Work`, and a
//! [`crate::service::Service`] takes the steps. Nothing here writes HTML or depends on a browser.

mod answer;
pub mod calibration;
mod cards;
pub mod comparison;
pub mod constants;
mod contents;
mod differences;
mod entry;
mod equations;
pub mod generations;
pub mod inference;
pub mod json;
mod launch;
mod measured;
mod notice;
mod operators;
mod papers;
mod profiled;
mod report;
mod search;
mod sections;
mod settings;
mod share;
mod sizing;
mod technology;
mod title;
pub mod trace;
pub mod training;
mod unbroken;
mod validation;
mod views;
mod ways_out;
mod work;

pub use answer::{Answer, Card, Commands, News, Pager, Part, Range, TablePart};
pub use comparison::Comparison;
pub use constants::Constants;
pub use contents::{contents, opens_published, section_of, section_with, sectioned, sections, unknown_part};
pub use notice::{Link, Notice};
pub use report::Report;
pub use sections::{ALL, Section};
pub use settings::Setting;
pub use share::{DocumentKind, Shared, embed_script};
pub use title::title;
pub use unbroken::unbroken;
pub(crate) use views::Views;
pub use views::{first, numbers, page_title};
pub use ways_out::ways_out;
pub(crate) use work::{Question, Work, Working};
