//! The measured devices whose constants a device takes.
//!
//! A device that nobody measured takes each group of constants from the measured device that comes first: itself,
//! one of its architecture and kind of power limit ([`Power`]; with as large a scale-up domain, if there is one),
//! one of its vendor's generation nearest in years, the H100, any. Scale-out links take the constants of links with the nearest bandwidth. Constants of a CPU apply to its own architecture only. Other CPUs
//! take those of the H100. Efficiencies and times carry over, except fractions of DRAM bandwidth above 1
//! (`exceeds_dram`), and apply to the device's own peaks, bandwidths and number of multiprocessors.

use std::sync::OnceLock;

use super::assumptions::Assumptions;
use super::calibration_file::{Calibration, Fitted, calibrations, kind};
use super::constants::Constant;
use super::library::KernelLibrary;
use crate::catalog::{self, Accelerator, Class};
use crate::order;

/// Measured devices in the order in which their constants apply to this one.
pub(super) fn ranked(accelerator: &Accelerator) -> Vec<&'static Calibration> {
    let architecture = |calibration: &Calibration| catalog::accelerator(&calibration.device);
    let (year, power) = (generation(accelerator), Power::of(accelerator));
    let rank = |calibration: &&Calibration| {
        let Some(measured) = architecture(calibration) else { return u32::MAX };
        if calibration.device == accelerator.id {
            0
        } else if units(measured) == units(accelerator) && Power::of(measured) == power {
            // A tray's device resembles another tray's more than a server's.
            1 + u32::from(measured.scale_up.domain != accelerator.scale_up.domain)
        } else if measured.class == Class::Cpu {
            // Efficiencies of AMX apply neither to other matrix units nor to CPUs that have vector units only.
            u32::MAX
        } else if Power::of(measured) != Power::Usual {
            // Constants of a power-limited device, and of one with ample power, apply to such devices first and to others last.
            if Power::of(measured) == power { 3 } else { u32::MAX }
        } else if measured.vendor == accelerator.vendor && accelerator.class != Class::Cpu {
            4 + u32::from(generation(measured).abs_diff(year))
        } else if calibration.device == FALLBACK {
            u32::MAX - 2
        } else {
            u32::MAX - 1
        }
    };
    let mut all: Vec<&Calibration> = calibrations().iter().collect();
    order::sort(&mut all, |a, b| rank(a).cmp(&rank(b)));
    all
}

/// Architecture whose matrix units a device has.
fn units(accelerator: &Accelerator) -> &str {
    if accelerator.has_units_of_ada() { "Ada Lovelace" } else { &accelerator.architecture }
}

/// Year of the first device with the same matrix units. Later devices of a generation take the same constants.
fn generation(accelerator: &Accelerator) -> u16 {
    static FIRST: OnceLock<Vec<(&str, u16)>> = OnceLock::new();
    let first = FIRST.get_or_init(|| {
        let mut first: Vec<(&str, u16)> = Vec::new();
        for device in &catalog::catalog().accelerators {
            match first.iter_mut().find(|(known, _)| *known == units(device)) {
                Some((_, year)) => *year = device.year.min(*year),
                None => first.push((units(device), device.year)),
            }
        }
        first
    });
    first.iter().find(|(known, _)| *known == units(accelerator)).map_or(accelerator.year, |(_, year)| *year)
}

/// Year of Ada Lovelace's first devices.
const ADA: u16 = 2022;

/// Power limit of a device relative to its matrix rate, on which the clock during long multiplies depends. Only NVIDIA's devices with GDDR
/// memory are told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Power {
    /// At most 1 W per TFLOP/s of 16-bit operands; 1.3 W until 2021, when an operation took more. The power limit of the L40S
    /// (350 W for 362 TFLOP/s) slows its long multiplies by up to half.
    Limited,
    /// All other devices.
    Usual,
    /// At least [`AMPLE`] W per TFLOP/s: GeForce, whose matrix units accumulate in 32 bits at half their rate. The clock stays above the
    /// nominal boost clock.
    Ample,
}

/// Least power per rate of devices with [`Power::Ample`], W per TFLOP/s. GeForce devices have 2.7 and more. RTX A6000 (1.9) and RTX
/// A4000 (1.8) have too little: their multiplies reach 0.80 and 0.85 of the nominal rate (zzc0721/torch-performance-test-data@9d82827).
const AMPLE: f64 = 2.5;

impl Power {
    fn of(accelerator: &Accelerator) -> Self {
        let rates = &accelerator.matrix_tflops;
        let rate = rates.bf16.or(rates.fp16).unwrap_or(0.0);
        let watts = if accelerator.year < ADA { 1.3 } else { 1.0 };
        let has_gddr = accelerator.vendor == "NVIDIA" && accelerator.dram.technology.starts_with("GDDR");
        match accelerator.tdp_w {
            Some(power) if has_gddr && power <= watts * rate => Self::Limited,
            Some(power) if has_gddr && rate > 0.0 && power >= AMPLE * rate => Self::Ample,
            _ => Self::Usual,
        }
    }
}

/// Whose constants other vendors' devices take.
const FALLBACK: &str = "h100-sxm";

/// The group of constants that characterises a device best.
const FOREMOST: &str = "matmul.bf16";

/// The first of these devices on which a group was fitted: to kernels of this library, if the device was measured with it, otherwise
/// to those of the usual one.
fn first(
    ranked: &[&'static Calibration],
    group: &str,
    library: KernelLibrary,
) -> Option<(&'static str, &'static Fitted)> {
    ranked.iter().find_map(|calibration| {
        let of = |library: KernelLibrary| {
            calibration.groups.iter().find(|fitted| fitted.group == group && fitted.library == library.key())
        };
        let fitted = of(library).or_else(|| of(KernelLibrary::Usual))?;
        Some((calibration.device.as_str(), fitted))
    })
}

/// The constants of a group that a device takes, with the device on which they were fitted. Multiplies of 8-bit integers were
/// measured on few devices: another architecture's take the device's own constants of 8-bit floats, whose units have the
/// same rate and power limit.
pub(super) fn fitted(
    accelerator: &Accelerator,
    ranked: &[&'static Calibration],
    group: &str,
    library: KernelLibrary,
) -> Option<(&'static str, &'static Fitted)> {
    if group == SCALE_OUT {
        return nearest_link(accelerator, ranked);
    }
    let found = first(ranked, group, library)?;
    if group == "matmul.int8" && is_of_other_architecture(found.0, accelerator) {
        let floats = first(ranked, "matmul.fp8", library);
        return floats.filter(|(device, _)| !is_of_other_architecture(device, accelerator)).or(Some(found));
    }
    Some(found)
}

/// Key of the constants of links between scale-up domains.
const SCALE_OUT: &str = "links.scale-out";

/// The constants of scale-out links, from the measured device whose links are nearest in bandwidth: they describe a network, not a
/// device. The bandwidth that counts is the catalogue's, so a scenario that changes it keeps the same constants.
fn nearest_link(
    accelerator: &Accelerator,
    ranked: &[&'static Calibration],
) -> Option<(&'static str, &'static Fitted)> {
    let own = catalog::accelerator(&accelerator.id).unwrap_or(accelerator).scale_out.gb_s;
    let mut least = f64::INFINITY;
    let mut nearest = None;
    for calibration in ranked {
        let Some(fitted) = calibration.groups.iter().find(|fitted| fitted.group == SCALE_OUT) else {
            continue;
        };
        let measured = catalog::accelerator(&calibration.device).map_or(own, |device| device.scale_out.gb_s);
        let factor = (measured / own).max(own / measured);
        if factor < least {
            (least, nearest) = (factor, Some((calibration.device.as_str(), fitted)));
        }
    }
    nearest
}

/// The calibration whose 16-bit matrix multiplies apply to a device.
pub fn calibration_for(accelerator: &Accelerator) -> Option<&'static Calibration> {
    let ranked = ranked(accelerator);
    ranked.into_iter().find(|calibration| calibration.groups.iter().any(|fitted| fitted.group == FOREMOST))
}

/// Measured devices whose constants a device takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Measured {
    /// All, the device itself before others.
    #[default]
    All,
    /// All but the device itself.
    Others,
    /// Those of other architectures.
    OtherArchitectures,
}

impl Measured {
    fn contains(self, calibration: &Calibration, accelerator: &Accelerator) -> bool {
        match self {
            Self::All => true,
            Self::Others => calibration.device != accelerator.id,
            Self::OtherArchitectures => is_of_other_architecture(&calibration.device, accelerator),
        }
    }
}

/// Sets the values of all fitted groups for a device, from these measured devices.
pub(super) fn apply(
    assumptions: &mut Assumptions,
    accelerator: &Accelerator,
    measured: Measured,
    library: KernelLibrary,
) {
    let mut ranked = ranked(accelerator);
    ranked.retain(|calibration| measured.contains(calibration, accelerator));
    let mut group = "";
    let mut from = "";
    let mut values: &[f64] = &[];
    let mut usual: &[f64] = &[];
    assumptions.constants(&mut |of, constant, value| {
        if of != group {
            group = of;
            let found = fitted(accelerator, &ranked, of, library);
            (from, values) = found.map_or(("", &[][..]), |(device, fitted)| (device, &fitted.values));
            usual = if library.fuses() {
                fitted(accelerator, &ranked, of, KernelLibrary::Usual)
                    .map_or(&[][..], |(_, fitted)| &fitted.values)
            } else {
                values
            };
        }
        if let Some((first, others)) = values.split_first() {
            let replaced = exceeds_dram(of, constant, *first) && is_of_other_architecture(from, accelerator);
            let (of_usual, rest) = usual.split_first().unwrap_or((first, &[]));
            *value = match constant.name {
                _ if replaced => streamed(),
                LAUNCH => *of_usual,
                _ => *first,
            };
            usual = rest;
            values = others;
        }
    });
}

/// Name of the constant for the start of a kernel. If a library fuses quantising, the usual library's value is used.
const LAUNCH: &str = "launch";

/// Returns true for a fraction of DRAM bandwidth above 1 (MI355X: 1.1), which compensates for other terms of the same
/// formula. It is not carried to devices of another architecture, which take [`streamed`] instead. Prefill rereads keys
/// that stay in L2, so that its values above 1 are kept.
pub(super) fn exceeds_dram(group: &str, constant: &Constant, value: f64) -> bool {
    constant.name == "dram_efficiency" && !kind(group).ends_with("prefill") && value > 1.0
}

/// Returns true if a measured device is not of this device's architecture.
pub(super) fn is_of_other_architecture(measured: &str, accelerator: &Accelerator) -> bool {
    catalog::accelerator(measured).is_none_or(|measured| measured.architecture != accelerator.architecture)
}

/// Fitted constants of elementwise kernels on the H100: first the fraction of DRAM bandwidth that a stream reaches.
pub(super) fn stream() -> Option<&'static Fitted> {
    let calibration = calibrations().iter().find(|calibration| calibration.device == FALLBACK)?;
    calibration.groups.iter().find(|fitted| fitted.group == "stream")
}

/// Fraction of DRAM bandwidth that a stream reaches on the H100.
pub(super) fn streamed() -> f64 {
    stream().and_then(|stream| stream.values.first()).copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_take_the_nearest() {
        let whose = |id: &str| {
            let accelerator = catalog::accelerator(id).expect("a device");
            calibration_for(accelerator).map(|calibration| calibration.device.as_str())
        };
        assert_eq!(whose("h200-sxm"), Some("h200-sxm"));
        assert_eq!(whose("h100-pcie"), Some("h100-sxm"));
        assert_eq!(whose("v100-sxm2"), Some("a100-sxm-80gb"));
        assert_eq!(whose("l4"), Some("l40s"));
        assert_eq!(whose("rtx-4070-ti"), Some("rtx-4090"));
        assert_eq!(whose("rtx-3090"), Some("rtx-4090"));
        assert_eq!(whose("rtx-a6000"), Some("a100-sxm-80gb"));
        assert_eq!(whose("rtx-pro-6000-blackwell"), Some("h100-sxm"));
        assert_eq!(whose("rubin-nvl72"), Some("b200"));
        assert_eq!(whose("mi300x"), Some("mi355x"));
        assert_eq!(whose("gaudi-3"), Some("h100-sxm"));
        assert_eq!(whose("xeon-6787p"), Some("xeon-6980p"));
        assert_eq!(whose("epyc-9575f"), Some("h100-sxm"));
    }

    #[test]
    fn links_between_domains_take_those_of_the_nearest_bandwidth() {
        let whose = |accelerator: &Accelerator| {
            let ranked = ranked(accelerator);
            fitted(accelerator, &ranked, SCALE_OUT, KernelLibrary::Usual).map(|(device, _)| device)
        };
        let known = |id: &str| catalog::accelerator(id).expect("a device").clone();
        assert_eq!(whose(&known("a100-sxm-80gb")), Some("a100-sxm-80gb"));
        for id in ["h100-sxm", "b200", "mi300x"] {
            assert_eq!(whose(&known(id)), Some("b200"), "{id}");
        }
        let mut slower = known("h100-sxm");
        slower.scale_out.gb_s = 12.5;
        assert_eq!(whose(&slower), Some("b200"), "a question's bandwidth is no other network");
        slower.id = "own".to_owned();
        assert_eq!(whose(&slower), Some("a100-sxm-80gb"));
    }
}
