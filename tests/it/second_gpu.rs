//! A second GPU of another kind: times, memories, laws, commands.

#![allow(clippy::disallowed_methods)]

use foretoken::launch::{Command, Tool};
use foretoken::scenario::Scenario;
use foretoken::scenario::link::{decode, encode};
use foretoken::serving::InferenceEstimate;

/// Llama-3.1-8B, 32 layers, in 16 bits.
const DENSE: &str = "v=1&view=inference&model=llama-3.1-8b&gpu=rtx-3090&serve.in=512&serve.out=128&serve.batch=1&serve.tp=1\
                     &serve.precision=fp16&serve.kv=fp16&serve.engine=llamacpp";

fn scenario(link: &str) -> Scenario {
    let decoded = decode(link);
    assert_eq!(decoded.problems, [], "{link}");
    decoded.scenario
}

fn served(link: &str) -> InferenceEstimate {
    scenario(link).served().unwrap_or_else(|problems| panic!("{link}: {}", problems[0]))
}

fn near(found: f64, expected: f64, what: &str) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{what}: {found} is not {expected}");
}

/// The GPUs work one after the other: two equal ones are as fast as one that holds the whole model.
#[test]
fn an_equal_gpu_adds_memory_and_no_speed() {
    let (one, two) = (served(DENSE), served(&format!("{DENSE}&second=rtx-3090")));
    near(two.tpot.get(), one.tpot.get(), "TPOT");
    near(two.ttft.get(), one.ttft.get(), "TTFT");
    let second = two.second_memory.expect("a second memory");
    near((two.memory.weights + second.weights).get(), one.memory.weights.get(), "weights");
    near((two.memory.kv_cache + second.kv_cache).get(), one.memory.kv_cache.get(), "KV cache");
    assert!(two.largest_batch > one.largest_batch);
}

/// Every layer takes the time of its device: the time of any division is on the line between those of the ends.
#[test]
fn time_is_the_sum_over_both() {
    let at = |layers: u32| served(&format!("{DENSE}&second=rtx-3060&serve.second_layers={layers}"));
    let times: [fn(InferenceEstimate) -> f64; 2] = [|found| found.tpot.get(), |found| found.ttft.get()];
    for time in times {
        let (none, all) = (time(at(0)), time(at(32)));
        assert!(all > none, "{all} is not slower than {none}");
        for layers in [1, 8, 31] {
            let share = f64::from(layers) / 32.0;
            near(time(at(layers)), none + share * (all - none), "a division");
        }
    }
}

/// Of 33 slots, 24 of 36 GiB are 22: the second GPU gets ten layers and the head.
#[test]
fn memory_divides_the_layers() {
    let (by_memory, asked) = (
        served(&format!("{DENSE}&second=rtx-3060")),
        served(&format!("{DENSE}&second=rtx-3060&serve.second_layers=10")),
    );
    assert_eq!(by_memory.tpot, asked.tpot);
    assert_eq!(by_memory.second_memory, asked.second_memory);
}

/// Leading dense layers are on the first GPU, and no weight is lost.
#[test]
fn weights_are_conserved() {
    for (model, format) in [
        ("deepseek-v2-lite", "q4_k_m"),
        ("qwen3-30b-a3b", "q4_k_m"),
        ("gemma-3-4b", "fp16"),
        ("gpt-oss-20b", "mxfp4"),
    ] {
        let link =
            DENSE.replace("llama-3.1-8b", model).replace("precision=fp16", &format!("precision={format}"));
        let whole = served(&link).memory.weights;
        // A head that is the input embedding too is on both GPUs.
        let tied = model == "gemma-3-4b";
        for layers in [0, 1, 9, 20] {
            let two = served(&format!("{link}&second=rtx-3060&serve.second_layers={layers}"));
            let sum = two.memory.weights + two.second_memory.expect("a second memory").weights;
            if tied {
                assert!(sum > whole, "{model}: {sum:?} {whole:?}");
            } else {
                near(sum.get(), whole.get(), model);
            }
        }
    }
}

#[test]
fn a_model_fits_on_two_that_fits_on_neither() {
    let link = "v=1&view=inference&model=qwen3-32b&gpu=rtx-4070&serve.in=512&serve.out=128&serve.batch=1&serve.tp=1\
                &serve.precision=q4_k_m&serve.kv=fp16&serve.engine=llamacpp";
    assert!(scenario(link).inference().is_err());
    let both = scenario(&format!("{link}&second=rtx-3060"));
    assert!(both.inference().is_ok(), "{:?}", both.inference());
    let crowded = scenario(&format!("{link}&second=rtx-3060&serve.second_layers=60"));
    let problems = crowded.inference().expect_err("too much on the second");
    assert_eq!(problems[0].field, "system.second", "{problems:?}");
}

#[test]
fn what_is_not_modelled_is_refused() {
    for (more, field, said) in [
        ("second=rtx-3O60", "system.second", "did you mean"),
        ("serve.second_layers=3", "inference.second_layers", "there is no second GPU"),
        ("second=rtx-3060&serve.engine=vllm", "system.second", "choose it as the engine"),
        ("second=rtx-3060&serve.tp=2", "system.second", "the deployment has 2"),
        ("second=rtx-3060&serve.ngl=20", "system.second", "layers on the CPU"),
        ("second=rtx-3060&serve.draft=2", "system.second", "a draft"),
        ("second=rtx-3060&serve.second_layers=33", "inference.second_layers", "more than the model's 32"),
    ] {
        let keys: Vec<&str> = more.split('&').filter_map(|pair| pair.split('=').next()).collect();
        let kept: Vec<&str> = DENSE
            .split('&')
            .filter(|pair| !keys.iter().any(|key| pair.starts_with(&format!("{key}="))))
            .collect();
        let question = decode(&format!("{}&{more}", kept.join("&"))).scenario;
        let problems = question.inference().expect_err(more);
        assert_eq!(problems[0].field, field, "{more}: {problems:?}");
        assert!(problems[0].message.contains(said), "{more}: {problems:?}");
    }
}

/// Deployments on other GPUs, and other views, do not have it.
#[test]
fn it_belongs_to_the_question_alone() {
    let with = scenario(&format!("{DENSE}&second=rtx-3060"));
    assert_eq!(with.on("h100-sxm").system.second, "none");
    assert_eq!(decode(&encode(&with)).scenario.system.second, "rtx-3060");
    let training = "v=1&model=llama-3.1-8b&gpus=8&tp=8&pp=1";
    let times = [training.to_owned(), format!("{training}&second=rtx-3060")]
        .map(|link| decode(&link).scenario.training().expect("a step").step);
    assert_eq!(times[0], times[1]);
}

#[test]
fn the_command_divides_as_asked() {
    let question = scenario(&format!("{DENSE}&second=rtx-3060&serve.second_layers=10"));
    let text = Command::of(&question, Tool::Llamacpp).text;
    assert!(text.contains("-ts '22,11'"), "{text}");
}
