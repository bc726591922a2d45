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

    /// Rows of `serving.csv` by their ids.
    fn rows(ids: &[&str]) -> Vec<Case> {
        let text = include_str!("../../../tests/measured/serving.csv");
        let header = text.lines().next().expect("a header");
        let row = |id: &&str| {
            text.lines().find(|line| line.split(',').next() == Some(*id)).unwrap_or_else(|| panic!("no {id}"))
        };
        let lines: Vec<&str> = std::iter::once(header).chain(ids.iter().map(row)).collect();
        Collection::of([lines.join("\n").as_str()]).cases
    }

    #[test]
    fn a_run_counts_once_whatever_its_rows_are_called() {
        let cases = rows(&[
            "dsr1_b200_sglang_fp4_agg_8192x1024_c128_cfg202",
            "2026_03_25_deepseek_r1_b200_sxm_sglang_fp4_agg_8192x1024_c128_tp4_0_ep4_0_307",
            "dsr1_b200_sglang_fp4_agg_8192x1024_c64_cfg202",
        ]);
        assert_ne!(cases[0].model, cases[1].model);
        let answered: Vec<bool> = cases.iter().map(|case| case.question.is_ok()).collect();
        assert_eq!(answered, [true, false, true]);
        assert!(!cases[0].used_in_fit && !cases[1].used_in_fit);
    }

    #[test]
    fn a_row_is_fitted_with_its_twin() {
        let cases = rows(&[
            "2026_03_25_deepseek_r1_b200_sxm_sglang_fp4_agg_8192x1024_c8_tp4_0_ep4_0_260",
            "dsr1_b200_sglang_fp4_agg_8192x1024_c8_cfg202",
        ]);
        assert!(!super::super::fitted().contains(cases[0].id.as_str()));
        assert!(cases.iter().all(|case| case.used_in_fit));
    }
}
