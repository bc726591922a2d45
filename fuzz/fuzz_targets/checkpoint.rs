//! Any bytes are read as the header of a checkpoint, or it is said what is wrong with them.
#![no_main]

use foretoken::scenario::{Scenario, checkpoint};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(Err(problems)) = checkpoint::import(&Scenario::default(), bytes) {
        assert!(!problems.is_empty());
    }
});
