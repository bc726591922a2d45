//! Finds runs that took far longer than other runs of the same plan imply, for a reason that no field records.

use std::collections::HashMap;

use super::row::Row;

/// Maximum ratio of a run's step time to the time implied by other runs. Differences between repetitions and schedules
/// are smaller.
const STOPPED: f64 = 2.0;

/// Measured runs, grouped by plan.
#[derive(Default)]
pub struct Plans(HashMap<String, Vec<Run>>);

/// A measured run of a plan.
#[derive(Clone, Copy)]
struct Run {
    /// Layers, width, inner width of the feed-forward block, vocabulary.
    shape: [u32; 4],
    /// Sequences in a microbatch.
    microbatch: f64,
    /// Microbatch slots of a stage in a step: the microbatches, plus those of filling the pipeline.
    slots: f64,
    /// Step time, s.
    step: f64,
}

impl Run {
    fn of(row: &Row) -> Option<Self> {
        let positive = |number: Option<f64>| number.filter(|number| *number > 0.0);
        let stages = f64::from(row.parallel.pp.unwrap_or(1).max(1));
        let step = row.measured("iter_time_s").or_else(|| row.measured("iter_time_s_derived"));
        let model = &row.model;
        Some(Self {
            shape: [
                model.n_layers?,
                model.hidden_size?,
                model.ffn_hidden_size?,
                model.vocab_size.unwrap_or(0),
            ],
            microbatch: positive(row.batch.micro_batch_seqs)?,
            slots: positive(row.batch.grad_accum)? + stages - 1.0,
            step: positive(step)?,
        })
    }

    /// Upper bound, from this run, of the step time of another run of the same plan and a model of at most the same
    /// size. A microbatch takes at most as long as a larger one, and time grows at most in proportion to sequences.
    /// Work once per step is the same.
    fn allows(&self, other: &Self) -> f64 {
        if self.shape.iter().zip(other.shape).any(|(own, other)| *own < other) {
            return f64::INFINITY;
        }
        let longer = (other.microbatch / self.microbatch).max(1.0);
        self.step * (other.slots / self.slots * longer).max(1.0)
    }
}

impl Plans {
    /// Collects the runs of all rows of a file.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Self {
        let mut plans = Self::default();
        for row in rows {
            if let Some(run) = Run::of(row) {
                plans.0.entry(key(row)).or_default().push(run);
            }
        }
        plans
    }

    /// Returns true if another run of the same plan implies that this run was stalled.
    pub fn show_stopped(&self, row: &Row) -> bool {
        let Some(run) = Run::of(row) else { return false };
        let others = self.0.get(&key(row)).map_or(&[][..], Vec::as_slice);
        others.iter().any(|other| run.step > STOPPED * other.allows(&run))
    }
}

/// Key of a run's plan: all properties except microbatches and model size.
fn key(row: &Row) -> String {
    let Row { model, hardware, parallel, precision, recompute, framework, .. } = row;
    let model =
        (model.seq_len_tokens, model.n_experts, model.gated_mlp, model.sliding_window, &model.attention);
    format!("{model:?} {hardware:?} {parallel:?} {precision} {recompute:?} {framework}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(microbatch: u32, rounds: u32, step: f64) -> Row {
        of_layers(8, microbatch, rounds, step)
    }

    fn of_layers(layers: u32, microbatch: u32, rounds: u32, step: f64) -> Row {
        let text = format!(
            r#"{{"id":"a","model":{{"n_layers":{layers},"hidden_size":64,"ffn_hidden_size":256}},"parallel":{{"pp":4}},"batch":{{"micro_batch_seqs":{microbatch},"grad_accum":{rounds}}},"measured":{{"iter_time_s":{step}}}}}"#
        );
        Row::read(&text).unwrap_or_default()
    }

    #[test]
    fn a_run_is_measured_against_others_of_its_plan() {
        // 8 + 3 slots of one sequence, 4 + 3 of two: up to 2 × 7 / 11 as long.
        let rows = [row(1, 8, 1.0), row(2, 4, 2.5), row(2, 4, 2.6)];
        let plans = Plans::of(&rows);
        assert_eq!(rows.map(|row| plans.show_stopped(&row)), [false, false, true]);
        // A shorter microbatch takes no longer than a longer one: up to 11 / 7 as long.
        let rows = [row(2, 4, 1.0), row(1, 8, 3.1), row(1, 8, 3.2)];
        let plans = Plans::of(&rows);
        assert_eq!(rows.map(|row| plans.show_stopped(&row)), [false, false, true]);
    }

    #[test]
    fn a_larger_model_is_no_faster() {
        let rows = [of_layers(16, 1, 8, 1.0), of_layers(8, 1, 8, 2.1), of_layers(32, 1, 8, 9.0)];
        let plans = Plans::of(&rows);
        assert_eq!(rows.map(|row| plans.show_stopped(&row)), [false, true, false]);
    }

    #[test]
    fn a_run_alone_shows_nothing() {
        let rows = [row(1, 8, 100.0)];
        assert!(!Plans::of(&rows).show_stopped(&rows[0]));
    }
}
