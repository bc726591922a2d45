//! Any bytes are read as the header of a checkpoint; what describes a model can be linked to.
#![no_main]

use foretoken::scenario::link::{decode, encode};
use foretoken::scenario::{Scenario, checkpoint};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(Ok(scenario)) = checkpoint::import(&Scenario::default(), bytes) else { return };
    let decoded = decode(&encode(&scenario));
    assert_eq!(decoded.problems, []);
    assert_eq!(decoded.scenario, scenario);
});
