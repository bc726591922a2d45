//! Views: what each question shows, as data that the page draws.

mod answer;

pub use answer::{Answer, Card, Link, Notice, Pager, Part, Range, TablePart};
