//! Every sample is read to the printed digit, and its settings become the scenario.

use foretoken::measured::Kind::{self, *};
use foretoken::measured::Statistic::{self, Mean, Median, P99, Whole};
use foretoken::scenario::{Scenario, link};

use crate::samples::{GIB, MS, NS, TERA, points, printed};

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
