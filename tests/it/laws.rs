//! Laws for any plan and device: work is conserved, and more hardware never hurts.

use foretoken::catalog;
use foretoken::inference::{EngineOverheads, InferenceJob, InferenceLoad, Phase};
use foretoken::plan::Plan;
use foretoken::scenario::{Choice, Scenario, SystemChoice, View};
use foretoken::system::{AssumptionSet, Precision, System, Work};
use foretoken::training::{TrainingJob, TrainingRecipe};
use foretoken::units::{Bytes, Flops, Seconds};
use foretoken::workload::flops::ForwardFlops;
use foretoken::workload::{AttentionKernel, Operator, Recompute};
use proptest::prelude::*;

const MODELS: [&str; 6] =
    ["gpt-3-175b", "llama-2-70b", "llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", "gpt-oss-120b"];
const DEVICES: [&str; 6] = ["a100-sxm-80gb", "h100-sxm", "h200-sxm", "b200", "mi300x", "tpu-v5p"];

fn scenarios() -> impl Strategy<Value = Scenario> {
    let model = proptest::sample::select(&MODELS[..]);
    let device = proptest::sample::select(&DEVICES[..]);
    let degrees = (0u32..4, 0u32..4, 0u32..5, 0u32..3);
    let recompute = proptest::sample::select(&[Recompute::None, Recompute::Selective, Recompute::Full][..]);
    (model, device, degrees, recompute, any::<bool>(), 1u32..5).prop_map(
        |(model, device, (tensor, pipeline, data, microbatch), recompute, sequence_parallel, rounds)| {
            let (tensor, pipeline, data) = (1 << tensor, 1 << pipeline, 1 << data);
            let microbatch = 1 << microbatch;
            Scenario {
                model: Choice::Named(model.to_owned()),
                system: SystemChoice {
                    accelerator: Choice::Named(device.to_owned()),
                    gpus: tensor * pipeline * data,
                    // Memory is not what these laws are about.
                    dram_gib: Some(1e5),
                    ..SystemChoice::default()
                },
                parallelism: Plan {
                    tensor,
                    pipeline,
                    microbatch,
                    recompute,
                    sequence_parallel,
                    ..Plan::default()
                },
                recipe: TrainingRecipe {
                    batch: data * microbatch * pipeline * rounds,
                    sequence: 2048,
                    ..TrainingRecipe::default()
                },
                inference: InferenceLoad { tensor, batch: rounds, ..InferenceLoad::default() },
                ..Scenario::default()
            }
        },
    )
}

/// FLOPs of all matrix work that a job's operators do in one step on all GPUs.
fn counted(job: &TrainingJob<'_>) -> Flops {
    let shard = job.shard();
    let mut flops = Flops::ZERO;
    let mut add = |operator: &Operator, count: f64| {
        if let Work::Matmul(matmul) = operator.work {
            flops += matmul.flops() * count;
        }
    };
    let mut both = |operator: &Operator, count: f64| {
        add(operator, count);
        operator.backward(false, &mut |gradient| add(&gradient, count));
    };
    for layer in job.architecture.layer_kinds() {
        shard.forward(&layer, &mut |operator| both(&operator, f64::from(layer.count)));
    }
    shard.head(shard.tokens(), &mut |operator| both(&operator, 1.0));
    flops * (f64::from(job.plan.tensor) * f64::from(job.data_parallel()) * f64::from(job.microbatches()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn matrix_flops_are_conserved_by_sharding(scenario in scenarios()) {
        let mut scenario = scenario;
        scenario.recipe.attention = AttentionKernel::Unfused;
        let _ = scenario.with_training(|job| {
            // Routers and latent down-projections are repeated on every member of the tensor group; key-value
            // heads too once there are fewer than members.
            let whole = job.architecture.moe.is_none()
                && job.architecture.mla.is_none()
                && job.plan.tensor <= job.architecture.kv_heads
                && job.architecture.window.is_none();
            if whole {
                let forward = ForwardFlops::of(job.architecture, f64::from(job.recipe.sequence));
                let expected = forward.model() * f64::from(job.recipe.batch);
                let ratio = counted(job) / expected;
                assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
            }
        });
    }

    #[test]
    fn terms_add_up_and_bounds_hold(scenario in scenarios()) {
        if let Ok(estimate) = scenario.training() {
            let sum: Seconds = estimate.terms.iter().map(|term| term.time).sum();
            prop_assert!((sum / estimate.step - 1.0).abs() < 1e-12);
            prop_assert!(estimate.mfu > 0.0 && estimate.mfu < 1.0 && estimate.hfu >= estimate.mfu);
            for row in &estimate.operators {
                let cost = &row.cost;
                let parts = [cost.compute, cost.dram, cost.l2, cost.network, cost.launch];
                let largest = parts.into_iter().fold(Seconds::ZERO, Seconds::max);
                let sum: Seconds = parts.into_iter().sum();
                prop_assert!(cost.time >= largest * 0.999_999, "{} is faster than its largest part", row.name);
                prop_assert!(cost.time <= sum * 1.6, "{} takes longer than its parts", row.name);
                prop_assert!(cost.time.get().is_finite());
            }
        }
    }

    #[test]
    fn better_hardware_is_never_slower(scenario in scenarios(), factor in 1.01f64..8.0) {
        let improve = |change: fn(&mut System, f64)| {
            let better = scenario.with_training(|job| {
                let mut system = job.system.clone();
                change(&mut system, factor);
                let faster = TrainingJob { system: &system, ..*job };
                (job.step(), faster.step())
            });
            if let Ok((before, after)) = better {
                assert!(after <= before * 1.000_001, "{before:?} became {after:?}");
            }
            let serving = scenario.with_inference(|job| {
                let mut system = job.system.clone();
                change(&mut system, factor);
                let faster = InferenceJob { system: &system, ..*job };
                [Phase::Prefill, Phase::Decode].map(|phase| (job.time(phase), faster.time(phase)))
            });
            for (before, after) in serving.into_iter().flatten() {
                assert!(after <= before * 1.000_001, "{before:?} became {after:?}");
            }
        };
        improve(|system, factor| system.device.dram = system.device.dram * factor);
        improve(|system, factor| {
            system.device.matrix = system.device.matrix.map(|rate| rate.map(|rate| rate * factor));
        });
        improve(|system, factor| system.device.vector = system.device.vector * factor);
        improve(|system, factor| system.network.scale_up = system.network.scale_up * factor);
        improve(|system, factor| system.network.scale_out = system.network.scale_out * factor);
    }

    #[test]
    fn ideal_is_a_lower_bound(scenario in scenarios()) {
        let ideal = Scenario { assumptions: AssumptionSet::Ideal, ..scenario.clone() };
        let step = |scenario: &Scenario| scenario.with_training(|job| job.step());
        if let (Ok(real), Ok(bound)) = (step(&scenario), step(&ideal)) {
            prop_assert!(bound < real, "{bound:?} is not below {real:?}");
        }
    }

    #[test]
    fn recomputation_trades_time_for_memory(scenario in scenarios()) {
        let with = |recompute| {
            let mut scenario = scenario.clone();
            scenario.recipe.attention = AttentionKernel::Unfused;
            scenario.parallelism.recompute = recompute;
            scenario.with_training(|job| (job.step(), job.activations()))
        };
        if let (Ok(none), Ok(selective), Ok(full)) =
            (with(Recompute::None), with(Recompute::Selective), with(Recompute::Full))
        {
            // More recomputation hides more gradient traffic, at best as much as it adds.
            prop_assert!(none.0 <= selective.0 * 1.000_001 && selective.0 <= full.0 * 1.000_001);
            prop_assert!(none.1 >= selective.1 && none.1 >= full.1);
        }
    }

    #[test]
    fn longer_answers_and_larger_batches_take_longer(scenario in scenarios()) {
        let mut longer = scenario.clone();
        longer.inference.output *= 2;
        let mut wider = scenario.clone();
        wider.inference.batch *= 2;
        let latency = |scenario: &Scenario| {
            scenario.with_inference(|job| job.latency(job.time(Phase::Prefill), job.time(Phase::Decode)))
        };
        if let (Ok(once), Ok(longer), Ok(wider)) = (latency(&scenario), latency(&longer), latency(&wider)) {
            prop_assert!(longer > once);
            prop_assert!(wider >= once * 0.98, "{once:?} became {wider:?}");
        }
    }
}

#[test]
fn decode_reads_the_weights_and_the_cache() {
    let architecture = catalog::architecture("llama-2-7b").expect("a catalogue model");
    let accelerator = catalog::accelerator("h100-sxm").expect("a catalogue device");
    let system = System::new(accelerator, AssumptionSet::Calibrated);
    let load = InferenceLoad { input: 1000, output: 2, batch: 1, tensor: 1, ..InferenceLoad::default() };
    let overheads = EngineOverheads::NONE;
    let job = InferenceJob { architecture, system: &system, load: &load, overheads, draft: None };
    let estimate = job.estimate();
    let matrices: Bytes = estimate
        .decode
        .iter()
        .filter(|row| row.shape.contains('×') && !row.name.contains("core"))
        .map(|row| row.cost.bytes * row.count)
        .sum();
    let embedding = f64::from(architecture.vocab) * f64::from(architecture.hidden);
    let weights = (architecture.parameters().total as f64 - embedding) * 2.0;
    assert!((matrices.get() / weights - 1.0).abs() < 0.01, "{} for {weights}", matrices.get());
    let cache: Bytes = estimate
        .decode
        .iter()
        .filter(|row| row.name == "Attention core")
        .map(|row| row.cost.bytes * row.count)
        .sum();
    let expected = job.kv_bytes_per_token().get() * 1001.0;
    assert!((cache.get() / expected - 1.0).abs() < 0.01, "{} for {expected}", cache.get());
}

#[test]
fn quantised_weights_are_smaller_and_faster() {
    let scenario = |precision| Scenario {
        view: View::Inference,
        model: Choice::Named("llama-2-70b".to_owned()),
        inference: InferenceLoad { precision, tensor: 4, batch: 16, ..InferenceLoad::default() },
        ..Scenario::default()
    };
    let sixteen = scenario(Precision::Bf16).inference().expect("an answer");
    let eight = scenario(Precision::Fp8).inference().expect("an answer");
    assert!(eight.tpot < sixteen.tpot);
    assert!(eight.memory.weights < sixteen.memory.weights);
    assert!(eight.largest_batch > sixteen.largest_batch);
}

#[test]
fn the_largest_batch_fits_and_no_larger_one() {
    for link in [
        "model=llama-3.1-8b&gpu=h100-sxm&serve.tp=1",
        "model=llama-3.1-8b&gpu=h100-sxm&serve.tp=1&serve.engine=vllm&serve.in=32000",
        "model=llama-3.1-8b&gpu=rtx-3090&serve.tp=1&serve.precision=q4_k_m&serve.engine=llamacpp&serve.in=512&serve.out=128",
        "model=deepseek-v3&gpu=h200-sxm&serve.tp=8&serve.precision=fp8block&serve.engine=trtllm&serve.in=20000",
        "model=qwen2.5-vl-7b&gpu=h100-sxm&serve.tp=1&serve.engine=sglang&serve.images=2",
    ] {
        let scenario = foretoken::scenario::link::decode(&format!("v=1&view=inference&{link}")).scenario;
        let largest = scenario.inference().expect("an answer").largest_batch;
        let fits = |batch| scenario.with_inference(|job| job.fits(batch)).expect("a job");
        assert!(fits(largest) && !fits(largest + 1), "{link}: {largest}");
    }
}

#[test]
fn a_scheduler_divides_the_prompts_of_a_batch_over_steps() {
    let fits = |link: &str| {
        foretoken::scenario::link::decode(&format!("v=1&view=inference&{link}")).scenario.inference()
    };
    // Weights of 5.5 GB, keys and values of 8.5 GB and the activations of 8,192 tokens, in 24 GiB.
    let long = "model=llama-3.1-8b&gpu=rtx-4090&serve.tp=1&serve.precision=awq&serve.kv=fp8&serve.in=130000&serve.out=256";
    assert!(fits(long).is_err());
    assert!(fits(&format!("{long}&serve.engine=vllm")).is_ok());
    assert!(fits(&format!("{long}&serve.engine=vllm&serve.concurrency=1")).is_ok());
}

#[test]
fn a_message_says_how_a_fraction_was_read() {
    let problems = foretoken::scenario::link::decode("v=1&cost.power=60").scenario.problems();
    let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["economics.power_share: must be between 1 and 100 %, not 6,000 %"]);
}

#[test]
fn impossible_numbers_are_named() {
    let check = |link: &str, field: &str| {
        let scenario = foretoken::scenario::link::decode(link).scenario;
        let problems = scenario.problems();
        assert!(problems.iter().any(|problem| problem.field == field), "{link}: {problems:?}");
    };
    check("v=1&tp=0", "parallelism.tensor");
    check("v=1&tp=7", "parallelism.tensor");
    check("v=1&pp=99", "parallelism.pipeline");
    check("v=1&gpus=100", "system.gpus");
    check("v=1&batch=7", "recipe.batch");
    check("v=1&gpu=a100-sxm-80gb&precision=fp8", "recipe.precision");
    check("v=1&model=llama-3.1-405b&tp=1&pp=1&gpus=8", "parallelism.pipeline");
    check("v=1&view=inference&serve.tp=1&model=llama-3.1-405b", "inference.tensor");
}
