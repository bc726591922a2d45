//! Notices of service levels that are missed, and of drafts that slow decoding down.

use crate::scenario::Scenario;
use crate::serving::InferenceEstimate;
use crate::units::{Seconds, format};
use crate::view::{Card, Link, Notice};

/// Ratio of TPOT with a draft to TPOT without one, above which the draft counts as slower. Times are shown with three digits.
const SLOWER: f64 = 1.005;

/// Times with service levels: id of the card, and name within a sentence.
const LEVELS: [(&str, &str); 3] = [("ttft", "TTFT"), ("tpot", "TPOT"), ("latency", "request latency")];

/// The service levels that the predicted times exceed: names, time and limit.
fn exceeded(
    question: &Scenario,
    estimate: &InferenceEstimate,
) -> impl Iterator<Item = ((&'static str, &'static str), Seconds, Seconds)> {
    let times = [estimate.ttft, estimate.tpot, estimate.latency];
    let all = LEVELS.into_iter().zip(times).zip(question.inference.limits());
    all.filter_map(|((names, time), limit)| Some((names, time, limit.filter(|limit| time > *limit)?)))
}

/// Notice of the service levels that the predicted times exceed.
pub(super) fn notice(question: &Scenario, estimate: &InferenceEstimate) -> Option<Notice> {
    let exceeded: Vec<String> = exceeded(question, estimate)
        .map(|((_, name), time, limit)| {
            format!("{name} is {}, and at most {} is allowed", format::time(time), format::time(limit))
        })
        .collect();
    let text = format!("Service levels are not met: {}.", exceeded.join("; "));
    (!exceeded.is_empty()).then(|| Notice::new("levels-exceeded", text, Vec::new()))
}

/// The missed service levels with the excess of each, as a clause of the answer's sentence; empty if none is missed.
pub(super) fn spoken(question: &Scenario, estimate: &InferenceEstimate) -> String {
    let missed: Vec<String> = exceeded(question, estimate)
        .map(|((_, name), time, limit)| format!("{name} by {}", format::time(time - limit)))
        .collect();
    if missed.is_empty() {
        String::new()
    } else {
        format!(", but misses service levels ({})", missed.join(", "))
    }
}

/// Puts the limit of each missed service level before the note of its card.
pub(super) fn note(cards: &mut [Card], question: &Scenario, estimate: &InferenceEstimate) {
    for ((id, _), _, limit) in exceeded(question, estimate) {
        for card in cards.iter_mut().filter(|card| card.id == id) {
            card.note = format!("more than the {} allowed; {}", format::time(limit), card.note);
        }
    }
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

#[cfg(test)]
mod tests {
    use crate::figure::Size;
    use crate::scenario::link;
    use crate::view::first;

    #[test]
    fn the_sentence_and_the_cards_say_which_levels_are_missed() {
        let answer = |levels: &str| {
            let link = format!("v=1&view=inference&serve.engine=vllm{levels}");
            first(&link::decode(&link).scenario, Size::Narrow).expect("an answer")
        };
        let missed = answer("&serve.ttft=10&serve.tpot=1");
        assert!(missed.lead.contains(", but misses service levels (TTFT by 45."), "{}", missed.lead);
        assert!(missed.lead.contains(", TPOT by 8.85 ms)"), "{}", missed.lead);
        for (card, limit) in [("ttft", "10.0 ms"), ("tpot", "1.00 ms")] {
            let note = &missed.card(card).expect("a card").note;
            assert!(note.starts_with(&format!("more than the {limit} allowed; ")), "{note}");
        }
        for levels in ["", "&serve.ttft=1000&serve.tpot=100"] {
            let met = answer(levels);
            assert!(!met.lead.contains("misses"), "{}", met.lead);
            assert!(met.cards.iter().all(|card| !card.note.contains("allowed")), "{levels}");
        }
    }
}
