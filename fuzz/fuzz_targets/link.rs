//! Any text is read as a link, with a bounded number of problems.
#![no_main]

use foretoken::scenario::link::{MAX_PAIRS, decode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|link: &str| {
    let decoded = decode(link);
    assert!(decoded.problems.len() <= 3 * MAX_PAIRS + 3);
});
