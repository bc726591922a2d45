//! Any text is read as a scenario file; what is a scenario is kept by its link.
#![no_main]

use foretoken::scenario::Scenario;
use foretoken::scenario::link::{MAX_BYTES, MAX_PAIRS, decode, encode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(scenario) = Scenario::from_json(text) else { return };
    assert_eq!(Scenario::from_json(&scenario.to_json()).as_ref(), Ok(&scenario));
    let link = encode(&scenario);
    // A file may spell out more than a link holds.
    if link.len() <= MAX_BYTES && link.split('&').count() <= MAX_PAIRS {
        let decoded = decode(&link);
        if decoded.problems.is_empty() {
            assert_eq!(decoded.scenario, scenario, "{link}");
        }
    }
});
