//! Notices of service levels that are missed, and of drafts that slow decoding down.

use crate::scenario::Scenario;
use crate::serving::InferenceEstimate;
use crate::units::format;
use crate::view::{Link, Notice};

/// Ratio of TPOT with a draft to TPOT without one, above which the draft counts as slower. Times are shown with three digits.
const SLOWER: f64 = 1.005;

/// Notice of the service levels that the predicted times exceed.
pub(super) fn exceeded(question: &Scenario, estimate: &InferenceEstimate) -> Option<Notice> {
    let times = [("TTFT", estimate.ttft), ("TPOT", estimate.tpot), ("request latency", estimate.latency)];
    let exceeded: Vec<String> = times
        .into_iter()
        .zip(question.inference.limits())
        .filter_map(|((name, time), limit)| {
            let limit = limit.filter(|limit| time > *limit)?;
            Some(format!("{name} is {}, and at most {} is allowed", format::time(time), format::time(limit)))
        })
        .collect();
    let text = format!("Service levels are not met: {}.", exceeded.join("; "));
    (!exceeded.is_empty()).then(|| Notice::new("levels-exceeded", text, Vec::new()))
}

/// Notice of a draft with which a token takes longer than without, and a link to the question without it.
pub(super) fn slower_draft(question: &Scenario, estimate: &InferenceEstimate) -> Option<Notice> {
    let load = &question.inference;
    if load.draft == 0 {
        return None;
    }
    let mut there = question.clone();
    there.inference.draft = 0;
    let plain = there.inference().ok()?;
    let text = format!(
        "The draft slows decoding down: TPOT is {} with {} proposed in each step, of which {} are accepted on average, and {} \
         without a draft.",
        format::time(estimate.tpot),
        format::counted(load.draft, "tokens"),
        format::digits(load.yielded() - 1.0),
        format::time(plain.tpot),
    );
    let slower = estimate.tpot > plain.tpot * SLOWER;
    slower.then(|| Notice::new("slower-draft", text, vec![Link::to("Without the draft", &there)]))
}
