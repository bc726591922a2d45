//! Results of arXiv 2407.14645.

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

/// On what every result of this paper rests.
const LINEAGE: &str = "The paper's tool is closed: ours are the equations of this model under the assumption set kundu-2024. From the tool's \
     public ancestor, DeepFlow, are the 0.75 of the matrix rate, 9 µs a kernel and two accesses to DRAM for each byte of a \
     ring; no constant is fitted";

/// What the set takes beyond the public ancestor, see `src/system/kundu.rs`.
const BEYOND: &str = "Inferred beyond DeepFlow: 0.75 of the nominal DRAM bandwidth, where the paper's own share grows with the \
                      size of a matrix-vector product; DeepFlow's 5 µs of network latency for each hop within and between \
                      domains; a double binary tree in place of a ring where the ring's latency exceeds its transfer";
