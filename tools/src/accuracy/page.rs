//! Data of the Validation view: every scored row, with the link to its prediction.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::published::PeerPrediction;
use foretoken::scenario::link;
use foretoken::validation::{Outcome, Quantity, Question};

use super::predictions::Predictions;

const HEADER: &str = "id,source,origin,device,model,family,precision,tier,quantity,measured,used_in_fit,link,\
                      peer,peer_predicted,predicted";

/// The rows as comma-separated values (RFC 4180).
pub fn points(predictions: &Predictions<'_>, peers: &[PeerPrediction]) -> String {
    let mut text = format!("{HEADER}\n");
    let peers: HashMap<(&str, Quantity), &PeerPrediction> =
        peers.iter().map(|peer| ((peer.id.as_str(), peer.quantity), peer)).collect();
    for outcome in predictions.of_rows().flat_map(shown) {
        let (Ok(predicted), case) = (&outcome.predicted, outcome.case) else { continue };
        let link = match &case.question {
            Ok(Question::Scenario(scenario)) => link::encode(scenario),
            _ => String::new(),
        };
        // Rows with a link need no prediction here: the page computes it.
        let predicted = if link.is_empty() { format!("{predicted:.6e}") } else { String::new() };
        let peer = peers.get(&(case.id.as_str(), outcome.quantity));
        let fields = [
            case.id.as_str(),
            &case.source,
            &case.origin,
            &case.device,
            &case.model,
            case.family.name(),
            &case.precision,
            case.tier.name(),
            outcome.quantity.name(),
            &outcome.measured.to_string(),
            if case.used_in_fit { "true" } else { "false" },
            &link,
            peer.map_or("", |peer| peer.peer),
            &peer.map_or_else(String::new, |peer| peer.predicted.to_string()),
            &predicted,
        ];
        let quoted: Vec<String> = fields.into_iter().map(quoted).collect();
        let _ = writeln!(text, "{}", quoted.join(","));
    }
    text
}

/// The outcomes of a case that the view shows. If a case has both a time and the equivalent rate, only the first is
/// shown.
fn shown<'p, 'a>(outcomes: &'p [Outcome<'a>]) -> Vec<&'p Outcome<'a>> {
    let mut seen = Vec::new();
    let mut outcomes: Vec<&Outcome<'a>> = outcomes.iter().collect();
    outcomes.retain(|outcome| {
        let time = outcome.quantity.as_time();
        let new = outcome.quantity != Quantity::Fits && !seen.contains(&time);
        seen.push(time);
        new
    });
    outcomes
}

/// A field of comma-separated values, quoted if it contains commas, quotes or line breaks.
pub(super) fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
