//! Hypothetical accelerators from a process node, a DRAM technology, links, and budgets of area, power and die edge,
//! after DeepFlow and arXiv 2407.14645.
//!
//! A [`Components`] has the technologies of a die, a [`Budget`] its area, power and edge, an [`Allocation`] how these are
//! divided. The [`Die`] that follows becomes a catalogue accelerator, for which every estimate can be computed, and keeps
//! the split of its budgets. [`allocate`] finds the best allocation for a workload; [`references`] builds the A100, H100,
//! B200 and V100 and gives the error of each figure.

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
