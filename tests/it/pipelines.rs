//! Pipeline stages in streams: they work on different groups of requests at once.

use foretoken::scenario::{Scenario, link};
use foretoken::serving::capacity::Service;
use foretoken::serving::simulation::{Lengths, Simulated};

/// A question of the Inference view.
fn asked(rest: &str) -> Scenario {
    let decoded = link::decode(&format!("v=1&view=inference&{rest}"));
    assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
    decoded.scenario
}

fn served(rest: &str) -> Service {
    asked(rest).with_inference(|job| job.service()).expect("an answer")
}

fn simulated(rest: &str, lengths: Lengths) -> Simulated {
    let run = |job: foretoken::inference::InferenceJob<'_>| {
        job.simulation(lengths, 2000).expect("a simulation").run()
    };
    asked(rest).with_inference(|job| run(*job)).expect("a job")
}

/// Output tokens per second with a number of stages, in the mean and in the simulation.
fn tokens(rest: &str, stages: u32) -> [f64; 2] {
    let rest =
        format!("model=llama-3.1-8b&gpu=h100-sxm&serve.engine=vllm&serve.out=500&{rest}&serve.pp={stages}");
    [served(&rest).tokens_per_second, 500.0 * simulated(&rest, Lengths::Uniform).rate]
}

#[test]
fn stages_work_on_different_groups_at_once() {
    let [one, two, four] = [1, 2, 4].map(|stages| tokens("serve.in=500&serve.concurrency=128", stages));
    for (one, (two, four)) in one.into_iter().zip(two.into_iter().zip(four)) {
        assert!(1.2 * one < two && two < 2.0 * one, "{one} {two}");
        assert!(1.1 * two < four && four < 2.0 * two, "{two} {four}");
    }
}

#[test]
fn a_request_alone_passes_through_one_stage_after_another() {
    for (one, four) in tokens("serve.in=500&serve.concurrency=1", 1)
        .into_iter()
        .zip(tokens("serve.in=500&serve.concurrency=1", 4))
    {
        assert!((0.9..=1.0).contains(&(four / one)), "{one} {four}");
    }
}

/// Llama 3.1 405B in FP8 on eight H200 under TensorRT-LLM: one request generates 5.6 times as many tokens per second with
/// tensor parallelism as with a pipeline, the largest throughput is 1.5 times as large with a pipeline (NVIDIA, "Boosting
/// Llama 3.1 405B Throughput by Another 1.5x on NVIDIA H200 Tensor Core GPUs and NVLink Switch", October 2024). No constant was
/// fitted to it.
#[test]
fn a_pipeline_gains_what_nvidia_published() {
    let most = |split: &str| {
        let mut most: [f64; 2] = [0.0; 2];
        for (load, lengths) in [("512", "1024"), ("1024", "2048")] {
            let rest = format!(
                "model=llama-3.1-405b&gpu=h200-sxm&serve.precision=fp8&serve.kv=fp8&serve.in=2048&serve.out=128\
                 &serve.engine=tensorrt&serve.concurrency={load}&serve.max_tokens={lengths}&{split}"
            );
            let found = [served(&rest).tokens_per_second, 128.0 * simulated(&rest, Lengths::Constant).rate];
            most = [most[0].max(found[0]), most[1].max(found[1])];
        }
        most
    };
    for (tensor, pipeline) in most("serve.tp=8").into_iter().zip(most("serve.tp=1&serve.pp=8")) {
        assert!((1.3..1.7).contains(&(pipeline / tensor)), "{tensor} {pipeline}");
    }
    let alone = |split: &str| {
        served(&format!(
            "model=llama-3.1-405b&gpu=h200-sxm&serve.precision=fp8&serve.kv=fp8&serve.in=2048&serve.out=128\
             &serve.engine=tensorrt&serve.concurrency=1&{split}"
        ))
    };
    let ratio = alone("serve.tp=1&serve.pp=8").tpot / alone("serve.tp=8").tpot;
    assert!((4.5..6.5).contains(&ratio), "{ratio}");
}

/// Prompts of some groups delay the others: at little load as much in the mean as in the simulation, at much more up to 1.7 times as
/// much.
#[test]
fn the_steady_state_of_a_pipeline_is_near_the_mean() {
    for rest in [
        "model=llama-3.1-70b&gpu=h100-sxm&serve.pp=4&serve.precision=fp8&serve.in=3000&serve.out=500",
        "model=llama-3.1-8b&gpu=h100-sxm&serve.pp=2&serve.in=1000&serve.out=200",
        "model=llama-3.1-70b&gpu=mi355x&serve.pp=4&serve.precision=fp4&serve.in=3000&serve.out=500&serve.workers=2",
        "model=qwen3-32b&gpu=b200&serve.tp=2&serve.pp=2&serve.in=500&serve.out=1000",
    ] {
        let rest = format!("serve.engine=vllm&{rest}");
        let largest = asked(&format!("{rest}&serve.rate=0.01")).with_inference(|job| job.largest_rate());
        for share in [0.2, 0.5, 0.7] {
            let rest = format!("{rest}&serve.rate={}", share * largest.clone().expect("a job"));
            let (mean, found) = (served(&rest), simulated(&rest, Lengths::Uniform));
            let [ttft, tpot] =
                [(found.ttft, mean.ttft), (found.tpot, mean.tpot)].map(|(found, mean)| found.mean / mean);
            let near = if share < 0.3 { 0.9..1.1 } else { 0.6..1.5 };
            assert!(near.contains(&ttft) && near.contains(&tpot), "{rest} at {share}: {ttft} {tpot}");
        }
    }
}

/// A stage without a request of its own does not work, and a request alone takes its own memory alone.
#[test]
fn no_more_stages_work_than_requests_fit() {
    let rest =
        "model=llama-3.1-70b&gpu=l40s&serve.tp=1&serve.pp=4&serve.in=20000&serve.out=500&serve.engine=vllm";
    let estimate = |rest: &str| asked(rest).inference().expect("an answer");
    let idle = estimate(&format!("{rest}&serve.rate=0.0001"));
    let alone = estimate(&format!("{rest}&serve.concurrency=1"));
    let apart = idle.memory.total() / alone.memory.total();
    assert!((apart - 1.0).abs() < 0.01, "{apart}");
    // Requests beyond those that fit wait.
    assert!(estimate(&format!("{rest}&serve.concurrency=4")).tokens_per_second > alone.tokens_per_second);
}

/// A run of one request is as fast as a request alone, and a long run comes to the steady state.
#[test]
fn runs_through_a_pipeline_are_between_a_request_alone_and_a_stream() {
    let rest = "model=llama-3.1-70b&gpu=h100-sxm&serve.tp=4&serve.pp=8&serve.in=1000&serve.out=200&serve.engine=vllm";
    let one = served(&format!("{rest}&serve.rate=10&serve.requests=1"));
    let alone = served(&format!("{rest}&serve.concurrency=1"));
    assert!(one.tokens_per_second < 1.05 * alone.tokens_per_second, "{one:?} {alone:?}");
    let stream = served(&format!("{rest}&serve.rate=8"));
    let run = served(&format!("{rest}&serve.rate=8&serve.requests=8000"));
    let ratio = run.tpot / stream.tpot;
    assert!((0.7..1.4).contains(&ratio), "{ratio}");
}
