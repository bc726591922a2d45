//! What `make validate` writes: accuracy tables, uncertainty bands and the rows of the Validation view.

pub mod bands;
pub mod left_out;
pub mod page;
pub mod report;
pub mod room;
pub mod tables;
