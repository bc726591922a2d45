//! Any text is read as a `config.json`, or it is said what is wrong with it.
#![no_main]

use foretoken::scenario::huggingface::architecture;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(problem) = architecture(text) {
        assert!(!problem.to_string().is_empty());
    }
});
