//! Bounds of explicit devices and models. Within them the model's equations hold, and products of the largest values
//! fit their types.

use super::Problem;
use super::fields::Number;
use crate::catalog::layers::{Audio, FeedForward, Images, Law, Moe, Vision};
use crate::catalog::{Accelerator, Architecture};

/// One number: its field, its value, and the lowest and highest allowed.
type Bound<'a> = (&'a str, f64, f64, f64);

fn outside(prefix: &str, bounds: &[Bound<'_>]) -> Vec<Problem> {
    bounds
        .iter()
        .filter(|(_, value, low, high)| !(low..=high).contains(&value))
        .map(|(field, value, low, high)| {
            let demand = Number::between(*low, *high).demand(unit(field), *value);
            Problem::new(format!("{prefix}.{field}"), demand)
        })
        .collect()
}

/// Unit of a field of a device or model, by the end of the field's name. A count has the name of what it counts.
fn unit(field: &str) -> &'static str {
    const UNITS: [(&str, &str); 13] = [
        ("tflops", "TFLOP/s"),
        ("gb_s", "GB/s"),
        ("capacity_gib", "GiB"),
        ("capacity_mb", "MB"),
        ("boost_mhz", "MHz"),
        ("_w", "W"),
        ("die_mm2", "mm²"),
        ("domain", "GPUs"),
        ("vocab", "tokens"),
        ("learned_positions", "tokens"),
        ("window.size", "tokens"),
        ("extra", "parameters"),
        ("patch", "pixels"),
    ];
    let rate = field.strip_prefix("matrix_tflops.").map(|_| "TFLOP/s");
    let named = || UNITS.into_iter().find(|(name, _)| field.ends_with(name)).map(|(_, unit)| unit);
    rate.or_else(named).unwrap_or_default()
}

/// Violated bounds of a model.
pub(super) fn architecture(model: &Architecture) -> Vec<Problem> {
    let mut bounds: Vec<Bound<'_>> = vec![
        ("layers", f64::from(model.layers), 1.0, 1024.0),
        ("hidden", f64::from(model.hidden), 1.0, 262_144.0),
        ("heads", f64::from(model.heads), 1.0, 8192.0),
        ("kv_heads", f64::from(model.kv_heads), 1.0, f64::from(model.heads)),
        ("head_dim", f64::from(model.head_dim), 1.0, 4096.0),
        ("ffn", f64::from(model.ffn), 0.0, 1_048_576.0),
        ("vocab", f64::from(model.vocab), 0.0, 16_777_216.0),
        ("learned_positions", f64::from(model.learned_positions), 0.0, 16_777_216.0),
        ("norms_per_layer", f64::from(model.norms_per_layer), 0.0, 16.0),
        ("extra", model.extra as f64, 0.0, 1e12),
    ];
    if let Some(window) = &model.window {
        bounds.push(("window.size", f64::from(window.size), 1.0, 16_777_216.0));
        bounds.push(("window.layers", f64::from(window.layers), 0.0, f64::from(model.layers)));
    }
    if let Some(moe) = &model.moe {
        bounds.extend(experts(moe));
        bounds.push(("moe.dense_layers", f64::from(moe.dense_layers), 0.0, f64::from(model.layers)));
    }
    if let Some(mla) = &model.mla {
        bounds.push(("mla.q_lora", f64::from(mla.q_lora), 0.0, 65_536.0));
        bounds.push(("mla.kv_lora", f64::from(mla.kv_lora), 1.0, 65_536.0));
        bounds.push(("mla.qk_nope", f64::from(mla.qk_nope), 0.0, 4096.0));
        bounds.push(("mla.qk_rope", f64::from(mla.qk_rope), 0.0, 4096.0));
        bounds.push(("mla.v", f64::from(mla.v), 1.0, 4096.0));
    }
    if let Some(prediction) = &model.prediction {
        bounds.push(("prediction.modules", f64::from(prediction.modules), 1.0, 64.0));
        let kinds = model.layer_kinds().count().max(1);
        let place = prediction.layer.map_or(0.0, f64::from);
        bounds.push(("prediction.layer", place, 0.0, (kinds - 1) as f64));
    }
    let mut problems = outside("model", &bounds);
    problems.extend(model.vision.iter().flat_map(vision));
    problems.extend(model.audio.iter().flat_map(audio));
    if !model.stack.is_empty() {
        problems.extend(stack(model));
    }
    problems
}

/// Violated bounds of a vision encoder.
pub(super) fn vision(vision: &Vision) -> Vec<Problem> {
    let (least, widest) = vision.number_range();
    let mut bounds: Vec<Bound<'_>> = vec![
        ("its smallest number", f64::from(least), 1.0, WIDEST_MIXER),
        ("its largest number", f64::from(widest), 1.0, WIDEST_MIXER),
        ("layers", f64::from(vision.layers), 1.0, 1024.0),
        ("patch", f64::from(vision.patch), 1.0, 512.0),
        ("frames", f64::from(vision.frames), 1.0, 64.0),
        ("norms", f64::from(vision.norms), 0.0, 16.0),
        ("positions", f64::from(vision.positions), 0.0, 16_777_216.0),
        ("images: patches along a token", f64::from(vision.images.merge()), 1.0, 64.0),
        ("projector: its copies", f64::from(vision.projector.copies()), 1.0, 65.0),
        ("extra", vision.extra as f64, 0.0, 1e12),
    ];
    if let Images::Tiled { most, .. } | Images::NearestAspectRatio { most, .. } = vision.images {
        bounds.push(("images: its most tiles", f64::from(most), 1.0, 256.0));
    }
    outside("model.vision", &bounds)
}

/// Violated bounds of an audio encoder.
pub(super) fn audio(audio: &Audio) -> Vec<Problem> {
    let (least, widest) = audio.number_range();
    let bounds: [Bound<'_>; 10] = [
        ("its smallest number", f64::from(least), 1.0, WIDEST_MIXER),
        ("its largest number", f64::from(widest), 1.0, WIDEST_MIXER),
        ("heads", f64::from(audio.heads), 1.0, f64::from(audio.width)),
        ("layers", f64::from(audio.layers), 1.0, 1024.0),
        ("norms", f64::from(audio.norms), 0.0, 16.0),
        ("mels", f64::from(audio.mels), 1.0, 1024.0),
        ("merge", f64::from(audio.merge), 1.0, 64.0),
        ("positions", f64::from(audio.positions), 0.0, 1_048_576.0),
        ("longest", f64::from(audio.longest.unwrap_or(1)), 1.0, 1e9),
        ("extra", audio.extra as f64, 0.0, 1e12),
    ];
    outside("model.audio", &bounds)
}

/// The widest of what a kind of layer may have: products of two of them fit their types.
const WIDEST: f64 = 1_048_576.0;

/// Upper bound of a mixer's dimensions: products of three of them fit their types.
const WIDEST_MIXER: f64 = 32_768.0;

/// The most different kinds of layers.
const MOST_KINDS: usize = 64;

/// Faults of a stack of layers.
fn stack(model: &Architecture) -> Vec<Problem> {
    let layers: u64 = model.stack.iter().map(|layer| u64::from(layer.count)).sum();
    if model.stack.len() > MOST_KINDS {
        return vec![Problem::new("model.stack", format!("must have at most {MOST_KINDS} kinds of layers"))];
    }
    if layers != u64::from(model.layers) {
        return vec![Problem::new(
            "model.stack",
            format!("has {layers} layers, model.layers says {}", model.layers),
        )];
    }
    if model.stack.iter().any(|layer| layer.experts().is_some()) && model.moe.is_none() {
        return vec![Problem::new("model.moe", "is missing: the stack has layers with experts".to_owned())];
    }
    let mut problems = Vec::new();
    for (place, layer) in model.stack.iter().enumerate() {
        let prefix = format!("model.stack.{place}");
        let mut bounds: Vec<Bound<'_>> =
            vec![("norms", f64::from(layer.norms), 0.0, 16.0), ("extra", layer.extra as f64, 0.0, 1e12)];
        if let Some(copies) = layer.copies {
            bounds.push(("copies", f64::from(copies), 1.0, f64::from(layer.count)));
        }
        match &layer.ffn {
            FeedForward::None => {}
            FeedForward::Dense(width) => bounds.push(("ffn.dense", f64::from(*width), 1.0, WIDEST)),
            FeedForward::Experts(moe) => bounds.extend(experts(moe)),
        }
        for mixer in layer.mixers() {
            let (least, widest) = mixer.law().map_or((1, 1), Law::number_range);
            bounds.push(("mixer: its smallest number", f64::from(least), 1.0, WIDEST_MIXER));
            bounds.push(("mixer: its largest number", f64::from(widest), 1.0, WIDEST_MIXER));
        }
        problems.extend(outside(&prefix, &bounds));
    }
    problems
}

/// The bounds of experts.
fn experts(moe: &Moe) -> Vec<Bound<'static>> {
    vec![
        ("moe.experts", f64::from(moe.experts), 1.0, 8192.0),
        ("moe.top_k", f64::from(moe.top_k), 1.0, f64::from(moe.experts.saturating_add(moe.idle_experts))),
        ("moe.ffn", f64::from(moe.ffn), 1.0, WIDEST),
        ("moe.shared_ffn", f64::from(moe.shared_ffn), 0.0, WIDEST),
        ("moe.latent", f64::from(moe.latent), 0.0, 262_144.0),
        ("moe.idle_experts", f64::from(moe.idle_experts), 0.0, 8192.0),
    ]
}

/// Violated bounds of a device.
pub(super) fn accelerator(device: &Accelerator) -> Vec<Problem> {
    let mut bounds: Vec<Bound<'_>> = vec![
        ("vector_tflops", device.vector_tflops, 0.001, 1e6),
        ("vector16_tflops", device.vector16_tflops.unwrap_or(1.0), 0.001, 1e6),
        ("dram.bandwidth_gb_s", device.dram.bandwidth_gb_s, 1.0, 1e6),
        ("dram.capacity_gib", device.dram.capacity_gib, 0.1, 1e5),
        ("scale_up.gb_s", device.scale_up.gb_s, 0.1, 1e5),
        ("scale_up.domain", f64::from(device.scale_up.domain), 1.0, 65_536.0),
        ("scale_out.gb_s", device.scale_out.gb_s, 0.01, 1e5),
        ("multiprocessors", device.multiprocessors.map_or(1.0, f64::from), 1.0, 65_536.0),
        ("boost_mhz", device.boost_mhz.unwrap_or(1e3), 1.0, 1e5),
        ("tdp_w", device.tdp_w.unwrap_or(1e3), 0.1, 1e5),
        ("server_w", device.server_w.unwrap_or(1e3), 0.1, 1e5),
        ("die_mm2", device.die_mm2.unwrap_or(1e3), 1.0, 1e5),
    ];
    let rates = &device.matrix_tflops;
    let named = [
        ("matrix_tflops.tf32", rates.tf32),
        ("matrix_tflops.bf16", rates.bf16),
        ("matrix_tflops.fp16", rates.fp16),
        ("matrix_tflops.fp8", rates.fp8),
        ("matrix_tflops.fp6", rates.fp6),
        ("matrix_tflops.fp4", rates.fp4),
        ("matrix_tflops.int8", rates.int8),
    ];
    bounds.extend(named.into_iter().filter_map(|(field, rate)| rate.map(|rate| (field, rate, 0.001, 1e6))));
    if let Some(l2) = &device.l2 {
        bounds.push(("l2.capacity_mb", l2.capacity_mb, 0.0, 1e6));
        bounds.push(("l2.bandwidth_gb_s", l2.bandwidth_gb_s.unwrap_or(1e3), 1.0, 1e7));
    }
    if let Some(bridge) = &device.scale_up.bridge {
        bounds.push(("scale_up.bridge.gb_s", bridge.gb_s, 0.1, 1e5));
        bounds.push(("scale_up.bridge.domain", f64::from(bridge.domain), 1.0, 65_536.0));
    }
    outside("system.accelerator", &bounds)
}
