//! Logs of the Hugging Face Trainer and of software built on it: axolotl, LLaMA-Factory.
//!
//! Records are Python dictionaries, one per line, or the JSON of `train_results.json`. Newer versions of axolotl write
//! numbers as text.

use super::lines::{leading, nearly_whole};
use super::{Fault, Format, Kind, Measurement, Statistic};

/// Key of the record at the end of a run: its time, s.
pub(super) const MARK: &str = "train_runtime";

/// Relative tolerance within which a quotient of numbers of three decimals counts as whole.
const DECIMALS: f64 = 0.05;

/// The number of a key in the last line that has it; the key is in single or double quotes.
fn last(log: &str, key: &str) -> Option<f64> {
    let quoted = [format!("'{key}':"), format!("\"{key}\":")];
    log.lines().rev().find_map(|line| {
        let rest = quoted.iter().find_map(|key| line.split_once(key.as_str()))?.1;
        leading(rest.trim_start().trim_start_matches('"'))
    })
}

/// Number of steps, from the last finished progress bar: `378/378 [2:31:57<00:00, 24.12s/it]`.
fn steps(log: &str) -> Option<f64> {
    log.lines().rev().flat_map(|line| line.rsplit('\r')).find_map(|line| {
        let (before, _) = line.split_once(" [")?;
        let (done, of) = before.rsplit(['|', ' ']).next()?.split_once('/')?;
        (done == of).then(|| of.parse::<f64>().ok())?
    })
}

/// Reads a log.
pub(super) fn read(log: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Trainer);
    let (time, samples, rate) = (
        last(log, MARK),
        last(log, "train_samples_per_second"),
        last(log, "train_steps_per_second").filter(|rate| *rate > 0.0),
    );
    let done = last(log, "global_step").or_else(|| steps(log)).filter(|steps| *steps > 0.0);
    match (time, done, rate) {
        (Some(time), Some(done), _) => {
            found.reading(Kind::Step, Statistic::Mean, time / done);
            found.used = Some(done as u32);
        }
        (_, _, Some(rate)) => {
            found.reading(Kind::Step, Statistic::Mean, 1.0 / rate);
            found.remark("Steps per second have three decimals: the progress bar's last line is more exact");
        }
        _ => {
            return Err(Fault::Empty {
                what: Format::Trainer.name(),
                wanted: "record of the whole run (train_runtime)",
            });
        }
    }
    found.reading(Kind::Samples, Statistic::Whole, samples);
    found.reading(Kind::Tokens, Statistic::Whole, last(log, "train_tokens_per_second"));
    found.reading(Kind::TokensPerGpu, Statistic::Whole, last(log, "tokens/train_per_sec_per_gpu"));
    let memory = ["memory/device_reserved (GiB)", "memory/max_allocated (GiB)"];
    let memory = memory.into_iter().find_map(|key| last(log, key));
    found.reading(Kind::Memory, Statistic::Whole, memory.map(|gib| gib * f64::from(1 << 30)));
    found.whole(
        "recipe.batch",
        samples.zip(rate).and_then(|(samples, rate)| nearly_whole(samples / rate, DECIMALS)),
    );
    found.remark("Times are of the whole run, with its evaluations, checkpoints and first steps");
    Ok(found)
}
