//! One request on one device, as people run models on their own machines.

use foretoken::catalog;
use foretoken::inference::Engine;
use foretoken::scenario::{Choice, Scenario, View};
use foretoken::system::Precision;

/// Bytes of Llama 3.1 8B in Q4_K_M.
const WEIGHTS: f64 = 4.9e9;

/// Upper bound of the time that kernels and the host add to a token beyond reading weights, s.
const BESIDE: f64 = 5e-3;

/// Reading the weights is what a token of a single request waits for, on every device.
#[test]
fn a_token_takes_as_long_as_reading_the_weights() {
    let mut seen = 0;
    for device in &catalog::catalog().accelerators {
        if device.dram.capacity_gib < 8.0 || device.id.starts_with("subramanian") {
            continue;
        }
        let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
        scenario.model = Choice::Named("llama-3.1-8b".to_owned());
        scenario.system.accelerator = Choice::Named(device.id.clone());
        scenario.system.gpus = 1;
        let load = &mut scenario.inference;
        (load.tensor, load.concurrency, load.input, load.output) = (1, 1, 128, 128);
        (load.precision, load.engine) = (Precision::Q4KM, Engine::Llamacpp);
        let Ok(estimate) = scenario.served() else { continue };
        let (token, reading) = (estimate.tpot.get(), WEIGHTS / (device.dram.bandwidth_gb_s * 1e9));
        assert!(token > 0.8 * reading, "{}: {token} s, reads in {reading} s", device.id);
        assert!(token < 2.5 * reading + BESIDE, "{}: {token} s, reads in {reading} s", device.id);
        seen += 1;
    }
    assert!(seen > 150, "{seen} devices");
}
