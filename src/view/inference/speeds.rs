//! Speeds of an offer and its longest context in a line.

use crate::scenario::Scenario;
use crate::serving::InferenceEstimate;
use crate::units::Amount;
use crate::validation::Quantity;
use crate::view::cards;

/// Generation speed per user and prompt speed, with their ranges, and the longest context that fits; of a stream TTFT in
/// place of the prompt speed, because a prompt waits for others there.
pub(super) fn spoken(there: &Scenario, estimate: &InferenceEstimate) -> String {
    let load = &there.inference;
    let generated = cards::spoken_rate(1.0 / estimate.tpot.get(), there, Quantity::Tpot);
    let prompts = if load.is_stream() {
        format!("TTFT {}", cards::spoken(estimate.ttft, there, Quantity::Ttft))
    } else {
        let prompts = f64::from(load.batch) * load.fresh_of(estimate.prompt(load)) / estimate.ttft.get();
        format!("prompts at {}", cards::spoken_rate(prompts, there, Quantity::Ttft))
    };
    let context = longest_context(there)
        .map_or_else(String::new, |tokens| format!(", contexts of up to {} tokens", Amount::count(tokens)));
    format!("{generated}, {prompts}{context}")
}

/// The longest context that fits, if there is one.
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method is not general over its job's lifetime"
)]
pub(super) fn longest_context(there: &Scenario) -> Option<u32> {
    there.with_inference(|job| job.longest_context()).ok()?
}
