//! Finds servers whose TTFT is too long even under a light load, for a reason that no field records.

use std::collections::HashSet;

use super::row::Row;

/// Upper bounds of a light load: concurrent requests, and tokens per prompt.
const LIGHT: (u32, u32) = (8, 2048);

/// Threshold of TTFT / TPOT under a light load. Over the 527 runs of `tests/measured/serving.csv` with a light load,
/// the ratio is at least 3.1; its 5th percentile is 7, the median 19 and the 95th percentile 81.
const TOKENS: f64 = 100.0;

/// Servers with at least one delayed run in a file.
#[derive(Default)]
pub struct Servers(HashSet<String>);

impl Servers {
    /// Finds the delayed servers among all rows of a file.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Self {
        Self(rows.into_iter().filter(|row| is_held_up(row).unwrap_or(false)).map(server).collect())
    }

    /// The reason for leaving out a row, if it was measured on a delayed server.
    pub fn defect(&self, row: &Row) -> Option<&'static str> {
        self.0
            .contains(&server(row))
            .then_some("on a server that was late with first tokens even under a light load")
    }
}

/// Key of a server: model, software and device.
fn server(row: &Row) -> String {
    [row.model.name.as_str(), row.framework.as_str(), row.hardware.gpu.as_str()].join(";")
}

/// Returns true if a run under a light load has a TTFT of more than [`TOKENS`] times its TPOT; `None` if the row lacks
/// one of the values.
fn is_held_up(row: &Row) -> Option<bool> {
    let (requests, prompt) = LIGHT;
    let light = row.batch.concurrency? <= requests && row.workload.as_ref()?.input_tokens? <= prompt;
    let (ttft, tpot) = (row.measured("ttft_ms_median")?, row.measured("tpot_ms_median")?);
    Some(light && ttft > TOKENS * tpot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(server: &str, concurrency: u32, ttft: f64) -> Row {
        let text = format!(
            r#"{{"id":"a","model":{{"name":"M"}},"hardware":{{"gpu":"H200"}},"framework":"{server}",
            "batch":{{"concurrency":{concurrency}}},"workload":{{"input_tokens":1024,"output_tokens":128}},
            "measured":{{"ttft_ms_median":{ttft},"tpot_ms_median":20}}}}"#
        );
        Row::read(&text).expect("a row")
    }

    #[test]
    fn a_late_first_token_under_a_light_load_takes_the_server_along() {
        let rows = [row("a", 4, 4000.0), row("a", 64, 300.0), row("b", 4, 300.0), row("c", 64, 4000.0)];
        let servers = Servers::of(&rows);
        assert_eq!(rows.map(|row| servers.defect(&row).is_some()), [true, true, false, false]);
    }
}
