//! Finds runs whose prefill on several GPUs is slower than on one of them, for a reason that no field records.

use std::collections::HashMap;

use super::row::Row;

/// Measured prefill speeds, grouped by runs that differ only in GPUs and prompt length.
#[derive(Default)]
pub struct Prompts(HashMap<String, Vec<Run>>);

/// Prefill speed at one prompt length.
#[derive(Clone, Copy)]
struct Run {
    gpus: u32,
    tokens: u32,
    rate: f64,
    /// True if the collector noted the run as anomalous.
    noted: bool,
}

impl Run {
    fn of(row: &Row) -> Option<Self> {
        Some(Self {
            gpus: row.hardware.n_gpus?,
            tokens: row.workload.as_ref()?.input_tokens?,
            rate: row.measured("prefill_tokens_per_s")?,
            noted: is_noted(row),
        })
    }
}

impl Prompts {
    /// Collects the prefill speeds of all rows of a file.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Self {
        let mut prompts = Self::default();
        for row in rows {
            if let Some(run) = Run::of(row) {
                prompts.0.entry(key(row)).or_default().push(run);
            }
        }
        prompts
    }

    /// The reason for leaving out a row, if a rule applies.
    pub fn defect(&self, row: &Row) -> Option<&'static str> {
        if is_noted(row) {
            return Some("noted as anomalous where it was collected");
        }
        let run = Run::of(row)?;
        let others = self.0.get(&key(row))?;
        if others.iter().any(|other| other.noted && other.gpus == run.gpus) {
            return Some("on the machine of a run that was noted as anomalous");
        }
        // A longer prompt takes more time per token.
        let alone = |other: &Run| other.gpus == 1 && other.tokens >= run.tokens && other.rate > run.rate;
        (run.gpus > 1 && others.iter().any(alone)).then_some("slower than on one of its GPUs")
    }
}

fn is_noted(row: &Row) -> bool {
    row.notes.as_deref().is_some_and(|notes| notes.contains("anomalous"))
}

/// Key of a run: all properties except the numbers of GPUs and tokens.
fn key(row: &Row) -> String {
    format!(
        "{} {} {} {} {}",
        row.source_group, row.hardware.gpu, row.model.name, row.precision, row.framework
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(gpus: u32, tokens: u32, rate: f64, notes: &str) -> Row {
        let text = format!(
            r#"{{"id":"a","hardware":{{"gpu":"X","n_gpus":{gpus}}},"workload":{{"input_tokens":{tokens}}},"measured":{{"prefill_tokens_per_s":{rate}}},"notes":"{notes}"}}"#
        );
        Row::read(&text).unwrap_or_default()
    }

    #[test]
    fn several_gpus_are_faster_than_one() {
        let rows = [
            row(1, 8192, 100.0, ""),
            row(4, 4096, 99.0, ""),
            row(4, 16_384, 99.0, ""),
            row(4, 4096, 101.0, ""),
        ];
        let prompts = Prompts::of(&rows);
        let slow = Some("slower than on one of its GPUs");
        assert_eq!(rows.map(|row| prompts.defect(&row)), [None, slow, None, None]);
    }

    #[test]
    fn a_note_is_about_the_whole_machine() {
        let rows = [row(4, 1024, 10.0, "anomalously low"), row(4, 8192, 20.0, ""), row(1, 8192, 5.0, "")];
        let prompts = Prompts::of(&rows);
        let found = rows.map(|row| prompts.defect(&row).is_some());
        assert_eq!(found, [true, true, false]);
    }
}
