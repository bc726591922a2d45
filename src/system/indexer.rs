//! Kernels of an indexer, which selects the keys that sparse attention reads (DeepSeek-V3.2, equation 1). Their constants are
//! those of GLM-5's modules in SGLang 0.5.14 (tables of ai-dynamo/aiconfigurator).

use super::{Cost, Precision, System};
use crate::units::{Bytes, Flops, Seconds};

/// Scores of a prompt's queries in one kernel: a multiply by all heads, whose products are weighted and summed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexScores {
    /// Sequences.
    pub batch: f64,
    /// Queries of a sequence.
    pub queries: f64,
    /// Keys that a query is scored against, on average.
    pub keys: f64,
    /// Heads of the indexer.
    pub heads: f64,
    /// Width of a head.
    pub dim: f64,
    /// Number format of queries and keys.
    pub precision: Precision,
}

/// Selection of the best keys by their scores: one block for each query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selection {
    /// Queries of all sequences.
    pub queries: f64,
    /// Keys that a query has scores of, on average.
    pub keys: f64,
}

/// Bytes of a score, in 32 bits.
pub(crate) const SCORE: Bytes = Bytes::new(4.0);

/// Reads of a score by the selection: once for the histogram of a radix select, once for the keys above the threshold.
const READS: f64 = 2.0;

/// Fraction of the peak matrix rate of DeepGEMM's `fp8_mqa_logits`, for kernels of at least 0.3 ms: the median of six devices'
/// medians (GB200 0.74, B200 0.76, B300 0.80, GB300 0.86, H200 0.89, H100 0.90).
const EFFICIENCY: f64 = 0.83;

/// Time of that kernel for a few keys, on all six devices.
const LAUNCH: Seconds = Seconds::from_micros(3.6);

/// Launch of SGLang's `fast_topk_transform_fused`.
const SELECTION: Seconds = Seconds::from_micros(2.0);

/// Time of a block of that kernel before its keys. The three constants of the kernel are fitted to the same six devices, with a
/// mean error of 0.41 in the logarithm: the table has two orders of scores, one of which takes about twice as long.
const PER_QUERY: Seconds = Seconds::from_micros(4.0);

/// Time of a block of that kernel per key.
const PER_KEY: Seconds = Seconds::from_micros(3e-4);

impl IndexScores {
    /// Two operations per multiply-add.
    pub fn flops(&self) -> Flops {
        Flops::new(2.0 * self.batch * self.queries * self.keys * self.heads * self.dim)
    }

    /// Queries and keys read once, scores written once.
    pub fn bytes(&self) -> Bytes {
        let operands = self.precision.operand() * ((self.queries * self.heads + self.keys) * self.dim);
        (operands + SCORE * (self.queries * self.keys)) * self.batch
    }
}

impl Selection {
    /// Comparisons and counts of a radix select.
    pub fn flops(&self) -> Flops {
        Flops::new(4.0 * self.queries * self.keys)
    }

    /// Scores read.
    pub fn bytes(&self) -> Bytes {
        SCORE * (self.queries * self.keys * READS)
    }
}

impl System {
    /// Time of a selection: its waves of blocks, or the DRAM time of the scores if that is longer, plus the launch. Assumption
    /// sets without tiles take DRAM time alone.
    pub(super) fn selection(&self, selection: &Selection) -> Cost {
        let tiled = self.assumptions.matmul.bf16.is_tiled();
        let waves = libm::ceil(selection.queries / self.device.multiprocessors);
        let (blocks, launch) = if tiled {
            ((PER_QUERY + PER_KEY * selection.keys) * waves, SELECTION)
        } else {
            (selection.flops() / self.device.vector, self.assumptions.stream.launch)
        };
        let dram = self.streaming(selection.bytes());
        Cost {
            flops: selection.flops(),
            bytes: selection.bytes(),
            time: blocks.max(dram) + launch,
            compute: blocks,
            dram,
            launch,
            ..Cost::default()
        }
        .bounded()
    }

    /// Time of scores by the roofline, plus the launch. Assumption sets without tiles use their fraction of the peak rate for
    /// any multiply, and no launch.
    pub(super) fn index_scores(&self, scores: &IndexScores) -> Cost {
        let multiply = self.assumptions.matmul.of(scores.precision, &self.device);
        let (efficiency, launch) = if multiply.is_tiled() {
            (EFFICIENCY, LAUNCH)
        } else {
            (multiply.compute_efficiency, multiply.launch)
        };
        let compute = scores.flops() / (self.device.rate(scores.precision) * efficiency);
        let dram = self.streaming(scores.bytes());
        Cost {
            flops: scores.flops(),
            bytes: scores.bytes(),
            time: compute.max(dram) + launch,
            compute,
            dram,
            launch,
            ..Cost::default()
        }
        .bounded()
    }
}
