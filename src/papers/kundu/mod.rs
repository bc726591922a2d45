//! Results of arXiv 2407.14645.

mod bounds;
mod dram;
mod inference;
mod memory;
mod nodes;
mod questions;
mod systems;
mod training;

use super::Entry;

/// The computations, in the order of [`crate::published::EXHIBITS`].
pub(super) fn entries() -> impl Iterator<Item = &'static Entry> {
    training::ENTRIES
        .iter()
        .chain(&memory::ENTRIES)
        .chain(&inference::ENTRIES)
        .chain(&dram::ENTRIES)
        .chain(&bounds::ENTRIES)
        .chain(&systems::ENTRIES)
        .chain(&nodes::ENTRIES)
}

/// On what every result of this paper rests.
const LINEAGE: &str = "The paper's tool is closed: ours are the equations of this model under the assumption set kundu-2024, \
                       whose constants are those of the tool's public ancestor, DeepFlow; none is fitted";
