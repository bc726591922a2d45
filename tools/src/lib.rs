//! Reads published measurements, scores Foretoken's predictions against them and fits its constants.
//!
//! - [`published`]: files of published rows, cleaned of known defects, as cases for the model.
//! - [`accuracy`]: the tables, bands and rows that `make validate` writes.
//! - [`papers`]: the document of the two papers' results.
//! - [`parallel`]: work on many items, on all processors.
//! - [`kernels`]: tables of measured kernels, on which `make kernels` fits and scores constants.
//!
//! The programs are examples of this package: `validate`, `calibrate`, `engines`, `overheads`, `papers`.

pub mod accuracy;
pub mod kernels;
pub mod papers;
pub mod parallel;
pub mod published;

use std::path::Path;

/// The repository's root, below which `tests/measured`, `docs` and `public` lie.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
