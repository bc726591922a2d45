//! Measurements as versions and settings beyond the samples write them: what each line means, and what it is not.
//!
//! The lines are those of real logs and results, shortened.

use foretoken::measured::{Fault, Kind, Measurement, Statistic, decoded, read};

/// The points of a text.
fn points(text: &str) -> Vec<Measurement> {
    read(text).unwrap_or_else(|fault| panic!("{fault}: {text}"))
}

/// The only point of a text.
fn only(text: &str) -> Measurement {
    let mut points = points(text);
    assert_eq!(points.len(), 1, "{text}");
    points.remove(0)
}

/// True within rounding of a sum or a quotient.
fn near(value: Option<f64>, expected: f64) -> bool {
    value.is_some_and(|value| (value / expected - 1.0).abs() < 1e-9)
}

/// Facts of a point are these numbers.
fn facts(found: &Measurement, numbers: &[(&str, f64)]) {
    for (path, number) in numbers {
        assert!(near(found.number_of(path), *number), "{path}: {:?}", found.number_of(path));
    }
}

const TITAN: &str = "\
[rank0]:[titan] 2025-11-25 19:44:55,000 - root - INFO - CUDA capacity: NVIDIA H100 80GB HBM3 with 79.19GiB memory
[rank0]:[titan] 2025-11-25 19:44:55,100 - root - INFO - Building device mesh with parallelism: pp=1, dp_replicate=2, dp_shard=8, cp=1, tp=4, ep=1
[rank0]:[titan] 2025-11-25 19:44:58,595 - root - INFO - Model llama3 8B size: 8,030,261,248 total parameters
[rank0]:[titan] 2025-11-25 19:44:58,837 - root - INFO - Peak FLOPS used for computing MFU: 9.890e+14
[rank0]:[titan] 2025-11-25 19:44:58,838 - root - INFO - Trainer is initialized with local batch size 2, global batch size 32, gradient accumulation steps 1, sequence length 8192, total steps 10 (warmup 2)
";

#[test]
fn the_beginning_of_a_torchtitan_log_is_the_scenario() {
    let steps = (1..=6).map(|step| {
        format!("[titan] - root - INFO - step: {step:2}  loss:  8.0277  memory: 30.21GiB(38.1%)  tps: 7,000  tflops: 405.10  mfu: 40.96%\n")
    });
    let found = only(&(TITAN.to_owned() + &steps.collect::<String>()));
    facts(
        &found,
        &[
            ("parallelism.tensor", 4.0),
            ("system.gpus", 64.0),
            ("recipe.batch", 32.0),
            ("recipe.sequence", 8192.0),
            ("parallelism.microbatch", 2.0),
            ("measured.peak_tflops", 989.0),
        ],
    );
    assert!(format!("{:?}", found.fact_of("model")).contains("llama-3.1-8b"), "{:?}", found.remarks);
    assert!(format!("{:?}", found.fact_of("system.accelerator")).contains("h100-sxm"), "{:?}", found.remarks);
}

#[test]
fn validation_of_torchtitan_is_no_training_step() {
    let log = "step: 1  loss: 8  memory: 1.0GiB(1%)  tps: 100  tflops: 1.0  mfu: 1%\n\
               step: 50  loss: 8  memory: 1.0GiB(1%)  tps: 7,000  tflops: 400.0  mfu: 40%\n\
               step: 100  loss: 8  memory: 1.0GiB(1%)  tps: 7,100  tflops: 400.0  mfu: 40%\n\
               step: 150  loss: 8  memory: 1.0GiB(1%)  tps: 7,200  tflops: 400.0  mfu: 40%\n\
               validate step: 150  loss: 7.9  memory: 1.0GiB(1%)  tps: 21,000\n";
    let found = only(log);
    assert!(near(found.value(Kind::TokensPerGpu, Statistic::Median), 7100.0), "{:?}", found.readings);
}

#[test]
fn the_rate_of_torchtitan_until_2024_is_wps() {
    let log = "step: 10  loss: 4.1  memory: 0.7GiB(0.7%)  wps: 6,100  mfu: 40.2%\n\
               step: 20  loss: 4.1  memory: 0.7GiB(0.7%)  wps: 6,200  mfu: 40.2%\n\
               step: 30  loss: 4.1  memory: 0.7GiB(0.7%)  wps: 6,300  mfu: 40.2%\n";
    assert!(near(only(log).value(Kind::TokensPerGpu, Statistic::Median), 6200.0));
}

#[test]
fn lines_of_every_rank_are_one_run() {
    let line = |rank: u32, step: u32| {
        format!(
            "[rank{rank}]: step: {step}  loss: 8  memory: 1.0GiB(1%)  tps: 7,000  tflops: 400.0  mfu: 40%\n"
        )
    };
    let log: String = (1..=6).flat_map(|step| [line(0, step), line(1, step)]).collect();
    let found = only(&log);
    assert_eq!(found.used, Some(4));
    assert!(found.left_out.iter().all(|left| !left.why.contains("earlier run")), "{:?}", found.left_out);
}

#[test]
fn control_sequences_of_a_terminal_are_no_text() {
    let line = |step: u32| {
        format!(
            "\u{1b}[2K\rstep: {step}  loss: 8  \u{1b}[38;5;39mmemory: 1.0GiB(1%)\u{1b}[0m  tps: 7,000  tflops: 400.0  mfu: 40%\n"
        )
    };
    assert_eq!(only(&(1..=6).map(line).collect::<String>()).used, Some(4));
}

#[test]
fn an_evaluation_behind_the_run_is_not_its_steps() {
    let log = "100%|####| 378/378 [2:31:57<00:00, 24.12s/it]\n\
               {'train_runtime': 9117.7, 'train_samples_per_second': 5.3, 'train_steps_per_second': 0.041, 'epoch': 2.0}\n\
               ***** Running Evaluation *****\n\
               100%|####| 25/25 [00:36<00:00,  1.46s/it]\n";
    assert!(near(only(log).value(Kind::Step, Statistic::Mean), 9117.7 / 378.0));
    // Standard error, where bars are, may come after standard output.
    let late = "{'train_runtime': 80.3532, 'train_samples_per_second': 4.978, 'train_steps_per_second': 1.245}\n\
                100%|####| 100/100 [01:20<00:00,  1.24it/s]\n";
    assert!(near(only(late).value(Kind::Step, Statistic::Mean), 0.803_532));
}

#[test]
fn the_block_of_train_metrics_is_a_record() {
    let log = "***** Running training *****\n  Instantaneous batch size per device = 2\n  \
               Total train batch size (w. parallel, distributed & accumulation) = 16\n  \
               Total optimization steps = 310\n***** train metrics *****\n  epoch                    =        5.0\n  \
               train_runtime            = 0:16:08.44\n  train_samples_per_second =      5.065\n  \
               train_steps_per_second   =       0.32\n";
    let found = only(log);
    assert!(near(found.value(Kind::Step, Statistic::Mean), 968.44 / 310.0));
    facts(&found, &[("recipe.batch", 16.0), ("parallelism.microbatch", 2.0)]);
}

#[test]
fn tokens_of_the_trainer_are_of_one_process() {
    let log = "{'train_runtime': 100.0, 'train_samples_per_second': 8.0, 'train_steps_per_second': 0.5, \
               'train_tokens_per_second': 4000.5}\n";
    let found = only(log);
    assert!(near(found.value(Kind::TokensPerGpu, Statistic::Whole), 4000.5));
    assert_eq!(found.value(Kind::Tokens, Statistic::Whole), None);
}

#[test]
fn iterations_of_megatron_may_be_in_seconds_and_memory_in_gb() {
    let line = |step: u32| {
        format!(
            " iteration {step:8}/  1000 | consumed samples: 10 | elapsed time per iteration (s): 105.22 | \
             global batch size: 2048 | number of skipped iterations: 0 |\n"
        )
    };
    let log = (1..=5).map(line).collect::<String>()
        + "[Rank 0] (after 10 iterations) memory (GB) | mem-max-allocated-gigabytes: 64.0 | mem-reserved: 70\n";
    let found = only(&log);
    assert!(near(found.value(Kind::Step, Statistic::Median), 105.22));
    assert!(near(found.value(Kind::Memory, Statistic::Whole), 64e9));
    let minutes = log.replace("(s)", "(min)");
    assert!(matches!(read(&minutes), Err(Fault::Unread { .. })));
}

#[test]
fn rates_of_primus_since_26_5_are_read() {
    let line = |step: u32| {
        format!(
            " iteration {step:8}/   50 | elapsed time per iteration (ms): 2500.0/2501.2 | compute per GPU (TFLOP/s/GPU): \
             615.5 (avg 612.1) | tokens/s/GPU inst/harmonic mean: 13107.2/13050.1 | global batch size: 128 |\n"
        )
    };
    let found = only(&(1..=6).map(line).collect::<String>());
    assert!(near(found.value(Kind::FlopsPerGpu, Statistic::Median), 615.5e12));
    assert!(near(found.value(Kind::TokensPerGpu, Statistic::Median), 13_107.2));
}

#[test]
fn attention_replicas_of_inferencex_are_the_gpus_of_tp() {
    let point = r#"{"hw": "b200", "model": "deepseek-ai/DeepSeek-R1-0528", "framework": "sglang", "precision": "fp8",
        "conc": 64, "isl": 1024, "osl": 1024, "tp": 8, "ep": 8, "dp_attention": "true", "spec_decoding": "mtp",
        "tput_per_gpu": 148.6, "output_tput_per_gpu": 74.3, "mean_tpot": 0.0128}"#;
    let found = only(point);
    facts(&found, &[("inference.tensor", 1.0), ("inference.data", 8.0), ("inference.expert", 8.0)]);
    assert!(found.remarks.iter().any(|remark| remark.contains("Speculative")), "{:?}", found.remarks);
}

const ROW: &str = r#""completed": 10, "total_input_tokens": 10240, "total_output_tokens": 1280, "request_throughput": 2.0,
    "output_throughput": 256.0, "mean_ttft_ms": 100.5, "mean_tpot_ms": 10.25"#;

#[test]
fn python_writes_an_endless_request_rate() {
    let row =
        format!(r#"{{"backend": "sglang", "request_rate": Infinity, "random_range_ratio": 1.0, {ROW}}}"#);
    assert!(near(only(&row).value(Kind::Ttft, Statistic::Mean), 0.1005));
}

#[test]
fn a_protocol_names_no_engine() {
    let row = format!(r#"{{"backend": "openai-chat", "spec_decode_acceptance_length": 2.5, {ROW}}}"#);
    let found = only(&row);
    assert!(format!("{:?}", found.fact_of("inference.engine")).contains("vllm"));
    assert!(
        found.remarks.iter().any(|remark| remark.contains("a protocol that names no engine")),
        "{:?}",
        found.remarks
    );
    assert!(found.remarks.iter().any(|remark| remark.contains("accepts 2.5 tokens")), "{:?}", found.remarks);
}

#[test]
fn replicas_of_a_server_of_sglang_share_its_gpus() {
    let row = format!(
        r#"{{"backend": "sglang", "random_range_ratio": 1.0, "server_info": {{"tp_size": 8, "dp_size": 8,
            "enable_dp_attention": true, "kv_cache_dtype": "fp8_e4m3"}}, {ROW}}}"#
    );
    facts(&only(&row), &[("inference.tensor", 1.0), ("inference.data", 8.0)]);
    let apart = row.replace("true", "false");
    facts(&only(&apart), &[("inference.tensor", 8.0)]);
}

#[test]
fn a_prompt_timed_with_its_generation_is_no_prompt() {
    let table = "  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes\n\
                 | model | size | params | backend | ngl | type_k | test | t/s |\n\
                 | --- | ---: | ---: | --- | --: | --- | --- | ---: |\n\
                 | llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | 20 | q8_0 | pp512 | 11000.5 ± 10.2 |\n\
                 | llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | 20 | q8_0 | pp512+tg128 | 900.1 ± 1.2 |\n";
    let points = points(table);
    assert_eq!(points.len(), 1);
    assert!(near(points[0].value(Kind::Input, Statistic::Mean), 11_000.5));
    facts(&points[0], &[("inference.gpu_layers", 20.0)]);
    assert!(points[0].fact_of("system.accelerator").is_some());
    let cache = format!("{:?}", points[0].fact_of("inference.kv_precision"));
    assert!(cache.contains("q8_0"), "{cache}");
}

#[test]
fn layers_on_several_gpus_are_a_pipeline() {
    let test = |split: &str| {
        format!(
            r#"[{{"gpu_info": "NVIDIA GeForce RTX 4090, NVIDIA GeForce RTX 4090", "model_type": "llama 70B Q4_K - Medium",
                "model_filename": "m.gguf", "type_k": "f16", "n_gpu_layers": 99, "n_cpu_moe": 0, "split_mode": "{split}",
                "n_prompt": 512, "n_gen": 0, "n_depth": 0, "avg_ts": 700.5}}]"#
        )
    };
    let found = only(&test("layer"));
    facts(&found, &[("inference.pipeline", 2.0), ("inference.tensor", 1.0)]);
    assert!(found.fact_of("inference.gpu_layers").is_none());
    facts(&only(&test("row")), &[("inference.tensor", 2.0)]);
}

#[test]
fn batches_of_one_run_are_points_without_the_warm_up() {
    let block = |latency: f64| {
        format!(
            "Prefill. latency: {latency:.5} s, throughput: 20480.00 token/s\n\
             Decode. median latency: 0.00500 s, median throughput: 200.00 token/s\n\
             Total. latency: 1.000 s, throughput: 1152.00 token/s\n"
        )
    };
    let log = format!("Warmup ...\n{}Benchmark ...\n{}{}", block(2.0), block(0.05), block(0.1));
    let points = points(&log);
    let times: Vec<Option<f64>> =
        points.iter().map(|point| point.value(Kind::Ttft, Statistic::Whole)).collect();
    assert_eq!(times, [Some(0.05), Some(0.1)]);
}

#[test]
fn prefill_lines_of_older_servers_have_a_period() {
    let log = "[2025-03-01 10:00:00 TP0] Prefill batch. #new-seq: 4, #new-token: 3000, #cached-token: 1000, #queue-req: 0\n\
               [2025-03-01 10:00:01 TP0] Decode batch. #running-req: 4, #token: 4000, gen throughput (token/s): 400.50, #queue-req: 0\n";
    let found = only(log);
    facts(&found, &[("inference.cached", 0.25)]);
}

#[test]
fn a_kernel_summary_may_be_in_columns() {
    let report = "\
 ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):

 Time (%)  Total Time (ns)  Instances   Avg (ns)   Med (ns)   Min (ns)  Max (ns)  StdDev (ns)                Name
 --------  ---------------  ---------  ----------  ---------  --------  --------  -----------  --------------------------------
     75.0      300,000,000        100  3,000,000.0  3,000,000   2000000   4000000       1000.0  sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64
     25.0      100,000,000         50  2,000,000.0  2,000,000   1000000   3000000       1000.0  ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)
";
    let found = only(report);
    let total: f64 = found.spent.iter().map(|spent| spent.time).sum();
    assert!(near(Some(total), 0.4), "{:?}", found.spent);
    assert_eq!(found.spent.len(), 2);
}

#[test]
fn what_deepspeed_was_configured_with_gives_its_step() {
    let log = "[2023-08-15 06:31:35,634] [INFO] [config.py:964:print]   train_batch_size ............. 32\n\
               [2023-08-15 06:31:35,634] [INFO] [config.py:964:print]   train_micro_batch_size_per_gpu  4\n\
               [2023-08-15 06:31:35,634] [INFO] [config.py:964:print]   world_size ................... 2\n\
               [Rank 0] step=10 epoch=0/micro_step=40/global_step=10, RunningAvgSamplesPerSec=16.0, CurrSamplesPerSec=16.0, MemAllocated=1.0GB, MaxMemAllocated=10.0GB\n\
               [Rank 0] epoch=0/micro_step=80/global_step=20, RunningAvgSamplesPerSec=16.0, CurrSamplesPerSec=16.0, MemAllocated=1.0GB, MaxMemAllocated=10.0GB\n";
    let found = only(log);
    facts(&found, &[("recipe.batch", 32.0), ("parallelism.microbatch", 4.0), ("system.gpus", 2.0)]);
    assert!(near(found.value(Kind::Step, Statistic::Median), 2.0), "{:?}", found.readings);
}

#[test]
fn a_time_in_seconds_is_not_read_in_milliseconds() {
    let block = "============ Serving Benchmark Result ============\nSuccessful requests:   10\nFailed requests:   2\n\
                 Request throughput (req/s):   2.00\nMean TTFT (s):   0.15\n";
    let found = only(block);
    assert_eq!(found.value(Kind::Ttft, Statistic::Mean), None);
    assert!(found.remarks.iter().any(|remark| remark.contains("mean ttft (s)")), "{:?}", found.remarks);
    assert!(found.left_out.iter().any(|left| left.rows == 2));
}

#[test]
fn text_of_powershell_is_text() {
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("t/s ±".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(decoded(&utf16), "t/s ±");
    let big: Vec<u8> =
        [0xfe, 0xff].into_iter().chain("é".encode_utf16().flat_map(u16::to_be_bytes)).collect();
    assert_eq!(decoded(&big), "é");
    assert_eq!(decoded("é".as_bytes()), "é");
}

#[test]
fn lines_of_nemo_2_have_batch_rate_and_memory() {
    let line = |step: u32| {
        format!(
            "0: Training epoch 0, iteration {step}/99 | lr: 6.897e-06 | global_batch_size: 128 | global_step: {step} | \
             max_memory_reserved: 127785762816 | max_memory_allocated: 115792977920 | reduced_train_loss: 11.96 | \
             train_step_timing in s: 6.08 | TFLOPS_per_GPU: 1.249e+03 | consumed_samples: 5888\n"
        )
    };
    let found = only(&(0..8).map(line).collect::<String>());
    assert!(near(found.value(Kind::Step, Statistic::Median), 6.08));
    assert!(near(found.value(Kind::FlopsPerGpu, Statistic::Median), 1.249e15));
    assert!(near(found.value(Kind::Memory, Statistic::Whole), 115_792_977_920.0));
    facts(&found, &[("recipe.batch", 128.0)]);
}

#[test]
fn the_first_rank_of_megatron_bridge_logs_its_rate() {
    let rate =
        |step: u32| format!("Step Time : {}.25s GPU utilization: 512.5MODEL_TFLOP/s/GPU\n", 4 + step / 2);
    let alone = only(&(0..2).chain([3; 5]).map(rate).collect::<String>());
    assert!(near(alone.value(Kind::Step, Statistic::Median), 5.25));
    assert!(near(alone.value(Kind::FlopsPerGpu, Statistic::Median), 512.5e12));
    // With the lines of the last rank in the same file, those have the time.
    let both = |step: u32| {
        format!(
            "{} [2026-03-01 10:00:00] iteration {:8}/ 100 | elapsed time per iteration (ms): 5247.1 | \
             global batch size: 128 |\n",
            rate(2),
            step + 1
        )
    };
    let found = only(&(0..6).map(both).collect::<String>());
    assert!(near(found.value(Kind::Step, Statistic::Median), 5.2471));
    assert!(near(found.value(Kind::FlopsPerGpu, Statistic::Median), 512.5e12));
}

#[test]
fn the_configuration_of_maxtext_is_the_scenario() {
    let settings = "I0317 09:59:16.2 1253 pyconfig.py:413] Config param dtype: bfloat16\n\
                    Config param model_name: llama2-70b\nConfig param per_device_batch_size: 2.0\n\
                    Config param max_target_length: 4096\nConfig param ici_tensor_parallelism: 4\n\
                    Config param dcn_tensor_parallelism: 1\nConfig param ici_fsdp_parallelism: -1\n\
                    Config param ici_pipeline_parallelism: 1\nConfig param quantization: \n\
                    Config param gradient_accumulation_steps: 1\nConfig param remat_policy: full\n\
                    Num_devices: 64, shape (1, 1, 16, 4)\n";
    let step = |step: u32| {
        format!(
            "completed step: {step}, seconds: 5.667, TFLOP/s/device: 134.924, Tokens/s/device: 1445.6, loss: 10.3\n"
        )
    };
    let log = settings.to_owned() + &(0..6).map(step).collect::<String>();
    let found = only(&log);
    facts(
        &found,
        &[
            ("system.gpus", 64.0),
            ("recipe.batch", 128.0),
            ("recipe.sequence", 4096.0),
            ("parallelism.tensor", 4.0),
            ("parallelism.pipeline", 1.0),
            ("parallelism.zero", 3.0),
            ("parallelism.microbatch", 8.0),
        ],
    );
    for (path, word) in
        [("model", "llama-2-70b"), ("recipe.precision", "bf16"), ("parallelism.recompute", "full")]
    {
        assert!(format!("{:?}", found.fact_of(path)).contains(word), "{path}: {:?}", found.fact_of(path));
    }
    let partial = only(&log.replace("remat_policy: full", "remat_policy: minimal"));
    assert!(partial.remarks.iter().any(|remark| remark.contains("minimal")), "{:?}", partial.remarks);
}

#[test]
fn the_console_of_aiperf_is_a_table() {
    let table = "            NVIDIA AIPerf | LLM Metrics\n\
        ┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━━┓\n\
        ┃                         Metric ┃       avg ┃      p99 ┃       p50 ┃\n\
        ┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━━┩\n\
        │       Time to First Token (ms) │    561.30 │ 2,973.45 │    368.61 │\n\
        │           Request Latency (ms) │ 13,889.91 │ 22,1…    │ 13,510.24 │\n\
        │       Inter Token Latency (ms) │     40.45 │    43.51 │     40.85 │\n\
        │ Output Token Throughput Per    │     24.81 │    30.76 │     24.48 │\n\
        │         User (tokens/sec/user) │           │          │           │\n\
        │         Output Sequence Length │    330.31 │   558.00 │    335.00 │\n\
        │                       (tokens) │           │          │           │\n\
        │             Request Throughput │      0.72 │      N/A │       N/A │\n\
        │                 (requests/sec) │           │          │           │\n\
        └────────────────────────────────┴───────────┴──────────┴───────────┘\n";
    let found = only(table);
    assert!(near(found.value(Kind::Ttft, Statistic::Mean), 0.5613));
    assert!(near(found.value(Kind::Tpot, Statistic::P99), 0.04351));
    assert!(near(found.value(Kind::Latency, Statistic::Median), 13.51024));
    assert_eq!(found.value(Kind::Latency, Statistic::P99), None);
    assert!(near(found.value(Kind::Requests, Statistic::Whole), 0.72));
    facts(&found, &[("inference.output", 330.0)]);
    let command =
        "$ aiperf profile \\\n  --model meta-llama/Llama-3.1-8B-Instruct \\\n  --concurrency 10 \\\n";
    let found = only(&format!("{command}{table}"));
    facts(&found, &[("inference.output", 330.0), ("inference.concurrency", 10.0)]);
    assert!(format!("{:?}", found.fact_of("model")).contains("llama-3.1-8b"), "{:?}", found.fact_of("model"));
}

#[test]
fn tests_of_llama_bench_as_sql_are_those_as_csv() {
    let csv = include_str!("../fixtures/measurements/llama_bench.csv");
    let mut lines = csv.lines();
    let columns = lines.next().expect("a header").replace(',', ", ");
    let insert = |line: &str| {
        let values = line.trim_matches('"').replace("\",\"", "', '");
        format!("INSERT INTO llama_bench ({columns}) VALUES ('{values}');\n")
    };
    let script: String = lines.map(insert).collect();
    let create = "CREATE TABLE IF NOT EXISTS llama_bench (\n  build_commit TEXT,\n  avg_ts REAL\n);\n\n";
    assert_eq!(points(&(create.to_owned() + &script)), points(csv));
    let cut = script.get(..script.len() - 40).expect("ASCII");
    assert_eq!(points(cut).len() + 1, points(csv).len());
}

#[test]
fn the_breakdown_of_deepspeed_gives_the_step() {
    let line = |forward: f64| {
        format!(
            "[INFO] [logging.py:96:log_dist] [Rank 0] time (ms) | fwd_microstep: 9.00 | bwd_microstep: 9.00 | bwd_inner_microstep: 8.00 | \
             bwd_allreduce_microstep: 1.00 | step_microstep: 33.40\n\
             [INFO] [logging.py:96:log_dist] [Rank 0] time (ms) | fwd: {forward:.2} | bwd: 412.15 | bwd_inner: 405.70 | bwd_allreduce: 6.30 | \
             step: 33.40\n"
        )
    };
    let found = only(&[900.0, 500.0, 141.25, 141.75, 141.5].map(line).concat());
    assert!(near(found.value(Kind::Step, Statistic::Median), 0.58705), "{:?}", found.readings);
    assert_eq!((found.used, found.left_out.iter().map(|left| left.rows).sum()), (Some(3), 2_u32));
    let phases = found.phases;
    for (phase, time) in [
        (phases.forward, 0.1415),
        (phases.backward, 0.40585),
        (phases.reduction, 0.0063),
        (phases.optimizer, 0.0334),
    ] {
        assert!(near(phase, time), "{phases:?}");
    }
    assert!(
        found.remarks.iter().any(|remark| remark.contains("wall_clock_breakdown")),
        "{:?}",
        found.remarks
    );
    assert!(!found.remarks.iter().any(|remark| remark.contains("samples per second")), "{:?}", found.remarks);
}

#[test]
fn disaggregated_points_of_inferencex_have_workers_of_both_phases() {
    let point = r#"{"hw": "gb200", "model": "deepseek-ai/DeepSeek-R1-0528", "framework": "dynamo-sglang", "precision": "fp8",
        "disagg": true, "is_multinode": true, "conc": 512, "isl": 1024, "osl": 1024, "spec_decoding": "none",
        "prefill_tp": 4, "prefill_ep": 1, "prefill_dp_attention": "false", "prefill_num_workers": 2, "num_prefill_gpu": 8,
        "decode_tp": 16, "decode_ep": 16, "decode_dp_attention": "true", "decode_num_workers": 1, "num_decode_gpu": 16,
        "tput_per_gpu": 1000.0, "output_tput_per_gpu": 750.0, "input_tput_per_gpu": 1500.0, "mean_tpot": 0.0128}"#;
    let found = only(point);
    facts(
        &found,
        &[
            ("inference.prefill_workers", 2.0),
            ("inference.prefill_tensor", 4.0),
            ("inference.prefill_data", 1.0),
            ("inference.workers", 1.0),
            ("inference.tensor", 1.0),
            ("inference.data", 16.0),
            ("inference.expert", 16.0),
        ],
    );
    // 1,000 tokens/s on each of 24 GPUs, 750 output tokens/s on each of the 16 that decode.
    assert!(near(found.value(Kind::Total, Statistic::Whole), 24_000.0));
    assert!(near(found.value(Kind::Output, Statistic::Whole), 12_000.0));
    let unknown = point.replace("\"num_decode_gpu\": 16", "\"num_decode_gpu\": 0");
    assert!(matches!(read(&unknown), Err(Fault::Unread { .. })));
}

#[test]
fn a_long_report_of_guidellm_is_read_without_its_requests() {
    let request = format!(r#"{{"prompt": "{}", "output": "]}}\"", "ttft": 1}}"#, "words ".repeat(100_000));
    let requests = vec![request; 60].join(",");
    let report = format!(
        r#"{{"metadata": {{"version": 2}}, "benchmarks": [{{"config": {{"strategy": {{"max_concurrency": 8}}}},
           "requests": {{"successful": [{requests}], "errored": [], "incomplete": []}},
           "metrics": {{"time_to_first_token_ms": {{"successful": {{"mean": 12262.48, "pdf": [[1, 2]]}}}},
           "request_totals": {{"successful": 60, "errored": 2, "incomplete": 0}}}}}}]}}"#
    );
    assert!(report.len() > foretoken::measured::MAX_BYTES);
    let found = only(&report);
    assert!(near(found.value(Kind::Ttft, Statistic::Mean), 12.262_48));
    assert_eq!((found.used, found.left_out[0].rows), (Some(60), 2));
    assert!(
        found.remarks.iter().any(|remark| remark.contains("single requests are skipped")),
        "{:?}",
        found.remarks
    );
    // What is long without lists of requests is refused as before.
    let long = format!("{{\"benchmarks\": \"{}\"}}", "x".repeat(foretoken::measured::MAX_BYTES));
    assert!(matches!(read(&long), Err(Fault::TooLong { .. })));
}
