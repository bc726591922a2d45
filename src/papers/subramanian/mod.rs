//! Results of arXiv 2410.00273.

mod authors_code;
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

use super::Entry;

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
