//! One request on one device, as people run models on their own machines.

use foretoken::catalog::{self, Class};
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
        // The compute units of GCN and CDNA read weights more slowly than their DRAM (`wide_cycle`).
        let wide = ["GCN", "CDNA"].iter().any(|family| device.architecture.starts_with(family));
        // The threads of a Xeon wait for each other in each multiply; llama.cpp uses one socket of two.
        let xeon = device.class == Class::Cpu && device.vendor == "Intel";
        let most = if wide || xeon { 12.0 } else { 2.5 } * f64::from(device.sockets);
        assert!(token < most * reading + BESIDE, "{}: {token} s, reads in {reading} s", device.id);
        seen += 1;
    }
    assert!(seen > 150, "{seen} devices");
}

/// Time per generated token of Llama 3.1 8B on one device.
fn token(device: &str, engine: Engine, precision: Precision) -> f64 {
    let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
    scenario.model = Choice::Named("llama-3.1-8b".to_owned());
    scenario.system.accelerator = Choice::Named(device.to_owned());
    scenario.system.gpus = 1;
    let load = &mut scenario.inference;
    (load.tensor, load.concurrency, load.input, load.output) = (1, 1, 128, 128);
    (load.precision, load.kv_precision, load.engine) = (precision, Precision::Fp16, engine);
    scenario.served().map_or(f64::NAN, |estimate| estimate.tpot.get())
}

/// Fewer bits per weight are never slower for one request, in the formats of GGUF and of MLX.
#[test]
fn narrower_files_generate_no_slower() {
    for (engine, is_own) in [
        (Engine::Llamacpp, Precision::is_gguf as fn(Precision) -> bool),
        (Engine::Mlx, Precision::is_mlx as fn(Precision) -> bool),
    ] {
        let mut formats: Vec<Precision> =
            Precision::ALL.into_iter().filter(|format| is_own(*format)).collect();
        formats.sort_by(|one, other| other.element().get().total_cmp(&one.element().get()));
        assert!(formats.len() > 5, "{}", engine.name());
        for device in ["apple-m3-ultra-80c", "apple-m4-max-40c"] {
            let times: Vec<f64> = formats.iter().map(|format| token(device, engine, *format)).collect();
            assert!(
                times.is_sorted_by(|wide, narrow| narrow <= wide),
                "{device}, {}: {times:?}",
                engine.name()
            );
        }
    }
}
