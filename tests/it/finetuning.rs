//! Adapters, frozen weights in few bits, and optimizers of less state.

use foretoken::catalog;
use foretoken::scenario::{Choice, Scenario};
use foretoken::system::Precision;
use foretoken::training::{Framework, Gradients, Optimizer, TrainingEstimate};
use foretoken::units::Bytes;
use foretoken::workload::{Adapters, Recompute, Targets};

/// Llama 3.2 3B on one A100 with 80 GB: 4 sequences of 2,048 tokens.
fn alone(change: impl FnOnce(&mut Scenario)) -> TrainingEstimate {
    let mut scenario = Scenario { model: Choice::Named("llama-3.2-3b".to_owned()), ..Scenario::default() };
    scenario.system.accelerator = Choice::Named("a100-sxm-80gb".to_owned());
    scenario.system.gpus = 1;
    (scenario.parallelism.tensor, scenario.parallelism.pipeline) = (1, 1);
    scenario.parallelism.sequence_parallel = false;
    scenario.parallelism.microbatch = 4;
    (scenario.recipe.batch, scenario.recipe.sequence) = (4, 2048);
    // Without framework overheads, memory is that of the tensors alone.
    scenario.recipe.framework = Framework::None;
    change(&mut scenario);
    scenario.training().unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn adapted(scenario: &mut Scenario) {
    scenario.recipe.frozen = true;
}

#[test]
fn adapters_have_the_published_number_of_parameters() {
    // Llama 3.2 3B, rank 16. All projections of attention: 28 x 16 x (2 x (3072 + 3072) + 2 x (3072 + 1024)), which is
    // also what PEFT counts with rank 32 on queries and values. With the feed-forward blocks: what Unsloth prints.
    let model = catalog::architecture("llama-3.2-3b").expect("a model of the catalogue");
    let count = |targets| {
        let scenario = Scenario { model: Choice::Named("llama-3.2-3b".to_owned()), ..Scenario::default() };
        let mut scenario = scenario;
        scenario.system.gpus = 1;
        (scenario.parallelism.tensor, scenario.parallelism.pipeline) = (1, 1);
        scenario.parallelism.sequence_parallel = false;
        scenario
            .with_training(|job| {
                let shard = job.shard();
                let adapters = Adapters { rank: 16, targets };
                model
                    .layer_kinds()
                    .map(|layer| f64::from(layer.count) * shard.adapter_parameters(&layer, adapters))
                    .sum::<f64>()
            })
            .unwrap_or_else(|problems| panic!("{problems:?}"))
    };
    assert!((count(Targets::Attention) - 9_175_040.0).abs() < 0.5);
    assert!((count(Targets::Linear) - 24_313_856.0).abs() < 0.5);
}

#[test]
fn only_adapters_have_gradients_and_state() {
    let estimate = alone(adapted);
    assert_eq!(estimate.memory.gradients, Bytes::new(4.0 * 24_313_856.0));
    assert_eq!(estimate.memory.optimizer, Bytes::new(12.0 * 24_313_856.0));
    assert!(estimate.step < alone(|_| {}).step);
}

#[test]
fn mfu_counts_no_gradients_of_frozen_weights() {
    // With attention's own backward pass between 2/3 and 1.
    let (all, frozen) = (alone(|_| {}), alone(adapted));
    let ratio = frozen.model_flops / all.model_flops;
    assert!((0.66..0.72).contains(&ratio), "{ratio}");
    assert!(frozen.mfu <= 1.0 && frozen.mfu_causal <= frozen.mfu);
}

#[test]
fn weights_in_few_bits_save_memory_and_cost_time() {
    let (wide, narrow) = (alone(adapted), {
        alone(|scenario| {
            adapted(scenario);
            scenario.recipe.base = Precision::Int4;
        })
    });
    // The matrices of 28 layers: 2 x 3072² + 2 x 3072 x 1024 + 3 x 3072 x 8192 each.
    let matrices = 28.0 * (2.0 * 3072.0 * 3072.0 + 2.0 * 3072.0 * 1024.0 + 3.0 * 3072.0 * 8192.0);
    let saved = (Bytes::new(2.0) - Precision::Int4.element()) * matrices;
    assert!(((wide.memory.weights - narrow.memory.weights) / saved - 1.0).abs() < 1e-9);
    assert!(narrow.step > wide.step);
}

/// As in MLPerf's runs with `fp8_params`.
#[test]
fn weights_in_the_format_of_the_multiplies_are_not_unpacked() {
    let unpacks = |precision| {
        let estimate = alone(|scenario| {
            adapted(scenario);
            scenario.system.accelerator = Choice::Named("h100-sxm".to_owned());
            (scenario.recipe.base, scenario.recipe.precision) = (Precision::Fp8, precision);
        });
        estimate.operators.iter().any(|row| row.name == "Unpacking of weights")
    };
    assert!(unpacks(Precision::Bf16) && !unpacks(Precision::Fp8));
}

#[test]
fn frozen_blocks_without_adapters_keep_no_inputs() {
    let kept = |targets| {
        let estimate = alone(|scenario| {
            adapted(scenario);
            scenario.recipe.targets = targets;
        });
        estimate.memory.activations
    };
    // 28 layers of 8,192 tokens keep neither the norm's output nor the activation function's.
    let inputs = Bytes::new(28.0 * 8192.0 * (3072.0 + 8192.0) * 2.0);
    assert!(((kept(Targets::Linear) - kept(Targets::Attention)) / inputs - 1.0).abs() < 1e-9);
}

#[test]
fn an_optimizer_of_less_state_takes_less_memory_and_time() {
    let of = |optimizer| alone(|scenario| scenario.recipe.optimizer = optimizer);
    let order = [Optimizer::Adam, Optimizer::Momentum, Optimizer::Adam16, Optimizer::Adam8, Optimizer::Plain];
    for pair in order.windows(2) {
        let (more, less) = (of(pair[0]), of(pair[1]));
        assert!(less.memory.optimizer < more.memory.optimizer, "{pair:?}");
        assert!(less.step < more.step, "{pair:?}");
    }
}

#[test]
fn gradients_are_freed_in_a_step_of_one_microbatch_alone() {
    let gradients = |batch| {
        let estimate = alone(|scenario| {
            scenario.recipe.gradients = Gradients::Released;
            scenario.recipe.batch = batch;
        });
        estimate.memory.gradients
    };
    assert!(gradients(4) < gradients(8) * 0.15);
}

#[test]
fn an_8b_model_is_adapted_on_a_card_of_24_gb() {
    let question = |change: fn(&mut Scenario)| {
        let mut scenario =
            Scenario { model: Choice::Named("llama-3.1-8b".to_owned()), ..Scenario::default() };
        scenario.system.accelerator = Choice::Named("rtx-4090".to_owned());
        scenario.system.gpus = 1;
        (scenario.parallelism.tensor, scenario.parallelism.pipeline) = (1, 1);
        scenario.parallelism.sequence_parallel = false;
        scenario.parallelism.microbatch = 2;
        scenario.parallelism.recompute = Recompute::Full;
        (scenario.recipe.batch, scenario.recipe.sequence) = (2, 2048);
        change(&mut scenario);
        scenario.with_training(|job| job.memory().fits()).unwrap_or_else(|problems| panic!("{problems:?}"))
    };
    assert!(!question(|_| {}));
    assert!(question(adapted));
}
