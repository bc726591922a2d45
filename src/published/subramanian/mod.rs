//! The model of arXiv 2410.00273 (Subramanian et al. 2024) as its authors' code computes it.
//!
//! Kept apart from the rest of the estimates because its authors decide everything otherwise: every kernel pays
//! a fixed launch and reaches the same share of the peak, whatever its shape; attention counts the full square;
//! embedding, head, loss and optimizer time are left out; dropout always runs. Integer divisions drop
//! remainders as the authors' do. Held against 56 of their cases, 408 collectives and 352 searches.
//!
//! One exception can be switched: under SUMMA the authors take the sequence for the width of a norm, see
//! [`Transformer::norm_fault`].

mod attention;
mod authors;
mod collective;
mod features;
mod layer;
mod method;
mod question;
mod search;
mod space;
mod step;
mod study;

pub use authors::{Device, Run, Setup};
pub use collective::{CollectiveKind, Link, Links, Placed};
pub use features::{Changed, Feature, GPUS, Job, Map, Planned};
pub use layer::{Layer, Operator};
pub use method::Method;
pub use question::Outside;
pub use search::{Best, Counts, Explorer, Walk};
pub use space::Space;
pub use step::{Memory, Step};
pub use study::{Study, StudyPoint};

use crate::units::{Bandwidth, Bytes, FlopRate, Seconds};

/// Share of the peak rates that every kernel reaches.
const EFFICIENCY: f64 = 0.8;
/// Time that every kernel takes beside its arithmetic.
const LAUNCH: Seconds = Seconds::from_micros(20.0);
/// Bytes of an element.
const ELEMENT: u64 = 2;

/// One accelerator and its links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Peak rate of the matrix units.
    pub matrix: FlopRate,
    /// Peak rate of the vector units, in 16 bits.
    pub vector: FlopRate,
    /// DRAM bandwidth.
    pub dram: Bandwidth,
    /// DRAM capacity; all of it can be used.
    pub capacity: Bytes,
    /// Links inside and between scale-up domains.
    pub links: Links,
    /// GPUs in a scale-up domain.
    pub domain: u32,
}

/// A transformer of equal layers, without ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transformer {
    /// Tokens per sequence.
    pub sequence: u32,
    /// Width of the residual stream.
    pub width: u32,
    /// Attention heads.
    pub heads: u32,
    /// Inner width of the feed-forward block.
    pub ffn: u32,
    /// Layers.
    pub depth: u32,
    /// True if norms under SUMMA are as wide as the sequence is long, as in the authors' code, rather than as wide as
    /// the residual stream.
    pub norm_fault: bool,
    /// The kernels of attention.
    pub attention: Attention,
}

/// The kernels of attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attention {
    /// One fused kernel, as in all of the authors' searches.
    #[default]
    Fused,
    /// A kernel for each product, softmax and dropout, whose inputs are computed again in the backward pass: Megatron's
    /// selective recomputation. Only strategies that do not cut sequences have it.
    Recomputed,
}

/// How a layer's matrices are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Columns, then rows, with the sequence sharded in between.
    OneD,
    /// Two-dimensional tensor parallelism ("seqp"): matrices sharded over `first`, tokens over `second`, which gathers keys
    /// and values.
    Context,
    /// Both operands cut over a grid, multiplied in panels.
    Summa {
        /// Panels that broadcasts overlap with.
        panels: u32,
    },
}

/// A number for each group of GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Degrees {
    /// Tensor parallelism, or the grid's columns.
    pub first: u32,
    /// Context parallelism, or the grid's rows.
    pub second: u32,
    /// Replicas.
    pub data: u32,
    /// Pipeline stages.
    pub pipeline: u32,
}

/// How a job is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How a layer's matrices are cut.
    pub strategy: Strategy,
    /// Sizes of the groups.
    pub degrees: Degrees,
    /// Members of each group that share a scale-up domain.
    pub inside: Degrees,
    /// Sequences per microbatch.
    pub microbatch: u32,
}
