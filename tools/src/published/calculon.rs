//! Calculon's predictions for plans: `{"tool": "calculon", "cases": [{"name": …, "outputs": {"total_time": …}}]}`.

use serde::Deserialize;

use super::{PeerPrediction, ReadError};
use foretoken::validation::Quantity;

#[derive(Deserialize)]
struct Document {
    tool: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    /// `None` if Calculon refuses the plan.
    outputs: Option<Outputs>,
}

#[derive(Deserialize)]
struct Outputs {
    /// Step time, s.
    total_time: f64,
}

/// Calculon's cases of Korthikanti et al. 2022, Table 5, with the ids of the measured rows.
const MEASURED: [(&str, &str); 8] = [
    ("shipped/tab5/megatron-22B_seqsel", "train-korthikanti-2022-0000"),
    ("shipped/tab5/megatron-22B_full", "train-korthikanti-2022-0001"),
    ("shipped/tab5/gpt3-175B_seqsel", "train-korthikanti-2022-0002"),
    ("shipped/tab5/gpt3-175B_full", "train-korthikanti-2022-0003"),
    ("shipped/tab5/turing-530B_seqsel", "train-korthikanti-2022-0004"),
    ("shipped/tab5/turing-530B_full", "train-korthikanti-2022-0005"),
    ("shipped/tab5/megatron-1T_seqsel", "train-korthikanti-2022-0006"),
    ("shipped/tab5/megatron-1T_full", "train-korthikanti-2022-0007"),
];

fn document(text: &str) -> Result<Document, serde_json::Error> {
    serde_json::from_str(text)
}

/// Returns true if a text is a file of Calculon's predictions.
pub(super) fn is_document(text: &str) -> bool {
    document(text).is_ok_and(|document| document.tool == "calculon")
}

/// Calculon's predictions for measured rows; most of the file's cases were not measured.
pub(super) fn predictions(text: &str) -> Result<Vec<PeerPrediction>, ReadError> {
    let document = document(text).map_err(|error| ReadError::Line(error.line(), error.to_string()))?;
    let measured = |case: Case| {
        let (_, id) = MEASURED.iter().find(|(name, _)| *name == case.name)?;
        let predicted = case.outputs?.total_time;
        let id = (*id).to_owned();
        Some(PeerPrediction { peer: "Calculon", id, quantity: Quantity::IterTime, predicted })
    };
    Ok(document.cases.into_iter().filter_map(measured).collect())
}
