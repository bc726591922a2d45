//! Speeds of an offer in a line.

use crate::scenario::Scenario;
use crate::serving::InferenceEstimate;
use crate::validation::Quantity;
use crate::view::cards;

/// Generation speed per user and prompt speed, with their ranges; of a stream TTFT in place of the prompt speed, because a
/// prompt waits for others there.
pub(super) fn spoken(there: &Scenario, estimate: &InferenceEstimate) -> String {
    let load = &there.inference;
    let generated = cards::spoken_rate(1.0 / estimate.tpot.get(), there, Quantity::Tpot);
    if load.is_stream() {
        return format!("{generated}, TTFT {}", cards::spoken(estimate.ttft, there, Quantity::Ttft));
    }
    let prompts = f64::from(load.batch) * load.fresh() / estimate.ttft.get();
    format!("{generated}, prompts at {}", cards::spoken_rate(prompts, there, Quantity::Ttft))
}
