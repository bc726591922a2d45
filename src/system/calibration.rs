//! Constants fitted to measured kernels, per device, with their sources and errors.
//!
//! `calibration.json` is written by `make kernels`, from the tables in `tests/measured`, and read here.
//!
//! A device that nobody measured takes each group of constants from the measured device that comes first: itself,
//! one of its architecture and kind of power limit (`is_limited`; with as large a scale-up domain, if there is one),
//! one of its vendor's generation nearest in years, the H100, any. Efficiencies and times carry over, except fractions
//! of DRAM bandwidth above 1 (`exceeds_dram`), and apply to the device's own peaks, bandwidths and number of
//! multiprocessors.
//! [`carry_over_error`] says what that adds to the error: what it added between devices that were both measured.

use super::assumptions::{AssumptionSet, Assumptions};
use super::calibration_file::{Carry, file};
use super::constants::Constant;
use crate::catalog::{self, Accelerator};
use crate::order;

/// Constants fitted on one measured device.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The catalogue id of the device that was measured.
    pub device: String,
    /// Groups of constants.
    pub groups: Vec<Fitted>,
}

/// A group of constants as fitted on one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The group's key, e.g. `matmul.bf16`.
    pub group: String,
    /// Publication of the measurements.
    pub source: String,
    /// Measurements that it was fitted on; 0 where a published figure is used.
    pub rows_fitted: u32,
    /// Other measurements, which give the error.
    pub rows_scored: u32,
    /// Mean error on those, as a fraction.
    pub error: Option<f64>,
    /// The constants in their declared order.
    pub(super) values: Vec<f64>,
}

/// Provenance of the constants that predict one group of kernels on a device.
#[derive(Clone, Debug, PartialEq)]
pub struct CarryOver {
    /// The group's key.
    pub group: &'static str,
    /// The measured device whose constants are used, by catalogue id.
    pub from: &'static str,
    /// Increase of the group's mean error by the carry-over, as a fraction; 0 on the measured device itself.
    pub error: f64,
}

/// A constant as a device uses it, with all that a reader may want to know.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedConstant {
    /// Stable name, by which links and documents override the constant.
    pub key: String,
    /// Unit; empty for a ratio.
    pub unit: &'static str,
    /// Meaning, in one sentence.
    pub meaning: &'static str,
    /// Value.
    pub value: f64,
    /// The lowest sensible value.
    pub low: f64,
    /// The highest sensible value.
    pub high: f64,
    /// Source of the value.
    pub source: String,
    /// Mean error of its group on measurements that were not fitted, as a fraction.
    pub error: Option<f64>,
    /// Measurements that its group was fitted on, and others that it was scored on.
    pub rows: Option<(u32, u32)>,
}

/// Prefix shared by the groups of one kind of kernel, which have the same constants.
pub fn kind(group: &str) -> &str {
    if group.starts_with("links") { group } else { group.split('.').next().unwrap_or(group) }
}

/// All calibrations.
pub fn calibrations() -> &'static [Calibration] {
    &file().calibrations
}

/// Measured devices in the order in which their constants apply to this one.
fn ranked(accelerator: &Accelerator) -> Vec<&'static Calibration> {
    let architecture = |calibration: &Calibration| catalog::accelerator(&calibration.device);
    let rank = |calibration: &&Calibration| {
        let Some(measured) = architecture(calibration) else { return u32::MAX };
        if calibration.device == accelerator.id {
            0
        } else if units(measured) == units(accelerator) && is_limited(measured) == is_limited(accelerator) {
            // A tray's device resembles another tray's more than a server's.
            1 + u32::from(measured.scale_up.domain != accelerator.scale_up.domain)
        } else if is_limited(measured) {
            // Constants of a power-limited device apply to such devices first and to others last.
            if is_limited(accelerator) { 3 } else { u32::MAX }
        } else if measured.vendor == accelerator.vendor {
            // A generation's year is that of its first measured device.
            let mut generation = calibrations().iter().filter_map(architecture);
            let first = generation.find(|other| other.architecture == measured.architecture);
            let since = if accelerator.has_units_of_ada() { ADA } else { accelerator.year };
            4 + u32::from(first.map_or(measured.year, |first| first.year).abs_diff(since))
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

/// Year of Ada Lovelace's first devices.
const ADA: u16 = 2022;

/// Returns true for NVIDIA's devices with GDDR memory and at most 1 W per TFLOP/s of 16-bit operands; 1.3 W until 2021, when
/// an operation took more. The power limit of the L40S (350 W for 362 TFLOP/s) slows its long multiplies by up to half.
/// GeForce devices have 2 to 4 W.
fn is_limited(accelerator: &Accelerator) -> bool {
    let rates = &accelerator.matrix_tflops;
    let rate = rates.bf16.or(rates.fp16).unwrap_or(0.0);
    let watts = if accelerator.year < ADA { 1.3 } else { 1.0 };
    accelerator.vendor == "NVIDIA"
        && accelerator.dram.technology.starts_with("GDDR")
        && accelerator.tdp_w.is_some_and(|power| power <= watts * rate)
}

/// Whose constants other vendors' devices take.
const FALLBACK: &str = "h100-sxm";

/// The group of constants that characterises a device best.
const FOREMOST: &str = "matmul.bf16";

/// The first of these devices on which a group was fitted.
fn first(ranked: &[&'static Calibration], group: &str) -> Option<(&'static str, &'static Fitted)> {
    ranked.iter().find_map(|calibration| {
        let fitted = calibration.groups.iter().find(|fitted| fitted.group == group)?;
        Some((calibration.device.as_str(), fitted))
    })
}

/// The constants of a group that a device takes, with the device on which they were fitted. Multiplies of 8-bit integers were
/// measured on few devices: another architecture's take the device's own constants of 8-bit floats, whose units have the
/// same rate and power limit.
fn fitted(
    accelerator: &Accelerator,
    ranked: &[&'static Calibration],
    group: &str,
) -> Option<(&'static str, &'static Fitted)> {
    let found = first(ranked, group)?;
    if group == "matmul.int8" && is_of_other_architecture(found.0, accelerator) {
        let floats = first(ranked, "matmul.fp8");
        return floats.filter(|(device, _)| !is_of_other_architecture(device, accelerator)).or(Some(found));
    }
    Some(found)
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
pub(super) fn apply(assumptions: &mut Assumptions, accelerator: &Accelerator, measured: Measured) {
    let mut ranked = ranked(accelerator);
    ranked.retain(|calibration| measured.contains(calibration, accelerator));
    let mut group = "";
    let mut from = "";
    let mut values: &[f64] = &[];
    assumptions.constants(&mut |of, constant, value| {
        if of != group {
            group = of;
            let found = fitted(accelerator, &ranked, of);
            (from, values) = found.map_or(("", &[][..]), |(device, fitted)| (device, &fitted.values));
        }
        if let Some((first, others)) = values.split_first() {
            let replaced = exceeds_dram(of, constant, *first) && is_of_other_architecture(from, accelerator);
            *value = if replaced { streamed() } else { *first };
            values = others;
        }
    });
}

/// Returns true for a fraction of DRAM bandwidth above 1 (MI355X: 1.1), which compensates for other terms of the same
/// formula. It is not carried to devices of another architecture, which take [`streamed`] instead. Prefill rereads keys
/// that stay in L2, so that its values above 1 are kept.
fn exceeds_dram(group: &str, constant: &Constant, value: f64) -> bool {
    constant.name == "dram_efficiency" && !kind(group).ends_with("prefill") && value > 1.0
}

/// Returns true if a measured device is not of this device's architecture.
fn is_of_other_architecture(measured: &str, accelerator: &Accelerator) -> bool {
    catalog::accelerator(measured).is_none_or(|measured| measured.architecture != accelerator.architecture)
}

/// Fitted constants of elementwise kernels on the H100: first the fraction of DRAM bandwidth that a stream reaches.
fn stream() -> Option<&'static Fitted> {
    let calibration = calibrations().iter().find(|calibration| calibration.device == FALLBACK)?;
    calibration.groups.iter().find(|fitted| fitted.group == "stream")
}

/// Fraction of DRAM bandwidth that a stream reaches on the H100.
fn streamed() -> f64 {
    stream().and_then(|stream| stream.values.first()).copied().unwrap_or(1.0)
}

/// All constants as this device uses them.
pub fn listed(accelerator: &Accelerator) -> Vec<ListedConstant> {
    let ranked = ranked(accelerator);
    let mut list = Vec::new();
    let (mut of, mut meanings, mut values) = ("", [].iter(), [].iter());
    Assumptions::of(AssumptionSet::Calibrated, accelerator).constants(&mut |group, constant, value| {
        if of != group {
            (of, meanings) = (group, Assumptions::meanings(group).iter());
            values =
                fitted(accelerator, &ranked, group).map_or([].iter(), |(_, fitted)| fitted.values.iter());
        }
        let found = fitted(accelerator, &ranked, group);
        let replaced = values.next().is_some_and(|value| exceeds_dram(group, constant, *value))
            && found.is_some_and(|(device, _)| is_of_other_architecture(device, accelerator));
        let fitted = if replaced { stream() } else { found.map(|(_, fitted)| fitted) };
        let source = fitted.map_or_else(|| Assumptions::source(group), |fitted| &fitted.source);
        list.push(ListedConstant {
            key: format!("{group}.{}", constant.name),
            unit: constant.unit,
            meaning: meanings.next().copied().unwrap_or_default(),
            value: *value,
            low: constant.low,
            high: constant.high,
            source: source.to_owned(),
            error: fitted.and_then(|fitted| fitted.error),
            rows: fitted
                .filter(|fitted| fitted.rows_fitted > 0)
                .map(|fitted| (fitted.rows_fitted, fitted.rows_scored)),
        });
    });
    list
}

/// Whose constants each group of kernels takes on this device, and what that adds to the error.
///
/// The addition is the median, over pairs of measured devices, of the error that one's constants make on the other's
/// kernels beyond the error of its own: between devices of one architecture, or of neighbouring ones. For another
/// vendor's device that is the least to expect.
pub fn carry_over_error(accelerator: &Accelerator) -> Vec<CarryOver> {
    let ranked = ranked(accelerator);
    let mut list: Vec<CarryOver> = Vec::new();
    Assumptions::ideal().constants(&mut |group, _, _| {
        if list.last().is_some_and(|last| last.group == group) {
            return;
        }
        if let Some((from, _)) = fitted(accelerator, &ranked, group) {
            list.push(CarryOver { group, from, error: added(accelerator, from, group) });
        }
    });
    list
}

fn added(accelerator: &Accelerator, from: &str, group: &str) -> f64 {
    if accelerator.id == from {
        return 0.0;
    }
    let related =
        catalog::accelerator(from).is_some_and(|measured| measured.architecture == accelerator.architecture);
    let error = |carry: &Carry| if related { carry.same_architecture } else { carry.other_architecture };
    let own = file().carry.iter().find(|carry| carry.group == group).and_then(error);
    // Groups measured on only one device are assumed to carry over as badly as the worst group of their kind.
    let sort = |group: &str| group.split('.').next().map(str::to_owned);
    let related = file().carry.iter().filter(|carry| sort(&carry.group) == sort(group));
    own.unwrap_or_else(|| related.filter_map(error).fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_is_in_its_range() {
        assert!(calibrations().len() >= 5, "calibration.json is broken");
        for calibration in calibrations() {
            let device = &calibration.device;
            assert!(catalog::accelerator(device).is_some(), "{device}");
            for fitted in &calibration.groups {
                let (group, mut values) = (&fitted.group, fitted.values.iter());
                assert!(!fitted.source.is_empty(), "{device} {group} has no source");
                assert!(!fitted.values.is_empty(), "{device} {group} is no group");
                assert!(fitted.error.is_none_or(|error| error < 0.25), "{device} {group}");
                Assumptions::ideal().constants(&mut |other, constant, _| {
                    if other == group {
                        let value = values.next().expect("as many values as constants");
                        let range = constant.low..=constant.high;
                        assert!(range.contains(value), "{device} {group}.{} is {value}", constant.name);
                    }
                });
            }
        }
    }

    #[test]
    fn every_device_has_every_group() {
        for accelerator in &catalog::catalog().accelerators {
            for constant in listed(accelerator) {
                assert!(!constant.source.is_empty(), "{}: {}", accelerator.id, constant.key);
                assert!(constant.meaning.ends_with('.'), "{}: {}", constant.key, constant.meaning);
            }
        }
    }

    #[test]
    fn carried_streams_are_within_the_bandwidth_of_dram() {
        for accelerator in &catalog::catalog().accelerators {
            let ranked = ranked(accelerator);
            let mut assumptions = Assumptions::of(AssumptionSet::Calibrated, accelerator);
            assumptions.constants(&mut |group, constant, value| {
                let from = fitted(accelerator, &ranked, group).map(|(device, _)| device);
                let carried = from.is_some_and(|from| is_of_other_architecture(from, accelerator));
                assert!(
                    !carried || !exceeds_dram(group, constant, *value),
                    "{}: {group} {value}",
                    accelerator.id
                );
            });
            let source = &stream().expect("a stream").source;
            let mut listed = listed(accelerator);
            listed.retain(|listed| listed.source == *source && !listed.key.starts_with("stream"));
            assert!(listed.iter().all(|listed| (listed.value - streamed()).abs() < 1e-12));
        }
        let own = |id: &str| {
            let accelerator = catalog::accelerator(id).expect("a device");
            Assumptions::of(AssumptionSet::Calibrated, accelerator).matmul.bf16.dram_efficiency
        };
        assert!(own("mi355x") > 1.0 && (own("mi300x") - 0.898).abs() < 1e-12);
    }

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
        assert_eq!(whose("rtx-4070-ti"), Some("h100-sxm"));
        assert_eq!(whose("rtx-3090"), Some("a100-sxm-80gb"));
        assert_eq!(whose("rubin-nvl72"), Some("b200"));
        assert_eq!(whose("mi300x"), Some("mi355x"));
        assert_eq!(whose("gaudi-3"), Some("h100-sxm"));
    }

    #[test]
    fn what_was_measured_carries_nothing_over() {
        let error = |id: &str, group: &str| {
            let all = carry_over_error(catalog::accelerator(id).expect("a device"));
            all.iter().find(|carried| carried.group == group).map(|carried| carried.error)
        };
        assert_eq!(error("h100-sxm", "matmul.bf16"), Some(0.0));
        let relative = error("h100-pcie", "matmul.bf16").expect("an error");
        let stranger = error("mi300x", "matmul.bf16").expect("an error");
        assert!(0.0 <= relative && relative < stranger && stranger < 0.3, "{relative}, {stranger}");
    }
}
