//! Fitting one group of constants on one sample: CMA-ES inside the constants' bounds.
//!
//! Each start searches with the same seed, so that a fit gives the same constants every time.

use cmaes::{CMAESOptions, DVector};
use foretoken::system::{Constant, KernelLibrary, System};

use foretoken_tools::kernels::Sample;
use foretoken_tools::kernels::score::loss;

/// The device whose constant stands where a sample says nothing about it.
///
/// Without its throttled rows the GB200's matrix multiplies do not show how long kernels slow down; A100s, whose
/// experts were not spread over GPUs, not how uneven that would be. B300 and GB300 were measured with another library's quantising,
/// so that of their multiplies in 8 bits the rate of long kernels alone is comparable. All-reduces over four servers of B200
/// show the bandwidth between servers.
fn lender(sample: &Sample, name: &str) -> Option<&'static str> {
    if sample.library != KernelLibrary::Usual {
        return None;
    }
    match (sample.device, sample.group, name) {
        ("a100-sxm-80gb", "experts.bf16" | "experts.int4", "hotspot") => Some("h100-sxm"),
        (_, "matmul.fp8", "compute_efficiency" | "throttle" | "throttle_time")
        | ("b200", "links.scale-out", "efficiency") => None,
        ("gb200-nvl72", "matmul.bf16", "throttle" | "throttle_time") | ("b300", "matmul.fp8", _) => {
            Some("b200")
        }
        ("gb300-nvl72", "matmul.fp8", _) => Some("gb200-nvl72"),
        ("b200", "links.scale-out", _) => Some("a100-sxm-80gb"),
        _ => None,
    }
}

/// Digits that are kept: more than the measurements carry.
const DIGITS: i32 = 4;

/// The group's constants on a system, in declared order.
pub(crate) fn values(system: &System, group: &str) -> Vec<f64> {
    let mut values = Vec::new();
    system.assumptions.clone().constants(&mut |of, _, value| {
        if of == group {
            values.push(*value);
        }
    });
    values
}

/// The system with these constants in the group.
pub(crate) fn with_values(system: &System, group: &str, values: &[f64]) -> System {
    let mut changed = system.clone();
    set(&mut changed, group, values);
    changed
}

fn set(system: &mut System, group: &str, values: &[f64]) {
    let mut values = values.iter();
    system.assumptions.constants(&mut |of, _, value| {
        if of == group {
            *value = values.next().copied().unwrap_or(*value);
        }
    });
    system.network.constants = system.assumptions.links;
}

/// The system with those of these constants that fits move; which kernel runs stays as it is.
pub(crate) fn with_fitted(system: &System, group: &str, values: &[f64]) -> System {
    let mut changed = system.clone();
    let mut values = values.iter();
    changed.assumptions.constants(&mut |of, constant, value| {
        if of == group {
            let other = values.next().copied();
            // Constants that the kernel lacks stay absent.
            if constant.fitted && (constant.low > 0.0 || *value > 0.0) {
                *value = other.unwrap_or(*value);
            }
        }
    });
    changed.network.constants = changed.assumptions.links;
    changed
}

/// A constant that a fit moves, on a scale from 0 to 1 between its bounds.
struct Axis {
    index: usize,
    low: f64,
    high: f64,
}

impl Axis {
    /// Ratios that may be 0 move linearly, all else by factors.
    const fn linear(&self) -> bool {
        self.low <= 0.0
    }

    fn value(&self, place: f64) -> f64 {
        let place = place.clamp(0.0, 1.0);
        if self.linear() {
            return self.low + place * (self.high - self.low);
        }
        let (low, high) = (libm::log(self.low), libm::log(self.high));
        libm::exp(low + place * (high - low)).clamp(self.low, self.high)
    }

    fn place(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        if self.linear() {
            return (value - self.low) / (self.high - self.low);
        }
        let (low, high) = (libm::log(self.low), libm::log(self.high));
        (libm::log(value) - low) / (high - low)
    }
}

/// Constants that the sample determines.
fn axes(system: &System, sample: &Sample, present: &[f64]) -> Vec<Axis> {
    let mut axes = Vec::new();
    let mut index = 0;
    system.assumptions.clone().constants(&mut |of, constant: &Constant, _| {
        if of != sample.group {
            return;
        }
        let borrowed = lender(sample, constant.name).is_some();
        // A step that the present kernel lacks stays absent: 16-bit operands are not quantised, nor heads regrouped.
        let absent = constant.low <= 0.0 && present[index] <= 0.0 && constant.name != "wave_rounding";
        if constant.fitted && !borrowed && !absent {
            axes.push(Axis { index, low: constant.low, high: constant.high });
        }
        index += 1;
    });
    axes
}

/// Minimum gain for which a search replaces the present constants, so that a second fit changes nothing.
const GAIN: f64 = 0.002;

/// The constants that make the loss on these rows smallest, over searches from several starts.
pub(crate) fn fit(
    system: &System,
    sample: &Sample,
    rows: &[usize],
    starts: &[Vec<f64>],
    effort: usize,
) -> Vec<f64> {
    let present = values(system, sample.group);
    let axes = axes(system, sample, &present);
    let mut trial = system.clone();
    let mut evaluate = |values: &[f64]| {
        set(&mut trial, sample.group, values);
        loss(&trial, sample, rows)
    };
    let mut best = (evaluate(&present) * (1.0 - GAIN), present.clone());
    for (number, start) in starts.iter().enumerate() {
        let place = |axis: &Axis| axis.place(start.get(axis.index).copied().unwrap_or(axis.low));
        let begin: Vec<f64> = axes.iter().map(place).collect();
        let complete = |places: &[f64]| {
            let mut values = present.clone();
            for (axis, place) in axes.iter().zip(places) {
                values[axis.index] = rounded(axis.value(*place)).clamp(axis.low, axis.high);
            }
            values
        };
        let objective = |places: &DVector<f64>| {
            let outside: f64 = places.iter().map(|place| (place - place.clamp(0.0, 1.0)).abs()).sum();
            evaluate(&complete(places.as_slice())) + outside
        };
        // The first start is a good one; others may be far off.
        let width = if number == 0 { 0.05 } else { 0.2 };
        let options = CMAESOptions::new(begin.clone(), width).seed(1).max_generations(effort).tol_fun(1e-7);
        let Ok(mut search) = options.build(objective) else { continue };
        let found = search.run().overall_best.map_or(begin, |best| best.point.as_slice().to_vec());
        drop(search);
        let found = complete(&found);
        let reached = evaluate(&found);
        if reached < best.0 {
            best = (reached, found);
        }
    }
    best.1
}

/// Puts borrowed constants in place.
pub(crate) fn borrow(sample: &Sample, present: &mut System, other: impl Fn(&str) -> Option<System>) {
    let mut lent: Vec<(&str, &'static str)> = Vec::new();
    present.assumptions.constants(&mut |of, constant, _| {
        if let Some(device) = lender(sample, constant.name).filter(|_| of == sample.group) {
            lent.push((constant.name, device));
        }
    });
    for (name, device) in lent {
        let Some(mut lending) = other(device) else { continue };
        let mut value_there = None;
        lending.assumptions.constants(&mut |of, constant, value| {
            if (of, constant.name) == (sample.group, name) {
                value_there = Some(*value);
            }
        });
        present.assumptions.constants(&mut |of, constant, value| {
            if (of, constant.name) == (sample.group, name) {
                *value = value_there.unwrap_or(*value);
            }
        });
    }
}

/// To a few significant digits.
fn rounded(value: f64) -> f64 {
    if value == 0.0 {
        return value;
    }
    let scale = libm::pow(10.0, f64::from(DIGITS - 1) - libm::floor(libm::log10(value.abs())));
    libm::round(value * scale) / scale
}
