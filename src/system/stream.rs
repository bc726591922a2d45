//! Elementwise and reduction kernels: norms, activations, dropout, residuals, softmax, the optimizer.

use super::constants::constants;
use super::{Cost, System};
use crate::units::{Bytes, Flops, Seconds};

/// A kernel that reads and writes each element a fixed number of times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stream {
    /// Read and written.
    pub bytes: Bytes,
    /// Vector operations.
    pub flops: Flops,
    /// Traffic of the backward kernel relative to this one.
    pub backward: f64,
}

constants! {
    /// Efficiencies and overheads of elementwise kernels.
    StreamConstants {
        /// Fraction of DRAM bandwidth.
        dram_efficiency: f64 = 1.0, 0.3..=1.1 "", given;
        /// Time that every kernel takes.
        launch: Seconds = 0.0, 5e-7..=3e-5 "s", given;
    }
}

impl System {
    /// Time of reading or writing these bytes in sequence, by DRAM bandwidth.
    pub(super) fn streaming(&self, bytes: Bytes) -> Seconds {
        bytes / (self.device.dram * self.assumptions.stream.dram_efficiency)
    }

    /// Time of an elementwise kernel by the roofline: the longest of arithmetic, L2 and DRAM, without DRAM if the data
    /// fits in L2 (and stays there from the kernel before), plus the launch.
    pub fn stream(&self, stream: &Stream) -> Cost {
        let constants = &self.assumptions.stream;
        let compute = stream.flops / self.device.vector;
        let (l2, resident) = match self.device.l2 {
            Some(l2) => (stream.bytes / l2.bandwidth, stream.bytes <= l2.capacity),
            None => (Seconds::ZERO, false),
        };
        let dram = if resident { Seconds::ZERO } else { self.streaming(stream.bytes) };
        Cost {
            flops: stream.flops,
            bytes: stream.bytes,
            time: compute.max(dram).max(l2) + constants.launch,
            compute,
            dram,
            l2,
            launch: constants.launch,
            ..Cost::default()
        }
        .bounded()
    }
}
