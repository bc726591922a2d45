//! Questions that the points of sweeps open, as links without `#`.

use crate::inference::InferenceLoad;
use crate::scenario::{Choice, Scenario, SystemChoice, View, link};
use crate::serving::capacity::LoadAxis;
use crate::serving::family::FamilyCurve;
use crate::units::rounded;

/// The question at the load of a point of its curve: requests per second, or concurrent requests.
pub(super) fn at_load(question: &Scenario, axis: LoadAxis, load: f64) -> String {
    link_of(question, &question.inference.at(axis, load), &question.system)
}

/// One batch of the question on a device with this DRAM bandwidth.
pub(super) fn at_bandwidth(question: &Scenario, tb_s: f64) -> String {
    let system = SystemChoice { dram_gb_s: Some(rounded(tb_s * 1e3)), ..question.system.clone() };
    link_of(question, &one_batch(question), &system)
}

/// One batch of a curve's choice on a device with this DRAM bandwidth.
pub(super) fn on_curve(question: &Scenario, curve: &FamilyCurve, tb_s: f64) -> String {
    let model = curve.model.clone().map_or_else(|| question.model.clone(), Choice::Named);
    at_bandwidth(&Scenario { model, inference: curve.load, ..question.clone() }, tb_s)
}

/// One batch of the question on devices with this scale-up bandwidth per direction.
pub(super) fn at_link(question: &Scenario, gb_s: f64) -> String {
    let system = SystemChoice { scale_up_gb_s: Some(rounded(gb_s)), ..question.system.clone() };
    link_of(question, &one_batch(question), &system)
}

/// The question on a device with this DRAM capacity, with this number of concurrent requests.
pub(super) fn at_capacity(question: &Scenario, gib: f64, requests: f64) -> String {
    let system = SystemChoice { dram_gib: Some(rounded(gib)), ..question.system.clone() };
    link_of(question, &question.inference.at(LoadAxis::Concurrency, requests), &system)
}

/// The load as one batch. The sweeps of bandwidths serve batches only.
fn one_batch(question: &Scenario) -> InferenceLoad {
    InferenceLoad { concurrency: 0, rate: 0.0, ..question.inference }
}

fn link_of(question: &Scenario, inference: &InferenceLoad, system: &SystemChoice) -> String {
    link::encode(&Scenario {
        view: View::Inference,
        inference: *inference,
        system: system.clone(),
        ..question.clone()
    })
}
