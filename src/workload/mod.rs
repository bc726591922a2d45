//! A transformer as operators: what one GPU computes, reads, writes and sends for one layer and microbatch.

pub mod activations;
pub mod ends;
pub mod flops;
pub mod layer;
pub mod operator;
pub mod parameters;
pub mod weights;

pub use layer::{AttentionKernel, LayerKind, Mesh, Shard};
pub use operator::Operator;
pub use weights::Weights;
