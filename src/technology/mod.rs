//! Hypothetical accelerators from a process node, a DRAM technology, links, and budgets of area, power and die edge,
//! after DeepFlow and arXiv 2407.14645.
//!
//! A [`Components`] says of what a die is made, a [`Budget`] how much of everything there is, an [`Allocation`] how it
//! is shared out. The [`Die`] that follows becomes a catalogue accelerator, on which every estimate runs, and
//! keeps the split of its budgets. [`allocate`] finds the allocation that serves a workload best;
//! [`references`] builds the A100, H100 and B200 and says by how much each figure is missed.

mod allocation;
mod budget;
mod budget_split;
mod components;
mod die;
mod optimum;
mod reference;

pub use allocation::Allocation;
pub use budget::{Budget, Resource};
pub use budget_split::{BudgetSplit, DiePart, Split};
pub use components::Components;
pub use die::Die;
pub use optimum::allocate;
pub use reference::{Miss, Reference, references};
