//! Laws between related devices, number formats and microbatches, over the whole catalogue.

use foretoken::catalog::{self, Accelerator};
use foretoken::scenario::{Scenario, preset};
use foretoken::system::{
    AllReduce, Arrival, AssumptionSet, Attention, Collective, Experts, Group, Load, Matmul, Operation,
    Precision, System, Work,
};
use foretoken::training::TrainingEstimate;
use foretoken::units::{Bytes, Seconds};

fn trained(document: &str) -> TrainingEstimate {
    Scenario::from_json(document).and_then(|scenario| scenario.training()).expect(document)
}

fn devices() -> impl Iterator<Item = &'static Accelerator> {
    catalog::catalog().accelerators.iter()
}

/// Fails with every case that breaks a law, not only with the first.
fn none(broken: &[String]) {
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn matmul(precision: Precision, rows: f64) -> Work {
    Work::Matmul(Matmul { m: rows, n: 8192.0, k: 8192.0, count: 1.0, precision, output: 2.0 })
}

/// LoRA of a 70B model in FP4 on 8 GPUs. MLPerf Training 5.1: 1.048 s on GB200, 0.749 s on GB300.
#[test]
fn blackwell_ultra_is_faster_than_blackwell() {
    let step = |gpu: &str| {
        trained(&format!(
            r#"{{"model": "llama-2-70b", "system": {{"accelerator": "{gpu}", "gpus": 8}},
                "parallelism": {{"tensor": 2, "pipeline": 1, "microbatch": 1, "recompute": "none"}},
                "recipe": {{"batch": 8, "sequence": 8192, "precision": "fp4", "frozen": true}}}}"#
        ))
        .step
    };
    let gain = step("gb200-nvl72") / step("gb300-nvl72");
    assert!(gain > 1.15, "{gain:.2} times as fast; measured 1.40");
}

/// Kernels of all formats reach a similar fraction of the device's peak rate. The L2 bandwidth of a carried-over fit must not limit
/// formats with a higher peak rate.
#[test]
fn narrow_formats_gain_most_of_what_their_units_add() {
    let mut broken = Vec::new();
    for device in devices() {
        let system = System::new(device, AssumptionSet::Calibrated);
        for (wide, narrow) in [(Precision::Bf16, Precision::Fp8), (Precision::Fp8, Precision::Fp4)] {
            let (Some(from), Some(to)) = (system.device.peak(wide), system.device.peak(narrow)) else {
                continue;
            };
            let time = |precision| system.cost_chosen(&matmul(precision, 16_384.0)).time;
            let (gain, units) = (time(wide) / time(narrow), to / from);
            // Operands are quantised in DRAM, which limits devices with little bandwidth for their rate.
            let starved = system.device.rate(wide).get() / system.device.dram.get() > 600.0;
            if gain < 0.5 * units && !starved {
                broken.push(format!("{}: {narrow:?} {gain:.2} of {units:.2} times {wide:?}", device.id));
            }
        }
    }
    none(&broken);
}

/// Time of the kernel that quantises activations, which a multiply of wider operands does not have.
const QUANTISING: Seconds = Seconds::from_micros(12.0);

/// A kernel that reads its operands once takes less time with narrower ones.
#[test]
fn narrower_operands_are_not_slower_where_memory_limits() {
    let mut broken = Vec::new();
    for device in devices() {
        let system = System::new(device, AssumptionSet::Calibrated);
        let time = |work: &Work| system.cost_chosen(work).time;
        let mut not_slower = |what: &str, wide: Work, narrow: Work| {
            let (wide, narrow) = (time(&wide), time(&narrow));
            if narrow > wide * 1.02 + QUANTISING {
                broken.push(format!("{}: {what} {narrow:?}, wider {wide:?}", device.id));
            }
        };
        let peak = |precision| system.device.peak(precision).is_some();
        for (wide, narrow) in [
            (Precision::Bf16, Precision::Fp8),
            (Precision::Bf16, Precision::Int8),
            (Precision::Fp8, Precision::Fp4),
            (Precision::Mxfp6, Precision::Fp4),
        ] {
            if !peak(wide) || !peak(narrow) {
                continue;
            }
            for rows in [1.0, 16.0] {
                not_slower(&format!("{narrow:?} × {rows}"), matmul(wide, rows), matmul(narrow, rows));
            }
            let experts = |precision| {
                Work::Experts(Experts {
                    tokens: 32.0,
                    hidden: 4096.0,
                    width: 1536.0,
                    gates: 2.0,
                    top_k: 8.0,
                    experts: 128.0,
                    local: 128.0,
                    load: Load::Balanced,
                    arrival: Arrival::Gathered,
                    precision,
                })
            };
            not_slower(&format!("experts in {narrow:?}"), experts(wide), experts(narrow));
        }
        for latent in [false, true] {
            let decode = |element| {
                let (qk_dim, v_dim, cached_dim, kv_heads) =
                    if latent { (576.0, 512.0, 576.0, 1.0) } else { (128.0, 128.0, 256.0, 8.0) };
                Work::Attention(Attention {
                    batch: 16.0,
                    heads: 64.0,
                    kv_heads,
                    qk_dim,
                    v_dim,
                    cached_dim,
                    queries: 1.0,
                    keys: 32_768.0,
                    window: None,
                    causal: true,
                    precision: Precision::Bf16,
                    kv_element: Bytes::new(element),
                    backward: false,
                })
            };
            not_slower(if latent { "8-bit latent cache" } else { "8-bit cache" }, decode(2.0), decode(1.0));
        }
    }
    none(&broken);
}

/// Prompts are limited by the matrix units, which multiply 8-bit operands at least as fast as 16-bit ones.
#[test]
fn prompts_in_eight_bits_are_not_slower_than_in_sixteen() {
    let mut broken = Vec::new();
    for device in devices() {
        let system = System::new(device, AssumptionSet::Calibrated);
        if system.device.peak(Precision::Fp8).is_none() {
            continue;
        }
        let time = |precision| system.cost_chosen(&matmul(precision, 8192.0)).time;
        let (wide, narrow) = (time(Precision::Bf16), time(Precision::Fp8));
        if narrow > wide * 1.02 {
            broken.push(format!("{}: {narrow:?} in FP8, {wide:?} in BF16", device.id));
        }
    }
    none(&broken);
}

/// A device that has at least as much of everything as another one of its architecture, power and kind of memory included, is
/// not slower. Measured kernels of two such devices differ by up to 6 %.
#[test]
fn a_newer_device_with_more_of_everything_is_not_slower() {
    let (mut pairs, mut broken) = (0, Vec::new());
    for older in devices() {
        let old = System::new(older, AssumptionSet::Calibrated);
        let family = |newer: &&Accelerator| {
            newer.architecture == older.architecture
                && newer.year >= older.year
                && newer.tdp_w >= older.tdp_w
                && newer.dram.technology[..4] == older.dram.technology[..4]
        };
        for newer in devices().filter(family) {
            let new = System::new(newer, AssumptionSet::Calibrated);
            let more = newer.id != older.id
                && Precision::ALL.iter().all(|&format| new.device.peak(format) >= old.device.peak(format))
                && new.device.dram > old.device.dram
                && new.device.vector >= old.device.vector
                && new.device.multiprocessors >= old.device.multiprocessors;
            if !more {
                continue;
            }
            pairs += 1;
            for format in [Precision::Bf16, Precision::Fp8, Precision::Fp4] {
                if old.device.peak(format).is_none() {
                    continue;
                }
                for rows in [16.0, 8192.0] {
                    let work = matmul(format, rows);
                    let (before, after) = (old.cost_chosen(&work).time, new.cost_chosen(&work).time);
                    if after > before * 1.06 {
                        broken.push(format!(
                            "{format:?} × {rows}: {} {after:?}, {} {before:?}",
                            newer.id, older.id
                        ));
                    }
                }
            }
        }
    }
    assert!(pairs > 20, "{pairs} pairs");
    none(&broken);
}

/// MaxText's runs of Llama-2-70B on TPUs reach 57 % (v4), 57 % (v5e) and 65 % (v5p) MFU.
#[test]
fn tpus_train_about_as_fast_as_published() {
    for (gpu, gpus, published) in [("tpu-v4", 64, 0.57), ("tpu-v5e", 256, 0.57), ("tpu-v5p", 64, 0.65)] {
        let mfu = trained(&format!(
            r#"{{"model": "llama-2-70b", "system": {{"accelerator": "{gpu}", "gpus": {gpus}}},
                "parallelism": {{"tensor": 1, "pipeline": 1, "zero": 3, "microbatch": 1, "recompute": "full"}},
                "recipe": {{"batch": {}, "sequence": 4096, "precision": "bf16"}}}}"#,
            gpus * 4
        ))
        .mfu;
        assert!((mfu / published - 1.0).abs() < 0.25, "{gpu}: {mfu:.3}, published {published}");
    }
}

/// In a ring over several domains, members inside a domain pass chunks on at the speed of their own links, not of those between
/// domains.
#[test]
fn members_inside_a_domain_do_not_wait_as_those_between_domains_do() {
    let system =
        System::new(catalog::accelerator("gb200-nvl72").expect("a device"), AssumptionSet::Calibrated);
    let gather = |gpus| {
        let group = Group::new(gpus, 72);
        let collective = Collective {
            operation: Operation::AllGather,
            bytes: Bytes::from_mb(400.0),
            group,
            algorithm: AllReduce::Automatic,
        };
        system.network.collective(&collective).time
    };
    let (one, two) = (gather(72), gather(144));
    assert!(two < one * 3.0, "{one:?} in one rack, {two:?} in two");
}

/// Llama 3 405B on 16,384 H100: 400 TFLOP/s per GPU (arXiv 2407.21783, table 4). One layer of eight is recomputed, which the
/// published run did not need.
#[test]
fn the_frontier_run_is_as_fast_as_published() {
    let preset = preset::presets().iter().find(|preset| preset.why.contains("frontier")).expect("it");
    let scenario = preset.scenario();
    let device = catalog::accelerator("h100-sxm").expect("a device");
    let rate = scenario.training().expect("it fits").mfu * device.matrix_tflops.bf16.expect("a rate");
    assert!((rate / 400.0 - 1.0).abs() < 0.1, "{rate:.0} TFLOP/s");
}

/// Longer kernels waste less on launches and waves.
#[test]
fn a_larger_microbatch_is_not_slower() {
    let step = |microbatch: u32| {
        trained(&format!(
            r#"{{"model": "llama-3.1-8b", "system": {{"accelerator": "h100-sxm", "gpus": 8, "dram_gib": 4000}},
                "parallelism": {{"tensor": 1, "pipeline": 1, "zero": 1, "microbatch": {microbatch}}},
                "recipe": {{"batch": 256, "sequence": 4096, "precision": "bf16"}}}}"#
        ))
        .step
    };
    for (small, large) in [(1, 2), (2, 4), (4, 8)] {
        assert!(step(large) <= step(small) * 1.01, "{large} against {small}");
    }
}

/// Causal MFU, which counts the unmasked half of attention, is at most 1.
#[test]
fn no_run_exceeds_the_peak() {
    for gpu in ["h100-sxm", "b300", "gb300-nvl72", "mi355x", "tpu-v5p"] {
        for (precision, set) in [("bf16", "ideal"), ("int8", "calibrated"), ("bf16", "calibrated")] {
            let document = format!(
                r#"{{"model": "llama-3.2-1b", "system": {{"accelerator": "{gpu}", "gpus": 128, "dram_gib": 4000}},
                    "parallelism": {{"tensor": 1, "context": 16, "pipeline": 1, "microbatch": 1, "recompute": "none"}},
                    "recipe": {{"batch": 8, "sequence": 1048576, "precision": "{precision}"}}, "assumptions": "{set}"}}"#
            );
            let Ok(estimate) = Scenario::from_json(&document).and_then(|scenario| scenario.training()) else {
                continue;
            };
            assert!(estimate.mfu_causal <= 1.0, "{gpu} {precision} {set}: {:.3}", estimate.mfu_causal);
        }
    }
}
