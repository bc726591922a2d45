//! Rules that find defective rows of `serving.csv`, from the row's fields or from comparison with other rows.

use std::collections::HashMap;

use super::inferencex::{self, Degrees};
use super::serving::Row;
use foretoken::catalog;
use foretoken::validation::Skip;

/// Maximum number of GPUs of an aggregated worker. In rows with more, the columns contain products of degrees.
const LARGEST_WORKER: u32 = 8;

/// Maximum ratio of the slowest to the fastest run of one configuration. Beyond it, the runs differ in an unrecorded
/// setting, mostly speculative decoding.
const REPEATABLE: f64 = 1.3;

/// Columns that identify a run and not its configuration.
const NAMES: [&str; 5] = ["id", "model_path", "backend_version", "measured_date", "attention_dp_size"];

/// Fastest and slowest time per token of each configuration of a file.
pub(super) struct Repeats(HashMap<String, (f64, f64)>);

impl Repeats {
    /// Collects the times of all rows of a file.
    pub(super) fn of(rows: &[Row]) -> Self {
        let mut spread: HashMap<String, (f64, f64)> = HashMap::new();
        for row in rows.iter().filter(|row| !inferencex::speculates(row)) {
            if let Ok(time) = row.text("silicon_tpot_ms").parse::<f64>() {
                let (fastest, slowest) = spread.entry(configuration(row)).or_insert((time, time));
                *fastest = fastest.min(time);
                *slowest = slowest.max(time);
            }
        }
        Self(spread)
    }

    fn disagree(&self, row: &Row) -> bool {
        self.0.get(&configuration(row)).is_some_and(|(fastest, slowest)| *slowest > REPEATABLE * fastest)
    }
}

/// Key of a row's configuration. DeepSeek V3 and R1 share one key, because they have the same shape.
fn configuration(row: &Row) -> String {
    let mut pairs: Vec<String> = row
        .pairs()
        .filter(|(column, _)| !NAMES.contains(column) && !column.starts_with("silicon_"))
        .map(|(column, value)| format!("{column}={value}"))
        .collect();
    pairs.sort();
    let model = row.text("model_path").rsplit('/').next().unwrap_or_default().replace("-R1", "-V3");
    format!("{model};{};{}", row.replicas("attention_dp_size"), pairs.join(";"))
}

/// Checks a row; the error is the first rule that it violates.
pub(super) fn check(row: &Row, sparse: bool, repeats: &Repeats) -> Result<(), Skip> {
    if row.separate() {
        for (tensor, data) in
            [("prefill_tp_size", "prefill_attention_dp_size"), ("decode_tp_size", "decode_attention_dp_size")]
        {
            if row.whole(tensor) == Some(0) || row.replicas(data) == 0 {
                return Err(Skip::Defect("a parallel degree of 0"));
            }
        }
    } else {
        let Degrees { tensor, data, cut, dealt } = Degrees::of(row);
        if tensor == 0 || data == 0 {
            return Err(Skip::Defect("a parallel degree of 0"));
        }
        let gpus = tensor.saturating_mul(data);
        let domain = catalog::device_named(row.text("system"))
            .and_then(catalog::accelerator)
            .map_or(LARGEST_WORKER, |accelerator| accelerator.scale_up.domain);
        if tensor > LARGEST_WORKER || gpus > domain {
            return Err(Skip::Defect("more GPUs per worker than a server has"));
        }
        let known = row.whole("moe_tp_size").is_some() && row.whole("moe_ep_size").is_some();
        if sparse && known && cut.saturating_mul(dealt) != gpus {
            return Err(Skip::Defect("attention and experts on different numbers of GPUs"));
        }
        let replicas = row.replicas("attention_dp_size");
        let batch = row.whole("batch_size").zip(row.whole("concurrency"));
        if batch.is_some_and(|(batch, all)| batch.saturating_mul(replicas) != all) {
            return Err(Skip::Defect("batch_size × attention_dp_size is not the concurrency"));
        }
    }
    if inferencex::speculates(row) {
        return Err(Skip::Defect("of a run with speculative decoding, or of one with and without it"));
    }
    if repeats.disagree(row) {
        return Err(Skip::Defect("repetitions differ by more than 1.3 times"));
    }
    Ok(())
}
