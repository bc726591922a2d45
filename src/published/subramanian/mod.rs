//! The model of arXiv 2410.00273 (Subramanian et al. 2024) as its authors' code computes it.
//!
//! It is separate from the other estimates because it rests on different assumptions throughout: every kernel has a
//! fixed launch time and the same share of the peak rate, whatever its shape; attention is not causal (the full square
//! counts); embedding, output head, loss and optimizer take no time; dropout is always on. Integer divisions drop
//! remainders, as in the authors' code. Tests compare it with 56 of their cases, 408 collectives and 352 searches.
//!
//! One error of the authors' code can be switched off: under SUMMA, norms take the sequence length for their width. See
//! [`Transformer::norm_fault`].

mod attention;
mod authors;
mod collective;
mod features;
mod layer;
mod map;
mod method;
mod multiply;
mod question;
mod search;
mod space;
mod step;
mod study;

pub use authors::{Device, Run, Setup};
pub use collective::{CollectiveKind, Link, Links, Placed};
pub use features::{Changed, Feature};
pub use layer::{Layer, Operator};
pub use map::{GPUS, Job, Map, Planned};
pub use method::Method;
pub use question::Outside;
pub use search::{Best, Counts, Explorer, Walk};
pub use space::Space;
pub use step::{Memory, Step};
pub use study::{Study, StudyPoint};

use crate::units::{Bandwidth, Bytes, FlopRate, Seconds};

/// Share of the peak rates that every kernel achieves.
const EFFICIENCY: f64 = 0.8;
/// Launch time of every kernel.
const LAUNCH: Seconds = Seconds::from_micros(20.0);
/// Bytes per element.
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
    /// DRAM capacity, all of it usable.
    pub capacity: Bytes,
    /// Links inside and between scale-up domains.
    pub links: Links,
    /// GPUs per scale-up domain.
    pub domain: u32,
}

/// A transformer of identical layers, without embedding and output head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transformer {
    /// Tokens per sequence.
    pub sequence: u32,
    /// Hidden size.
    pub width: u32,
    /// Attention heads.
    pub heads: u32,
    /// Intermediate size of the feed-forward block.
    pub ffn: u32,
    /// Number of layers.
    pub depth: u32,
    /// True if norms under SUMMA use the sequence length as their width, as in the authors' code, instead of the hidden
    /// size.
    pub norm_fault: bool,
    /// Attention kernels.
    pub attention: Attention,
}

/// Attention kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attention {
    /// One fused kernel, as in all of the authors' searches.
    #[default]
    Fused,
    /// Separate kernels for both products, softmax and dropout, whose inputs are recomputed in the backward pass
    /// (Megatron's selective recomputation). Available for [`Strategy::OneD`] only.
    Recomputed,
}

/// Tensor-parallel strategy of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// 1D tensor parallelism: column- then row-parallel matrices, with sequence parallelism in between.
    OneD,
    /// 2D tensor parallelism ("seqp"): matrices sharded over `first`, tokens over `second`; keys and values are
    /// all-gathered over `second`.
    Context,
    /// 2D tensor parallelism with SUMMA: both operands sharded over a grid, multiplied panel by panel.
    Summa {
        /// Number of panels. The broadcast of a panel overlaps with the multiply of the previous one.
        panels: u32,
    },
}

/// One number for each parallel group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Degrees {
    /// Tensor parallelism, or columns of SUMMA's grid.
    pub first: u32,
    /// Context parallelism, or rows of SUMMA's grid.
    pub second: u32,
    /// Data parallelism.
    pub data: u32,
    /// Pipeline stages.
    pub pipeline: u32,
}

/// A parallelism plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Tensor-parallel strategy.
    pub strategy: Strategy,
    /// Sizes of the groups.
    pub degrees: Degrees,
    /// Members of each group inside one scale-up domain.
    pub inside: Degrees,
    /// Sequences per microbatch.
    pub microbatch: u32,
}
