//! All experts of a layer in one kernel: tokens are sorted by expert, multiplied, gated, multiplied and summed.

use super::constants::constants;
use super::dequantising::Columns;
use super::device::Device;
use super::norm::{LARGEST, p_norm};
use super::precision::Precision;
use super::{Cost, System};
use crate::units::{Bytes, Flops, Seconds};

/// Distribution of tokens over experts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Load {
    /// All experts get the same number of tokens.
    Balanced,
    /// Some are popular: a power law with exponent 1.2, as the measured kernels had it.
    #[default]
    Skewed,
    /// Popular experts have copies, so that all GPUs have the same number of pairs, though their experts differ
    /// (redundant experts placed by an expert-parallel load balancer).
    Rebalanced,
}

/// How tokens come to the GPU of their experts. It determines the kernel that multiplies them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrival {
    /// An all-gather brings the tokens of all GPUs. The kernel selects the pairs of its experts.
    Gathered,
    /// One-sided kernels bring only tokens of this GPU's experts. The kernel is that of [`Self::Gathered`].
    Sent,
    /// One-sided kernels built for throughput bring only tokens of this GPU's experts. The pairs of each expert are adjacent
    /// (`DeepGEMM`'s contiguous layout).
    Contiguous {
        /// Tokens that arrive.
        tokens: f64,
    },
    /// One-sided kernels built for latency write the pairs of each expert to a buffer of its own (`DeepGEMM`'s masked layout).
    Masked,
}

/// The routed experts of one layer on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Experts {
    /// Tokens that the layer routes, on all GPUs that share its experts.
    pub tokens: f64,
    /// Width of a token.
    pub hidden: f64,
    /// Width of an expert on this GPU, after tensor parallelism.
    pub width: f64,
    /// Number of input multiplies of an expert: 2 with a gate, otherwise 1.
    pub gates: f64,
    /// Experts per token.
    pub top_k: f64,
    /// Experts of the layer.
    pub experts: f64,
    /// Experts on this GPU.
    pub local: f64,
    /// Distribution of tokens over experts.
    pub load: Load,
    /// How tokens come to this GPU.
    pub arrival: Arrival,
    /// Format of the experts' weights.
    pub precision: Precision,
}

/// Rows of the smallest tile.
const SMALLEST_BLOCK: f64 = 8.0;

impl Experts {
    /// Token-expert pairs on this GPU when all GPUs have the same number.
    fn pairs(&self) -> f64 {
        self.tokens * self.top_k * self.local / self.experts
    }

    /// Two operations per multiply-add.
    pub fn flops(&self) -> Flops {
        Flops::new(2.0 * self.pairs() * (self.gates + 1.0) * self.hidden * self.width)
    }

    /// Share of the experts that at least one of uniformly routed tokens selects: 1 - (1 - k/E)^tokens for k of E experts
    /// per token.
    pub(super) fn reached(&self) -> f64 {
        1.0 - libm::pow(1.0 - self.top_k / self.experts, self.tokens)
    }

    /// Mean number of tokens of an expert that has any.
    pub fn columns(&self) -> Columns {
        Columns { tokens: self.tokens * self.top_k / self.experts / self.reached(), uneven: true }
    }

    /// Weights of one expert on this GPU.
    pub(super) fn weights(&self) -> Bytes {
        self.precision.element() * ((self.gates + 1.0) * self.hidden * self.width)
    }
}

/// Constants of fused experts by format of their weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpertsTable {
    /// 16 bits, and every format that the device widens to multiply.
    pub bf16: ExpertsConstants,
    /// 8 bits, scaled per token.
    pub fp8: ExpertsConstants,
    /// 8 bits, scaled per block.
    pub fp8block: ExpertsConstants,
    /// 8 bits, scaled per block, with adjacent pairs of each expert ([`Arrival::Contiguous`]).
    pub contiguous: ExpertsConstants,
    /// 8 bits, scaled per block, with a buffer for each expert ([`Arrival::Masked`]).
    pub masked: ExpertsConstants,
    /// 4 bits.
    pub fp4: ExpertsConstants,
    /// 4-bit integer weights.
    pub int4: ExpertsConstants,
    /// 4-bit MX weights.
    pub mxfp4: ExpertsConstants,
}

impl ExpertsTable {
    /// The constants for weights of this format on this device. `DeepGEMM`'s kernels were measured for blocks of 8 bits.
    pub fn of(&self, precision: Precision, arrival: Arrival, device: &Device) -> &ExpertsConstants {
        match precision {
            Precision::Int4 | Precision::Awq => &self.int4,
            Precision::Mxfp4 => &self.mxfp4,
            _ if device.peak(precision).is_none() => &self.bf16,
            Precision::Fp8 | Precision::Int8 => &self.fp8,
            Precision::Fp8Block | Precision::Mxfp8 | Precision::Mxfp6 => match arrival {
                Arrival::Gathered | Arrival::Sent => &self.fp8block,
                Arrival::Contiguous { .. } => &self.contiguous,
                Arrival::Masked => &self.masked,
            },
            Precision::Fp4 => &self.fp4,
            _ => &self.bf16,
        }
    }
}

constants! {
    /// Efficiencies and overheads of fused expert kernels.
    ExpertsConstants {
        /// Time that every call takes.
        launch: Seconds = 0.0, 1e-6..=1e-3 "s", fitted;
        /// Time that sorting and summing many pairs adds.
        sort: Seconds = 0.0, 1e-7..=2e-4 "s", fitted;
        /// Pairs at which half of that is added.
        sort_pairs: f64 = 1.0, 1.0..=3e4 "pairs", fitted;
        /// Fraction of the peak matrix rate.
        compute_efficiency: f64 = 1.0, 0.02..=1.0 "", fitted;
        /// Fraction of DRAM bandwidth at which weights stream.
        dram_efficiency: f64 = 1.0, 0.05..=1.1 "", fitted;
        /// Rows of the largest tile: experts are padded to whole tiles.
        block: f64 = 1.0, 1.0..=512.0 "rows", fitted;
        /// Traffic of sorting, quantising and summing, relative to reading every pair's token and writing its result. Of contiguous
        /// pairs: relative to reading and writing every token that arrives.
        shuffle: f64 = 0.0, 0.02..=20.0 "", fitted;
        /// Exponent of the p-norm of reading weights and multiplying.
        overlap: f64 = LARGEST, 1.0..=8.0 "", fitted;
        /// Skewed load: with x pairs per expert, the share 1 - exp(-reach × x^spread) of the experts is selected.
        reach: f64 = 1.0, 0.2..=4.0 "", fitted;
        /// Skewed load: the exponent in that share.
        spread: f64 = 1.0, 0.3..=1.5 "", fitted;
        /// Skewed load: excess of the fullest GPU over the mean, relative to one expert that every token selects.
        hotspot: f64 = 0.0, 0.01..=8.0 "", fitted;
        /// Depth of both summed dimensions that filling and draining a tile costs.
        k_ramp: f64 = 0.0, 1.0..=2000.0 "elements", fitted;
    }
}

impl System {
    /// Time of a layer's routed experts: the p-norm of reading the weights of the selected experts and of multiplying
    /// padded rows, plus the traffic of sorting and summing all token-expert pairs and the launch. The equations are this
    /// model's own (docs/method/kernels.md); the constants are fitted to measured kernels (`make kernels`).
    pub fn experts(&self, experts: &Experts) -> Cost {
        let constants = self.assumptions.experts.of(experts.precision, experts.arrival, &self.device);
        let Experts { tokens, hidden, width, gates, top_k, local, .. } = *experts;
        let all = tokens * top_k;
        let share = experts.local / experts.experts;
        let mean = all / experts.experts;
        let fullest = match experts.load {
            Load::Balanced | Load::Rebalanced => 1.0,
            // One expert that every token visits has a k-th of all pairs.
            Load::Skewed => (1.0 + constants.hotspot * (1.0 / share - 1.0) / top_k).min(1.0 / share),
        };
        let reached = match experts.load {
            Load::Balanced => mean.min(1.0),
            Load::Skewed | Load::Rebalanced => {
                1.0 - libm::exp(-constants.reach * libm::pow(mean * fullest, constants.spread))
            }
        };
        // Never fewer than one, as long as there is a pair.
        let active = (local * reached).max((all * share).min(1.0));
        let pairs = all * share * fullest;
        // Pairs that the kernel is shown: it sorts them, and chooses smaller tiles where few meet an expert.
        let shown = if experts.arrival == Arrival::Gathered { all } else { pairs };
        let moved_rows = match experts.arrival {
            Arrival::Contiguous { tokens } => tokens,
            Arrival::Gathered | Arrival::Sent | Arrival::Masked => shown,
        };
        let block = (shown / local).max(SMALLEST_BLOCK).min(constants.block);
        let rows = match experts.load {
            // Equal counts fill their tiles, beyond the first.
            Load::Balanced => pairs.max(active * block),
            // Unequal ones leave half of the last tile empty.
            Load::Skewed | Load::Rebalanced => (pairs + 0.5 * active * block).max(active * block),
        };
        let dram_bytes = experts.weights() * active;
        let dram = dram_bytes / (self.device.dram * constants.dram_efficiency);
        let depth = gates * (hidden + constants.k_ramp) * width + hidden * (width + constants.k_ramp);
        let rate = self.device.rate(experts.precision) * constants.compute_efficiency;
        let compute = Flops::new(2.0 * rows * depth) / rate;
        let moved = Bytes::new(moved_rows * hidden * 4.0);
        let shuffle = moved * constants.shuffle / self.device.dram;
        let launch = constants.launch + constants.sort * (shown / (shown + constants.sort_pairs));
        let joined = Seconds::new(p_norm(compute.get(), dram.get(), constants.overlap));
        Cost {
            flops: experts.flops(),
            bytes: dram_bytes + moved * constants.shuffle,
            time: joined + shuffle + launch,
            compute,
            dram: dram + shuffle,
            launch,
            ..Cost::default()
        }
        .bounded()
    }
}
