//! Any text is read as a `config.json`; what describes a model can be linked to and asked about.
#![no_main]

use foretoken::figure::Size;
use foretoken::scenario::huggingface::architecture;
use foretoken::scenario::link::{decode, encode};
use foretoken::scenario::{Choice, Scenario, View};
use foretoken::view::first;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(model) = architecture(text) else { return };
    let scenario = Scenario { model: Choice::Explicit(Box::new(model)), ..Scenario::default() };
    let decoded = decode(&encode(&scenario));
    assert_eq!(decoded.problems, []);
    assert_eq!(decoded.scenario, scenario);
    for view in [View::Training, View::Inference] {
        drop(first(&Scenario { view, ..scenario.clone() }, Size::Narrow));
    }
});
