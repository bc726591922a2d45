//! Whatever a link or a `config.json` asks, the views answer it or say what is wrong with it.
#![no_main]

use foretoken::figure::Size;
use foretoken::scenario::huggingface::architecture;
use foretoken::scenario::link::decode;
use foretoken::scenario::{Choice, Scenario, View};
use foretoken::view::first;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (question, size) = match architecture(text) {
        Ok(model) => {
            (Scenario { model: Choice::Explicit(Box::new(model)), ..Scenario::default() }, Size::Narrow)
        }
        Err(_) => (decode(text).scenario, Size::Wide),
    };
    // Generations searches the plans of every machine, which takes a thousand times as long: only where it is asked for.
    let generations = (question.view == View::Generations).then_some(View::Generations);
    for view in [View::Training, View::Inference].into_iter().chain(generations) {
        if let Ok(answer) = first(&Scenario { view, ..question.clone() }, size) {
            let shown: Vec<String> =
                answer.cards.iter().flat_map(|card| [card.shown(), card.note.clone()]).collect();
            assert!(
                !shown.iter().any(|text| text.contains("NaN") || text.contains("inf ")),
                "{text}: {shown:?}"
            );
        }
    }
});
