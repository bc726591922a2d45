//! Logs of torchtitan: rates of one device, and MFU against the dense BF16 peak.

use super::lines::after;
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
        let (Some(number), Some(tokens)) = (after(line, "step:"), after(line, "tps:")) else { continue };
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
    // FLOP/s over MFU is the peak that torchtitan assumes, in TFLOP/s to one decimal.
    if let (Some(flops), Some(mfu)) = (flops, mfu.filter(|mfu| *mfu > 0.0)) {
        found.number("measured.peak_tflops", libm::round(flops / mfu * 1e-11) / 10.0);
    }
    Ok(found)
}
