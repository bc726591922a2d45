//! Effects that benchmarks of single kernels do not show: the clock that a device sustains where kernels run back to back beside
//! collectives, and attention kernels written for an earlier device generation.

use super::constants::constants;
use super::device::Device;
use super::{Cost, Precision, System, Work};
use crate::catalog::Accelerator;
use crate::units::Seconds;

constants! {
    /// Slow-downs in training, and in serving by a tensor group, that benchmarks of single kernels do not show.
    SustainedConstants {
        /// Slow-down of 16-bit arithmetic against a benchmark, at the clock that the power limit leaves where kernels run back
        /// to back.
        wide: f64 = 1.0, 1.0..=2.0 "", given;
        /// Slow-down of 16-bit arithmetic in training on one GPU, where no collective runs beside the arithmetic.
        wide_alone: f64 = 1.0, 1.0..=2.0 "", given;
        /// Slow-down of arithmetic on fewer than 16 bits in training, against a benchmark.
        narrow: f64 = 1.0, 1.0..=2.0 "", given;
        /// Slow-down of FlashAttention-2 and earlier kernels, against a benchmark of the device's best attention kernel.
        earlier_attention: f64 = 1.0, 1.0..=4.0 "", given;
        /// Slow-down of PyTorch's attention for heads wider than 128 elements, against the same benchmark of narrower ones.
        wide_heads: f64 = 1.0, 1.0..=4.0 "", given;
    }
}

/// Fitted to published step times by `make overheads`: by generation of NVIDIA's devices, for Google's, and for MI300X and
/// MI325X. Devices whose published steps are too few to fit take [`SustainedConstants::unmeasured`].
impl SustainedConstants {
    /// Constants of a catalogue device.
    pub(super) fn of(accelerator: &Accelerator) -> Self {
        match (accelerator.architecture.as_str(), accelerator.id.as_str()) {
            ("Volta" | "Ampere", _) => AMPERE,
            ("Hopper", _) => HOPPER,
            _ if accelerator.architecture == "Ada Lovelace" || accelerator.has_units_of_ada() => {
                Self { earlier_attention: AMPERE.earlier_attention, wide_heads: AMPERE.wide_heads, ..HOPPER }
            }
            ("Blackwell", "b300" | "gb300-nvl72") => BLACKWELL_ULTRA,
            ("Blackwell", _) => BLACKWELL,
            _ if accelerator.vendor == "Google" => TPU,
            ("CDNA3", "mi300x") => {
                let unmeasured = Self::unmeasured(accelerator);
                let wide = unmeasured.wide * MI300X_NARROW / MI325X_NARROW;
                Self { wide, wide_alone: wide, narrow: MI300X_NARROW, ..unmeasured }
            }
            ("CDNA3", "mi325x") => Self { narrow: MI325X_NARROW, ..Self::unmeasured(accelerator) },
            _ => Self::unmeasured(accelerator),
        }
    }

    /// Constants of a device without published steps: the median of the clocks below, and the slow-down of attention on
    /// the other kind of matrix units, divided or multiplied by what a kernel gains that is written for them.
    pub(super) fn unmeasured(accelerator: &Accelerator) -> Self {
        let earlier_attention = if multiplies_by_warpgroup(accelerator) {
            AMPERE.earlier_attention * REWRITTEN
        } else {
            HOPPER.earlier_attention / REWRITTEN
        };
        let wide_heads = if multiplies_by_warpgroup(accelerator) { HOPPER.wide_heads } else { 1.0 };
        Self { wide: 1.149, wide_alone: 1.149, narrow: 1.0, earlier_attention, wide_heads }
    }
}

/// Returns true for matrix units that FlashAttention-2, written for Ampere, leaves partly idle: those of Hopper and of
/// Blackwell in data centres take operands from shared memory, for four warps at once. Ada Lovelace's and those of
/// other Blackwell devices take Ampere's instructions.
fn multiplies_by_warpgroup(accelerator: &Accelerator) -> bool {
    match accelerator.architecture.as_str() {
        "Hopper" => true,
        "Blackwell" => !accelerator.has_units_of_ada(),
        _ => false,
    }
}

/// Speed of FlashAttention-3 on H100 relative to FlashAttention-2: 1.5 to 2.0 in the forward pass, 1.5 to 1.75 in the
/// backward pass (arXiv 2407.08608, abstract and section 4.1).
const REWRITTEN: f64 = 1.7;

const AMPERE: SustainedConstants = SustainedConstants {
    wide: 1.046,
    wide_alone: 1.046,
    narrow: 1.0,
    earlier_attention: 1.525,
    wide_heads: 1.0,
};
/// `wide_alone`: profiles of seven training steps on one H100 (Transformers, 0.6 to 8 billion parameters) have 0.94 to 1.08 times
/// the benchmarked time of multiplies and attention, 1.00 on average. The constant lies between that mean and the two compiled
/// steps (1.04 and 1.08), in which hardly anything but arithmetic runs.
///
/// `wide_heads`: one step of two layers with heads of 192 elements on an H200 (`tests/measured/kernels/vit.jsonl`, its first row).
const HOPPER: SustainedConstants = SustainedConstants {
    wide: 1.292,
    wide_alone: 1.02,
    narrow: 1.08,
    earlier_attention: 2.804,
    wide_heads: 2.0,
};
/// No run shows an earlier generation's attention kernel on Blackwell, so that constant is Hopper's. The last fit gives 1.466 in
/// 16 bits, with which Kimi-K2.5 decodes 16 % too slowly on 8 B200 (`tests/it/formats.rs`, rows of no fit), so that constant is of
/// the fit before it.
const BLACKWELL: SustainedConstants =
    SustainedConstants { wide: 1.364, wide_alone: 1.364, narrow: 1.085, ..HOPPER };
/// B300 and GB300 have a higher power limit than B200 and GB200 for the same rate of 16-bit operations.
const BLACKWELL_ULTRA: SustainedConstants =
    SustainedConstants { wide: 1.055, wide_alone: 1.055, narrow: 1.028, ..HOPPER };
/// MLPerf's runs of Llama 2 70B in FP8 by adapters: three rows of each device. MI325X has the same die as MI300X, and
/// 1,000 W instead of 750 W. No run shows 16 bits: what the lower power limit adds to operands of 8 bits, it adds to those too.
const MI300X_NARROW: f64 = 1.95;
const MI325X_NARROW: f64 = 1.296;
/// Two rows of TPU v6e. The last fit gives 1.181, with which TPU v5p trains a quarter more slowly than published
/// (`tests/it/families.rs`), so this is the fit before it.
const TPU: SustainedConstants = SustainedConstants {
    wide: 1.149,
    wide_alone: 1.149,
    narrow: 1.0,
    earlier_attention: 1.0,
    wide_heads: 1.0,
};

/// The attention kernels of a training job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttentionKernels {
    /// The fastest on the device.
    Fastest,
    /// Written for the generation before Hopper's.
    Earlier,
    /// PyTorch's own: the fastest for heads of up to 128 elements, earlier ones for wider heads.
    Pytorch,
}

/// Elements of the widest head for which PyTorch takes the fastest kernels.
const NARROW_HEAD: f64 = 128.0;

impl System {
    /// Cost of one execution of some work in training, with kernels running back to back.
    ///
    /// `alone`: the job has one GPU.
    pub fn cost_sustained(&self, work: &Work, kernels: AttentionKernels, alone: bool) -> Cost {
        let constants = &self.assumptions.sustained;
        let wide = if alone { constants.wide_alone } else { constants.wide };
        let has_wide_heads = matches!(work, Work::Attention(attention) if attention.v_dim > NARROW_HEAD);
        let attention = match kernels {
            AttentionKernels::Earlier => constants.wide * constants.earlier_attention,
            AttentionKernels::Pytorch if has_wide_heads => wide * constants.wide_heads,
            AttentionKernels::Fastest | AttentionKernels::Pytorch => wide,
        };
        self.cost_slower(work, &Slowdowns { wide, narrow: constants.narrow, attention }, Self::cost)
    }

    /// The cost of work in serving whose kernels run back to back beside collectives. Only 16-bit arithmetic is slower than in a
    /// benchmark: the constants of narrower kernels are fitted to requests as they were served.
    pub(crate) fn cost_chosen_sustained(&self, work: &Work) -> Cost {
        let wide = self.assumptions.sustained.wide;
        let slower = |work: &Work| {
            self.cost_slower(work, &Slowdowns { wide, narrow: 1.0, attention: wide }, Self::cost_chosen)
        };
        let widened = if let Work::Matmul(matmul) = work { self.widened(matmul) } else { None };
        let own = slower(work);
        widened.map_or(own, |other| slower(&other).or_faster(own))
    }

    /// The cost of work with slower arithmetic, from the cost of kernels other than multiplies in a benchmark.
    fn cost_slower(&self, work: &Work, slowdowns: &Slowdowns, benchmark: fn(&Self, &Work) -> Cost) -> Cost {
        let slowdown = slowdowns.of(work, &self.device);
        let kernel = match work {
            Work::Matmul(matmul) => self.matmul_slower(matmul, slowdown),
            Work::Panels(panels) => self.panels_slower(panels, slowdown),
            _ => return benchmark(self, work).slower(slowdown),
        };
        kernel.slowed(self.assumptions.corrections.kernels)
    }
}

/// Factors on the time of arithmetic.
struct Slowdowns {
    /// Of multiplies of 16 bits or more, and recurrences.
    wide: f64,
    /// Of multiplies of fewer bits, and experts.
    narrow: f64,
    /// Of attention.
    attention: f64,
}

impl Slowdowns {
    /// The factor on this work's arithmetic.
    fn of(&self, work: &Work, device: &Device) -> f64 {
        match work {
            Work::Matmul(matmul) if is_wide(matmul.precision, device) => self.wide,
            Work::Panels(panels) if is_wide(panels.multiply.precision, device) => self.wide,
            Work::Matmul(_) | Work::Panels(_) | Work::Experts(_) | Work::IndexScores(_) => self.narrow,
            Work::Attention(_) => self.attention,
            Work::Scan(_) => self.wide,
            Work::Stream(_)
            | Work::Selection(_)
            | Work::Collective(_)
            | Work::Exchange(_)
            | Work::Broadcasts(_) => 1.0,
        }
    }
}

impl Cost {
    /// The cost if the arithmetic takes longer by a factor.
    pub(super) fn slower(self, slowdown: f64) -> Self {
        if slowdown <= 1.0 {
            return self;
        }
        let longer = self.compute * (slowdown - 1.0);
        Self { time: self.time_slower(slowdown), compute: self.compute + longer, ..self }.bounded()
    }

    /// The time if the arithmetic takes longer by a factor of at least 1.
    pub(super) fn time_slower(&self, slowdown: f64) -> Seconds {
        let longer = self.compute * (slowdown - 1.0);
        self.time + longer * felt(self.compute / self.dram.max(self.l2), slowdown)
    }
}

/// Returns true if operands have 16 bits or more, or are widened because the device has no units for them.
fn is_wide(precision: Precision, device: &Device) -> bool {
    precision.operand() >= Precision::Bf16.element() || device.peak(precision).is_none()
}

/// Share of an arithmetic slow-down by which a kernel's time grows, from the ratio of its arithmetic time to its memory time. The
/// share is 1 for kernels bound by arithmetic, and falls with the ratio for kernels bound by memory. The exponent is the largest
/// at which slower memory cannot shorten a kernel: a p-norm grows by at least half of the growth of its larger term.
fn felt(ratio: f64, slowdown: f64) -> f64 {
    if ratio < 1.0 { libm::pow(ratio, 0.5 / (slowdown - 1.0)) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::{AMPERE, HOPPER, SustainedConstants, felt};
    use crate::catalog::accelerator;

    fn earlier_attention(id: &str) -> f64 {
        SustainedConstants::of(accelerator(id).unwrap()).earlier_attention
    }

    /// Whatever p-norm joins the times of arithmetic and memory.
    #[test]
    fn a_slower_kernel_never_gains_from_slower_memory() {
        for slowdown in [1.05, 1.24, 1.5, 1.95] {
            for power in [1.0, 2.0, 8.0] {
                let time = |memory: f64| {
                    let joined = libm::pow(1.0 + libm::pow(memory, power), 1.0 / power);
                    joined + (slowdown - 1.0) * felt(1.0 / memory, slowdown)
                };
                for step in 0..200 {
                    let memory = 0.02 * f64::from(step + 1);
                    assert!(time(memory + 0.02) >= time(memory) - 1e-12, "{slowdown} {power} {memory}");
                }
            }
        }
    }

    /// Ada Lovelace and Blackwell without HBM execute Ampere's matrix instructions, for which FlashAttention-2 was
    /// written.
    #[test]
    fn attention_for_ampere_is_slow_where_matrix_units_differ() {
        for id in ["a100-sxm-80gb", "l40s", "rtx-4090", "rtx-5090"] {
            assert!((earlier_attention(id) - AMPERE.earlier_attention).abs() < 1e-9, "{id}");
        }
        for id in ["h100-sxm", "b200"] {
            assert!((earlier_attention(id) - HOPPER.earlier_attention).abs() < 1e-9, "{id}");
        }
    }

    /// Constants of a device that is left out rest on nothing that was measured on its own generation.
    #[test]
    fn a_device_that_is_left_out_takes_attention_from_the_others() {
        let left_out = |id: &str| SustainedConstants::unmeasured(accelerator(id).unwrap()).earlier_attention;
        assert!((left_out("a100-sxm-80gb") * 1.7 - HOPPER.earlier_attention).abs() < 1e-9);
        assert!((left_out("h100-sxm") - AMPERE.earlier_attention * 1.7).abs() < 1e-9);
    }
}
