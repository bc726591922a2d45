//! The table of errors, and the targets that they are held against.

use super::Sample;
use super::score::{Part, Score};

/// The largest mean error, as a fraction, on rows that were not fitted.
pub fn target(group: &str) -> f64 {
    match group {
        "matmul.bf16" => 0.08,
        _ if group.starts_with("matmul") => 0.13,
        _ if group.starts_with("links") => 0.15,
        _ => 0.12,
    }
}

/// The table's head.
pub fn heading() {
    println!(
        "{:14} {:20} {:>6} {:>6} {:>5} {:>7} {:>7} {:>7} {:>7} {:>6} {:>6}  met",
        "device", "group", "fitted", "scored", "left", "mean %", "w/ left", "median", "p90", "bias", "target"
    );
}

/// One line, with the mean if nothing were left out beside the mean; returns whether the target is met.
pub fn line(sample: &Sample, score: &Score, whole: &Score) -> bool {
    let target = target(sample.group);
    let met = score.mean <= target;
    println!(
        "{:14} {:20} {:6} {:6} {:5} {:7.1} {:7.1} {:7.1} {:7.1} {:+6.1} {:6.0}  {}",
        sample.device,
        format!("{} {}", sample.group, sample.library.key()),
        sample.rows(Part::Fitted).len(),
        score.rows,
        sample.dropped.counts().iter().map(|(_, count)| count).sum::<usize>(),
        100.0 * score.mean,
        100.0 * whole.mean,
        100.0 * score.median,
        100.0 * score.ninth,
        100.0 * score.bias,
        100.0 * target,
        if met { "yes" } else { "no" }
    );
    met
}

/// Prints the rows that were left out of a sample, by reason.
pub fn left_out(sample: &Sample) {
    for (reason, count) in sample.dropped.counts() {
        println!("{} {}: {count} rows left out: {reason}", sample.device, sample.group);
    }
}
