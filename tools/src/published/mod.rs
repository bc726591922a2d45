//! Reads files of published measurements: detects the format and converts rows to cases.
//!
//! The format is detected from the content, never from the file's name.

mod cached;
pub mod calculon;
pub mod collection;
pub mod defects;
pub mod device;
pub mod finetune;
pub mod held_up;
pub mod inference;
mod inferencex;
pub mod local;
pub mod micro;
mod mixed;
pub mod model;
pub mod network;
pub mod outpaced;
pub mod peers;
pub mod perlmutter;
pub mod row;
mod server;
pub mod serving;
mod serving_defects;
mod software;
pub mod stalled;
pub mod subramanian;
pub mod training;
mod trtllm_bench;

use std::collections::HashSet;
use std::sync::OnceLock;

pub use collection::Collection;
use foretoken::validation::{Case, Question};
use held_up::Servers;
use outpaced::Prompts;
pub use peers::PeerPrediction;
use row::Row;
use stalled::Plans;

/// Content of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Document {
    /// Rows to predict.
    Cases(Vec<Case>),
    /// Predictions of another estimator for published rows.
    Peers(Vec<PeerPrediction>),
}

/// Error of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The start of the file matches no known format.
    UnknownFormat,
    /// A line (counted from 1) is invalid in the format, with the reason.
    Line(usize, String),
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownFormat => write!(f, "no known format: neither rows of JSON nor a known CSV header"),
            Self::Line(line, problem) => write!(f, "line {line}: {problem}"),
        }
    }
}

/// Reads a file of any known format.
pub fn read(text: &str) -> Result<Document, ReadError> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if local::is_row(first) {
        return local::cases(text).map(mark_fitted).map(Document::Cases);
    }
    if finetune::is_row(first) {
        return finetune::cases(text).map(mark_fitted).map(Document::Cases);
    }
    if Row::read(first).is_some_and(|row| !row.id.is_empty()) {
        return rows(text).map(mark_fitted).map(Document::Cases);
    }
    if perlmutter::is_header(first) {
        return perlmutter::cases(text).map(mark_fitted).map(Document::Cases);
    }
    if calculon::is_document(text) {
        return calculon::predictions(text).map(Document::Peers);
    }
    if subramanian::is_document(text) {
        return subramanian::cases(text).map(Document::Cases);
    }
    if first.starts_with(serving::HEADER) {
        return serving::cases(text).map(mark_fitted).map(Document::Cases);
    }
    if first.starts_with(peers::HEADER) {
        return peers::predictions(text).map(Document::Peers);
    }
    Err(ReadError::UnknownFormat)
}

/// Reads JSON Lines of one kind of row.
fn json_lines<T: serde::de::DeserializeOwned>(text: &str) -> Result<Vec<T>, ReadError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let row = |(index, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| ReadError::Line(index + 1, error.to_string()))
    };
    lines.map(row).collect()
}

/// Marks the cases that constants were fitted on.
fn mark_fitted(mut cases: Vec<Case>) -> Vec<Case> {
    for case in &mut cases {
        case.used_in_fit = fitted().contains(case.id.as_str());
    }
    cases
}

/// Reads JSON Lines. The fields of a row determine its kind.
fn rows(text: &str) -> Result<Vec<Case>, ReadError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let rows = lines
        .map(|(index, line)| {
            Row::read(line).ok_or_else(|| ReadError::Line(index + 1, "this is no JSON object".to_owned()))
        })
        .collect::<Result<Vec<Row>, ReadError>>()?;
    let (plans, prompts, servers) = (Plans::of(&rows), Prompts::of(&rows), Servers::of(&rows));
    let defect = |row: &Row| prompts.defect(row).or_else(|| servers.defect(row));
    let cases = rows.iter().flat_map(|row| match (&row.params, &row.workload) {
        (Some(params), _) => vec![micro::case(row, params)],
        (None, Some(_)) => vec![inference::case(row, defect(row))],
        (None, None) => training::cases(row, &plans),
    });
    Ok(cases.collect())
}

/// Ids of the rows that constants were fitted on, from `fitted.txt`.
fn fitted() -> &'static HashSet<&'static str> {
    static IDS: OnceLock<HashSet<&'static str>> = OnceLock::new();
    IDS.get_or_init(|| include_str!("fitted.txt").lines().filter(|line| !line.starts_with('#')).collect())
}
