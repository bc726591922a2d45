//! Hostile files are refused in a sentence, or read without a panic.

use foretoken::measured::{Fault, MAX_BYTES, Measurement, read};
use foretoken::scenario::{Scenario, link};
use proptest::prelude::*;

use crate::samples::{only, sample};

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
