//! What `make validate` writes: accuracy tables, uncertainty bands and the rows of the Validation view; and what `make
//! profiles` writes: what rows of one's own are worth.

pub mod bands;
pub mod left_out;
pub mod page;
pub mod percentiles;
pub mod priors;
pub mod profiles;
pub mod report;
pub mod room;
pub mod sources;
pub mod tables;
