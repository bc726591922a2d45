//! Equation sets of published papers, computed as their authors do.

pub mod subramanian;
