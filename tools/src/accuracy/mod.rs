//! Output of `make validate` (accuracy tables, uncertainty ranges and rows of the Validation view) and of `make profiles`
//! (priors of calibrations, and the accuracy that calibrations gain).

pub mod aisimulate;
pub mod bands;
pub mod factors;
pub mod goals;
pub mod left_out;
pub mod new_devices;
pub mod page;
pub mod percentiles;
pub mod predictions;
pub mod priors;
pub mod profiles;
mod ranges;
pub mod report;
pub mod room;
pub mod sources;
pub mod tables;
pub mod unmeasured;
