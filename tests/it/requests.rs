//! Requests with images or audio, for the tests of both encoders.

use foretoken::inference::InferenceLoad;
use foretoken::scenario::{Choice, Scenario, View};
use foretoken::serving::InferenceEstimate;

pub(crate) fn asked(model: &str, load: impl FnOnce(&mut InferenceLoad)) -> Scenario {
    let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
    scenario.model = Choice::Named(model.to_owned());
    let asked = &mut scenario.inference;
    (asked.tensor, asked.input, asked.output) = (1, 256, 64);
    load(asked);
    scenario
}

pub(crate) fn estimate(scenario: &Scenario) -> InferenceEstimate {
    scenario.inference().unwrap_or_else(|problems| panic!("{}", problems[0]))
}

/// Kinds of loads.
pub(crate) const LOADS: [fn(&mut InferenceLoad); 4] = [
    |_| {},
    |load| load.concurrency = 16,
    |load| load.rate = 2.0,
    |load| (load.rate, load.requests) = (2.0, 50),
];
