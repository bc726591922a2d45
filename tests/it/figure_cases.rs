//! Estimates to draw, and what holds for every drawing.

#![allow(clippy::disallowed_methods)]

use std::fmt::Write as _;

use foretoken::estimate::{Busy, Course, Footprint, OperatorRow, Term};
use foretoken::figure::{self, CourseOf, Dot, Figure, Measure, Size, Table};
use foretoken::generations::Generation;
use foretoken::generations::machines::Outcome;
use foretoken::inference::Place;
use foretoken::plan::Plan;
use foretoken::serving::InferenceEstimate;
use foretoken::serving::sweep::DramSweep;
use foretoken::system::{Bound, Cost, Precision};
use foretoken::training::TrainingEstimate;
use foretoken::units::{Bandwidth, Bytes, FlopRate, Flops, Seconds, format};
use foretoken::workload::Recompute;

/// Points that open nothing.
pub(crate) fn unlinked(_: f64) -> String {
    String::new()
}

pub(crate) const SIZES: [Size; 3] = [Size::Wide, Size::Medium, Size::Narrow];

/// A name that would break out of an attribute or an element.
pub(crate) const HOSTILE_NAME: &str =
    "</text><script>alert('1')</script> \"onload=\"x\" class=\"fig-fill-1\"\u{0}\u{202e}";
/// Numbers that no length can have, and those at the ends of what a length can be.
const HOSTILE_NUMBERS: [f64; 10] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, -1.0, 1e-320, f64::MIN_POSITIVE, 1e308, f64::MAX];

pub(crate) fn term(label: &'static str, time: f64) -> Term {
    Term { id: "x", label, time: Seconds::new(time), why: "As it is, in one sentence" }
}

pub(crate) fn operator(
    name: &'static str,
    phase: &'static str,
    (flops, bytes, time): (f64, f64, f64),
    bound: Bound,
) -> OperatorRow {
    let cost = Cost {
        flops: Flops::new(flops),
        bytes: Bytes::new(bytes),
        time: Seconds::new(time),
        bound,
        ..Cost::default()
    };
    OperatorRow { name, phase, shape: "2048 × 12288 × 4608".to_owned(), count: 80.0, cost }
}

pub(crate) fn operators() -> Vec<OperatorRow> {
    vec![
        operator("QKV projection", "forward", (1.7e11, 1.2e8, 2.6e-4), Bound::Compute),
        operator("QKV projection", "backward", (1.7e11, 1.4e8, 2.7e-4), Bound::Compute),
        operator("QKV projection", "backward", (1.7e11, 2.2e8, 2.9e-4), Bound::Compute),
        operator("Attention", "forward", (1.4e11, 4.1e7, 3.3e-4), Bound::Compute),
        operator("Attention output", "forward", (1.3e11, 1.1e8, 2.1e-4), Bound::Compute),
        operator("Feed-forward in", "forward", (9.6e11, 4.5e8, 1.35e-3), Bound::Compute),
        operator("Feed-forward out", "forward", (4.8e11, 3.4e8, 6.9e-4), Bound::Compute),
        operator("Feed-forward in", "backward", (9.6e11, 5.5e8, 1.4e-3), Bound::Compute),
        operator("Feed-forward out", "backward", (4.8e11, 4.4e8, 7.2e-4), Bound::Compute),
        operator("SwiGLU", "forward", (1.5e8, 1.8e8, 6.5e-5), Bound::Dram),
        operator("RMS norm", "forward", (5e7, 6.7e7, 2.6e-5), Bound::Dram),
        operator("Residual", "forward", (1.7e7, 1e8, 3.8e-5), Bound::Dram),
        operator("Rotary embedding", "forward", (4e6, 8e6, 8e-6), Bound::Launch),
        operator("All-gather", "forward", (0.0, 6.7e7, 1.6e-4), Bound::Network),
    ]
}

pub(crate) fn footprint() -> Footprint {
    Footprint {
        weights: Bytes::from_gib(4.2),
        gradients: Bytes::from_gib(8.4),
        optimizer: Bytes::from_gib(1.6),
        activations: Bytes::from_gib(28.0),
        kv_cache: Bytes::ZERO,
        reserve: Bytes::from_gib(4.0),
        capacity: Bytes::from_gib(80.0),
    }
}

pub(crate) fn training() -> TrainingEstimate {
    TrainingEstimate {
        step: Seconds::new(13.8),
        terms: vec![
            term("Matrix multiplies", 7.9),
            term("Attention", 1.4),
            term("Elementwise", 0.93),
            term("Tensor-parallel communication", 1.82),
            term("Embedding and output head", 0.31),
            term("Pipeline bubble", 1.12),
            term("Pipeline communication", 0.083),
            term("Data-parallel communication", 0.23),
            term("Optimizer step", 0.007),
        ],
        tokens_per_second: 607_000.0,
        tokens_per_second_per_gpu: 1186.0,
        mfu: 0.512,
        mfu_causal: 0.49,
        hfu: 0.53,
        model_flops: Flops::new(3.7e18),
        hardware_flops: Flops::new(3.8e18),
        run: Seconds::new(2.4e7),
        memory: footprint(),
        bare_memory: None,
        operators: operators(),
        data_parallel: 16,
        microbatches: 64,
    }
}

/// Memory of a host that has half of the weights.
pub(crate) fn host() -> Footprint {
    Footprint {
        weights: Bytes::from_gib(21.5),
        kv_cache: Bytes::from_gib(3.0),
        reserve: Bytes::from_gib(4.0),
        capacity: Bytes::from_gib(128.0),
        ..Footprint::default()
    }
}

pub(crate) fn inference() -> InferenceEstimate {
    InferenceEstimate {
        running: 1.0,
        ttft: Seconds::new(0.123),
        tpot: Seconds::new(0.0112),
        latency: Seconds::new(2.98),
        tokens_per_second: 85.9,
        requests_per_second: 1.5,
        prompt_share: 0.2,
        terms_prefill: vec![
            term("Matrix multiplies", 0.1),
            term("Attention", 0.003),
            term("Step overhead", 0.02),
        ],
        terms_decode: vec![term("Matrix multiplies", 0.0092), term("Tensor-parallel communication", 0.002)],
        memory: footprint(),
        host_memory: None,
        second_memory: None,
        expert_memory: None,
        largest_batch: 200,
        prefill: operators(),
        decode: operators(),
        kv_bytes_per_token: Bytes::new(327_680.0),
        images: None,
        audio: None,
    }
}

pub(crate) fn outcome(precision: Precision, microbatch: u32) -> Outcome {
    Outcome {
        precision,
        microbatch,
        recompute: Recompute::None,
        batch: 1024,
        plan: Plan { tensor: 8, pipeline: 4, microbatch, ..Plan::default() },
        step: Seconds::new(10.0),
        tokens_per_second_per_gpu: 1000.0,
        memory: Bytes::from_gib(60.0),
    }
}

pub(crate) fn generation(
    name: &str,
    year: u16,
    same: Option<f64>,
    best: Option<(f64, Precision, u32)>,
) -> Generation {
    Generation {
        accelerator: name.to_lowercase(),
        name: name.to_owned(),
        year,
        same: same.map(|_| outcome(Precision::Bf16, 1)),
        same_speedup: same,
        best: best.map(|(_, precision, microbatch)| outcome(precision, microbatch)),
        best_speedup: best.map(|best| best.0),
        why_not: same.is_none().then(|| "needs 97 GiB of 80 GiB".to_owned()),
    }
}

pub(crate) fn generations() -> Vec<Generation> {
    vec![
        generation("A100 SXM 80 GB", 2020, Some(1.0), Some((1.07, Precision::Bf16, 2))),
        generation("H100 SXM", 2022, None, Some((3.94, Precision::Fp8, 2))),
        generation("H200", 2024, Some(2.81), Some((4.32, Precision::Fp8, 4))),
        generation("B200", 2024, Some(6.11), Some((9.85, Precision::Fp8, 8))),
        generation("GB200 NVL72", 2024, Some(7.02), Some((13.1, Precision::Fp4, 8))),
        generation("B300", 2025, Some(6.18), Some((15.2, Precision::Fp4, 16))),
        generation("MI300X", 2023, Some(2.6), Some((4.4, Precision::Fp8, 8))),
    ]
}

pub(crate) fn sweep() -> DramSweep {
    let bandwidth: Vec<f64> = (0..49).map(|index| 0.3 * 100_f64.powf(f64::from(index) / 48.0)).collect();
    let ttft: Vec<f64> = bandwidth.iter().map(|tera| 0.02 + 0.012 / tera).collect();
    let tpot: Vec<f64> = bandwidth.iter().map(|tera| 0.0016 + 0.0176 / tera).collect();
    let latency = ttft.iter().zip(&tpot).map(|(first, each)| first + each * 199.0).collect();
    DramSweep {
        bandwidth_tb_s: bandwidth,
        ttft,
        tpot,
        latency,
        compute_floor: 0.08,
        network_floor: 0.27,
        device_tb_s: 3.35,
        device_latency: 0.024 + 0.00685 * 199.0,
        takeovers: vec![],
    }
}

pub(crate) const TECHNOLOGIES: [(&str, f64); 10] = [
    ("GDDR6", 0.96),
    ("GDDR7", 1.79),
    ("HBM2", 1.13),
    ("HBM2E", 2.04),
    ("HBM3", 3.35),
    ("HBM3 (MI300X)", 5.3),
    ("HBM3E", 8.0),
    ("HBM4", 13.0),
    ("HBM4E", 22.0),
    ("beyond the sweep", 300.0),
];

pub(crate) fn peaks() -> (FlopRate, Bandwidth) {
    (FlopRate::from_tera(989.4), Bandwidth::from_gb(3350.0))
}

pub(crate) const fn roofline(rows: Vec<OperatorRow>, peak: FlopRate, dram: Bandwidth) -> figure::Roofline {
    figure::Roofline { rows, peak, dram }
}

pub(crate) fn all(size: Size) -> Vec<Figure> {
    let (peak, dram) = peaks();
    vec![
        figure::step_breakdown(&training(), &[], size),
        figure::prefill_breakdown(&inference(), &[], size),
        figure::decode_breakdown(&inference(), &[], size),
        figure::memory(&footprint(), &[], size),
        figure::memories(&footprint(), (Place::Host, host()), size),
        figure::speedup(&generations(), &|_, _| String::new(), size),
        figure::dram_latency(&sweep(), &TECHNOLOGIES, &[], &unlinked, size),
        figure::roofline(&roofline(operators(), peak, dram), &[], size),
        figure::scatter(&dots(), MEASURE, size),
        figure::histogram(&dots(), size),
        figure::profile(&profile(0.31), "Largest difference: attention, 31.0 % measured.", Vec::new(), size),
        figure::course(&course(0.21, 0.6), &course(0.17, 0.8), size),
    ]
}

/// A step that multiplies for this share of its first half and communicates in its last quarter.
pub(crate) fn course(step: f64, share: f64) -> CourseOf {
    let mut course = Course::default();
    course.fill(Busy::Multiplies, 0.0, 0.5, share);
    course.fill(Busy::Communication, 0.75, 1.0, 1.0);
    CourseOf { step: Seconds::new(step), course }
}

/// A profile of three sources, of which one term has this measured value.
pub(crate) fn profile(value: f64) -> figure::Profile {
    let term = |name, values: [Option<f64>; 3]| figure::ProfileTerm { name, values: values.to_vec() };
    figure::Profile {
        sources: vec!["Measured", "Predicted prefill", "Predicted decode"],
        terms: vec![
            term("Matrix multiplies", [Some(0.5), Some(0.61), Some(0.4)]),
            term("Attention", [Some(value), Some(0.2), None]),
            term("Tensor- and expert-parallel communication", [Some(0.1), Some(0.0), Some(0.3)]),
            term("Recomputation", [None, Some(0.19), Some(0.2)]),
        ],
        shares: true,
    }
}

pub(crate) const MEASURE: Measure =
    Measure { name: "Training step", unit: "s", show: |seconds| format::time(Seconds::new(seconds)) };

pub(crate) fn dots() -> Vec<Dot<'static>> {
    let dot = |index: u32| {
        let measured = 0.5 + f64::from(index * index) / 40.0;
        let group = ["Korthikanti 2022", "NeMo", "torchtitan"][index as usize % 3];
        let predicted = measured * (0.8 + 0.02 * f64::from(index * 7 % 20));
        Dot {
            name: "row",
            group,
            measured,
            predicted,
            counted: !index.is_multiple_of(5),
            link: "".into(),
            own: false,
        }
    };
    (0..40).map(dot).collect()
}

/// Checks that a drawing has one root, closed elements, quoted attributes and finite numbers only.
pub(crate) fn check(svg: &str) {
    let mut open = Vec::new();
    let mut rest = svg;
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains('>'), "{text}");
        let (tag, after) = after.split_once('>').expect("a closed tag");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let name = tag.split([' ', '/']).next().expect("a name");
        assert!(
            ["svg", "title", "rect", "line", "polyline", "polygon", "circle", "text"].contains(&name),
            "{name}"
        );
        if !tag.ends_with('/') {
            open.push(name);
        }
        let quoted: Vec<&str> = tag.split('"').collect();
        assert_eq!(quoted.len() % 2, 1, "{tag}");
        for pair in quoted.chunks(2).filter(|pair| pair.len() == 2) {
            let (attribute, value) = (pair[0].rsplit(' ').next().expect("a name"), pair[1]);
            if [
                "x=", "y=", "x1=", "x2=", "y1=", "y2=", "cx=", "cy=", "r=", "points=", "width=", "height=",
                "viewBox=",
            ]
            .contains(&attribute)
            {
                for number in value.split([' ', ',']) {
                    assert!(number.parse::<f64>().is_ok_and(f64::is_finite), "{attribute} {value}");
                }
            }
            assert!(!attribute.starts_with("on") && attribute != "style=", "{tag}");
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// Checks that every colour of a drawing and of its file is one that the style sheet can replace: beside the light
/// theme's colour stands the class of a role, and the other way round.
pub(crate) fn check_colours(figure: &Figure) {
    for tag in [&figure.svg, &figure.standalone_svg()].into_iter().flat_map(|svg| svg.split('<')) {
        let tag = tag.split('>').next().unwrap_or_default();
        for property in ["fill", "stroke"] {
            let has_halo = property == "stroke" && tag.contains("fig-text ");
            let has_class = tag.contains(&format!("fig-{property}-")) || has_halo;
            assert_eq!(tag.contains(&format!(" {property}=\"#")), has_class, "{}: {tag}", figure.id);
        }
    }
}

pub(crate) fn rows(table: &Table) -> String {
    let mut text = String::new();
    for row in &table.rows {
        let cells: Vec<&str> = row.cells.iter().map(foretoken::figure::Cell::shown).collect();
        assert_eq!(row.cells.len(), table.columns.len());
        let _ = writeln!(text, "{}", cells.join(" | ").trim_end());
    }
    text
}

/// Checks the figures of each hostile number in each size: well-formed, without scripts, no such number in their data.
pub(crate) fn drawn_safely(hostile: impl Fn(f64, Size) -> Vec<Figure>) {
    for size in SIZES {
        for value in HOSTILE_NUMBERS {
            for figure in hostile(value, size) {
                for svg in [&figure.svg, &figure.standalone_svg()] {
                    check(svg);
                    assert!(!svg.contains("<script") && !svg.contains('\u{0}'), "{}", figure.id);
                }
                rows(&figure.table);
                assert!(!figure.table.to_csv().contains("inf"), "{}", figure.id);
                assert!(!figure.table.to_csv().contains("NaN"), "{}", figure.id);
            }
        }
    }
}
