//! Constants fitted to measured kernels, as a device uses them: with their sources and errors.
//!
//! A device that nobody measured takes them from another one. [`carry_over_error`] says what that adds to the error: what it
//! added between devices that were both measured.

use super::assumed::Assumed;
use super::assumption_set::AssumptionSet;
use super::assumptions::Assumptions;
pub use super::calibration_file::{Calibration, Fitted, calibrations, kind};
use super::calibration_file::{Carry, file};
use super::decode::DecodeConstants;
use super::experts::ExpertsConstants;
use super::host;
use super::issue::Issue;
use super::latent::LatentDecodeConstants;
use super::library::KernelLibrary;
use super::link_constants::{
    DirectConstants, ExchangeConstants, PcieConstants, ScaleOutConstants, ScaleUpConstants, SwitchConstants,
    TreeConstants,
};
use super::matmul::MatmulConstants;
pub use super::measured_device::{Measured, calibration_for};
use super::measured_device::{exceeds_dram, fitted, is_of_other_architecture, ranked, stream};
use super::prefill::PrefillConstants;
use super::scan::ScanConstants;
use super::stream::StreamConstants;
use super::sustained::SustainedConstants;
use crate::catalog::{self, Accelerator};

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

/// All constants as this device uses them, with the multiplies of a library.
pub fn listed(accelerator: &Accelerator, library: KernelLibrary) -> Vec<ListedConstant> {
    let ranked = ranked(accelerator);
    let mut list = Vec::new();
    let (mut of, mut meanings, mut values) = ("", [].iter(), [].iter());
    let assumed = Assumed { library, ..AssumptionSet::Calibrated.into() };
    Assumptions::of(assumed, accelerator).constants(&mut |group, constant, value| {
        if of != group {
            (of, meanings) = (group, meanings_of(group).iter());
            values = fitted(accelerator, &ranked, group, library)
                .map_or([].iter(), |(_, fitted)| fitted.values.iter());
        }
        let found = fitted(accelerator, &ranked, group, library);
        let replaced = values.next().is_some_and(|value| exceeds_dram(group, constant, *value))
            && found.is_some_and(|(device, _)| is_of_other_architecture(device, accelerator));
        let fitted = if replaced { stream() } else { found.map(|(_, fitted)| fitted) };
        let source = fitted.map_or_else(|| source_of(group), |fitted| &fitted.source);
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

/// Meanings of the constants of a group, in their order.
fn meanings_of(group: &str) -> &'static [&'static str] {
    match kind(group) {
        "matmul" => MatmulConstants::MEANINGS,
        "prefill" | "latent-prefill" => PrefillConstants::MEANINGS,
        "decode" => DecodeConstants::MEANINGS,
        "latent-decode" => LatentDecodeConstants::MEANINGS,
        "experts" => ExpertsConstants::MEANINGS,
        "stream" => StreamConstants::MEANINGS,
        "scan" | "scan-kimi" => ScanConstants::MEANINGS,
        "links.scale-up" => ScaleUpConstants::MEANINGS,
        "links.scale-out" => ScaleOutConstants::MEANINGS,
        "links.direct" => DirectConstants::MEANINGS,
        "links.switch" => SwitchConstants::MEANINGS,
        "links.pcie" => PcieConstants::MEANINGS,
        "links.tree" => TreeConstants::MEANINGS,
        "links.exchange" => ExchangeConstants::MEANINGS,
        "issue" => Issue::MEANINGS,
        "sustained" => SustainedConstants::MEANINGS,
        "memory" => RESERVES,
        "host" => host::MEANINGS,
        _ => &[],
    }
}

/// Source of the constants of a group that is not fitted per device.
fn source_of(group: &str) -> &'static str {
    match group {
        "issue" => "Published A100 latencies of FasterTransformer, 15 of 63 rows fitted",
        "sustained" => "Published training steps, a fifth of them, by generation",
        "links.switch" => "NCCL's own tuner (NVIDIA/nccl@5067397, src/graph/tuning.cc and topo.h)",
        "links.pcie" => {
            "Two GPUs: all-reduces over two L40S (ai-dynamo/aiconfigurator@095f58a); more: published throughput of TensorRT-LLM on L40S and A100 PCIe, 20 of 154 rows fitted"
        }
        "links.tree" => "None in what was measured: the library's choice has trees in it",
        "host" => "Measured copies, of this link or of PCIe 5: stas00/ml-engineering@744d01e, network",
        "scan" => {
            "Measured kernels of gated delta nets under vLLM 0.24, Triton's under SGLang 0.5.14 (ai-dynamo/aiconfigurator@095f58a), by generation; other recurrences take them over"
        }
        "scan-kimi" => {
            "Measured kernels of Kimi delta attention under vLLM 0.1.dev19262, Triton's under SGLang 0.5.16 (ai-dynamo/aiconfigurator@095f58a), by generation"
        }
        "memory" => "An estimate: what multi-GPU jobs hold before their first tensor",
        _ => "",
    }
}

/// Meaning of [`Assumptions::reserve`].
const RESERVES: &[&str] = &["Memory that driver, libraries and communication buffers take on each GPU."];

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
        if let Some((from, _)) = fitted(accelerator, &ranked, group, KernelLibrary::Usual) {
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
    use crate::system::measured_device::streamed;

    #[test]
    fn every_device_has_every_group() {
        for accelerator in &catalog::catalog().accelerators {
            for constant in listed(accelerator, KernelLibrary::Usual) {
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
                let from =
                    fitted(accelerator, &ranked, group, KernelLibrary::Usual).map(|(device, _)| device);
                let carried = from.is_some_and(|from| is_of_other_architecture(from, accelerator));
                assert!(
                    !carried || !exceeds_dram(group, constant, *value),
                    "{}: {group} {value}",
                    accelerator.id
                );
            });
            let source = &stream().expect("a stream").source;
            let mut listed = listed(accelerator, KernelLibrary::Usual);
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
