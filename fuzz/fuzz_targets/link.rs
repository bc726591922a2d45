//! Any text is read as a link, and what was read is what it then says.
#![no_main]

use foretoken::scenario::link::{MAX_BYTES, MAX_PAIRS, decode, encode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|link: &str| {
    let decoded = decode(link);
    assert!(decoded.problems.len() <= 3 * MAX_PAIRS + 3);
    let again = encode(&decoded.scenario);
    assert!(again.len() <= MAX_BYTES);
    assert!(again.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+%=&".contains(&byte)));
    let read = decode(&again);
    assert_eq!(read.scenario, decoded.scenario, "{again}");
    assert_eq!(read.problems, [], "{again}");
    assert_eq!(encode(&read.scenario), again);
});
