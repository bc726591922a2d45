//! Korthikanti et al. 2022 (arXiv 2205.05198): activation and state memory to the printed digits.

use crate::published::with_job;
use foretoken::catalog;
use foretoken::plan::Plan;
use foretoken::published::runs::megatron;
use foretoken::workload::Recompute;

/// Equal to the last digit that the paper prints.
#[track_caller]
fn printed(actual: f64, expected: f64, digits: i32) {
    let unit = libm::pow(10.0, -f64::from(digits));
    assert!((actual - expected).abs() <= 0.5 * unit * 1.000_001, "{actual} is not {expected}");
}

#[test]
fn activations_to_the_printed_digits() {
    for case in megatron() {
        let tensor = Plan { sequence_parallel: false, recompute: Recompute::None, ..case.plan };
        with_job(&case, tensor, |job| printed(job.activations().to_gib(), case.tensor_gib, 4));
        with_job(&case, case.plan, |job| printed(job.activations().to_gib(), case.selective_gib, 4));
    }
}

#[test]
fn activation_ratios_of_each_technique() {
    // Percent of the tensor-parallel activations: sequence parallelism, selective, both, full. The paper shows
    // these as bars; values read off a chart are good to a quarter of a percentage point.
    let legible = 0.25;
    for case in &megatron() {
        let activations = |sequence_parallel, recompute| {
            let plan = Plan { sequence_parallel, recompute, ..case.plan };
            with_job(case, plan, |job| job.activations().get())
        };
        let whole = activations(false, Recompute::None);
        let ratios = [
            activations(true, Recompute::None),
            activations(false, Recompute::Selective),
            activations(true, Recompute::Selective),
            activations(false, Recompute::Full),
        ];
        for (ratio, expected) in ratios.iter().zip(case.percent) {
            let percent = 100.0 * ratio / whole;
            assert!((percent - expected).abs() <= legible, "{percent} % is not {expected} %");
        }
    }
}

#[test]
fn weights_gradients_and_optimizer_state_to_the_printed_digits() {
    for case in megatron() {
        let architecture = catalog::architecture(case.id).expect("a catalogue model");
        // The paper counts 18 bytes for each of the 12 L h² matrix parameters.
        let matrices: f64 = architecture
            .layer_kinds()
            .map(|layer| f64::from(layer.count) * architecture.active_matrix_parameters(&layer))
            .sum();
        let per_gpu = matrices / f64::from(case.gpus);
        let memory = with_job(&case, case.plan, |job| job.memory());
        let state = memory.weights + memory.gradients + memory.optimizer;
        let bytes_per_parameter = 18.0;
        printed(bytes_per_parameter * per_gpu / f64::from(1 << 30), case.state_gib, 4);
        // The model adds norms, biases and the embedding, a small positive amount.
        assert!(
            state.to_gib() >= case.state_gib && state.to_gib() < 1.1 * case.state_gib + 2.0,
            "{}",
            case.id
        );
    }
}
