//! Logs of the Hugging Face Trainer and of software built on it: axolotl, LLaMA-Factory.
//!
//! Records are Python dictionaries, one per line, or the JSON of `train_results.json`. Newer versions of axolotl write
//! numbers as text.

use super::lines::{after, leading, nearly_whole};
use super::{Fault, Format, Kind, Measurement, Statistic};

/// Key of the record at the end of a run: its time, s.
pub(super) const MARK: &str = "train_runtime";

/// Relative tolerance within which a quotient of numbers of three decimals counts as whole.
const DECIMALS: f64 = 0.05;

/// The number of a key in the last line that has it: in single or double quotes, or before `=`.
fn last(log: &str, key: &str) -> Option<f64> {
    let quoted = [format!("'{key}':"), format!("\"{key}\":")];
    let in_record = log.lines().rev().find_map(|line| {
        let rest = quoted.iter().find_map(|key| line.split_once(key.as_str()))?.1;
        leading(rest.trim_start().trim_start_matches('"'))
    });
    // `***** train metrics *****` repeats the record as lines of `key = value`.
    in_record.or_else(|| {
        let rows = log.lines().rev().filter_map(|line| line.split_once('='));
        let mut of_key = rows.filter(|(name, _)| name.trim_end().rsplit(' ').next() == Some(key));
        of_key.find_map(|(_, value)| clock(value).or_else(|| leading(value)))
    })
}

/// The number after the last occurrence of a label: the Trainer logs its settings before the first step.
fn stated(log: &str, label: &str) -> Option<f64> {
    log.lines().rev().find_map(|line| after(line, label))
}

/// Largest difference between a rate of three decimals and the rate of a bar's steps over the run's time.
const RATE: f64 = 6e-4;

/// Number of steps: `Total optimization steps`, or that of the finished progress bar (`378/378 [2:31:57<00:00, 24.12s/it]`)
/// nearest to the record of the run. A bar whose rate is not the record's belongs to an evaluation.
fn steps(log: &str, time: f64, rate: Option<f64>) -> Option<f64> {
    if let Some(stated) = stated(log, "Total optimization steps =") {
        return Some(stated);
    }
    let finished = |line: &str| {
        let (before, _) = line.split_once(" [")?;
        let (done, of) = before.rsplit(['|', ' ']).next()?.split_once('/')?;
        let steps = (done == of).then(|| of.parse::<f64>().ok())??;
        let agrees = rate.is_none_or(|rate| (steps / time - rate).abs() <= RATE);
        agrees.then_some(steps)
    };
    let record = log.rfind(MARK).unwrap_or(log.len());
    let (before, behind) = (log.get(..record).unwrap_or(log), log.get(record..).unwrap_or(""));
    before.lines().rev().find_map(finished).or_else(|| behind.lines().find_map(finished))
}

/// Seconds of a time in hours, minutes and seconds: `0:16:08.44`.
fn clock(text: &str) -> Option<f64> {
    let parts: Vec<f64> = text.trim().split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    (parts.len() > 1).then(|| parts.iter().fold(0.0, |sum, part| sum * 60.0 + part))
}

/// Reads a log.
pub(super) fn read(log: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Trainer);
    let (time, samples, rate) = (
        last(log, MARK),
        last(log, "train_samples_per_second"),
        last(log, "train_steps_per_second").filter(|rate| *rate > 0.0),
    );
    let of_bar = || steps(log, time?, rate);
    let done = last(log, "global_step").or_else(of_bar).filter(|steps| *steps > 0.0);
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
    // The Trainer counts the tokens of one process (`include_tokens_per_second`).
    let tokens = ["train_tokens_per_second", "tokens/train_per_sec_per_gpu"];
    let tokens = tokens.into_iter().find_map(|key| last(log, key));
    found.reading(Kind::TokensPerGpu, Statistic::Whole, tokens);
    let memory = ["memory/device_reserved (GiB)", "memory/max_allocated (GiB)"];
    let memory = memory.into_iter().find_map(|key| last(log, key));
    found.reading(Kind::Memory, Statistic::Whole, memory.map(|gib| gib * f64::from(1 << 30)));
    found.whole("parallelism.microbatch", stated(log, "Instantaneous batch size per device ="));
    let batch = stated(log, "Total train batch size (w. parallel, distributed & accumulation) =");
    found.whole(
        "recipe.batch",
        batch
            .or_else(|| samples.zip(rate).and_then(|(samples, rate)| nearly_whole(samples / rate, DECIMALS))),
    );
    found.remark("Times are of the whole run, with its evaluations, checkpoints and first steps");
    Ok(found)
}
