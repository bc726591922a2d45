//! Logs of torchtitan: rates of one device, and MFU against the dense BF16 peak.

use super::lines::{after, leading};
use super::steady::{self, Step};
use super::{Fault, Format, Kind, Measurement, Statistic};

/// Numbers of one logged step.
#[derive(Default)]
struct Line {
    /// Tokens per second per GPU.
    tokens: Option<f64>,
    /// Model FLOP/s per GPU.
    flops: Option<f64>,
    /// MFU, as a fraction of 1.
    mfu: Option<f64>,
    /// Peak memory of the GPU, bytes.
    memory: Option<f64>,
}

/// Reads a log without ANSI colour codes.
pub(super) fn read(log: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Torchtitan);
    let (mut steps, mut lines) = (Vec::new(), Vec::new());
    for line in log.lines() {
        started(line, &mut found);
        // Validation runs the forward pass alone.
        if line.contains("validate step:") {
            continue;
        }
        // Versions until 2024 call the rate `wps`.
        let rate = after(line, "tps:").or_else(|| after(line, "wps:"));
        let (Some(number), Some(tokens)) = (after(line, "step:"), rate) else { continue };
        if tokens <= 0.0 {
            continue;
        }
        // Every step of a job has the same number of tokens, so the time per token is proportional to the step time.
        steps.push(Step { number, time: 1.0 / tokens, ..Step::default() });
        lines.push(Line {
            tokens: Some(tokens),
            flops: after(line, "tflops:").map(|tera| tera * 1e12),
            mfu: after(line, "mfu:").map(|percent| percent / 100.0),
            memory: after(line, "memory:").map(|gib| gib * f64::from(1 << 30)),
        });
    }
    let counted = steady::of(&steps, &mut found);
    if counted.is_empty() {
        return Err(Fault::Empty {
            what: Format::Torchtitan.name(),
            wanted: "step with its tokens per second",
        });
    }
    found.used = Some(counted.len() as u32);
    let middle = |of: fn(&Line) -> Option<f64>| steady::middle(&counted, |place| of(&lines[place]));
    let (flops, mfu) = (middle(|line| line.flops), middle(|line| line.mfu));
    found.reading(Kind::TokensPerGpu, Statistic::Median, middle(|line| line.tokens));
    found.reading(Kind::FlopsPerGpu, Statistic::Median, flops);
    found.reading(Kind::Mfu, Statistic::Median, mfu);
    let memory = lines.iter().filter_map(|line| line.memory).reduce(f64::max);
    found.reading(Kind::Memory, Statistic::Whole, memory);
    // FLOP/s over MFU is the peak that torchtitan assumes, in TFLOP/s to one decimal, if no line states it.
    if let (Some(flops), Some(mfu), None) =
        (flops, mfu.filter(|mfu| *mfu > 0.0), found.fact_of("measured.peak_tflops"))
    {
        found.number("measured.peak_tflops", libm::round(flops / mfu * 1e-11) / 10.0);
    }
    Ok(found)
}

/// Sets device, model, parallelism, batch and peak rate from the lines before the first step.
fn started(line: &str, found: &mut Measurement) {
    let behind = |label: &str| line.split_once(label).map(|(_, rest)| rest);
    if let Some(rest) = behind("CUDA capacity: ") {
        found.device(rest.split(" with ").next().unwrap_or(""));
    } else if let Some(rest) = behind("- Model ").and_then(|rest| rest.split_once(" size:")) {
        // torchtitan's `llama3` models have the shapes of Llama 3.1.
        found.model(&rest.0.replace("llama3 ", "llama-3.1-"));
    } else if let Some(rest) = behind("Building device mesh with parallelism: ") {
        mesh(rest, found);
    } else if line.contains("Trainer is initialized with local batch size") {
        found.whole("recipe.batch", after(line, "global batch size"));
        found.whole("recipe.sequence", after(line, "sequence length"));
        let (local, parts) = (after(line, "local batch size"), after(line, "gradient accumulation steps"));
        // The local batch is one microbatch, unless a pipeline splits it.
        if parts.is_some() && found.number_of("parallelism.pipeline").is_none_or(|stages| stages <= 1.0) {
            found.whole("parallelism.microbatch", local);
        }
    } else if let Some(peak) = behind("Peak FLOPS used for computing MFU: ").and_then(leading) {
        found.number("measured.peak_tflops", Some(peak * 1e-12).filter(|peak| *peak > 0.0));
    }
}

/// Sets parallelism and the number of GPUs from `pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=1, ep=1`.
fn mesh(degrees: &str, found: &mut Measurement) {
    let of = |name: &str| {
        let degree = degrees.split(", ").find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='));
        degree.and_then(leading).filter(|degree| *degree >= 1.0)
    };
    for (name, path) in [
        ("tp", "parallelism.tensor"),
        ("pp", "parallelism.pipeline"),
        ("cp", "parallelism.context"),
        ("ep", "parallelism.expert"),
    ] {
        found.whole(path, of(name));
    }
    let all = ["pp", "dp_replicate", "dp_shard", "cp", "tp"].map(of).into_iter();
    found.whole("system.gpus", all.flatten().reduce(|all, degree| all * degree));
}
