//! Rows of several files, as they are scored.

use std::collections::HashSet;

use foretoken::validation::{Case, Quantity, Skip};

use super::{Document, PeerPrediction, ReadError, read};

/// Significant decimal digits in which two reports of a run agree. Exports of one benchmark differ in the last of 17 digits.
const DIGITS: usize = 7;

/// Minimum number of measured values that identify a run. Single values, such as 12 ms, also coincide by chance.
const VALUES: usize = 2;

/// Content of files.
#[derive(Debug, Default)]
pub struct Collection {
    /// Rows to predict.
    pub cases: Vec<Case>,
    /// Predictions of other estimators.
    pub peers: Vec<PeerPrediction>,
    /// Errors of the files that could not be read, by the file's index.
    pub unread: Vec<(usize, ReadError)>,
}

impl Collection {
    /// Reads files. A run that several rows report counts once, and as fitted if a constant was fitted on any of them.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut collection = Self::default();
        for (index, text) in texts.into_iter().enumerate() {
            match read(text) {
                Ok(Document::Cases(more)) => collection.cases.extend(more),
                Ok(Document::Peers(more)) => collection.peers.extend(more),
                Err(error) => collection.unread.push((index, error)),
            }
        }
        count_once(&mut collection.cases);
        collection
    }
}

/// Leaves out repeated reports of a run: newer exports of a benchmark contain earlier runs, and publications share some.
fn count_once(cases: &mut [Case]) {
    let fitted: HashSet<Run> = cases.iter().filter(|case| case.used_in_fit).filter_map(run).collect();
    let mut seen = HashSet::new();
    for case in cases {
        let Some(run) = run(case) else { continue };
        case.used_in_fit |= fitted.contains(&run);
        if case.question.is_ok() && !seen.insert(run) {
            case.question = Err(Skip::Defect("a run that an earlier row reports"));
        }
    }
}

/// A run: its device and measured values. The names of its model differ (`DeepSeek-V3`, `DeepSeek-R1`).
type Run = (String, Vec<(Quantity, String)>);

/// The run of a row; `None` if too few values were measured to recognise it, or if a program computed them.
fn run(case: &Case) -> Option<Run> {
    let rounded = |&(quantity, value): &(Quantity, f64)| (quantity, format!("{value:.*e}", DIGITS - 1));
    let recognised = case.is_measured() && case.measured.len() >= VALUES;
    recognised.then(|| (case.device.clone(), case.measured.iter().map(rounded).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_counts_once_whatever_its_rows_are_called() {
        let row = |id: &str, model: &str, ttft: &str, tpot: &str| {
            format!(
                r#"{{"id":"{id}","model":{{"name":"{model}"}},"hardware":{{"gpu":"H100"}},"framework":"vLLM",
                "batch":{{"concurrency":8}},"workload":{{"input_tokens":1024,"output_tokens":128}},
                "measured":{{"ttft_ms_median":{ttft},"tpot_ms_median":{tpot}}}}}"#
            )
            .replace('\n', " ")
        };
        let rows = |rows: [String; 3]| Collection::of([rows.join("\n").as_str()]).cases;
        let of = |first: &str| {
            rows([
                row(first, "Llama-3.1-8B", "369.26972956280224", "11.620459534248923"),
                row("b", "Meta-Llama-3.1-8B", "369.26972956280224", "11.620459534248925"),
                row("c", "Llama-3.1-8B", "369.3", "11.620459534248923"),
            ])
        };
        let once = of("a");
        assert_eq!(once.iter().map(|case| case.question.is_ok()).collect::<Vec<_>>(), [true, false, true]);
        assert!(once.iter().all(|case| !case.used_in_fit));
        let id = super::super::fitted().iter().min().expect("a fitted row");
        assert_eq!(of(id).iter().map(|case| case.used_in_fit).collect::<Vec<_>>(), [true, true, false]);
    }
}
