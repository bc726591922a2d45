//! A transformer as operators: what one GPU computes, reads, writes and sends for one layer and microbatch.

pub mod activations;
mod adapters;
mod attention;
mod audio;
pub mod context;
mod dispatch;
mod encoder;
pub mod ends;
mod exchange;
mod feed_forward;
pub mod flops;
mod kernels;
mod layer;
pub mod operator;
pub mod parameters;
mod prediction;
mod recompute;
pub(crate) mod recurrent;
mod selection;
mod shard;
mod summa;
mod vision;
pub mod weights;

pub use adapters::{Adapters, Targets};
pub use audio::Hearing;
pub use context::ContextKind;
pub use dispatch::{ExpertDispatch, ExpertExchange};
pub use feed_forward::{multiplies_experts, routes_tokens};
pub use operator::{Operator, Role};
pub use recompute::Recompute;
pub(crate) use shard::ACTIVATION;
pub use shard::{AttentionKernel, Mesh, SelectedPrompts, Shard};
pub use vision::Seeing;
pub use weights::Weights;
