//! Selection of the steps of a training log.
//!
//! Lines that repeat a step's number come from other ranks, and count once. A new run begins where step numbers begin again or
//! the batch changes; only the last run counts. Of that run are left out, in this order: steps that the optimizer skipped; the
//! steps that are numbered as a job's first two, which compile kernels and fill caches (a trace begins later, after its profiler
//! has warmed up); a job's first line if lines are several steps apart, because it may be the mean of all steps up to its own;
//! steps over 1.5 times the median or under two thirds of it (checkpoints, evaluations, asynchronous dispatch). A rule that would
//! leave no step is not applied. The step time is the median of the steps that count.

use super::Measurement;
use crate::order::median;

/// Step time over the median above which a step is an outlier; so it is below the inverse.
const OUTLIER: f64 = 1.5;

/// Steps of the warm-up.
const WARM: f64 = 2.0;

/// One logged step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Step number as logged, from 0 or from 1.
    pub number: f64,
    /// Time of the step, s; rates alone give a time in another unit, the same for all steps.
    pub time: f64,
    /// Sequences or tokens per step, if logged. A change marks the start of another run.
    pub batch: Option<f64>,
    /// True if the optimizer skipped the step.
    pub skipped: bool,
}

/// Indices of the steps that count. Those that do not are recorded in `measurement`, with the reason.
pub(super) fn of(steps: &[Step], measurement: &mut Measurement) -> Vec<usize> {
    if steps.is_empty() {
        return Vec::new();
    }
    let same = |one: &Step, other: &Step| one.number.total_cmp(&other.number).is_eq();
    let begins = |pair: &[Step]| pair[1].number < pair[0].number || pair[1].batch != pair[0].batch;
    let start = steps.windows(2).rposition(begins).map_or(0, |place| place + 1);
    measurement.leave_out(start, "of an earlier run: step numbers begin again, or the batch changes");
    // NeMo's progress bar without `global_step` numbers no step.
    let numbered = steps[start..].iter().any(|step| !same(step, &steps[start]));
    let repeats = |place: &usize| numbered && *place > start && same(&steps[*place], &steps[*place - 1]);
    let all: Vec<usize> = (start..steps.len()).filter(|place| !repeats(place)).collect();
    measurement
        .leave_out(steps.len() - start - all.len(), "that repeat a step's number, as every rank writes one");
    let mut kept = all.clone();
    let mut keep = |keeps: &dyn Fn(&Step) -> bool, why: &'static str, but: &str| {
        let rest: Vec<usize> = kept.iter().copied().filter(|place| keeps(&steps[*place])).collect();
        if rest.is_empty() {
            measurement.remark(but);
        } else {
            measurement.leave_out(kept.len() - rest.len(), why);
            kept = rest;
        }
        kept.clone()
    };
    keep(
        &|step| !step.skipped,
        "skipped by the optimizer",
        "The optimizer skipped every step: the step time is of skipped steps",
    );
    // A log that counts from 0 has its second step at 1.
    let from_zero = steps.iter().any(|step| step.number == 0.0);
    let warm = if from_zero { WARM - 1.0 } else { WARM };
    let warm_only = "The log has only the first two steps, which compile kernels and fill caches";
    let kept = keep(
        &|step| step.number > warm,
        "at the beginning, which compile kernels and fill caches",
        warm_only,
    );
    let interval = match *all {
        [first, second, ..] => steps[second].number - steps[first].number,
        _ => 0.0,
    };
    let first = |step: &Step| numbered && interval > 1.0 && step.number <= interval;
    let kept = if kept.len() > 1 {
        keep(
            &|step| !first(step),
            "that may be the mean of a job's first steps, which compile kernels and fill caches",
            "",
        )
    } else {
        kept
    };
    let middle = median(&mut kept.iter().map(|place| steps[*place].time).collect::<Vec<f64>>());
    keep(
        &|step| step.time <= OUTLIER * middle && step.time >= middle / OUTLIER,
        "far from the median (over 1.5 times it or under two thirds)",
        "",
    )
}

/// Median of a number over the steps that count and have it; `of` takes a step's index.
pub(super) fn middle(counted: &[usize], of: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    let mut values: Vec<f64> = counted.iter().filter_map(|place| of(*place)).collect();
    (!values.is_empty()).then(|| median(&mut values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::Format;

    fn steps(times: &[f64]) -> Vec<Step> {
        let step =
            |(place, time): (usize, &f64)| Step { number: place as f64, time: *time, ..Step::default() };
        times.iter().enumerate().map(step).collect()
    }

    #[test]
    fn warm_up_and_outliers_are_left_out() {
        let mut measurement = Measurement::new(Format::Maxtext);
        let counted = of(&steps(&[44.9, 0.3, 5.6, 5.7, 20.0, 5.8]), &mut measurement);
        assert_eq!(counted, [2, 3, 5]);
        assert_eq!(measurement.left_out.iter().map(|left| left.rows).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn the_mean_of_the_first_steps_is_left_out() {
        let every = |interval: f64, times: &[f64]| -> Vec<Step> {
            let mut steps = steps(times);
            for (line, step) in (1_u32..).zip(&mut steps) {
                step.number = f64::from(line) * interval;
            }
            steps
        };
        let mut measurement = Measurement::new(Format::Megatron);
        assert_eq!(of(&every(10.0, &[2.6, 2.0, 2.1]), &mut measurement), [1, 2]);
        assert_eq!(measurement.left_out.iter().map(|left| left.rows).collect::<Vec<_>>(), [1]);
        // A job that goes on from a checkpoint begins at a later step.
        let mut later = every(10.0, &[2.6, 2.0, 2.1]);
        for step in &mut later {
            step.number += 1000.0;
        }
        assert_eq!(of(&later, &mut Measurement::new(Format::Megatron)), [0, 1, 2]);
        let mut measurement = Measurement::new(Format::Megatron);
        assert_eq!(of(&every(10.0, &[2.6]), &mut measurement), [0]);
    }

    #[test]
    fn what_there_is_counts_where_nothing_else_is() {
        let mut measurement = Measurement::new(Format::Megatron);
        let only = [Step { number: 1.0, time: 2.0, skipped: true, ..Step::default() }];
        assert_eq!(of(&only, &mut measurement), [0]);
        assert_eq!((measurement.left_out.len(), measurement.remarks.len()), (0, 2));
        assert_eq!(of(&[], &mut measurement), [0; 0]);
    }
}
