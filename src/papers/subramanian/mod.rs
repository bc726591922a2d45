//! Results of arXiv 2410.00273.

mod collectives;
mod days;
mod domains;
mod megatron;
mod optima;
mod perlmutter;
mod plan;
mod rationale;
mod study;
mod summary;
mod sweeps;

use super::{Entry, Origin, Source};

/// The computations, in the order of [`crate::published::EXHIBITS`].
pub(super) fn entries() -> impl Iterator<Item = &'static Entry> {
    study::ENTRIES
        .iter()
        .chain(&days::ENTRIES)
        .chain(&optima::ENTRIES)
        .chain(&rationale::ENTRIES)
        .chain(&sweeps::ENTRIES)
        .chain(&domains::ENTRIES)
        .chain(&collectives::ENTRIES)
        .chain(&megatron::ENTRIES)
}

/// Source of values computed by the authors' code: predictions, not measurements.
const CODE: Source = Source {
    origin: Origin::Code,
    place: "transformer-perf-estimates by ShashankSubramanian, commit 54278b0 of 2 October 2024",
};

/// Assumption of every result of the authors' search.
const SEARCHED: &str = "Numeric values of the paper's figures were not available: the published values are results of its \
                        authors' code, either shipped with it or obtained by running it unchanged";
