//! Any text is read as a scenario file, or it is said what is wrong with it.
#![no_main]

use foretoken::scenario::Scenario;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(problems) = Scenario::from_json(text) {
        assert!(!problems.is_empty());
    }
});
