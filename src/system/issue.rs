//! Launches of kernels by the host.

use super::constants::constants;
use crate::catalog::Accelerator;
use crate::units::Seconds;

constants! {
    /// The cost of launching kernels from the host instead of replaying a recorded graph.
    Issue {
        /// Host time per kernel: none takes less.
        kernel: Seconds = 0.0, 0.0..=1e-4 "s", given;
        /// Wait of a collective for members whose hosts are late.
        collective: Seconds = 0.0, 0.0..=1e-4 "s", given;
    }
}

impl Issue {
    /// The issue times of the hosts that a device comes with.
    pub(super) fn of(accelerator: &Accelerator) -> Self {
        if accelerator.year < FASTER_HOSTS { ISSUE } else { ISSUE.faster(HOST_SPEED) }
    }

    /// These issue times on a host whose single-core speed is `speed` times that of the reference host.
    fn faster(self, speed: f64) -> Self {
        Self { kernel: self.kernel / speed, collective: self.collective / speed }
    }
}

/// Year of the first devices that came with hosts of another generation.
const FASTER_HOSTS: u16 = 2022;

/// Speed at which one host thread of a DGX H100 (Sapphire Rapids, 3.8 GHz) launches kernels, relative to a DGX A100
/// (EPYC 7742, 3.4 GHz), from single-thread scores. Geekbench 5: 1,257 on a Xeon 8468 of 3.8 GHz, 1,249 on an EPYC 7763
/// (@BenchLeaks, September 2022). Cinebench R23: 1,215 on an EPYC of the 7763's generation and clock, 990 to 1,000 on a
/// 7702P of 3.35 GHz (hardwaretimes.com on AMD's Milan). Hence 1.006 × 1.221 × 3.35 / 3.4, rounded. Not fitted.
const HOST_SPEED: f64 = 1.21;

/// Fitted to FasterTransformer's published A100 latencies (FP16, batch 1 to 4, tensor parallelism 1 to 8), whole
/// microseconds that minimise the mean error on the 15 rows whose number is a multiple of 5: 7.7 % on those, 8.0 %
/// on the other 48.
const ISSUE: Issue = Issue { kernel: Seconds::from_micros(16.0), collective: Seconds::from_micros(10.0) };
