//! Recurrences with a state of constant size: delta rules, state spaces, linear attention.

use super::constants::constants;
use super::precision::Precision;
use super::{Cost, System};
use crate::catalog::Accelerator;
use crate::units::{Bytes, Flops, Seconds};

/// The recurrence of one layer on one GPU: prompts in chunks, or one token after another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scan {
    /// Inputs and outputs of all tokens.
    pub bytes: Bytes,
    /// States that are read and written.
    pub states: Bytes,
    /// Operations on matrix units.
    pub products: Flops,
    /// Operations on vector units.
    pub elementwise: Flops,
    /// True if each sequence has one token.
    pub decode: bool,
    /// True if this is the gradient.
    pub backward: bool,
}

/// Kernels of the backward pass per kernel of the forward pass: states of chunks are recomputed, then gradients of
/// inputs and of states follow, each with the same number of products (fla-org/flash-linear-attention@bc3b101,
/// ops/gated_delta_rule/chunk.py). Not measured.
const BACKWARD: f64 = 3.0;

constants! {
    /// Recurrences with a state of constant size.
    ScanConstants {
        /// Fraction of the 16-bit matrix rate at which chunks of a prompt are multiplied.
        matrix_efficiency: f64 = 1.0, 0.01..=1.0 "", given;
        /// Fraction of DRAM bandwidth at which states are updated.
        dram_efficiency: f64 = 1.0, 0.1..=1.2 "", given;
        /// Time of the kernels of a prompt's chunks in addition to their work.
        chunks: Seconds = 0.0, 0.0..=1e-3 "s", given;
        /// Time of the kernel of a decode step in addition to its work.
        launch: Seconds = 0.0, 0.0..=1e-4 "s", given;
    }
}

impl ScanConstants {
    /// Gated delta nets under vLLM 0.24, medians over measured shapes (ai-dynamo/aiconfigurator@095f58a, gdn_perf): chunks
    /// of 8,192 tokens or more, decode of states that take 20 µs or more, and the smallest shapes. Hopper has a kernel
    /// of its own (FlashInfer: H100 0.347, H200 0.334); B200, B300 and GB200 have 0.133 to 0.138, GB300 0.167; the L40S
    /// runs Triton's at 0.063, which others take over. Other recurrences take these over too.
    pub(super) fn measured(accelerator: &Accelerator) -> Self {
        let (matrix_efficiency, chunks) = match accelerator.architecture.as_str() {
            "Hopper" => (0.34, 12e-6),
            "Blackwell" | "Rubin" => (0.137, 20e-6),
            _ => (0.063, 21e-6),
        };
        Self {
            matrix_efficiency,
            dram_efficiency: 0.77,
            chunks: Seconds::new(chunks),
            launch: Seconds::new(4.6e-6),
        }
    }
}

impl System {
    /// Matrix and vector units one after the other in each chunk, against DRAM.
    pub(super) fn scan(&self, scan: &Scan) -> Cost {
        let constants = &self.assumptions.scan;
        let times = if scan.backward { BACKWARD } else { 1.0 };
        let peak = self.device.rate(Precision::Bf16) * constants.matrix_efficiency;
        let flops = (scan.products + scan.elementwise) * times;
        let compute = (scan.products / peak + scan.elementwise / self.device.vector) * times;
        let bytes = (scan.bytes + scan.states) * times;
        let dram = bytes / (self.device.dram * constants.dram_efficiency);
        let launch = if scan.decode { constants.launch } else { constants.chunks };
        Cost { flops, bytes, time: compute.max(dram) + launch, compute, dram, launch, ..Cost::default() }
            .bounded()
    }
}
