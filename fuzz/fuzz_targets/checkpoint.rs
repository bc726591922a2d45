//! Reads any bytes as the header of a checkpoint. A question with a model that was read survives a link unchanged.
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
