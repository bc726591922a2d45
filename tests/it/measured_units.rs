//! Samples in other units and of other versions: a wrong number is never read.

use foretoken::measured::Kind::{self, *};
use foretoken::measured::Statistic::{self, Mean, Median, Whole};
use foretoken::measured::{Measurement, read};

use crate::samples::sample;

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
