//! Rules that find rows which contradict themselves.
//!
//! Rules test fields, never ids, so that they apply to future rows as well.

use super::row::Row;

/// The defect of a row, if a rule finds one.
pub fn defect(row: &Row) -> Option<&'static str> {
    let parallel = &row.parallel;
    let notes = row.notes.as_deref().unwrap_or_default();
    if notes.contains("LOW RELIABILITY") {
        return Some("its own table contradicts it");
    }
    let degrees = [parallel.tp, parallel.cp, parallel.pp].map(|degree| u64::from(degree.unwrap_or(1)));
    let model = degrees.into_iter().fold(1, u64::saturating_mul);
    if let (Some(replicas), Some(gpus)) = (parallel.dp, row.hardware.n_gpus) {
        let whole = model.saturating_mul(u64::from(replicas));
        let sharded = whole.saturating_mul(u64::from(parallel.fsdp_degree().unwrap_or(1)));
        if ![whole, sharded].contains(&u64::from(gpus)) {
            return Some("the printed degrees do not multiply to the GPUs");
        }
    }
    let experts = u64::from(parallel.ep.unwrap_or(1)) * u64::from(parallel.etp.unwrap_or(1));
    let stage = row.hardware.n_gpus.map(|gpus| u64::from(gpus) / degrees[2].max(1));
    if stage.is_some_and(|stage| experts > stage) {
        return Some("its experts are spread over more GPUs than a stage has");
    }
    None
}

/// The reason why a row's speed is wrong although its memory is valid, if a rule finds one.
pub fn slow(row: &Row) -> Option<&'static str> {
    let notes = row.notes.as_deref().unwrap_or_default();
    let pipelined = row.parallel.pp.is_some_and(|stages| stages > 1);
    (pipelined && notes.contains("before the PP fix"))
        .then_some("a run from before its pipeline was repaired")
}

/// Returns true if a throughput differs from that of the row's step time by more than 5 %. The step time is used then.
pub fn contradicts(tokens_per_second: f64, batch_tokens: f64, step: f64) -> bool {
    (tokens_per_second * step / batch_tokens - 1.0).abs() > 0.05
}
