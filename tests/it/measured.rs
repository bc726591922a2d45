//! Measurements that people have: every sample is read to the printed digit, and hostile files are refused in a
//! sentence.

use foretoken::figure::Size;
use foretoken::measured::{
    Fault, Format, Kind, MAX_BYTES, MAX_POINTS, Measurement, Opened, Point, Statistic, open, read, refused,
};
use foretoken::scenario::{Scenario, link};
use foretoken::view::{Answer, Part, first};
use proptest::prelude::*;

/// The text of a sample.
fn sample(name: &str) -> String {
    let path = format!("{}/tests/fixtures/measurements/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a sample")
}

fn points(name: &str) -> Vec<Measurement> {
    read(&sample(name)).unwrap_or_else(|fault| panic!("{name}: {fault}"))
}

/// The only point of a text.
fn only(text: &str) -> Measurement {
    let mut points = read(text).expect("a measurement");
    assert_eq!(points.len(), 1);
    points.remove(0)
}

/// The number as it stands in the file, with as many digits.
fn printed(value: f64, scale: f64, as_printed: &str) -> bool {
    let plain = as_printed.replace(',', "");
    let places = plain.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    // More digits than a number of 64 bits has are compared as numbers.
    let same = plain.parse::<f64>().is_ok_and(|number| (value * scale / number - 1.0).abs() < 1e-12);
    same || format!("{:.places$}", value * scale) == plain
}

use Kind::*;
use Statistic::{Mean, Median, P99, Whole};

const MS: f64 = 1e3;
const NS: f64 = 1e9;
const TERA: f64 = 1e-12;
const GIB: f64 = 1.0 / 1_073_741_824.0;

/// Readings of each sample: file, point, kind, statistic, factor to the printed unit, as printed.
const READINGS: &[(&str, usize, Kind, Statistic, f64, &str)] = &[
    ("vllm_bench_serve_row.json", 0, Ttft, Mean, MS, "54.577085783294024"),
    ("vllm_bench_serve_row.json", 0, Ttft, Median, MS, "52.999333499883505"),
    ("vllm_bench_serve_row.json", 0, Ttft, P99, MS, "89.76647855975897"),
    ("vllm_bench_serve_row.json", 0, Tpot, Mean, MS, "13.577995860227945"),
    ("vllm_bench_serve_row.json", 0, Tpot, Median, MS, "13.512526767533997"),
    ("vllm_bench_serve_row.json", 0, Tpot, P99, MS, "17.652194109258673"),
    ("vllm_bench_serve_row.json", 0, Itl, Mean, MS, "13.505887271504633"),
    ("vllm_bench_serve_row.json", 0, Itl, P99, MS, "34.210415409961556"),
    ("vllm_bench_serve_row.json", 0, Output, Whole, 1.0, "2249.247363167692"),
    ("vllm_bench_serve_row.json", 0, Total, Whole, 1.0, "10566.328606120898"),
    ("vllm_bench_serve_row.json", 0, Requests, Whole, 1.0, "8.325406649602808"),
    ("sglang_bench_serving_row.jsonl", 0, Ttft, Median, MS, "76.41966750088613"),
    ("sglang_bench_serving_row.jsonl", 0, Tpot, Mean, MS, "11.808901276564441"),
    ("sglang_bench_serving_row.jsonl", 0, Itl, Median, MS, "10.71716399746947"),
    ("sglang_bench_serving_row.jsonl", 0, Itl, P99, MS, "21.4778891333"),
    ("sglang_bench_serving_row.jsonl", 0, Latency, Mean, MS, "2409.499004891637"),
    ("sglang_bench_serving_row.jsonl", 0, Latency, P99, MS, "9813.89673267491"),
    ("sglang_bench_serving_row.jsonl", 0, Output, Whole, 1.0, "957.162043188693"),
    ("sglang_bench_serving_row.jsonl", 0, Input, Whole, 1.0, "1477.0827846460556"),
    ("sglang_bench_serving_console_1.txt", 0, Output, Whole, 1.0, "422.36"),
    ("sglang_bench_serving_console_1.txt", 0, Input, Whole, 1.0, "666.23"),
    ("sglang_bench_serving_console_1.txt", 0, Total, Whole, 1.0, "1088.59"),
    ("sglang_bench_serving_console_1.txt", 0, Requests, Whole, 1.0, "2.10"),
    ("sglang_bench_serving_console_1.txt", 0, Concurrency, Whole, 1.0, "70.99"),
    ("sglang_bench_serving_console_1.txt", 0, Latency, Mean, MS, "33845.89"),
    ("sglang_bench_serving_console_1.txt", 0, Latency, Median, MS, "26233.23"),
    ("sglang_bench_serving_console_1.txt", 0, Ttft, Mean, MS, "2630.26"),
    ("sglang_bench_serving_console_1.txt", 0, Ttft, Median, MS, "997.26"),
    ("sglang_bench_serving_console_1.txt", 0, Ttft, P99, MS, "13312.57"),
    ("sglang_bench_one_batch.txt", 0, Ttft, Whole, 1.0, "1.50748"),
    ("sglang_bench_one_batch.txt", 0, Input, Whole, 1.0, "21736.97"),
    ("sglang_bench_one_batch.txt", 0, Tpot, Median, 1.0, "0.02837"),
    ("sglang_bench_one_batch.txt", 0, Latency, Whole, 1.0, "2.379"),
    ("sglang_bench_one_batch.txt", 0, Total, Whole, 1.0, "14635.98"),
    ("trtllm_bench_report_1.txt", 0, Requests, Whole, 1.0, "0.9765"),
    ("trtllm_bench_report_1.txt", 0, Output, Whole, 1.0, "15999.06"),
    ("trtllm_bench_report_1.txt", 0, Total, Whole, 1.0, "23998.59"),
    ("trtllm_bench_report_1.txt", 0, Latency, Mean, MS, "257805.8"),
    ("aiperf_record.jsonl", 0, Ttft, Mean, MS, "255.88656799999998"),
    ("aiperf_record.jsonl", 0, Latency, Mean, MS, "297.52522799999997"),
    ("aiperf_record.jsonl", 0, Tpot, Mean, MS, "5.2048325"),
    ("genai_perf.csv", 0, Ttft, Mean, MS, "8.00"),
    ("genai_perf.csv", 0, Ttft, P99, MS, "8.98"),
    ("genai_perf.csv", 0, Tpot, Mean, MS, "11.00"),
    ("genai_perf.csv", 0, Tpot, Median, MS, "11.00"),
    ("genai_perf.csv", 0, Latency, P99, MS, "5.98"),
    ("genai_perf.csv", 0, Output, Whole, 1.0, "456.00"),
    ("genai_perf.csv", 0, Requests, Whole, 1.0, "123.00"),
    ("guidellm_min.json", 0, Ttft, Mean, MS, "12262.48"),
    ("guidellm_min.json", 0, PerToken, Mean, MS, "78.87"),
    ("guidellm_min.json", 0, Total, Whole, 1.0, "283.42"),
    ("guidellm_min.json", 0, Requests, Whole, 1.0, "0.20"),
    ("llama_bench.json", 0, Input, Mean, 1.0, "7100.002165"),
    ("llama_bench.json", 1, Output, Mean, 1.0, "118.881588"),
    ("llama_bench.csv", 0, Input, Mean, 1.0, "7285.676949"),
    ("llama_bench.csv", 1, Output, Mean, 1.0, "119.915244"),
    ("llama_bench.md", 0, Input, Mean, 1.0, "7340.20"),
    ("llama_bench.md", 1, Output, Mean, 1.0, "120.60"),
    ("llama_bench.md", 2, Input, Mean, 1.0, "6425.91"),
    ("llama_bench.md", 3, Output, Mean, 1.0, "116.71"),
    ("mlperf_log_summary.txt", 0, Requests, Whole, 1.0, "9.25841"),
    ("mlperf_log_summary.txt", 0, Output, Whole, 1.0, "638.83"),
    ("mlperf_log_summary.txt", 0, Latency, Mean, NS, "729202473042"),
    ("mlperf_log_summary.txt", 0, Latency, Median, NS, "729112772963"),
    ("mlperf_log_summary.txt", 0, Latency, P99, NS, "1431532216788"),
    ("mlperf_server_summary.txt", 0, Output, Whole, 1.0, "29522.56"),
    ("mlperf_server_summary.txt", 0, Ttft, Mean, NS, "963332124"),
    ("mlperf_server_summary.txt", 0, Ttft, Median, NS, "950532291"),
    ("mlperf_server_summary.txt", 0, Ttft, P99, NS, "1760966679"),
    ("mlperf_server_summary.txt", 0, Latency, Mean, NS, "37756807070"),
    ("megatron_lines.txt", 0, Step, Median, MS, "15639.0"),
    ("megatron_lines.txt", 0, FlopsPerGpu, Median, TERA, "494.6"),
    ("torchtitan_line.txt", 0, TokensPerGpu, Median, 1.0, "4,376"),
    ("torchtitan_line.txt", 0, FlopsPerGpu, Median, TERA, "253.41"),
    ("torchtitan_line.txt", 0, Mfu, Median, 100.0, "25.62"),
    ("torchtitan_line.txt", 0, Memory, Whole, GIB, "48.87"),
    ("deepspeed_flops_profile.txt", 0, Step, Whole, MS, "184.73"),
    ("deepspeed_flops_profile.txt", 0, FlopsPerGpu, Whole, TERA, "102.0"),
    ("deepspeed_flops_profile.txt", 0, Samples, Whole, 1.0, "433.07"),
    ("deepspeed_lines.txt", 0, Samples, Median, 1.0, "151.50460549287803"),
    ("deepspeed_lines.txt", 0, Memory, Whole, GIB, "16.6"),
    ("maxtext_lines.txt", 0, Step, Median, 1.0, "5.658"),
    ("maxtext_lines.txt", 0, TokensPerGpu, Median, 1.0, "8672.758"),
    ("maxtext_lines.txt", 0, FlopsPerGpu, Median, TERA, "134.924"),
    ("hf_trainer_lines.txt", 0, Step, Mean, 378.0, "9117.7233"),
    ("hf_trainer_lines.txt", 0, Samples, Whole, 1.0, "0.663"),
    ("axolotl_lines.txt", 0, Samples, Whole, 1.0, "26.2"),
    ("axolotl_lines.txt", 0, Memory, Whole, GIB, "7.89"),
    ("sglang_server_log.txt", 0, Output, Median, 1.0, "155.34"),
    ("sglang_server_log.txt", 0, Input, Median, 1.0, "1292.14"),
    ("sglang_server_log.txt", 0, Concurrency, Median, 1.0, "40"),
    ("llmd_benchmark_report.yaml", 0, Ttft, Mean, 1.0, "0.0368578234128654"),
    ("llmd_benchmark_report.yaml", 0, Ttft, Median, 1.0, "0.03622930939309299"),
    ("llmd_benchmark_report.yaml", 0, Ttft, P99, 1.0, "0.05029489721637218"),
    ("llmd_benchmark_report.yaml", 0, Tpot, Mean, 1.0, "0.0368578234128654"),
    ("llmd_benchmark_report.yaml", 0, Latency, Mean, 1.0, "0.0368578234128654"),
    ("llmd_benchmark_report.yaml", 0, Output, Whole, 1.0, "2262.448"),
    ("llmd_benchmark_report.yaml", 0, Requests, Whole, 1.0, "2262.448"),
    ("composer_lines.txt", 0, Tokens, Mean, 1.0, "222.2194"),
    ("composer_lines.txt", 0, Memory, Whole, 1e-9, "8.2292"),
];

#[test]
fn every_number_of_every_sample_is_right_to_the_printed_digit() {
    for (file, point, kind, statistic, scale, as_printed) in READINGS {
        let points = points(file);
        let value = points[*point].value(*kind, *statistic);
        let value = value.unwrap_or_else(|| panic!("{file}: no {kind:?} {statistic:?}: {points:?}"));
        assert!(printed(value, *scale, as_printed), "{file}: {kind:?} is {} not {as_printed}", value * scale);
    }
}

/// Scenario fields that each sample sets, as the pairs of a link that differ from the default.
const FACTS: &[(&str, usize, &str)] = &[
    (
        "vllm_bench_serve_row.json",
        0,
        "model=llama-3.2-3b gpu=l40s serve.in=999 serve.out=270 serve.rate=10 serve.requests=300 serve.workers=4 serve.engine=vllm",
    ),
    (
        "sglang_bench_serving_row.jsonl",
        0,
        "serve.in=302 serve.out=196 serve.rate=5 serve.requests=1000 serve.engine=sglang",
    ),
    (
        "sglang_bench_serving_console_1.txt",
        0,
        "model=deepseek-v3 serve.in=318 serve.out=201 serve.rate=4 serve.requests=300 serve.engine=sglang",
    ),
    ("sglang_bench_one_batch.txt", 0, "serve.in=512 serve.out=32 serve.batch=64 serve.engine=sglang"),
    (
        "trtllm_bench_report_1.txt",
        0,
        "serve.in=8192 serve.out=16384 serve.concurrency=252 serve.precision=fp8 serve.kv=fp8 serve.engine=trtllm",
    ),
    ("aiperf_record.jsonl", 0, "serve.in=550 serve.out=9"),
    ("sglang_server_log.txt", 0, "serve.concurrency=40 serve.cached=0.9856 serve.engine=sglang"),
    (
        "llmd_benchmark_report.yaml",
        0,
        "model=qwen3-0.6b serve.in=2262 serve.out=2262 serve.rate=10 serve.workers=2",
    ),
    ("guidellm_min.json", 0, "serve.concurrency=8"),
    (
        "llama_bench.json",
        1,
        "model=qwen2.5-7b gpu=rtx-4080 serve.in=1 serve.out=128 serve.tp=1 serve.precision=q4_k_m serve.kv=fp16 serve.engine=llamacpp",
    ),
    (
        "llama_bench.md",
        2,
        "serve.out=1 serve.tp=1 serve.precision=q4_k_m serve.kv=fp16 serve.engine=llamacpp serve.cached=0.5",
    ),
    ("mlperf_server_summary.txt", 0, "serve.rate=104.15"),
    ("megatron_lines.txt", 0, "batch=2048 framework=megatron"),
    ("nanotron_lines.txt", 0, "gpus=1 batch=2 framework=nanotron"),
    ("deepspeed_flops_profile.txt", 0, "gpus=1 tp=1 mb=80 batch=80"),
    ("maxtext_lines.txt", 0, "gpus=4"),
    ("hf_trainer_lines.txt", 0, "batch=16"),
    ("axolotl_lines.txt", 0, "batch=16"),
    ("composer_lines.txt", 0, "gpus=1 tp=1 pp=1 batch=2 framework=composer"),
];

#[test]
fn what_a_sample_says_becomes_the_scenario() {
    for (file, point, pairs) in FACTS {
        let points = points(file);
        let scenario = points[*point].applied_to(&Scenario::default());
        let link = link::encode(&scenario);
        for pair in pairs.split(' ') {
            assert!(format!("&{link}&").contains(&format!("&{pair}&")), "{file}: no {pair} in {link}");
        }
        assert_eq!(link::decode(&link).problems, [], "{file}");
        // Fields that the sample does not set keep their values, apart from degrees that do not divide its GPUs.
        for path in points[*point].silent() {
            let degree = matches!(path, "parallelism.tensor" | "parallelism.pipeline");
            let divides = scenario.system.gpus.is_multiple_of(Scenario::default().parallelism.replica());
            if degree && !divides {
                assert_eq!(
                    scenario.at(path).and_then(|value| value.as_number()),
                    Some(1.0),
                    "{file}: {path}"
                );
            } else if path != "inference.concurrency" {
                assert_eq!(scenario.at(path), Scenario::default().at(path), "{file}: {path}");
            }
        }
    }
}

#[test]
fn runs_of_one_log_are_told_apart() {
    let log = sample("megatron_lines.txt");
    let found = only(&log);
    assert_eq!((found.used, found.left_out[0].rows), (Some(1), 2));
    // The first run's step was skipped, so that its 812.5 TFLOP/s are no usual ones.
    let first = only(log.lines().next().expect("a line"));
    assert!(first.remarks.iter().any(|remark| remark.contains("skipped")), "{:?}", first.remarks);
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(only(lines[6]).value(FlopsPerGpu, Median), Some(449.6e12));
    assert!(printed(only(lines[6]).value(Step, Median).expect("a time"), MS, "270125.4"));
    for (line, gpus, time) in [(0, 260.0, "8790"), (1, 2.0, "56.9")] {
        let log = sample("nanotron_lines.txt");
        let found = only(log.lines().nth(line).expect("a line"));
        assert_eq!(found.number_of("system.gpus"), Some(gpus));
        assert!(printed(found.value(Step, Median).expect("a time"), MS, time));
    }
    let composer = sample("composer_lines.txt");
    let first: Vec<&str> = composer.lines().take(3).collect();
    assert_eq!(only(&first.join("\n")).number_of("system.gpus"), Some(8.0));
}

#[test]
fn arguments_of_megatron_fill_the_scenario() {
    let log = "using world size: 64, data-parallel size: 8, context-parallel size: 1, tensor-model-parallel size: 4, pipeline-model-parallel size: 2\n\
               ------------------------ arguments ------------------------\n\
               \x20 bf16 ............................................ True\n\
               \x20 fp8 ............................................. None\n\
               \x20 hidden_size ..................................... 8192\n\
               \x20 micro_batch_size ................................ 2\n\
               \x20 num_attention_heads ............................. 64\n\
               \x20 num_layers ...................................... 80\n\
               \x20 recompute_granularity ........................... full\n\
               \x20 seq_length ...................................... 4096\n\
               \x20 use_distributed_optimizer ....................... True\n\
               [Rank 0] (after 1 iterations) memory (MB) | allocated: 30000.0 | max allocated: 50176.0 | reserved: 52000.0 | max reserved: 52000.0\n\
               \x20[2026-01-16 07:32:39] iteration 6/ 100 | elapsed time per iteration (ms): 15639.0/15700.1 | global batch size: 128 | number of skipped iterations: 0 |\n";
    let found = only(log);
    for (path, value) in [
        ("system.gpus", 64.0),
        ("parallelism.tensor", 4.0),
        ("parallelism.pipeline", 2.0),
        ("parallelism.microbatch", 2.0),
        ("parallelism.zero", 1.0),
        ("recipe.sequence", 4096.0),
        ("recipe.batch", 128.0),
    ] {
        assert_eq!(found.number_of(path), Some(value), "{path}");
    }
    assert_eq!(
        found.fact_of("parallelism.recompute"),
        Some(&foretoken::scenario::Given::Text("full".to_owned()))
    );
    assert_eq!(found.fact_of("recipe.precision"), Some(&foretoken::scenario::Given::Text("bf16".to_owned())));
    assert_eq!(found.value(Memory, Whole), Some(49.0 * 1_073_741_824.0));
    assert!(printed(found.value(Step, Median).expect("a time"), MS, "15639.0"));
    assert!(found.silent().contains(&"system.accelerator") && !found.silent().contains(&"recipe.batch"));
    assert!(found.remarks.iter().any(|remark| remark.contains("80 layers")), "{:?}", found.remarks);
}

#[test]
fn a_full_list_of_arguments_is_read_like_a_command() {
    let log = "\
        \x20 attention_dropout ............................... 0.0\n\
        \x20 bf16 ............................................ True\n\
        \x20 expert_tensor_parallel_size ..................... 1\n\
        \x20 fp8 ............................................. hybrid\n\
        \x20 grad_reduce_in_bf16 ............................. True\n\
        \x20 hidden_dropout .................................. 0.0\n\
        \x20 hidden_size ..................................... 4096\n\
        \x20 ffn_hidden_size ................................. 14336\n\
        \x20 max_position_embeddings ......................... 8192\n\
        \x20 num_attention_heads ............................. 32\n\
        \x20 num_layers ...................................... 32\n\
        \x20 num_layers_per_virtual_pipeline_stage ........... 2\n\
        \x20 num_query_groups ................................ 8\n\
        \x20 overlap_grad_reduce ............................. True\n\
        \x20 padded_vocab_size ............................... 128256\n\
        \x20 pipeline_model_parallel_size .................... 4\n\
        \x20 recompute_granularity ........................... full\n\
        \x20 recompute_method ................................ block\n\
        \x20 recompute_num_layers ............................ 3\n\
        \x20 sequence_parallel ............................... False\n\
        \x20 tensor_model_parallel_size ...................... 2\n\
        \x20 tp_comm_overlap ................................. False\n\
        \x20 world_size ...................................... 16\n\
        \x20[2026-01-16 07:32:39] iteration 6/ 100 | elapsed time per iteration (ms): 15639.0 | global batch size: 128 | number of skipped iterations: 0 |\n";
    let found = only(log);
    let link = link::encode(&found.applied_to(&Scenario::default()));
    for pair in [
        "gpus=16",
        "model=llama-3-8b",
        "tp=2",
        "interleave=4",
        "sp=false",
        "recompute=full",
        "precision=fp8",
        "batch=128",
    ] {
        assert!(format!("&{link}&").contains(&format!("&{pair}&")), "{pair}: {link}");
    }
    assert_eq!(found.number_of("parallelism.recompute_layers"), Some(3.0));
    assert!(found.silent().contains(&"parallelism.microbatch"), "{:?}", found.silent());
    // Arguments that the log does not print set nothing.
    assert_eq!((found.fact_of("parallelism.zero"), found.fact_of("parallelism.expert")), (None, None));
}

#[test]
fn a_log_of_another_model_is_noticed() {
    let told = |current: &str, name: &str| opened(current, name).remove(0).report.remarks.join("; ");
    let apart = "GFLOP per token";
    assert!(told("v=1", "torchtitan_line.txt").contains(apart), "{}", told("v=1", "torchtitan_line.txt"));
    let right = told("v=1&model=llama-3.1-8b&seq=8192", "torchtitan_line.txt");
    assert!(!right.contains(apart), "{right}");
}

#[test]
fn settings_that_follow_from_others_are_read() {
    let row = points("vllm_bench_serve_row.json").remove(0);
    assert_eq!(
        (row.number_of("inference.workers"), row.number_of("inference.tensor")),
        (Some(4.0), Some(1.0))
    );
    let uneven = only(&sample("vllm_bench_serve_row.json").replace("4xNVIDIA", "6xNVIDIA"));
    assert!(uneven.remarks.iter().any(|remark| remark.contains("do not divide")), "{:?}", uneven.remarks);
    let arguments = points("sglang_namespace_args.txt").remove(0);
    assert_eq!(arguments.format, Format::SglangServing);
    let numbers = ["inference.concurrency", "inference.input", "inference.output"];
    assert_eq!(numbers.map(|path| arguments.number_of(path)), [Some(64.0), Some(500.0), Some(500.0)]);
    assert!(arguments.readings.is_empty());
}

#[test]
fn rows_that_were_cut_short_are_counted() {
    for name in ["llama_bench.csv", "llama_bench.md"] {
        let text = sample(name);
        let text = text.trim_end();
        let cut = &text[..text.len() - 24];
        let points = read(cut).expect("points");
        let left = &points.last().expect("a point").left_out;
        assert!(left.iter().any(|left| left.rows == 1), "{name}: {left:?}");
    }
    let newer = only(&sample("guidellm_min.json").replace("\"version\": 2", "\"version\": 9"));
    assert!(newer.remarks.iter().any(|remark| remark.contains("version 9")), "{:?}", newer.remarks);
    let seconds = only(&sample("vllm_bench_serve_row.json").replace("_ms\"", "_s\""));
    assert!(seconds.remarks.iter().any(|remark| remark.contains("is not in ms")), "{:?}", seconds.remarks);
}

#[test]
fn traps_of_serving_clients_are_stated() {
    let guidellm = points("guidellm_min.json").remove(0);
    assert!(guidellm.remarks.iter().any(|remark| remark.contains("not TPOT")));
    assert_eq!(guidellm.best(Tpot), None);
    let bundled =
        r#"{"request_throughput": 1, "output_throughput": 2, "mean_tpot_ms": 12.8, "mean_itl_ms": 127}"#;
    let found = only(bundled);
    assert!(found.remarks.iter().any(|remark| remark.contains("about 10 tokens")), "{:?}", found.remarks);
    let asked = points("vllm_bench_serve_row.json").remove(0);
    assert!(
        asked.remarks.iter().any(|remark| remark.contains("500 tokens were asked for")),
        "{:?}",
        asked.remarks
    );
    let point = r#"{"hw": "h200", "model": "deepseek-ai/DeepSeek-R1-0528", "framework": "sglang", "precision": "fp8",
        "conc": 8, "isl": 1024, "osl": 1024, "tp": 8, "ep": 1, "dp_attention": "false", "disagg": false,
        "tput_per_gpu": 148.6, "output_tput_per_gpu": 74.3, "mean_tpot": 0.0128, "mean_intvty": 78.1}"#;
    let found = only(point);
    assert_eq!(found.format, Format::InferenceX);
    assert_eq!((found.value(Tpot, Mean), found.value(TotalPerGpu, Whole)), (Some(0.0128), Some(148.6)));
    assert_eq!(
        (found.number_of("inference.input"), found.number_of("inference.concurrency")),
        (Some(922.0), Some(8.0))
    );
    let left = points("aiperf_record.jsonl").remove(0);
    assert_eq!((left.used, left.left_out[0].rows), (Some(1), 1));
}

#[test]
fn a_report_of_trtllm_bench_as_json_is_a_scenario() {
    let report = r#"{"engine": {"model": "meta-llama/Llama-3.1-8B", "version": "1.0.0", "dtype": "bfloat16",
        "kv_cache_dtype": "FP8", "quantization": "FP8"}, "world_info": {"tp_size": 2, "pp_size": 1, "ep_size": null},
        "request_info": {"num_requests": 3000, "avg_num_concurrent_requests": 511.6, "avg_input_length": 128.0,
        "avg_output_length": 128.0}, "performance": {"system_output_throughput_tok_s": 26000.5,
        "avg_request_latency_ms": 2500.0}, "streaming_metrics": {"avg_ttft_ms": 80.5,
        "tpot_percentiles": {"p50": 19.25, "p99": 30}}}"#;
    let found = only(report);
    let link = link::encode(&found.applied_to(&Scenario::default()));
    for pair in [
        "model=llama-3.1-8b",
        "serve.tp=2",
        "serve.concurrency=512",
        "serve.engine=trtllm10",
        "serve.precision=fp8",
    ] {
        assert!(link.contains(pair), "{pair}: {link}");
    }
    assert!(printed(found.value(Tpot, Median).expect("a median"), MS, "19.25"));
    assert!(printed(found.value(Ttft, Mean).expect("a mean"), MS, "80.5"));
}

#[test]
fn units_and_fields_of_new_formats_are_read() {
    let report = sample("llmd_benchmark_report.yaml");
    let found = only(&report.replace("units: s\n", "units: ms\n"));
    assert!(printed(found.value(Ttft, P99).expect("a percentile"), MS, "0.05029489721637218"));
    let fault = read(&report.replace("units: s\n", "units: fortnights\n")).expect_err("a unit").to_string();
    assert!(fault.contains("time_to_first_token is in `fortnights`"), "{fault}");
    let found = only(&report);
    assert!(found.remarks.iter().any(|remark| remark.contains("disaggregated")), "{:?}", found.remarks);
    let ran = "   \\\\   /|    Num examples = 51,760 | Num Epochs = 1 | Total steps = 60\n\
               O^O/ \\_/ \\    Batch size per device = 2 | Gradient accumulation steps = 4\n\
               GPU = Tesla T4. Max memory = 14.748 GB.\n476.5 seconds used for training.\n\
               Peak reserved memory = 7.922 GB.\n";
    let found = only(ran);
    assert!(printed(found.value(Memory, Whole).expect("memory"), GIB, "7.922"));
    assert!(printed(found.value(Step, Mean).expect("a step"), 60.0, "476.5"));
    assert_eq!(
        (found.number_of("recipe.batch"), found.number_of("parallelism.microbatch")),
        (Some(8.0), Some(2.0))
    );
}

#[test]
fn rows_of_a_sweep_are_points() {
    let row = sample("sglang_bench_serving_row.jsonl");
    let two =
        format!("{}\n{}\n", row.trim(), row.trim().replace("\"request_rate\": 5.0", "\"request_rate\": 9.0"));
    let points = read(&two).expect("two points");
    assert_eq!(
        points.iter().map(|point| point.number_of("inference.rate")).collect::<Vec<_>>(),
        [Some(5.0), Some(9.0)]
    );
    // A line that was cut short does not take the others with it.
    let cut = format!("{two}{}", &row[..200]);
    let points = read(&cut).expect("two points");
    assert_eq!((points.len(), points[1].left_out[0].rows), (2, 1));
    let many = format!("{}\n", row.trim()).repeat(MAX_POINTS + 5);
    assert_eq!(read(&many).expect("points").len(), MAX_POINTS);
}

/// What a variant of a sample leads to.
enum Outcome {
    /// A message of the refusal or of a caution has this text.
    Says(&'static str),
    /// The first point has this reading, in the base unit of the kind.
    Reads(Kind, Statistic, f64),
    /// Everything is read as in the sample.
    Same,
}

use Outcome::{Reads, Same, Says};

/// Samples in other units and of other versions: file, the text that is replaced, its replacement, and the outcome.
const VARIANTS: &[(&str, &str, &str, Outcome)] = &[
    // Units that the files name beside the numbers are converted, or refused by name.
    ("aiperf_record.jsonl", "\"unit\": \"ms\"", "\"unit\": \"s\"", Reads(Ttft, Mean, 255.886_567_999_999_98)),
    ("aiperf_record.jsonl", "\"unit\": \"ms\"", "\"unit\": \"us\"", Reads(Ttft, Mean, 255.886_568e-6)),
    (
        "aiperf_record.jsonl",
        "\"unit\": \"ms\"",
        "\"unit\": \"h\"",
        Says("is in `h`; supported units: ns, us, ms and s"),
    ),
    ("genai_perf.csv", "(ms)", "(s)", Reads(Ttft, Mean, 8.0)),
    ("genai_perf.csv", "(ms)", "(ns)", Reads(Tpot, Mean, 11e-9)),
    ("genai_perf.csv", "(ms)", "(min)", Says("is in `min`; supported units: ns, us, ms and s")),
    (
        "llmd_benchmark_report.yaml",
        "units: s/token",
        "units: ms/token",
        Reads(Itl, Mean, 0.036_857_823_412_865_4e-3),
    ),
    (
        "llmd_benchmark_report.yaml",
        "units: s\n",
        "units: days\n",
        Says("is in `days`; supported units: ns, us, ms and s"),
    ),
    (
        "llmd_benchmark_report.yaml",
        "tokens/s",
        "tokens/h",
        Says("is in `tokens/h`; supported units: tokens, requests"),
    ),
    ("nsys_cuda_gpu_kern_sum.csv", "Total Time (ns)", "Total Time (h)", Says("total time is in `h`")),
    ("deepspeed_flops_profile.txt", "184.73 ms", "184.73 s", Reads(Step, Whole, 184.73)),
    ("deepspeed_flops_profile.txt", "184.73 ms", "184.73 h", Says("is in `h`")),
    ("sglang_bench_one_batch.txt", " s, ", " ms, ", Reads(Ttft, Whole, 1.50748e-3)),
    ("sglang_bench_one_batch.txt", " s, ", " h, ", Says("has no latency of a prefill or of decoding")),
    // Units that are a part of a name: another one is another name, which is said and not taken for the known one.
    ("vllm_bench_serve_row.json", "_ms\"", "_s\"", Says("Its times were not read")),
    ("sglang_bench_serving_row.jsonl", "_ms\"", "_s\"", Says("Its times were not read")),
    ("sglang_bench_serving_console_1.txt", "(ms)", "(s)", Says("which the clients print in ms")),
    (
        "trtllm_bench_report_1.txt",
        "Average request latency (ms)",
        "Average request latency (s)",
        Reads(Output, Whole, 15999.06),
    ),
    ("guidellm_min.json", "_ms\"", "_s\"", Reads(Total, Whole, 283.42)),
    ("mlperf_server_summary.txt", "latency (ns)", "latency (ms)", Says("is neither a benchmark result")),
    ("llama_bench.md", "t/s", "t/min", Says("is neither a benchmark result")),
    ("llama_bench.json", "\"avg_ts\"", "\"avg_tm\"", Says("is neither a benchmark result")),
    ("llama_bench.csv", ",avg_ts", ",avg_tm", Says("is neither a benchmark result")),
    ("megatron_lines.txt", "per iteration (ms)", "per iteration (s)", Reads(Step, Median, 15639.0)),
    (
        "megatron_lines.txt",
        "per iteration (ms)",
        "per iteration (h)",
        Says("whose iterations are in another unit"),
    ),
    ("nanotron_lines.txt", "per_iteration_ms", "per_iteration_s", Says("is neither a benchmark result")),
    ("torchtitan_line.txt", "tps:", "tpm:", Says("is neither a benchmark result")),
    ("deepspeed_lines.txt", "SamplesPerSec", "SamplesPerMin", Says("is neither a benchmark result")),
    ("maxtext_lines.txt", "seconds:", "minutes:", Says("has no completed step with its seconds")),
    ("composer_lines.txt", "_per_sec", "_per_min", Says("has no rate of batches or tokens")),
    ("hf_trainer_lines.txt", "_per_second", "_per_minute", Reads(Step, Mean, 9117.7233 / 378.0)),
    ("sglang_server_log.txt", "(token/s)", "(token/min)", Says("has no throughput above zero")),
    // Names of the kinds in later versions, and versions that these readers do not know.
    (
        "guidellm_min.json",
        "\"version\": 2",
        "\"version\": 7",
        Says("is of version 7, which is read like version 2"),
    ),
    ("llmd_benchmark_report.yaml", "version: 0.2.1", "version: 0.3.0", Same),
    ("llmd_benchmark_report.yaml", "version: 0.2.1", "version: 4.0.0", Says("is neither a benchmark result")),
    ("kineto_sample.json", "\"schemaVersion\": 1", "\"schemaVersion\": 3", Same),
    ("trtllm_bench_report_1.txt", "Version:   1.2", "Version:   2.0.0rc1", Same),
    ("llama_bench.json", "\"build_number\": 5163", "\"build_number\": 999999, \"new_key\": [1, {}]", Same),
    ("llama_bench.csv", "build_commit,build_number", "build_number,build_commit", Same),
    (
        "vllm_bench_serve_row.json",
        "{\"date\"",
        "{\"schema_version\": \"3.0\", \"added\": {\"mean_ttft_ms\": 1}, \"date\"",
        Same,
    ),
    ("genai_perf.csv", "Metric,avg,min", "Metric,avg,new,min", Reads(Ttft, Mean, 8e-3)),
    ("sglang_bench_serving_console_1.txt", "Mean TTFT", "Average TTFT", Reads(Ttft, Median, 0.99726)),
    ("megatron_lines.txt", "| consumed samples:", "| added by a later version: 7 | consumed samples:", Same),
    ("torchtitan_line.txt", "step: 20", "[titan] 2030-01-01 - root - INFO - step: 20  new: 7", Same),
    (
        "composer_lines.txt",
        "throughput/batches_per_sec",
        "throughput/v2/batches_per_sec",
        Reads(Tokens, Mean, 222.2194),
    ),
    ("hf_trainer_lines.txt", "{'train_runtime'", "{'total_flos': 7.0, 'train_runtime'", Same),
    (
        "mlperf_log_summary.txt",
        "Samples per second",
        "Completed samples per second",
        Reads(Requests, Whole, 9.25841),
    ),
];

/// Every sample with numbers and its unit or version, in other units and of other versions: a wrong number is never read.
#[test]
fn other_units_and_versions_are_converted_or_said() {
    let mut wrong = Vec::new();
    for (name, from, to, outcome) in VARIANTS {
        let text = sample(name);
        let variant = text.replace(from, to);
        if from != to && variant == text {
            wrong.push(format!("{name} has no `{from}`"));
            continue;
        }
        let found = read(&variant);
        let told: Vec<String> = match &found {
            Err(fault) => vec![fault.to_string()],
            Ok(points) => points.iter().flat_map(|point| point.remarks.clone()).collect(),
        };
        let right = match outcome {
            Says(says) => told.iter().any(|line| line.contains(says)),
            Reads(kind, statistic, value) => found.as_ref().is_ok_and(|points| {
                points[0].value(*kind, *statistic).is_some_and(|read| (read / value - 1.0).abs() < 1e-9)
            }),
            Same => found.as_ref().is_ok_and(|points| {
                let known = read(&text).expect("a sample");
                let numbers = |points: &[Measurement]| -> Vec<_> {
                    points.iter().map(|point| (point.readings.clone(), point.spent.clone())).collect()
                };
                numbers(points) == numbers(&known)
            }),
        };
        if !right {
            let readings: Option<Vec<_>> = found.ok().map(|points| points[0].readings.clone());
            wrong.push(format!("{name}, `{from}` as `{to}`: {told:?} {readings:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A file's times in another unit are never taken for those of the sample.
    for (name, from, to) in
        [("trtllm_bench_report_1.txt", "(ms)", "(s)"), ("guidellm_min.json", "_ms\"", "_s\"")]
    {
        for point in read(&sample(name).replace(from, to)).expect(name) {
            let times = [Ttft, Tpot, PerToken];
            assert!(point.readings.iter().all(|reading| !times.contains(&reading.kind)), "{name}: {point:?}");
        }
    }
}

/// Hostile variants of every sample: cut short, without quotes and colons, in capitals, binary, and far too long.
#[test]
fn hostile_variants_are_refused_or_read_without_a_panic() {
    let folder = format!("{}/tests/fixtures/measurements", env!("CARGO_MANIFEST_DIR"));
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("samples") {
        let name = entry.expect("a file").file_name().into_string().expect("a name");
        if name == "README.md" {
            continue;
        }
        files += 1;
        let text = sample(&name);
        let clear = |outcome: Result<Vec<Measurement>, Fault>| match outcome {
            Ok(points) => {
                let told = |point: &Measurement| {
                    let says_so = point.remarks.iter().any(|remark| remark.contains("nothing is measured"));
                    !point.readings.is_empty() || !point.spent.is_empty() || says_so
                };
                assert!(points.iter().all(told), "{name}");
            }
            Err(fault) => {
                let sentence = fault.to_string();
                assert!(
                    (10..400).contains(&sentence.len()) && !sentence.ends_with('.'),
                    "{name}: {sentence}"
                );
            }
        };
        for share in [1, 3, 5, 7, 9] {
            let end = text.len() * share / 10;
            let end = (0..=end).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            clear(read(&text[..end]));
        }
        clear(read(&text.replace("ms", "fortnights").replace("(ns)", "(fortnights)")));
        clear(read(&text.replace(['"', '\''], "").replace(':', " is ")));
        clear(read(&text.to_uppercase()));
        let binary: String = text.chars().flat_map(|mark| ['\0', mark, '\u{fffd}']).collect();
        assert_eq!(read(&binary), Err(Fault::Binary), "{name}");
    }
    assert!(files >= 24, "{files}");
    let long = "x".repeat(MAX_BYTES + 1);
    assert_eq!(read(&long), Err(Fault::TooLong { bytes: MAX_BYTES as u64 + 1 }));
    assert!(
        Fault::TooLong { bytes: 100_000_000 }.to_string().starts_with("has 100 MB, but the limit is 32.0 MB")
    );
}

#[test]
fn what_is_no_measurement_is_explained() {
    for (text, says) in [
        (String::new(), "neither a benchmark result nor a training log"),
        ("{}".to_owned(), "neither a benchmark result nor a training log"),
        ("[]".to_owned(), "neither a benchmark result nor a training log"),
        ("[1, 2]".to_owned(), "neither a benchmark result nor a training log"),
        (
            sample("verl_step_line.txt"),
            "is a verl log, which no view predicts: a step of reinforcement learning",
        ),
        (
            sample("unsloth_format.txt"),
            "looks like Unsloth but has no peak memory, and no training time with a number of steps",
        ),
        (
            sample("llmd_benchmark_report.yaml").replace("  role: decode", "  role: [decode]"),
            "looks like a report of llm-d-benchmark but cannot be read: line ",
        ),
        (
            sample("megatron_lines.txt").replace("per iteration (ms)", "per iteration (min)"),
            "whose iterations are in another unit",
        ),
        (
            sample("maxtext_lines.txt").replace("seconds:", "milliseconds:"),
            "looks like MaxText but has no completed step with its seconds",
        ),
        (
            sample("vllm_bench_serve_row.json")[..600].to_owned(),
            "looks like a result of a serving benchmark but cannot be read",
        ),
        (
            "Metric,avg\nTime To First Token (fortnights),8.00\n".to_owned(),
            "time_to_first_token is in `fortnights`; supported units: ns, us, ms and s",
        ),
    ] {
        let fault = read(&text).expect_err(says).to_string();
        assert!(fault.contains(says), "{fault} lacks {says}");
    }
}

/// A log near the limit is read in a time that nobody notices much, and no line is quadratic.
#[test]
fn a_long_log_is_read() {
    let line = " [2026-01-16 07:32:39] iteration {n}/ 100000 | elapsed time per iteration (ms): 15639.0 | global batch size: 2048 | number of skipped iterations: 0 |\n";
    let log: String = (1..=60_000).map(|n| line.replace("{n}", &n.to_string())).collect();
    let found = only(&log);
    assert_eq!((found.used, found.left_out[0].rows), (Some(59_998), 2));
    let wide = "1,".repeat(4_000_000);
    assert_eq!(read(&wide), Err(Fault::Unknown));
}

/// The points of a sample, opened on top of a question.
fn opened(current: &str, name: &str) -> Vec<Point> {
    match open(&link::decode(current).scenario, &sample(name)) {
        Ok(Opened::Points(points)) => points,
        other => panic!("{name}: {other:?}"),
    }
}

fn answer(link: &str) -> Answer {
    let decoded = link::decode(link);
    assert_eq!(decoded.problems, [], "{link}");
    first(&decoded.scenario, Size::Wide).expect("an answer")
}

/// The rows of the table of measured numbers, as texts.
fn beside(answer: &Answer) -> Vec<Vec<String>> {
    let table = answer.part("measured").and_then(Part::table).expect("a table");
    table.rows.iter().map(|row| row.cells.iter().map(|cell| cell.text.clone()).collect()).collect()
}

#[test]
fn an_opened_benchmark_is_a_question_with_its_numbers_beside_the_prediction() {
    let [point] = &opened("v=1&serve.tp=1&cost.gpu_hour=3", "vllm_bench_serve_row.json")[..] else {
        panic!("points")
    };
    let link = link::encode(&point.scenario);
    for pair in [
        "view=inference",
        "serve.tp=1",
        "cost.gpu_hour=3",
        "measured.from=vllm+bench+serve",
        "measured.tpot=13.57",
    ] {
        assert!(link.contains(pair), "{pair}: {link}");
    }
    let report = &point.report;
    assert_eq!(report.summary, "Read as vllm bench serve, from 300 requests");
    assert!(
        report.silent.iter().any(|[name, kept]| name == "Load: Weights" && kept == "BF16"),
        "{:?}",
        report.silent
    );
    assert!(
        report.says.iter().any(|[name, value]| name.ends_with("GPU") && value == "L40S"),
        "{:?}",
        report.says
    );
    let answer = answer(&link);
    assert_eq!(answer.card("measured").expect("a card").shown(), "54.6 ms");
    let rows = beside(&answer);
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(names, ["Time to first token", "Time per output token", "Output tokens per second"]);
    assert!(rows[1][1] == "13.6 ms" && rows[1][3] == "−5.86 %" && rows[1][5].ends_with(" %"), "{rows:?}");
    assert!(answer.part("measured-rows").is_some());
}

#[test]
fn typed_numbers_stand_beside_the_prediction_and_change_nothing() {
    let plain = answer("v=1");
    assert!(plain.part("measured").is_none() && plain.card("measured").is_none());
    let typed = answer("v=1&measured.step=16&measured.mfu=0.38&measured.peak=1979");
    let shown = |answer: &Answer| answer.card("step").map(|card| (card.amount, card.note.clone()));
    assert_eq!(shown(&plain), shown(&typed));
    let rows = beside(&typed);
    assert_eq!((rows[0][1].as_str(), rows[1][1].as_str()), ("16.0 s", "38.0 %"));
    // The peak of sparse multiplies is twice the dense one, so that the predicted MFU is half.
    let dense = beside(&answer("v=1&measured.mfu=0.38"));
    let number = |text: &str| text.trim_end_matches(" %").parse::<f64>().expect("a share");
    assert!((number(&dense[0][2]) / number(&rows[1][2]) - 2.0).abs() < 0.01, "{rows:?} {dense:?}");
    // Both agree if their meanings agree.
    let step = beside(&answer("v=1&measured.step=13.8"));
    assert!(step[0][5].ends_with(" %"), "{step:?}");
    let served = answer("v=1&view=inference&measured.ttft=100&measured.latency=2000");
    assert_eq!(beside(&served).len(), 2);
}

#[test]
fn a_log_is_opened_on_top_of_the_question() {
    let [point] = &opened("v=1&gpus=256", "torchtitan_line.txt")[..] else { panic!("points") };
    let link = link::encode(&point.scenario);
    assert_eq!(
        link,
        "v=1&gpus=256&measured.from=torchtitan&measured.tokens=4376&measured.mfu=0.2562&measured.peak=989.1"
    );
    assert!(
        point.report.silent.iter().any(|[name, _]| name == "Model and hardware: GPUs"),
        "{:?}",
        point.report
    );
    assert_eq!(beside(&answer(&link)).len(), 2);
    let points = opened("v=1", "llama_bench.md");
    assert_eq!(points.len(), 4);
    assert_eq!(points[2].report.name, "batch 1, in 1024, out 1");
    assert!(matches!(open(&Scenario::default(), "v=1#tp=4"), Ok(Opened::Question(_))));
    let problems = open(&Scenario::default(), &sample("chrome_trace_minimal.json")).expect_err("a trace");
    assert!(problems[0].to_string().starts_with("file: looks like PyTorch profiler"), "{problems:?}");
    assert!(refused(1e8).is_some() && refused(1e6).is_none());
}

/// A negative time is left out, a median says that it stands for the mean, and times in another unit are doubted.
#[test]
fn doubtful_values_are_said() {
    let row = sample("vllm_bench_serve_row.json");
    let with = |name: &str, value: &str| {
        let start = row.find(&format!("\"{name}\"")).expect("a key");
        let colon = start + row[start..].find(':').expect("a value");
        let end = colon + row[colon..].find([',', '}']).expect("an end");
        format!("{}: {value}{}", &row[..colon], &row[end..])
    };
    let said = |text: &str| read(text).expect("a point").remove(0).remarks.join("\n");
    assert!(!said(&row).contains("negative") && !said(&row).contains("check the unit"));
    let negative = said(&with("mean_ttft_ms", "-5"));
    assert!(negative.contains("mean of Time to first token is negative"), "{negative}");
    assert!(negative.contains("the median stands for the mean"), "{negative}");
    let seconds = said(&with("mean_ttft_ms", "0.0546"));
    assert!(seconds.contains("check the unit of its times"), "{seconds}");
}

/// The GPU of the trace has 39.4 GiB: of the two A100 with SXM it is the one with 40 GB.
#[test]
fn a_trace_names_the_variant_by_its_memory() {
    let point = read(&sample("kineto_sample.json")).expect("a trace").remove(0);
    let scenario = point.applied_to(&Scenario::default());
    assert_eq!(scenario.system.accelerator().expect("a device").id, "a100-sxm-40gb");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any text gives points with readings above zero or a sentence; a point's scenario can be linked to.
    #[test]
    fn any_text_is_read_or_refused(
        file in prop::sample::select(vec![
            "vllm_bench_serve_row.json", "sglang_bench_serving_console_1.txt", "genai_perf.csv", "megatron_lines.txt",
            "nanotron_lines.txt", "llama_bench.md", "hf_trainer_lines.txt", "deepspeed_flops_profile.txt",
            "trtllm_bench_report_1.txt", "maxtext_lines.txt", "composer_lines.txt", "aiperf_record.jsonl",
        ]),
        place in 0.0..1.0_f64,
        length in 0_usize..40,
        insert in "[0-9eE.,|:{}\\[\\]\"' -]{0,12}",
    ) {
        let text = sample(file);
        let marks: Vec<char> = text.chars().collect();
        let at = (place * marks.len() as f64) as usize;
        let rest = marks.iter().skip(at + length);
        let edited: String = marks[..at].iter().copied().chain(insert.chars()).chain(rest.copied()).collect();
        if let Ok(points) = read(&edited) {
            prop_assert!(!points.is_empty());
            for point in points {
                prop_assert!(point.readings.iter().all(|reading| reading.value.is_finite() && reading.value > 0.0));
                let scenario = point.applied_to(&Scenario::default());
                let decoded = link::decode(&link::encode(&scenario));
                prop_assert_eq!(&decoded.problems[..], &[]);
                prop_assert_eq!(decoded.scenario, scenario);
            }
        }
    }
}
