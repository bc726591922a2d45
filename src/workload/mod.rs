//! A transformer as operators: what one GPU computes, reads, writes and sends for one layer and microbatch.

pub mod activations;
pub mod context;
pub mod ends;
pub mod flops;
pub mod layer;
pub mod operator;
pub mod parameters;
mod recompute;
mod summa;
pub mod weights;

pub use context::ContextKind;
pub use layer::{AttentionKernel, LayerKind, Mesh, Shard};
pub use operator::Operator;
pub use recompute::Recompute;
pub use weights::Weights;
