//! Assumptions of every result of this paper: which equations and constants our values come from.

/// Basis of every result of this paper.
pub(super) const LINEAGE: &str = "The paper's tool is closed source: our values come from this model's \
    equations under the assumption set kundu-2024. Three constants come from DeepFlow, the tool's public \
    ancestor: 0.75 of the peak matrix rate, 9 µs per kernel launch, and two DRAM accesses per byte of a \
    ring collective. No constant is fitted";

/// Assumptions of the set beyond the public ancestor; see `src/system/kundu.rs`.
pub(super) const BEYOND: &str = "Inferred beyond DeepFlow: 0.75 of the nominal DRAM bandwidth, where the \
    paper's share grows with the size of a matrix-vector product; DeepFlow's network latency of 5 µs for \
    each hop, within and between domains; a double binary tree instead of a ring when the ring's latency \
    exceeds its transfer time";
