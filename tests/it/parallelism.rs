//! Effects of each kind of parallelism on time and memory.

use foretoken::catalog;
use foretoken::plan::Schedule;
use foretoken::scenario::{Choice, Scenario};
use foretoken::system::{AllReduce, AssumptionSet, Collective, Group, Operation, Precision, System, Work};
use foretoken::training::{Framework, TrainingEstimate};
use foretoken::units::{Bytes, Seconds};
use foretoken::workload::AttentionKernel;

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a method path is not general enough over the job's lifetime"
)]
fn ask(change: impl FnOnce(&mut Scenario)) -> TrainingEstimate {
    let mut scenario = Scenario::default();
    scenario.system.gpus = 64;
    scenario.parallelism.pipeline = 1;
    change(&mut scenario);
    scenario.with_training(|job| job.estimate()).unwrap()
}

fn term(estimate: &TrainingEstimate, id: &str) -> Seconds {
    estimate.terms.iter().find(|term| term.id == id).map_or(Seconds::ZERO, |term| term.time)
}

fn experts(scenario: &mut Scenario) {
    scenario.model = Choice::Named("mixtral-8x7b".to_owned());
    (scenario.parallelism.tensor, scenario.parallelism.expert_tensor) = (1, Some(1));
    scenario.parallelism.expert = 8;
}

#[test]
fn zero_shards_one_state_after_another() {
    let memory =
        |zero| ask(|scenario| (scenario.parallelism.tensor, scenario.parallelism.zero) = (1, zero)).memory;
    let [none, one, two, three] = [0, 1, 2, 3].map(memory);
    assert!(one.optimizer < none.optimizer && one.gradients == none.gradients);
    assert!(two.gradients < one.gradients && two.weights == one.weights);
    assert!(three.weights < two.weights);
    let grouped = ask(|scenario| {
        scenario.parallelism.tensor = 1;
        (scenario.parallelism.zero, scenario.parallelism.shard_group) = (3, Some(8));
    });
    assert!(grouped.memory.weights > three.weights && grouped.memory.weights < two.weights);
}

#[test]
fn nanotron_reduces_gradients_in_its_own_way() {
    let communication = |framework, zero, overlap| {
        let estimate = ask(|scenario| {
            (scenario.parallelism.tensor, scenario.parallelism.zero) = (8, zero);
            (scenario.recipe.framework, scenario.parallelism.data_overlap) = (framework, overlap);
        });
        term(&estimate, "data_parallel")
    };
    // Under ZeRO-1 nothing is overlapped. An all-reduce in 32 bits and an all-gather in 16 move 10 bytes per parameter, a
    // reduce-scatter and an all-gather 6.
    let [whole, overlapped] = [false, true].map(|overlap| communication(Framework::Nanotron, 1, overlap));
    assert_eq!(whole, overlapped);
    assert!(whole > communication(Framework::Nemo, 1, false) * 1.3);
    assert!(communication(Framework::Nemo, 1, true) < communication(Framework::Nemo, 1, false));
    // Without ZeRO the backward pass hides its buckets.
    assert!(communication(Framework::Nanotron, 0, true) < communication(Framework::Nanotron, 0, false) * 0.9);
}

/// The fused softmax requires a multiple of four heads × sequences.
#[test]
fn other_numbers_of_heads_take_a_softmax_of_several_kernels() {
    let kernels = |microbatch, attention| {
        let estimate = ask(|scenario| {
            scenario.model = Choice::Named("gpt-3-large-760m".to_owned());
            (scenario.parallelism.tensor, scenario.parallelism.microbatch) = (8, microbatch);
            scenario.recipe.attention = attention;
        });
        estimate.operators.iter().filter(|row| row.name.starts_with("Score ")).count()
    };
    assert_eq!(kernels(2, AttentionKernel::Unfused), 0);
    assert!(kernels(1, AttentionKernel::Unfused) > 0);
    assert_eq!(kernels(1, AttentionKernel::Flash), 0);
}

#[test]
fn sharded_weights_cost_traffic_for_every_microbatch() {
    let communication = |zero, batch| {
        let estimate = ask(|scenario| {
            (scenario.parallelism.tensor, scenario.parallelism.zero) = (1, zero);
            (scenario.recipe.batch, scenario.parallelism.data_overlap) = (batch, false);
        });
        term(&estimate, "data_parallel")
    };
    assert_eq!(communication(1, 64), communication(1, 256));
    assert!((communication(3, 256) / communication(3, 64) - 4.0).abs() < 1e-9);
}

#[test]
fn a_context_group_divides_tokens_and_hides_its_ring() {
    let long = |context| {
        ask(|scenario| {
            (scenario.recipe.sequence, scenario.recipe.batch) = (131_072, 8);
            scenario.parallelism.context = context;
        })
    };
    let (whole, parts) = (long(1), long(8));
    assert!(parts.memory.activations < whole.memory.activations * 0.2);
    // Eight times the GPUs work on each sequence, and the batch has as many sequences: an eighth of the time each.
    let ratio = parts.step / whole.step;
    assert!((0.9..1.3).contains(&ratio), "{ratio}");
    assert!(term(&parts, "context_parallel") < parts.step * 0.02);
}

#[test]
fn experts_spread_over_gpus_take_less_memory_and_more_traffic() {
    let spread = ask(experts);
    let together = ask(|scenario| {
        experts(scenario);
        scenario.parallelism.expert = 1;
    });
    assert!(spread.memory.weights < together.memory.weights * 0.5);
    assert!(term(&spread, "expert_parallel") > Seconds::ZERO);
    assert_eq!(term(&together, "expert_parallel"), Seconds::ZERO);
}

#[test]
fn an_all_to_all_pays_for_what_leaves_the_domain() {
    let system = System::new(catalog::accelerator("h100-sxm").unwrap(), AssumptionSet::Ideal);
    let time = |size| {
        let group = Group::strided(size, 1, 8);
        let operation = Operation::AllToAll;
        let bytes = Bytes::new(1e9);
        system
            .cost(&Work::Collective(Collective { operation, bytes, group, algorithm: AllReduce::Library }))
            .time
    };
    let out = Bytes::new(1e9 * 56.0 / 64.0) / system.network.scale_out;
    assert!((time(64) / out - 1.0).abs() < 1e-9);
    assert!(time(8) < time(16) * 0.5);
}

#[test]
fn frozen_weights_have_no_gradients() {
    let (all, adapters) = (ask(|_| {}), ask(|scenario| scenario.recipe.frozen = true));
    assert!(adapters.memory.gradients < all.memory.gradients * 0.02);
    let ratio = term(&adapters, "matmul") / term(&all, "matmul");
    // Two thirds of the multiplies, and those of the adapters, which are bound by memory.
    assert!((0.6..0.9).contains(&ratio), "{ratio}");
}

#[test]
fn overlap_hides_communication_and_software_adds_time() {
    let kernels = |scenario: &mut Scenario| scenario.recipe.framework = Framework::None;
    let plain = ask(kernels);
    let overlapped = ask(|scenario| {
        kernels(scenario);
        scenario.parallelism.tensor_overlap = true;
    });
    assert!(term(&overlapped, "tensor_parallel") < term(&plain, "tensor_parallel") * 0.5);
    for framework in Framework::ALL {
        assert!(ask(|scenario| scenario.recipe.framework = framework).step >= plain.step);
    }
}

/// All-to-alls hide behind the passes of other microbatches: all but those of the first and of the pipeline's filling. Only
/// schedules that alternate passes of different microbatches overlap them.
#[test]
fn all_to_alls_overlap_other_microbatches() {
    let travel = |change: &dyn Fn(&mut Scenario), expert_overlap| {
        let estimate = ask(|scenario| {
            experts(scenario);
            (scenario.recipe.framework, scenario.recipe.batch) = (Framework::None, 1024);
            change(scenario);
            scenario.parallelism.expert_overlap = expert_overlap;
        });
        (term(&estimate, "expert_parallel"), estimate.step)
    };
    // One stage with 16 microbatches; 4 stages of 8 chunks with 64, of which 6 + 28 chunks and one more fill the pipeline.
    let interleaved = |scenario: &mut Scenario| {
        (scenario.parallelism.pipeline, scenario.parallelism.interleave) = (4, 8);
    };
    for (change, exposed) in [
        (&(|_: &mut Scenario| {}) as &dyn Fn(&mut Scenario), 1.0 / 16.0),
        (&interleaved, 35.0 / (64.0 * 8.0)),
    ] {
        let (all, plain) = travel(change, false);
        let (rest, overlapped) = travel(change, true);
        assert!((rest / all - exposed).abs() < 1e-9, "{} {exposed}", rest / all);
        assert!(overlapped < plain && plain - overlapped <= all * 1.1);
    }
    let plain = |scenario: &mut Scenario| scenario.parallelism.pipeline = 4;
    assert_eq!(travel(&plain, true), travel(&plain, false));
    let gpipe = |scenario: &mut Scenario| scenario.parallelism.schedule = Schedule::Gpipe;
    assert_eq!(travel(&gpipe, true), travel(&gpipe, false));
}

/// Megatron-Bridge sends between chunks while it computes: only what fills and drains the pipeline is exposed.
#[test]
fn sends_between_chunks_overlap_computation() {
    let sent = |framework, interleave| {
        let estimate = ask(|scenario| {
            scenario.parallelism.pipeline = 4;
            (scenario.parallelism.interleave, scenario.recipe.framework) = (interleave, framework);
            scenario.recipe.batch = 128;
        });
        term(&estimate, "pipeline")
    };
    assert_eq!(sent(Framework::Nemo, 1), sent(Framework::None, 1));
    let (exposed, all) = (sent(Framework::Nemo, 8), sent(Framework::None, 8));
    // 64 microbatches over 8 chunks, of which 6 + 28 chunks fill the pipeline.
    assert!((exposed / all - 34.0 / 512.0).abs() < 1e-9, "{}", exposed / all);
}

#[test]
fn checks_delay_every_collective() {
    let with = |checks_us, change: &dyn Fn(&mut Scenario)| {
        ask(|scenario| {
            scenario.recipe.checks_us = checks_us;
            change(scenario);
        })
    };
    let alone = |scenario: &mut Scenario| {
        (scenario.system.gpus, scenario.parallelism.tensor) = (1, 1);
        scenario.model = Choice::Named("llama-3.2-1b".to_owned());
    };
    assert_eq!(with(330, &alone).step, with(0, &alone).step, "a GPU alone has no collectives");

    // With ZeRO-1 that communicates after the passes, one gather and one scatter over 8 replicas: 7 steps each.
    let replicas = |scenario: &mut Scenario| {
        (scenario.parallelism.tensor, scenario.parallelism.zero) = (8, 1);
        scenario.parallelism.data_overlap = false;
    };
    let data = |checks_us| term(&with(checks_us, &replicas), "data_parallel").get();
    assert!((data(1000) - data(0) - 2.0 * 7.0 * 1e-3).abs() < 1e-9);

    // The host waits before each tensor-parallel collective; slower checks delay it more.
    let host = |checks_us| term(&with(checks_us, &replicas), "host");
    assert!(host(0) < host(1000) && host(1000) < host(10_000));
}

#[test]
fn laws_name_what_cannot_be_cut() {
    let field = |change: fn(&mut Scenario)| {
        let mut scenario = Scenario::default();
        change(&mut scenario);
        scenario.training().unwrap_err().remove(0).field
    };
    assert_eq!(field(|scenario| scenario.parallelism.expert = 8), "parallelism.expert");
    assert_eq!(field(|scenario| scenario.parallelism.zero = 4), "parallelism.zero");
    assert_eq!(field(|scenario| scenario.parallelism.shard_group = Some(7)), "parallelism.shard_group");
    assert_eq!(
        field(|scenario| (scenario.parallelism.context, scenario.recipe.sequence) = (16, 8200)),
        "parallelism.context"
    );
}

#[test]
fn what_every_member_of_a_tensor_group_needs_is_not_divided() {
    let weights = |model: &str, tensor| {
        ask(|scenario| {
            scenario.model = Choice::Named(model.to_owned());
            (scenario.parallelism.tensor, scenario.parallelism.zero) = (tensor, 0);
        })
        .memory
        .weights
    };
    // Eight key-value heads of 128 under 8,192 columns, on sixteen GPUs: each head on two of them.
    let doubled = Bytes::new(2.0 * 80.0 * 2.0 * 8.0 * 128.0 * 8192.0 / 16.0);
    let halved = weights("llama-3.1-70b", 8) / 2.0;
    let norms = Bytes::new(160.0 * 8192.0);
    let sixteen = weights("llama-3.1-70b", 16);
    assert!((sixteen - halved - doubled - norms).get().abs() < 1.0, "{sixteen:?}");
}

/// Attention multiplies in 16 bits, also where the units for the recipe's format are slower.
#[test]
fn utilisation_refers_to_the_faster_of_the_formats_that_multiply() {
    let estimate = ask(|scenario| {
        scenario.model = Choice::Named("llama-3.1-8b".to_owned());
        scenario.system.accelerator = Choice::Named("b300".to_owned());
        (scenario.parallelism.tensor, scenario.parallelism.context) = (1, 64);
        (scenario.recipe.batch, scenario.recipe.sequence) = (1, 131_072);
        scenario.recipe.precision = Precision::Int8;
    });
    assert!(estimate.mfu_causal < 1.0 && estimate.mfu < 1.0, "{} {}", estimate.mfu_causal, estimate.mfu);
}

/// A run of fewer tokens than a step has takes one step.
#[test]
fn a_run_takes_at_least_one_step() {
    let estimate = ask(|scenario| scenario.recipe.tokens = 1.0);
    assert_eq!(estimate.run, estimate.step);
}
