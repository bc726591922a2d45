//! Korthikanti et al. 2022 (arXiv 2205.05198): activation and state memory to the printed digits, and the
//! eight step times of Table 5 on A100.

use foretoken::catalog;
use foretoken::estimate::training::{TrainingJob, TrainingRecipe};
use foretoken::plan::{Plan, Recompute};
use foretoken::system::{AssumptionSet, System};
use foretoken::workload::AttentionKernel;

/// A model of the paper: plan, and what the paper prints.
struct Case {
    id: &'static str,
    plan: Plan,
    gpus: u32,
    batch: u32,
    /// Weights, gradients and optimizer state of the layers' matrices, GiB.
    state_gib: f64,
    /// Activations with tensor parallelism alone, GiB.
    tensor_gib: f64,
    /// Activations with sequence parallelism and selective recomputation, GiB.
    selective_gib: f64,
    /// Step with full recomputation, then with sequence parallelism and selective recomputation, s.
    seconds: [f64; 2],
}

fn plan(pipeline: u32, interleave: u32, microbatch: u32) -> Plan {
    Plan { tensor: 8, pipeline, interleave, microbatch, zero: 0, ..Plan::default() }
}

fn cases() -> [Case; 4] {
    let case = |id, plan: Plan, batch, memory: [f64; 3], seconds| Case {
        id,
        plan,
        gpus: 8 * plan.pipeline,
        batch,
        state_gib: memory[0],
        tensor_gib: memory[1],
        selective_gib: memory[2],
        seconds,
    };
    [
        case("megatron-22b", plan(1, 1, 4), 4, [45.5625, 59.25, 9.5625], [1.42, 1.10]),
        case("megatron-175b", plan(8, 3, 1), 64, [45.5625, 66.84375, 12.3516], [18.13, 13.75]),
        case("megatron-530b", plan(35, 3, 1), 280, [31.6406, 114.0234, 23.0762], [49.05, 37.83]),
        case("megatron-1t", plan(64, 1, 1), 512, [32.9590, 131.25, 26.5625], [94.42, 71.49]),
    ]
}

fn recipe(batch: u32) -> TrainingRecipe {
    TrainingRecipe {
        batch,
        sequence: 2048,
        attention: AttentionKernel::Unfused,
        dropout: true,
        ..TrainingRecipe::default()
    }
}

/// Calls `check` with the case's job under another plan.
fn with_job<T>(case: &Case, plan: Plan, check: impl FnOnce(&TrainingJob<'_>) -> T) -> T {
    let architecture = catalog::architecture(case.id).expect("a catalogue model");
    let accelerator = catalog::accelerator("a100-sxm-80gb").expect("a catalogue device");
    let system = System::new(accelerator, AssumptionSet::Calibrated);
    let recipe = recipe(case.batch);
    plan.check(architecture, case.gpus, case.batch, recipe.sequence).expect("the paper's plan obeys the laws");
    check(&TrainingJob { architecture, system: &system, plan: &plan, recipe: &recipe, gpus: case.gpus })
}

/// Equal to the last digit that the paper prints.
#[track_caller]
fn printed(actual: f64, expected: f64, digits: i32) {
    let unit = 10f64.powi(-digits);
    assert!((actual - expected).abs() <= 0.5 * unit * 1.000_001, "{actual} is not {expected}");
}

#[test]
fn activations_to_the_printed_digits() {
    for case in cases() {
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
    let expected = [
        [66.84, 49.42, 16.18, 7.64],
        [62.04, 56.53, 18.49, 8.71],
        [58.31, 62.04, 20.27, 9.42],
        [58.31, 62.04, 20.27, 9.42],
    ];
    for (case, expected) in cases().iter().zip(expected) {
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
        for (ratio, expected) in ratios.iter().zip(expected) {
            let percent = 100.0 * ratio / whole;
            assert!((percent - expected).abs() <= legible, "{percent} % is not {expected} %");
        }
    }
}

#[test]
fn weights_gradients_and_optimizer_state_to_the_printed_digits() {
    for case in cases() {
        let architecture = catalog::architecture(case.id).expect("a catalogue model");
        // The paper counts 18 bytes for each of the 12 L h² matrix parameters.
        let matrices: f64 = architecture
            .layer_kinds()
            .into_iter()
            .map(|(kind, layers)| f64::from(layers) * architecture.matrix_parameters(kind.experts))
            .sum();
        let per_gpu = matrices / f64::from(case.gpus);
        let memory = with_job(&case, case.plan, |job| job.memory());
        let state = memory.weights + memory.gradients + memory.optimizer;
        let bytes_per_parameter = 18.0;
        printed(bytes_per_parameter * per_gpu / f64::from(1 << 30), case.state_gib, 4);
        // What the model reports adds norms, biases and the embedding: little, and never less.
        assert!(state.to_gib() >= case.state_gib && state.to_gib() < 1.1 * case.state_gib + 2.0, "{}", case.id);
    }
}

#[test]
fn step_times_of_table_5() {
    let mut errors = Vec::new();
    for case in cases() {
        let full = Plan { sequence_parallel: false, recompute: Recompute::Full, ..case.plan };
        for (plan, measured) in [full, case.plan].into_iter().zip(case.seconds) {
            let predicted = with_job(&case, plan, |job| job.step().get());
            let error = predicted / measured - 1.0;
            println!(
                "{:14} {:9?} predicted {predicted:6.2} s, measured {measured:6.2} s, error {:+.1} %",
                case.id,
                plan.recompute,
                100.0 * error
            );
            errors.push(error);
        }
    }
    let mean = errors.iter().map(|error| error.abs()).sum::<f64>() / errors.len() as f64;
    println!("mean absolute error {:.2} % over {} steps", 100.0 * mean, errors.len());
    for error in errors {
        assert!(error.abs() <= 0.08, "an error of {:+.1} % is above 8 %", 100.0 * error);
    }
}
