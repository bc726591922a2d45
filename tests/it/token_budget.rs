//! Tokens of a step (`max_num_batched_tokens`): what an engine that mixes prompts into decode steps serves at most.

use foretoken::inference::InferenceJob;
use foretoken::scenario::{Scenario, link};
use foretoken::serving::simulation::{Lengths, Reach, Reading};

/// A question of the Inference view, about vLLM unless it names another engine.
fn asked(rest: &str) -> Scenario {
    let engine = if rest.contains("engine=") { "" } else { "&serve.engine=vllm" };
    let decoded = link::decode(&format!("v=1&view=inference{engine}&{rest}"));
    assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
    decoded.scenario
}

fn with<T>(rest: &str, answer: impl Fn(&InferenceJob<'_>) -> T) -> T {
    asked(rest).with_inference(|job| answer(job)).expect("a job")
}

/// Deployments with long and short prompts.
const DEPLOYMENTS: [&str; 4] = [
    "model=llama-3.1-405b&gpu=h200-sxm&serve.tp=8&serve.precision=fp8&serve.kv=fp8&serve.in=2048&serve.out=128",
    "model=llama-3.1-70b&gpu=h100-sxm&serve.tp=4&serve.in=3000&serve.out=500",
    "model=llama-3.1-8b&gpu=h100-sxm&serve.tp=1&serve.in=4000&serve.out=200",
    "model=llama-3.1-8b&gpu=h100-sxm&serve.tp=2&serve.in=200&serve.out=400",
];

/// The mean-field answer and the simulation of the same deployment, from few requests to several times those that decode when
/// every step is full. vLLM reads prompts in parts, TensorRT-LLM whole ones.
#[test]
fn full_steps_limit_the_mean_as_much_as_the_simulation() {
    for deployment in DEPLOYMENTS {
        for (engine, budget) in [("vllm", 256), ("vllm", 512), ("vllm", 2048), ("trtllm", 4096)] {
            for load in [16, 64, 128, 256] {
                let rest = format!(
                    "serve.engine={engine}&{deployment}&serve.max_tokens={budget}&serve.concurrency={load}"
                );
                let (mean, found) = with(&rest, |job| {
                    (job.service(), job.simulation(Lengths::Constant, 3000).expect("a simulation").run())
                });
                let output = f64::from(asked(&rest).inference.output);
                let rates = mean.tokens_per_second / (output * found.rate);
                let tpots = mean.tpot / found.tpot.mean;
                assert!((0.93..1.08).contains(&rates), "{rest}: {rates} of the simulated tokens per second");
                assert!((0.92..1.08).contains(&tpots), "{rest}: {tpots} of the simulated TPOT");
            }
        }
    }
}

/// Each step of each group holds at most the budget, and takes at least as long as a decode step of one request. A closed loop
/// of many requests and the largest rate stay below.
#[test]
fn no_load_exceeds_the_tokens_of_steps() {
    for deployment in DEPLOYMENTS {
        for stages in [1, 4] {
            for budget in [64, 256, 512] {
                let rest = format!("{deployment}&serve.pp={stages}&serve.max_tokens={budget}");
                let tokens = with(&rest, |job| f64::from(job.load.input + job.load.output - 1));
                let fastest = with(&format!("{rest}&serve.concurrency=1"), |job| job.service().tpot.get());
                // A step of a request alone passes through all stages; a round holds a step of each group.
                let most = 1.02 * f64::from(stages * budget) / (fastest * tokens);
                let closed = with(&format!("{rest}&serve.concurrency=1000"), |job| {
                    job.service().tokens_per_second / f64::from(job.load.output)
                });
                let open = with(&format!("{rest}&serve.rate=0.01"), |job| job.largest_rate());
                for (name, rate) in [("closed", closed), ("open", open)] {
                    assert!(rate <= most, "{rest}, {name}: {rate} requests per second, at most {most}");
                }
            }
        }
    }
}

/// However many requests are in flight, they end at no more than the largest rate of an open loop.
#[test]
fn closed_loops_stay_below_the_largest_rate() {
    let mut wrong = Vec::new();
    for engine in ["vllm", "sglang", "trtllm", "llamacpp"] {
        for split in ["", "&serve.pp=2", "&serve.pp=4", "&serve.cp=2", "&serve.admission=8"] {
            for lengths in [(1000, 1), (1000, 8), (8000, 100), (32, 32)] {
                let rest = format!(
                    "model=llama-3.1-8b&gpu=h100-sxm&serve.tp=1&serve.engine={engine}{split}&serve.in={}&serve.out={}",
                    lengths.0, lengths.1
                );
                let most = with(&format!("{rest}&serve.rate=0.01"), |job| job.largest_rate());
                for load in [8, 64, 512, 4096] {
                    // Requests of one length keep the groups of a pipeline in step, so that they serve more.
                    let uniforms: &[&str] =
                        if split.contains("pp") { &[""] } else { &["", "&serve.uniform=true"] };
                    for uniform in uniforms {
                        let rest = format!("{rest}{uniform}&serve.concurrency={load}");
                        let rate =
                            with(&rest, |job| job.service().tokens_per_second / f64::from(job.load.output));
                        if rate > 1.1 * most {
                            wrong.push(format!("{rest}: {rate:.1} of {most:.1} per second"));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Prompts added to a decode step do not shorten it.
#[test]
fn a_step_with_prompts_is_not_shorter() {
    for deployment in DEPLOYMENTS {
        let pace =
            with(deployment, |job| job.pace(Reach { running: 512.0, context: 4096.0, tokens: 8704.0 }));
        for running in [1.0, 30.0, 200.0, 500.0] {
            let plain = pace.decode(running, 2000.0);
            for tokens in [1, 100, 1000] {
                let reading = Reading { prompts: 1, tokens, seen: 0.5 * f64::from(tokens * tokens) };
                let mixed = pace.mixed(reading, running, 2000.0);
                assert!(mixed >= plain, "{deployment}, {running} and {tokens}: {mixed} after {plain}");
            }
        }
    }
}

/// An engine of a compiled runtime keeps memory for the logits of the largest step it was built for, 24.4 bytes for each of its requests
/// and each token of the vocabulary. Of one batch it keeps that of its requests.
#[test]
fn compiled_engines_keep_memory_for_the_largest_step() {
    let reserve = |rest: &str| {
        let link = format!("model=llama-3.1-8b&gpu=h100-sxm&serve.engine=tensorrt&{rest}");
        with(&link, |job| job.memory(4).reserve.get())
    };
    let of = |requests: f64| 24.4 * requests * 128_256.0;
    let one = reserve("serve.batch=4") - of(4.0);
    for requests in [64, 2048] {
        let kept = reserve(&format!("serve.concurrency=8&serve.max_seqs={requests}")) - one;
        assert!((kept / of(f64::from(requests)) - 1.0).abs() < 1e-9, "{kept}");
    }
    // Otherwise the engine is built for the requests that fit.
    assert!((reserve("serve.concurrency=8") / one - 1.0).abs() < 1e-9);
}
