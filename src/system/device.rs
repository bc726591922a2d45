//! One accelerator: its peak rates, DRAM and L2, with units.

use super::backend::Backend;
use super::host;
use super::instructions::Instructions;
use super::precision::Precision;
use crate::catalog::Accelerator;
use crate::units::{Bandwidth, Bytes, FlopRate};

/// L2 bytes per multiprocessor and cycle of devices without a published bandwidth: measured with Nsight Compute on an
/// A100 (7,050 GB/s over 108 multiprocessors at 1.41 GHz; Rapid-LLM@317a2cb, hardware-config).
const L2_BYTES_PER_CYCLE: f64 = 46.3;

/// Multiprocessors of a device that publishes none: the H100's, whose times per multiprocessor it takes over.
const MULTIPROCESSORS: f64 = 132.0;

/// A cache level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cache {
    /// Capacity.
    pub capacity: Bytes,
    /// Bandwidth of all multiprocessors together.
    pub bandwidth: Bandwidth,
}

/// Peak rates and capacities of one accelerator.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// The catalogue id.
    pub id: String,
    /// Name on the page.
    pub name: String,
    /// Dense matrix rate by [`Precision`] as in [`Precision::ALL`]; `None` where the device has no such unit.
    pub matrix: [Option<FlopRate>; Precision::ALL.len()],
    /// FP32 vector rate.
    pub vector: FlopRate,
    /// FP16 vector rate.
    pub vector16: FlopRate,
    /// DRAM bandwidth.
    pub dram: Bandwidth,
    /// DRAM capacity.
    pub capacity: Bytes,
    /// Last cache before DRAM, if known.
    pub l2: Option<Cache>,
    /// Multiprocessors (SMs, compute units) over which tiles are spread.
    pub multiprocessors: f64,
    /// Cycles per second of all multiprocessors together, where the clock is known.
    pub cycles: Option<f64>,
    /// Bandwidth of the link to the host per direction, if known.
    pub host: Option<Bandwidth>,
    /// True if its memory is that of the host.
    pub unified: bool,
    /// Instructions in which GGML multiplies quantised weights.
    pub instructions: Instructions,
    /// Interface through which GGML's kernels run.
    pub backend: Backend,
    /// Sockets of a server of CPUs, which together have these rates; 1 of other devices.
    pub sockets: f64,
}

/// The FP16 vector rate: four times that in FP32 on the A100's die, the only Ampere with HBM (78 and 19.5 TFLOP/s;
/// NVIDIA A100 whitepaper, table 1), and twice on others.
fn vector16(accelerator: &Accelerator) -> FlopRate {
    let wide = accelerator.architecture == "Ampere" && accelerator.dram.technology.starts_with("HBM");
    let derived = accelerator.vector_tflops * if wide { 4.0 } else { 2.0 };
    FlopRate::from_tera(accelerator.vector16_tflops.unwrap_or(derived))
}

impl Device {
    /// The device of a catalogue entry.
    pub fn of(accelerator: &Accelerator) -> Self {
        let rates = &accelerator.matrix_tflops;
        let matrix = Precision::ALL.map(|precision| {
            match precision {
                Precision::Tf32 => rates.tf32,
                Precision::Bf16 => rates.bf16,
                Precision::Fp16 => rates.fp16,
                Precision::Fp8 | Precision::Fp8Block => rates.fp8,
                // Units that scale per 32 came with those for fewer than 8 bits.
                Precision::Mxfp8 => rates.fp8.filter(|_| rates.fp6.or(rates.fp4).is_some()),
                Precision::Mxfp6 => rates.fp6,
                Precision::Int8 => rates.int8,
                Precision::Fp4 => rates.fp4,
                // Weight-only formats.
                _ => None,
            }
            .map(FlopRate::from_tera)
        });
        let multiprocessors = accelerator.multiprocessors.map_or(MULTIPROCESSORS, f64::from);
        let known = accelerator.boost_mhz.zip(accelerator.multiprocessors);
        let cycles = known.map(|(mhz, count)| f64::from(count) * mhz * 1e6);
        let l2 = accelerator.l2.as_ref().and_then(|l2| {
            let derived = cycles.map(|cycles| cycles * 1e-9 * L2_BYTES_PER_CYCLE);
            let bandwidth = Bandwidth::from_gb(l2.bandwidth_gb_s.or(derived)?);
            Some(Cache { capacity: Bytes::from_mb(l2.capacity_mb), bandwidth })
        });
        Self {
            id: accelerator.id.clone(),
            name: accelerator.name.clone(),
            matrix,
            vector: FlopRate::from_tera(accelerator.vector_tflops),
            vector16: vector16(accelerator),
            dram: Bandwidth::from_gb(accelerator.dram.bandwidth_gb_s),
            capacity: Bytes::from_gib(accelerator.dram.capacity_gib),
            l2,
            multiprocessors,
            cycles,
            host: host::bandwidth(accelerator),
            unified: accelerator.dram.is_host(),
            instructions: Instructions::of(accelerator),
            backend: Backend::of(accelerator),
            sockets: f64::from(accelerator.sockets),
        }
    }

    /// Returns true if matrices are multiplied faster than vectors are, by units of their own.
    pub fn has_matrix_units(&self) -> bool {
        // These GPUs have no matrix units. Their FP16 rate exceeds the FP32 rate because a vector lane holds two 16-bit
        // numbers (P100, GCN, RDNA, RDNA2).
        let packed = match self.instructions {
            Instructions::Dot => matches!(self.backend, Backend::Hip | Backend::HipWide),
            Instructions::Vector => matches!(self.backend, Backend::Hip | Backend::HipWide | Backend::Cuda),
            Instructions::Mma | Instructions::Wmma | Instructions::Half => false,
        };
        self.rate(Precision::Fp16) > self.vector && !packed
    }

    /// Returns true if matrix units multiply 16-bit operands at half rate when they accumulate in 32 bits, as those of
    /// GeForce devices do. The rate of 8-bit integers is then four times that of 16-bit operands, otherwise twice.
    pub fn halves_matrix_rate(&self) -> bool {
        let ratio = self.peak(Precision::Int8).zip(self.peak(Precision::Fp16));
        self.has_matrix_units() && ratio.is_some_and(|(integers, halves)| integers > halves * 3.0)
    }

    /// Multiplies the matrix rates of 16-bit operands by a factor, for software that reaches another fraction of them than
    /// the measured libraries.
    pub fn scale_halves(&mut self, factor: f64) {
        for (precision, rate) in Precision::ALL.into_iter().zip(&mut self.matrix) {
            if precision.is_half() {
                *rate = rate.map(|rate| rate * factor);
            }
        }
    }

    /// Peak dense matrix rate at this precision.
    pub fn peak(&self, precision: Precision) -> Option<FlopRate> {
        Precision::ALL.iter().position(|&other| other == precision).and_then(|index| self.matrix[index])
    }

    /// The rate at which operands of this format are multiplied: its own, or where the device has no such
    /// unit, that of 16-bit operands after they are widened (weight-only quantisation).
    ///
    /// 32-bit operands are not widened: without a unit of their own they go through the vector units.
    pub fn rate(&self, precision: Precision) -> FlopRate {
        if precision == Precision::Tf32 {
            return self.peak(precision).unwrap_or(self.vector);
        }
        self.peak(precision)
            .or(self.peak(Precision::Bf16))
            .or(self.peak(Precision::Fp16))
            .unwrap_or(self.vector)
    }
}
