//! Predictions of other estimators for published rows, joined by the row's id.

use super::ReadError;
use super::serving::rows;
use foretoken::validation::Quantity;

/// Start of the header of AIConfigurator's predictions, which identifies the format.
pub const HEADER: &str = "id,aic_";

/// Prediction of another estimator for one quantity of one row.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerPrediction {
    /// Name of the estimator.
    pub peer: &'static str,
    /// Id of the row.
    pub id: String,
    /// The predicted quantity.
    pub quantity: Quantity,
    /// Predicted value, in the quantity's unit.
    pub predicted: f64,
}

/// Columns of AIConfigurator's predictions.
const COLUMNS: [(&str, Quantity); 2] = [("aic_ttft_ms", Quantity::Ttft), ("aic_tpot_ms", Quantity::Tpot)];

/// The predictions of a file.
pub fn predictions(text: &str) -> Result<Vec<PeerPrediction>, ReadError> {
    let mut predictions = Vec::new();
    for row in rows(text)? {
        for (column, quantity) in COLUMNS {
            if let Ok(predicted) = row.text(column).parse() {
                let id = row.text("id").to_owned();
                predictions.push(PeerPrediction { peer: "AIConfigurator", id, quantity, predicted });
            }
        }
    }
    Ok(predictions)
}
