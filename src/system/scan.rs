//! Recurrences with a state of constant size: delta rules, state spaces, linear attention.

use super::constants::constants;
use super::precision::Precision;
use super::{Cost, System};
use crate::catalog::Accelerator;
use crate::catalog::layers::RecurrenceKernel;
use crate::units::{Bytes, Flops, Seconds};

/// The library whose kernels read prompts in chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScanLibrary {
    /// What vLLM calls: kernels of FlashInfer and FlashKDA where there are any.
    #[default]
    Vllm,
    /// Triton kernels of flash-linear-attention, which Megatron-LM and Hugging Face Transformers call, and SGLang has a
    /// copy of.
    Triton,
}

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
    /// The kernels of the layer kind.
    pub kernel: RecurrenceKernel,
    /// The library of the kernels.
    pub library: ScanLibrary,
    /// Heads of all sequences: each passes through its chunks one after another, on one multiprocessor.
    pub heads: f64,
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
        /// Fraction of the 16-bit matrix rate at which chunks of a prompt are multiplied where heads are many.
        matrix_efficiency: f64 = 1.0, 0.01..=1.0 "", given;
        /// Fraction of the 16-bit matrix rate that one head of one sequence reaches.
        head_efficiency: f64 = 1.0, 1e-5..=1.0 "", given;
        /// Fraction of DRAM bandwidth at which states are updated.
        dram_efficiency: f64 = 1.0, 0.1..=1.2 "", given;
        /// Time of the kernels of a prompt's chunks in addition to their work.
        chunks: Seconds = 0.0, 0.0..=1e-3 "s", given;
        /// Time of the kernel of a decode step in addition to its work.
        launch: Seconds = 0.0, 0.0..=1e-4 "s", given;
        /// `matrix_efficiency` of Triton's kernels.
        triton_efficiency: f64 = 1.0, 0.01..=1.0 "", given;
        /// `head_efficiency` of Triton's kernels.
        triton_head_efficiency: f64 = 1.0, 1e-5..=1.0 "", given;
        /// `chunks` of Triton's kernels.
        triton_chunks: Seconds = 0.0, 0.0..=1e-3 "s", given;
    }
}

/// Constants of recurrences by kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanTable {
    /// Gated delta rules; recurrences without measurements take these over.
    pub gated: ScanConstants,
    /// Kimi delta attention.
    pub kimi: ScanConstants,
}

impl ScanTable {
    pub(super) fn ideal() -> Self {
        Self { gated: ScanConstants::ideal(), kimi: ScanConstants::ideal() }
    }

    pub(super) fn measured(accelerator: &Accelerator) -> Self {
        Self { gated: ScanConstants::gated(accelerator), kimi: ScanConstants::kimi(accelerator) }
    }

    fn of(&self, kernel: RecurrenceKernel) -> &ScanConstants {
        match kernel {
            RecurrenceKernel::GatedDelta | RecurrenceKernel::Unmeasured => &self.gated,
            RecurrenceKernel::KimiDelta => &self.kimi,
        }
    }
}

/// Medians over measured shapes (ai-dynamo/aiconfigurator@095f58a, `gdn_perf` and `kda_perf`): chunks of 8,192 tokens or
/// more with 256 heads or more of all sequences, the same with so few heads that the rate is in proportion to them,
/// decode of states that take 20 µs or more, and the smallest shapes. Triton's kernels were measured under SGLang. The
/// L40S has no others, and other generations take its constants over.
///
/// The rate of one head is what a delta rule reaches on one multiprocessor: a state passes through its chunks in turn.
/// Mean errors with constants from the other devices of the generation only: gated delta nets under vLLM 9 to 17 % (with
/// one rate for any number of heads 43 to 66 %), Kimi delta attention under vLLM 10 to 15 %; of Triton's kernels gated
/// delta nets on Blackwell 12 to 21 % and on Hopper 37 to 119 %, since the H200 runs at half of the H100's rate, Kimi delta
/// attention 10 to 19 %.
impl ScanConstants {
    /// Gated delta nets. Under vLLM 0.24: H100 and H200 0.43 and 0.44 (FlashInfer's kernel), Blackwell 0.23 to 0.25, L40S
    /// 0.057. Triton's, under SGLang 0.5.14: H100 0.069, H200 0.028, Blackwell 0.038 to 0.048, L40S 0.060.
    fn gated(accelerator: &Accelerator) -> Self {
        let (vllm, triton) = match accelerator.architecture.as_str() {
            "Hopper" => ((0.44, 0.0038, 12.0), (0.048, 0.0039, 27.0)),
            "Blackwell" | "Rubin" => ((0.24, 0.002, 20.0), (0.042, 0.0017, 27.0)),
            _ => ((0.057, 0.017, 21.0), (0.06, 0.017, 22.0)),
        };
        Self::chunks(vllm, triton, 0.77, 4.6)
    }

    /// Kimi delta attention of Kimi K3. Under a development build of vLLM (0.1.dev19262): H100 0.159, H200 0.182, Blackwell
    /// 0.098 to 0.108, L40S 0.028; decode at 0.68 to 0.85 of DRAM bandwidth. Triton's, under SGLang 0.5.16: H100
    /// 0.040, H200 0.047, Blackwell 0.021 to 0.027, L40S 0.029. Where no shape has few enough heads, none limits the rate.
    fn kimi(accelerator: &Accelerator) -> Self {
        let (vllm, triton) = match accelerator.architecture.as_str() {
            "Hopper" => ((0.17, 0.0024, 27.0), (0.043, 1.0, 45.0)),
            "Blackwell" | "Rubin" => ((0.1, 0.0011, 25.0), (0.025, 0.0011, 47.0)),
            _ => ((0.028, 1.0, 43.0), (0.029, 1.0, 42.0)),
        };
        Self::chunks(vllm, triton, 0.72, 4.4)
    }

    /// Constants with a rate of many heads, a rate of one head and a time in µs for each library; of decode the fraction of
    /// DRAM bandwidth and the time of a launch in µs.
    fn chunks(vllm: (f64, f64, f64), triton: (f64, f64, f64), dram_efficiency: f64, launch: f64) -> Self {
        Self {
            matrix_efficiency: vllm.0,
            head_efficiency: vllm.1,
            dram_efficiency,
            chunks: Seconds::from_micros(vllm.2),
            launch: Seconds::from_micros(launch),
            triton_efficiency: triton.0,
            triton_head_efficiency: triton.1,
            triton_chunks: Seconds::from_micros(triton.2),
        }
    }
}

impl System {
    /// Time of a recurrence: arithmetic of matrix and vector units in sequence in each chunk, or DRAM, whichever is
    /// longer, plus the kernels' own time. The constants are medians of measured kernels (docs/method/kernels.md).
    pub(super) fn scan(&self, scan: &Scan) -> Cost {
        let constants = self.assumptions.scan.of(scan.kernel);
        let (all, one, chunks) = match scan.library {
            ScanLibrary::Vllm => (constants.matrix_efficiency, constants.head_efficiency, constants.chunks),
            ScanLibrary::Triton => {
                (constants.triton_efficiency, constants.triton_head_efficiency, constants.triton_chunks)
            }
        };
        let efficiency = match scan.kernel {
            RecurrenceKernel::GatedDelta | RecurrenceKernel::KimiDelta => all.min(one * scan.heads.max(1.0)),
            // Not known to pass through its chunks in turn.
            RecurrenceKernel::Unmeasured => all,
        };
        let times = if scan.backward { BACKWARD } else { 1.0 };
        let peak = self.device.rate(Precision::Bf16) * efficiency;
        let flops = (scan.products + scan.elementwise) * times;
        let compute = (scan.products / peak + scan.elementwise / self.device.vector) * times;
        let bytes = (scan.bytes + scan.states) * times;
        let dram = bytes / (self.device.dram * constants.dram_efficiency);
        let launch = if scan.decode { constants.launch } else { chunks };
        Cost { flops, bytes, time: compute.max(dram) + launch, compute, dram, launch, ..Cost::default() }
            .bounded()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::accelerator;
    use crate::system::{AssumptionSet, Assumptions};

    /// Operations on matrix units per token and head of 128 keys and values: `recurrence::delta_products`.
    const PRODUCTS: f64 = 184_320.0;

    /// Measured chunks of whole prompts: device, true for Kimi delta attention, true for Triton's kernels, sequences,
    /// their tokens, heads, µs (ai-dynamo/aiconfigurator@095f58a: `kda_perf` of vLLM 0.1.dev19262 and SGLang 0.5.16, `gdn_perf`
    /// of vLLM 0.24.0 and SGLang 0.5.14).
    const MEASURED: [(&str, bool, bool, f64, f64, f64, f64); 8] = [
        ("h100-sxm", true, false, 32.0, 512.0, 96.0, 1_898.752),
        ("h100-sxm", true, true, 64.0, 4_096.0, 12.0, 14_221.388),
        ("b200", true, false, 1.0, 16_384.0, 24.0, 1_098.032),
        ("b200", true, true, 32.0, 8_192.0, 12.0, 9_452.912),
        ("h100-sxm", false, false, 1.0, 16_384.0, 2.0, 769.562),
        ("h100-sxm", false, false, 64.0, 32_768.0, 16.0, 14_277.972),
        ("b200", false, false, 1.0, 16_384.0, 32.0, 636.872),
        ("b200", false, true, 1.0, 16_384.0, 16.0, 894.551),
    ];

    #[test]
    fn chunks_take_the_time_of_their_own_kernels() {
        for (device, kimi, triton, sequences, length, heads, micros) in MEASURED {
            let accelerator = accelerator(device).expect("a device");
            let system = System::with(accelerator, Assumptions::of(AssumptionSet::Calibrated, accelerator));
            let tokens = sequences * length;
            let scan = Scan {
                // Queries, keys, values and outputs in 16 bits.
                bytes: Bytes::new(tokens * heads * 4.0 * 128.0 * 2.0),
                states: Bytes::ZERO,
                products: Flops::new(PRODUCTS * tokens * heads),
                elementwise: Flops::ZERO,
                kernel: if kimi { RecurrenceKernel::KimiDelta } else { RecurrenceKernel::GatedDelta },
                library: if triton { ScanLibrary::Triton } else { ScanLibrary::Vllm },
                heads: sequences * heads,
                decode: false,
                backward: false,
            };
            let error = system.scan(&scan).time.get() * 1e6 / micros - 1.0;
            assert!(error.abs() < 0.25, "{device}, {heads} heads, {micros} µs: {error}");
        }
    }
}
