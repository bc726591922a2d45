//! An engine's multiplies by weights, relative to those of the measured libraries.

use crate::system::{Columns, Cost, Dequantising, Device, Precision};
use crate::units::Seconds;

/// Maximum tokens of a step that run on matrix-vector kernels, which use the vector units and do not pad tokens to a tile:
/// `MMVQ_MAX_BATCH_SIZE` in llama.cpp's `ggml-cuda/mmvq.cuh`, taken for libraries as well.
const MATRIX_VECTOR: f64 = 8.0;

/// A multiply by weights in one step.
pub(super) struct Multiply<'a> {
    /// Format of the weights.
    pub precision: Precision,
    /// Tokens: rows of the multiply.
    pub rows: f64,
    /// Tokens of each matrix, of which a kernel of experts has several.
    pub columns: Columns,
    /// Cost in the measured library's kernel.
    pub library: Cost,
    /// Exponent of the p-norm of arithmetic and DRAM time in that kernel.
    pub overlap: f64,
    /// The device.
    pub device: &'a Device,
}

/// An engine's multiplies by weights, relative to those of the measured libraries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Multiplies {
    /// Time in steps with prefill over the libraries' time, for weights of fewer than 16 bits.
    pub prompts: f64,
    /// Time in steps with prefill over the libraries' time, for weights of 16 bits.
    pub wide_prompts: f64,
    /// Kernels that dequantise weights, if the engine multiplies by them instead of a library's.
    pub dequantising: Option<Dequantising>,
}

impl Multiplies {
    /// Multiplies as fast as the measured libraries.
    pub const SAME: Self = Self { prompts: 1.0, wide_prompts: 1.0, dequantising: None };

    /// Cost in a step with prefill.
    pub(super) fn prefill(&self, multiply: &Multiply<'_>) -> Cost {
        let Multiply { library, device, .. } = *multiply;
        let wide = multiply.precision.is_half();
        let own = self.dequantising.filter(|_| !wide);
        if let Some(compute) = own.and_then(|own| own.time(library.flops, multiply.columns, device)) {
            return without_cache(Cost { compute, ..library });
        }
        // The factor of 16 bits is fitted on devices with matrix units.
        let factor = match (wide, device.has_matrix_units()) {
            (true, true) => self.wide_prompts,
            (true, false) => 1.0,
            (false, _) => self.prompts,
        };
        Cost { time: library.time * factor, ..library }
    }

    /// Cost in a step without prefill.
    pub(super) fn decode(&self, multiply: &Multiply<'_>) -> Cost {
        match &self.dequantising {
            Some(kernels) => multiply.decode_by(kernels),
            None => multiply.decode_by_library(),
        }
    }
}

impl Multiply<'_> {
    fn decode_by(&self, kernels: &Dequantising) -> Cost {
        let Self { library, device, .. } = *self;
        let (few, wide) = (self.rows <= MATRIX_VECTOR, self.precision.is_half());
        let compute = match (few, wide) {
            (true, _) => library.flops / device.vector,
            (false, true) => library.compute,
            (false, false) => kernels.time(library.flops, self.columns, device).unwrap_or(library.compute),
        };
        let reading = kernels.reading(device);
        let dram = library.bytes / (device.dram * reading.dram);
        let own = without_cache(Cost { compute, dram, launch: reading.launch, ..library });
        // Unpacking and further tokens take the arithmetic units.
        let unpacking = kernels.unpacking(device, library.bytes, wide);
        let further = if wide || !few {
            Seconds::ZERO
        } else {
            kernels.further_tokens(library.flops, self.columns, device)
        };
        let time = own.time.max(unpacking) + further;
        Cost { time, compute: own.compute.max(unpacking) + further, ..own }.bounded()
    }

    /// Cost in the faster of the library's kernel and its matrix-vector kernel. The latter is faster where the matrix units take
    /// longer for a tile than DRAM for the tile's weights: on H20, MI308X and CPUs, and on GeForce devices, whose units run at
    /// half of their rate.
    ///
    /// A matrix-vector kernel takes 2^(1/p) times as long as its weights take DRAM, with p of the tiled kernel: a choice, not a
    /// fit. Where a tile takes as long as its weights, so do both kernels.
    fn decode_by_library(&self) -> Cost {
        let Self { library, device, .. } = *self;
        if self.rows > MATRIX_VECTOR {
            return library;
        }
        let vector = without_cache(Cost { compute: library.flops / device.vector, ..library });
        if !device.has_matrix_units() {
            return vector;
        }
        if self.columns.uneven {
            return library;
        }
        let time = vector.time * libm::exp2(1.0 / self.overlap);
        if time < library.time { Cost { time, ..vector } } else { library }
    }
}

/// The cost of a kernel that is bound by arithmetic or DRAM, never by L2.
fn without_cache(cost: Cost) -> Cost {
    Cost { l2: Seconds::ZERO, time: cost.dram.max(cost.compute) + cost.launch, ..cost }.bounded()
}
