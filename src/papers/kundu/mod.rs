//! Results of arXiv 2407.14645.

mod assumptions;
mod bounds;
mod dram;
mod inference;
mod layers;
mod memory;
mod nodes;
mod questions;
mod systems;
mod training;
mod utilisation;

use super::Entry;

/// The computations, in the order of [`crate::published::EXHIBITS`].
pub(super) fn entries() -> impl Iterator<Item = &'static Entry> {
    training::ENTRIES
        .iter()
        .chain(&layers::ENTRIES)
        .chain(&memory::ENTRIES)
        .chain(&inference::ENTRIES)
        .chain(&dram::ENTRIES)
        .chain(&bounds::ENTRIES)
        .chain(&systems::ENTRIES)
        .chain(&nodes::ENTRIES)
}
