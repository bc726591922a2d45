//! Rows that are left out of fits and scores, each for a reason that lies in the measurement.

use std::collections::HashMap;

use foretoken::catalog;
use foretoken::system::{Load, Work};

use super::Kernel;

/// Rows of a sample that are left out.
#[derive(Default)]
pub struct Dropped {
    /// Reason of each row that is left out.
    pub reasons: Vec<Option<&'static str>>,
}

impl Dropped {
    /// Returns true if a row is left out.
    pub fn has(&self, index: usize) -> bool {
        self.reasons.get(index).is_some_and(Option::is_some)
    }

    /// Number of rows by reason.
    pub fn counts(&self) -> Vec<(&'static str, usize)> {
        let mut counts: Vec<(&'static str, usize)> = Vec::new();
        for reason in self.reasons.iter().flatten() {
            match counts.iter_mut().find(|(other, _)| other == reason) {
                Some((_, count)) => *count += 1,
                None => counts.push((reason, 1)),
            }
        }
        counts
    }
}

/// The measured GB200 halves its rate in long kernels, which no other device does: a property of its power supply.
const THROTTLED: &str = "a GB200 kernel beyond 0.3 ms, which that machine throttles";

/// TensorRT-LLM's table of B300 and GB300 times quantising by other kernels than SGLang's of the other devices, which rules short
/// multiplies.
const QUANTISED: &str = "a multiply within 0.2 ms, with another library's quantising";

/// Tokens of a balanced load reach every expert, so that all local weights must come from DRAM.
const TOO_FAST: &str = "faster than its weights can be read";

/// In the A100's engine, a GPU with a part of the experts takes as long as one with all of them, because it multiplies
/// the other pairs as well.
const NOT_SHARDED: &str = "experts spread over A100s, whose kernel still multiplies all pairs";

/// The two halves of the experts, run one after the other, would be faster by a quarter, because the engine has no
/// tuned tiles for this width.
const UNTUNED: &str = "slower than its two halves one after the other, by more than a quarter";

/// Experts sharded by their width instead of their number, with equal weights and multiplies, would be faster by half,
/// because the engine has no tuned tiles for so few experts. The rule applies to balanced loads, for which both
/// shardings have equal work.
const UNTUNED_CUT: &str = "slower than the same weights cut by width, by more than half";

/// Repetitions of a kernel find operands in L2 that a model's other layers would have replaced. Of the tables, only those
/// of the L40S have rows faster than DRAM; its L2 holds 96 MB.
const IN_L2: &str = "weights that fit in L2 and take a third of the time or more from DRAM";

/// Prefills of one token are costed as decode, which has its own tables.
const ONE_TOKEN: &str = "a prefill of one token";

/// Why rows of this sample are left out.
pub(super) fn dropped(device: &str, group: &str, kernels: &[Kernel]) -> Dropped {
    let reasons = match group {
        "matmul.bf16" if device == "gb200-nvl72" => {
            kernels.iter().map(|kernel| (kernel.measured > 3e-4).then_some(THROTTLED)).collect()
        }
        "matmul.fp8" if matches!(device, "b300" | "gb300-nvl72") => {
            kernels.iter().map(|kernel| (kernel.measured < 2e-4).then_some(QUANTISED)).collect()
        }
        _ if group.starts_with("matmul") && device == "l40s" => cached(device, kernels),
        _ if group.contains("prefill") => {
            let single = |kernel: &Kernel| match kernel.work {
                Work::Attention(attention) => attention.queries <= 1.0,
                _ => false,
            };
            kernels.iter().map(|kernel| single(kernel).then_some(ONE_TOKEN)).collect()
        }
        _ if group.starts_with("experts") => experts(device, kernels),
        _ => Vec::new(),
    };
    Dropped { reasons }
}

fn cached(device: &str, kernels: &[Kernel]) -> Vec<Option<&'static str>> {
    let Some(accelerator) = catalog::accelerator(device) else { return Vec::new() };
    let capacity = accelerator.l2.as_ref().map_or(0.0, |l2| l2.capacity_mb * 1e6);
    let in_l2 = |kernel: &Kernel| match kernel.work {
        Work::Matmul(matmul) => {
            let weights = matmul.weights().get();
            weights < capacity && weights / (accelerator.dram.bandwidth_gb_s * 1e9) > kernel.measured / 3.0
        }
        _ => false,
    };
    kernels.iter().map(|kernel| in_l2(kernel).then_some(IN_L2)).collect()
}

fn experts(device: &str, kernels: &[Kernel]) -> Vec<Option<&'static str>> {
    let Some(accelerator) = catalog::accelerator(device) else { return Vec::new() };
    let dram = accelerator.dram.bandwidth_gb_s * 1e9;
    let place = |kernel: &Kernel, load: Load, local: f64, width: f64| match kernel.work {
        Work::Experts(work) => format!("{} {load:?} {} {local} {width}", kernel.shape, work.tokens),
        _ => String::new(),
    };
    let mut times = HashMap::new();
    for kernel in kernels {
        if let Work::Experts(work) = kernel.work {
            times.insert(place(kernel, work.load, work.local, work.width), kernel.measured);
        }
    }
    let exceeds = |measured: Option<&f64>, factor: f64, other: Option<&f64>| {
        measured.zip(other).is_some_and(|(measured, other)| *measured > factor * other)
    };
    let reason = |kernel: &Kernel| {
        let Work::Experts(work) = kernel.work else { return None };
        let weights = work.precision.element().get() * 3.0 * work.hidden * work.width * work.local;
        let reached = work.load == Load::Balanced && work.tokens * work.top_k >= work.experts;
        let half = times.get(&place(kernel, work.load, work.local, work.width / 2.0));
        let balanced = times.get(&place(kernel, Load::Balanced, work.local, work.width));
        let narrow = work.width * work.local / work.experts;
        let by_width = times.get(&place(kernel, Load::Balanced, work.experts, narrow));
        if work.local < work.experts && accelerator.architecture == "Ampere" {
            Some(NOT_SHARDED)
        } else if reached && weights / dram > 1.02 * kernel.measured {
            Some(TOO_FAST)
        } else if exceeds(Some(&kernel.measured), 2.5, half) {
            Some(UNTUNED)
        } else if exceeds(balanced, 1.5, by_width) {
            Some(UNTUNED_CUT)
        } else {
            None
        }
    };
    kernels.iter().map(reason).collect()
}
