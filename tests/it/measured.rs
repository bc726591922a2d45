//! Measurements that people have: runs, arguments and rows of samples, and what is said about them.

use foretoken::measured::Kind::*;
use foretoken::measured::Statistic::{Mean, Median, P99, Whole};
use foretoken::measured::{Format, MAX_POINTS, read};
use foretoken::scenario::{Scenario, link};

use crate::samples::{GIB, MS, only, points, printed, sample};

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
