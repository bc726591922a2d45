//! What was read from any link or file is written as a link, which is read as the same scenario.
#![no_main]

use foretoken::measured;
use foretoken::scenario::huggingface::architecture;
use foretoken::scenario::link::{MAX_BYTES, MAX_PAIRS, decode, encode};
use foretoken::scenario::{Choice, Scenario, checkpoint};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(Ok(scenario)) = checkpoint::import(&Scenario::default(), bytes) {
        kept(&scenario);
    }
    let Ok(text) = str::from_utf8(bytes) else { return };
    link(text);
    if let Ok(model) = architecture(text) {
        kept(&Scenario { model: Choice::Explicit(Box::new(model)), ..Scenario::default() });
    }
    if let Ok(scenario) = Scenario::from_json(text) {
        document(&scenario);
    }
    for point in measured::read(text).unwrap_or_default() {
        kept(&point.applied_to(&Scenario::default()));
    }
});

/// The link of a scenario is read as that scenario.
fn kept(scenario: &Scenario) {
    let decoded = decode(&encode(scenario));
    assert_eq!(decoded.problems, []);
    assert_eq!(decoded.scenario, *scenario);
}

/// What was read from any link has a link within the limits, of unreserved characters, that is written the same again.
fn link(text: &str) {
    let scenario = decode(text).scenario;
    let again = encode(&scenario);
    assert!(again.len() <= MAX_BYTES);
    assert!(again.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+%=&".contains(&byte)));
    let read = decode(&again);
    assert_eq!(read.scenario, scenario, "{again}");
    assert_eq!(read.problems, [], "{again}");
    assert_eq!(encode(&read.scenario), again);
}

/// A scenario of a file is written as that file again, and kept by its link if that has no problems.
fn document(scenario: &Scenario) {
    assert_eq!(Scenario::from_json(&scenario.to_json()).as_ref(), Ok(scenario));
    let link = encode(scenario);
    // A file may spell out more than a link holds.
    if link.len() <= MAX_BYTES && link.split('&').count() <= MAX_PAIRS {
        let decoded = decode(&link);
        if decoded.problems.is_empty() {
            assert_eq!(decoded.scenario, *scenario, "{link}");
        }
    }
}
