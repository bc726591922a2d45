//! The data of the drawing: the time of each stage by kind of task.

use crate::figure::frame::positive;
use crate::figure::{Cell, Table};
use crate::plan::StageTask;
use crate::training::timeline::Timeline;
use crate::units::{Seconds, format};

/// A row for each stage, over the whole step.
pub(super) fn table(timeline: &Timeline) -> Table {
    let mut table = Table::new([
        ("Stage", None),
        ("Forward", Some("s")),
        ("Backward", Some("s")),
        ("Gradients of weights", Some("s")),
        ("Sends", Some("s")),
        ("Waits", Some("s")),
        ("Of the step", Some("%")),
    ]);
    let shown = f64::from(timeline.pipeline.microbatches).max(1.0);
    let all = 1.0 + f64::from(timeline.skipped) / shown;
    let time = |time: Seconds| Cell::number(time.get(), format::time(time));
    for stage in 0..timeline.stages.len() {
        let [forward, backward, weight, sends] = shares(timeline, stage).map(|sum| sum * all);
        let wait = timeline.end() - forward - backward - weight - sends;
        let share = wait / timeline.end();
        table.push([
            Cell::number(stage as f64 + 1.0, format!("{}", stage + 1)),
            time(forward),
            time(backward),
            time(weight),
            time(sends),
            time(wait),
            Cell::number(share * 100.0, format::percent(share)),
        ]);
    }
    table
}

/// Time of a stage by kind: forward, backward without weights, weights, and sends beside which it does nothing; summed over the
/// whole step.
fn shares(timeline: &Timeline, stage: usize) -> [Seconds; 4] {
    let mut sums = [Seconds::ZERO; 4];
    for span in timeline.stages.get(stage).into_iter().flatten() {
        let time = |task| timeline.pace.time(task);
        match span.task {
            StageTask::Forward(_) => sums[0] += span.end - span.start,
            StageTask::Backward(slot) => {
                sums[1] += time(StageTask::Input(slot));
                sums[2] += time(StageTask::Weight(slot));
            }
            StageTask::Input(_) => sums[1] += span.end - span.start,
            StageTask::Weight(_) => sums[2] += span.end - span.start,
            StageTask::Both { forward, backward } => {
                // Concurrency shortens both passes in the same proportion.
                let apart = time(StageTask::Forward(forward)) + time(StageTask::Backward(backward));
                let share = if positive(apart.get()) { (span.end - span.start) / apart } else { 0.0 };
                sums[0] += time(StageTask::Forward(forward)) * share;
                sums[1] += time(StageTask::Input(backward)) * share;
                sums[2] += time(StageTask::Weight(backward)) * share;
            }
        }
        sums[3] += span.free - span.end;
    }
    sums
}
