//! Effects that only training shows: the sustained clock of a device, and kernels written for an earlier device
//! generation.

use super::constants::constants;
use super::{Cost, Precision, System, Work};
use crate::catalog::Accelerator;
use crate::units::Seconds;

constants! {
    /// Slow-downs in training that benchmarks of single kernels do not show.
    SustainedConstants {
        /// Slow-down of 16-bit arithmetic at the clock that the power limit leaves in training, against a benchmark.
        wide: f64 = 1.0, 1.0..=2.0 "", given;
        /// Slow-down of arithmetic on fewer than 16 bits at the sustained training clock, against a benchmark.
        narrow: f64 = 1.0, 1.0..=2.0 "", given;
        /// Slow-down of an attention kernel that was written for an earlier generation's matrix units.
        earlier_attention: f64 = 1.0, 1.0..=4.0 "", given;
    }
}

/// Fitted to published step times by `make overheads`, by the generation of NVIDIA's devices and on Google's. Devices
/// whose published steps are too few to fit take the middle of these.
impl SustainedConstants {
    /// The median of the five below.
    pub(super) const MIDDLE: Self = Self { wide: 1.149, ..HOPPER };

    /// Constants of a catalogue device.
    pub(super) fn of(accelerator: &Accelerator) -> Self {
        match (accelerator.architecture.as_str(), accelerator.id.as_str()) {
            ("Volta" | "Ampere", _) => AMPERE,
            ("Hopper" | "Ada Lovelace", _) => HOPPER,
            ("Blackwell", "b300" | "gb300-nvl72") => BLACKWELL_ULTRA,
            ("Blackwell", _) => BLACKWELL,
            _ if accelerator.vendor == "Google" => TPU,
            _ => Self::MIDDLE,
        }
    }
}

const AMPERE: SustainedConstants = SustainedConstants { wide: 1.057, narrow: 1.0, earlier_attention: 1.487 };
const HOPPER: SustainedConstants = SustainedConstants { wide: 1.237, narrow: 1.0, earlier_attention: 3.099 };
/// No run shows an earlier generation's attention kernel on Blackwell, so that constant is Hopper's.
const BLACKWELL: SustainedConstants = SustainedConstants { wide: 1.364, ..HOPPER };
/// B300 and GB300 have a higher power limit than B200 and GB200 for the same rate of 16-bit operations.
const BLACKWELL_ULTRA: SustainedConstants = SustainedConstants { wide: 1.0, ..HOPPER };
/// Two rows of TPU v6e.
const TPU: SustainedConstants = SustainedConstants { wide: 1.149, narrow: 1.0, earlier_attention: 1.0 };

impl System {
    /// Cost of one execution of some work in training, with kernels running back to back.
    ///
    /// `earlier`: attention runs in a kernel written for the generation before Hopper's.
    pub fn cost_sustained(&self, work: &Work, earlier: bool) -> Cost {
        let constants = &self.assumptions.sustained;
        let cost = self.cost(work);
        let wide = |precision: Precision| precision.operand() >= Precision::Bf16.element();
        let slowdown = match work {
            Work::Matmul(matmul) if wide(matmul.precision) => constants.wide,
            Work::Panels(panels) if wide(panels.multiply.precision) => constants.wide,
            Work::Matmul(_) | Work::Panels(_) | Work::Experts(_) => constants.narrow,
            Work::Attention(_) if earlier => constants.wide * constants.earlier_attention,
            Work::Attention(_) | Work::Scan(_) => constants.wide,
            Work::Stream(_) | Work::Collective(_) | Work::Exchange(_) | Work::Broadcasts(_) => 1.0,
        };
        let longer = cost.compute * (slowdown - 1.0);
        // A kernel that waits for DRAM has time for slower arithmetic.
        let spare = (cost.dram.max(cost.l2) - cost.compute).max(Seconds::ZERO);
        let longer = (longer - spare).max(Seconds::ZERO);
        Cost { time: cost.time + longer, compute: cost.compute + longer, ..cost }.bounded()
    }
}
