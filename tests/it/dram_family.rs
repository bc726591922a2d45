//! Latency against DRAM bandwidth with several curves.

use foretoken::figure::{self, Size};
use foretoken::scenario::{link, preset};
use foretoken::serving::family::{FamilyCurve, Varied};

use crate::service::{answered, ids, replies};

fn unlinked(_: &FamilyCurve, _: f64) -> String {
    String::new()
}

/// With two GPUs, the page's own question has kernels with less arithmetic at 30 TB/s than at the device's bandwidth.
#[test]
fn no_curve_is_below_its_floor() {
    let question = link::decode("v=1&view=inference").scenario;
    for FamilyCurve { name, sweep, .. } in &question.dram_family(Varied::Gpus).unwrap().curves {
        let floor = sweep.network_floor.max(sweep.compute_floor);
        assert!(sweep.latency.iter().all(|latency| *latency >= floor), "{name}: {floor}");
    }
}

#[test]
fn the_preset_has_a_curve_for_1_2_4_and_8_gpus() {
    let preset = preset::presets().iter().find(|preset| preset.id == "llama-2-13b-dram").unwrap();
    let scenario = preset.scenario();
    let family = scenario.dram_family(Varied::Gpus).unwrap();
    let names: Vec<&str> = family.curves.iter().map(|curve| curve.name.as_str()).collect();
    assert_eq!(names, ["1 GPU", "2 GPUs", "4 GPUs", "8 GPUs"]);
    assert_eq!((family.asked.as_str(), family.left_out.len()), ("1 GPU", 0));
    for FamilyCurve { name, sweep, .. } in &family.curves {
        assert!(sweep.latency.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9)), "{name}");
        let floor = sweep.network_floor.max(sweep.compute_floor);
        assert!(sweep.latency.iter().all(|latency| *latency >= floor), "{name}");
        assert_eq!(sweep.network_floor > 0.0, name != "1 GPU", "{name}");
    }
    let own = scenario.inference().unwrap().latency.get();
    assert!((family.curves[0].sweep.device_latency / own - 1.0).abs() < 1e-12);
    // At low DRAM bandwidth more GPUs help; at high bandwidth their communication costs more than it saves.
    let at = |curve: usize, point: usize| family.curves[curve].sweep.latency[point];
    let last = family.curves[0].sweep.latency.len() - 1;
    assert!(at(3, 0) < at(0, 0) / 4.0 && at(3, last) > at(0, last));
    let drawn = figure::dram_family(&family, &[("HBM3", 3.35)], &unlinked, Size::Wide).svg;
    for label in ["network floor of 8 GPUs", "compute floor of 1 GPU", "HBM3", "This device"] {
        assert!(drawn.contains(label), "{label}");
    }
    // The direction of both comparisons is named.
    let finding = figure::dram_family(&family, &[], &unlinked, Size::Wide).finding;
    let (here, there) = finding.split_once(". At ").expect("two comparisons");
    assert!(here.ends_with("× as fast") && there.contains("× as long"), "{finding}");
    let said = replies(preset.link);
    for id in ["dram-latency", "dram-gpus", "dram-batch", "dram-format", "dram-model"] {
        assert!(ids(answered(&said)).contains(&id), "{id}");
    }
}

#[test]
fn what_does_not_fit_or_breaks_a_law_is_left_out_with_a_reason() {
    let link = "v=1&view=inference&model=llama-2-70b&gpu=a100-sxm-80gb&serve.tp=8&serve.batch=3";
    let scenario = link::decode(link).scenario;
    let family = scenario.dram_family(Varied::Gpus).unwrap();
    assert_eq!(family.left_out.len(), 1, "{:?}", family.left_out);
    assert!(
        family.left_out[0].0 == "1 GPU" && family.left_out[0].1.contains("of 80.0 GiB"),
        "{:?}",
        family.left_out
    );
    let batches = scenario.dram_family(Varied::Batch).unwrap();
    let names: Vec<&str> = batches.curves.iter().map(|curve| curve.name.as_str()).collect();
    assert_eq!(names, ["batch 1", "batch 3", "batch 4", "batch 16", "batch 64"]);
    let formats = scenario.dram_family(Varied::Format).unwrap();
    let names: Vec<&str> = formats.curves.iter().map(|curve| curve.name.as_str()).collect();
    // An A100 multiplies neither FP8 nor FP4, but can widen 4-bit weights.
    assert_eq!(names, ["BF16", "INT4 weights"]);
    // On 8 GPUs all of the paper's models fit, smallest first; on one the largest does not.
    let models = scenario.dram_family(Varied::Model).unwrap();
    let names: Vec<&str> = models.curves.iter().map(|curve| curve.name.as_str()).collect();
    assert_eq!(
        (names, models.asked.as_str()),
        (vec!["Llama-2-7B", "Llama-2-13B", "Llama-2-70B"], "Llama-2-70B")
    );
    let first = |model: usize| models.curves[model].sweep.latency[0];
    assert!(first(0) < first(1) && first(1) < first(2));
    let alone = link::decode("v=1&view=inference&model=llama-2-7b&gpu=a100-sxm-80gb&serve.tp=1").scenario;
    assert_eq!(alone.dram_family(Varied::Model).unwrap().left_out[0].0, "Llama-2-70B");
}
