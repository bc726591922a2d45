//! Runs of InferenceX among the rows of `serving.csv`: lengths of requests, launch settings and runs with speculative
//! decoding, which the rows leave out and the benchmark's public scripts and log of changes state.
//!
//! Source: SemiAnalysisAI/InferenceX at 843c625 and before, `benchmarks/` (launch scripts, by date and version) and
//! `perf-changelog.yaml` (the configurations of each day's run).

use super::serving::Row;

/// Nominal prompt and output lengths of the benchmark, tokens.
const LENGTHS: [u32; 2] = [1024, 8192];

/// Mean length over the nominal one: lengths are uniform between 0.8 and 1 of it (`random-range-ratio: 0.8` in
/// `full-sweep-tmpl.yml`, `sample_uniform` in `utils/bench_serving/benchmark_serving.py`).
const MEAN: f64 = 0.9;

/// Runs of a day whose configurations all decode speculatively with the model's prediction modules: engine, models, device,
/// date.
const SPECULATIVE: [(&str, &str, &str, &str); 5] = [
    ("trtllm", "deepseek", "h200_sxm", "2026-01-14"),
    ("trtllm", "deepseek", "b200_sxm", "2026-01-14"),
    ("trtllm", "deepseek", "b200_sxm", "2026-02-05"),
    ("trtllm", "deepseek", "b200_sxm", "2026-02-06"),
    ("sglang", "qwen3.5", "b200_sxm", "2026-03-20"),
];

/// Runs of a day of which some configurations decode speculatively, and rows do not say which: engine, models, device, date,
/// format of the experts.
const MIXED: [(&str, &str, &str, &str, &str); 6] = [
    ("sglang", "deepseek", "b200_sxm", "2026-03-25", "fp8_block"),
    ("sglang", "deepseek", "b300_sxm", "2026-04-17", "fp8_block"),
    ("sglang", "qwen3.5", "b300_sxm", "2026-04-17", "fp8_block"),
    ("sglang", "qwen3.5", "b300_sxm", "2026-04-18", "nvfp4"),
    ("sglang", "qwen3.5", "b300_sxm", "2026-04-18", ""),
    ("sglang", "qwen3.5", "b200_sxm", "", "fp8_block"),
];

/// Launch settings of a run; `None` for the engine's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Settings {
    /// Maximum number of tokens in a step of an attention replica.
    pub(super) budget: Option<u32>,
    /// Maximum number of requests in a step of an attention replica.
    pub(super) slots: Option<u32>,
    /// Decode steps between two admissions of new requests.
    pub(super) interval: u32,
    /// Fraction of memory that the server uses, as the engine defines it.
    pub(super) memory: Option<f64>,
}

impl Settings {
    /// The engine's own settings.
    const OWN: Self = Self { budget: None, slots: None, interval: 1, memory: None };
}

/// Returns true for a run of InferenceX: its nominal lengths, with a date or a number of attention replicas.
pub(super) fn is_run(row: &Row) -> bool {
    let known = |column| row.whole(column).is_some_and(|length| LENGTHS.contains(&length));
    known("isl")
        && known("osl")
        && !(row.text("measured_date").is_empty() && row.text("attention_dp_size").is_empty())
}

/// Degrees of parallelism of an aggregated worker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Degrees {
    /// GPUs that share each attention block.
    pub(super) tensor: u32,
    /// Replicas of the attention blocks.
    pub(super) data: u32,
    /// GPUs that share each expert.
    pub(super) cut: u32,
    /// Expert-parallel degree: groups of GPUs over which experts are distributed.
    pub(super) dealt: u32,
}

impl Degrees {
    /// The degrees of a row; blank ones are 1. Two kinds of InferenceX's rows have products instead.
    ///
    /// - With expert parallelism, SGLang's and TensorRT-LLM's attention degree is multiplied by the expert-parallel degree: n² and
    ///   experts of n × n are n and 1 × n. The 37 rows that are listed both ways have the same times.
    /// - vLLM's attention replicas have one GPU each (`--tensor-parallel-size=1 --data-parallel-size=$TP` in
    ///   `minimaxm2.5_fp4_b300.sh`): n × n and n² parts are 1 × n and n parts.
    pub(super) fn of(row: &Row) -> Self {
        let degree = |column| row.whole(column).unwrap_or(1);
        let (tensor, data) = (degree("tp_size"), row.replicas("attention_dp_size"));
        let (cut, dealt) = (degree("moe_tp_size"), degree("moe_ep_size"));
        let square = dealt.saturating_mul(dealt);
        let printed = Self { tensor, data, cut, dealt };
        if !is_run(row) || dealt <= 1 {
            printed
        } else if row.text("backend") == "vllm" {
            let products = cut == 1 && tensor == data && dealt == tensor.saturating_mul(data);
            if products { Self { tensor: 1, data, cut, dealt: data } } else { printed }
        } else if cut == dealt && tensor == square && data == 1 {
            Self { tensor: dealt, data, cut: 1, dealt }
        } else if cut == dealt && data == square && tensor == 1 {
            Self { tensor, data: dealt, cut: 1, dealt }
        } else {
            printed
        }
    }
}

/// Mean length of a run's prompts or outputs of this nominal length, tokens.
pub(super) fn mean_length(nominal: u32) -> u32 {
    libm::round(f64::from(nominal) * MEAN) as u32
}

/// Returns true if a run decodes speculatively, or may do so.
///
/// DeepSeek-V3 is the collection's second name of runs of DeepSeek-R1 without speculative decoding.
pub(super) fn speculates(row: &Row) -> bool {
    if !is_run(row) || row.separate() {
        return false;
    }
    let model = row.text("model_path").to_lowercase();
    let (engine, device, date) = (row.text("backend"), row.text("system"), row.text("measured_date"));
    let same = |run: (&str, &str, &str, &str)| {
        run.0 == engine && model.contains(run.1) && run.2 == device && run.3 == date
    };
    let format = row.text("moe_quant_mode");
    SPECULATIVE.into_iter().any(same)
        || !model.ends_with("-v3")
            && MIXED.into_iter().any(|(a, b, c, d, experts)| experts == format && same((a, b, c, d)))
}

/// The launch settings of a run.
pub(super) fn settings(row: &Row) -> Settings {
    if !is_run(row) || row.separate() {
        return Settings::OWN;
    }
    let model = row.text("model_path").to_lowercase();
    let named = |name: &str| model.contains(name);
    match row.text("backend") {
        "sglang" if named("deepseek") => deepseek(row),
        "sglang" if named("qwen3.5") => qwen(row),
        "sglang" if named("glm-5") => glm(row),
        "trtllm" if named("deepseek") => deepseek_tensorrt(row),
        "trtllm" if named("llama-3.1-70b") => llama(row),
        "vllm" if named("minimax") => minimax(row),
        "vllm" if named("kimi") => kimi(row),
        _ => Settings::OWN,
    }
}

fn number(row: &Row, column: &str) -> u32 {
    row.whole(column).unwrap_or(0)
}

/// The interval of SGLang's scripts on Blackwell, by concurrency.
fn polling(row: &Row) -> u32 {
    if number(row, "concurrency") >= 16 { 30 } else { 10 }
}

/// `dsr1_fp8_b200.sh`, `dsr1_fp4_b200.sh` and their B300 copies, `dsr1_fp8_h200.sh`.
fn deepseek(row: &Row) -> Settings {
    let settings = |budget, slots, interval, memory| Settings {
        budget: Some(budget),
        slots: Some(slots),
        interval,
        memory: Some(memory),
    };
    match (row.text("system"), row.text("moe_quant_mode")) {
        ("h200_sxm", _) if number(row, "osl") == number(row, "isl") => settings(32_768, 512, 1, 0.82),
        ("h200_sxm", _) => settings(32_768, 256, 1, 0.82),
        (_, "nvfp4") => settings(16_384, 256, polling(row), 0.85),
        _ if Degrees::of(row).tensor == 4 => settings(8192, 32, 10, 0.95),
        _ => settings(32_768, 128, polling(row), 0.82),
    }
}

/// `qwen3.5_fp8_h200.sh`, `qwen3.5_fp8_b300.sh` from version 0.5.10 on, and `qwen3.5_{bf16,fp8,fp4}_b200.sh` with its copies.
fn qwen(row: &Row) -> Settings {
    let settings = |budget, interval, memory| Settings {
        budget: Some(budget),
        slots: Some(128),
        interval,
        memory: Some(memory),
    };
    let later = row.text("backend_version").starts_with("0.5.10");
    match (row.text("system"), row.text("moe_quant_mode")) {
        ("h200_sxm", _) => settings(16_384, 1, 0.8),
        ("b300_sxm", "fp8_block") if later => Settings { slots: None, ..settings(16_384, 10, 0.8) },
        // Version 0.5.9 on B300 ran before its script was published, with up to 256 requests.
        ("b300_sxm", "fp8_block") => Settings { slots: None, ..settings(32_768, polling(row), 0.82) },
        (_, "nvfp4") => settings(32_768, polling(row), 0.85),
        _ => settings(32_768, polling(row), 0.82),
    }
}

/// `glm5_fp8_h200.sh`, `glm5_fp8_b200.sh`, `glm5_nvfp4_b200.sh` and their B300 copies.
fn glm(row: &Row) -> Settings {
    let budget = match (row.text("system"), row.text("moe_quant_mode")) {
        ("h200_sxm", _) => None,
        (_, "nvfp4") => Some(131_072),
        _ => Some(32_768),
    };
    Settings { budget, slots: None, interval: 1, memory: Some(0.85) }
}

/// `70b_{fp8,fp4}_{h200,b200}_trt_slurm.sh` of October 2025: short prompts and outputs wait for others for up to 20 steps
/// (`batch_wait_timeout_iters`) on fewer than eight GPUs.
fn llama(row: &Row) -> Settings {
    let short = number(row, "isl") == 1024 && number(row, "osl") == 1024;
    let interval = if short && number(row, "tp_size") < 8 { 20 } else { 1 };
    Settings { budget: Some(16_384), interval, ..Settings::OWN }
}

/// `dsr1_fp8_h200_trt.sh`, `dsr1_{fp8,fp4}_b200_trt.sh`: one prompt and all running requests in a step, from 21 January 2026
/// on at least 8,192 tokens. From 29 January 2026 on, prompts of FP8 on B200 wait for others for up to 40 steps; prompts of
/// attention replicas wait up to 60 steps for one on each replica (`timeout_iters` of `attention_dp_config`).
fn deepseek_tensorrt(row: &Row) -> Settings {
    let (requests, prompt) = (number(row, "concurrency"), number(row, "isl"));
    let date = row.text("measured_date");
    let one = requests.saturating_add(prompt).saturating_add(127) / 64 * 64;
    let budget = if date < "2026-01-21" { one } else { one.max(8192) };
    let (fp8, hopper) = (row.text("moe_quant_mode") == "fp8", row.text("system") == "h200_sxm");
    let short = prompt == 1024 && number(row, "osl") == 1024;
    let waits = fp8 && !hopper && date >= "2026-01-29" && short && requests >= 64;
    let replicas = row.replicas("attention_dp_size") > 1;
    Settings {
        budget: Some(budget),
        slots: None,
        interval: match (replicas, waits) {
            (true, _) => 60,
            (false, true) => 40,
            (false, false) => 1,
        },
        memory: Some(if hopper { 0.75 } else { 0.8 }),
    }
}

/// `minimaxm2.5_{fp8,fp4}_{h100,h200,b200,b300}.sh`: two prompts in a step on Blackwell from April 2026 on.
fn minimax(row: &Row) -> Settings {
    let blackwell = row.text("system").starts_with('b');
    let april = row.text("measured_date") >= "2026-04";
    let full = !april && row.text("system") != "h100_sxm";
    Settings {
        budget: (blackwell && april).then(|| 2 * number(row, "isl")),
        slots: None,
        interval: 1,
        memory: Some(if full { 0.95 } else { 0.9 }),
    }
}

/// `kimik2.5_{int4,fp4}_{h200,b200,b300}.sh`.
fn kimi(row: &Row) -> Settings {
    let four = row.text("moe_quant_mode") == "nvfp4";
    let two = four && row.text("system") == "b200_sxm" && row.text("measured_date") >= "2026-04-20";
    Settings {
        budget: two.then(|| 2 * number(row, "isl")),
        slots: None,
        interval: 1,
        memory: Some(if four { 0.9 } else { 0.95 }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::serving::cases;
    use foretoken::inference::InferenceLoad;
    use foretoken::validation::{Question, Skip};

    const COLUMNS: &str = "id,backend,backend_version,model_path,system,mode,isl,osl,gemm_quant_mode,moe_quant_mode,\
                           tp_size,attention_dp_size,moe_tp_size,moe_ep_size,concurrency,silicon_ttft_ms,\
                           silicon_tpot_ms,measured_date";

    fn load(row: &str) -> Result<InferenceLoad, Skip> {
        let cases = cases(&format!("{COLUMNS}\n{row}\n")).expect("cases");
        match &cases[0].question {
            Ok(Question::Scenario(scenario)) => Ok(scenario.inference),
            Ok(_) => panic!("no scenario"),
            Err(skip) => Err(skip.clone()),
        }
    }

    #[test]
    fn lengths_are_means_and_settings_are_those_of_the_scripts() {
        let row = "a,sglang,0.5.9,deepseek-ai/DeepSeek-R1,b200_sxm,agg,1024,8192,nvfp4,nvfp4,4,1,4,1,64,500,20,2026-03-25";
        let found = load(row).expect("a load");
        assert_eq!((found.input, found.output, found.rounds, found.uniform), (922, 7373, 10, false));
        assert_eq!((found.token_budget, found.max_sequences, found.admission), (Some(16_384), Some(256), 30));
        assert_eq!(load(&row.replace(",64,500", ",8,500")).expect("a load").admission, 10);
        // Other lengths are not the benchmark's.
        let other = load(&row.replace("1024,8192", "1000,2000")).expect("a load");
        assert_eq!((other.input, other.output, other.admission), (1000, 2000, 1));
    }

    #[test]
    fn products_of_degrees_are_taken_apart() {
        let degrees = |backend: &str, columns: &str| {
            let row = format!(
                "a,{backend},1.2.0,deepseek-ai/DeepSeek-R1,b200_sxm,agg,1024,1024,nvfp4,nvfp4,{columns},64,500,20,2026-02-03"
            );
            let found = load(&row).expect("a load");
            (found.tensor, found.data, found.expert)
        };
        assert_eq!(degrees("trtllm", "64,1,8,8"), (8, 1, 8));
        assert_eq!(degrees("trtllm", "1,64,8,8"), (1, 8, 8));
        assert_eq!(degrees("vllm", "4,4,1,16"), (1, 4, 4));
        assert_eq!(degrees("trtllm", "4,1,1,4"), (4, 1, 4));
    }

    #[test]
    fn runs_with_speculative_decoding_are_left_out() {
        let row = |model: &str, date: &str| {
            format!(
                "a,trtllm,1.2.0,deepseek-ai/{model},b200_sxm,agg,1024,1024,fp8,fp8,8,1,8,1,64,500,20,{date}"
            )
        };
        assert!(load(&row("DeepSeek-R1", "2026-01-29")).is_ok());
        assert!(matches!(load(&row("DeepSeek-R1", "2026-02-05")), Err(Skip::Defect(_))));
        // Some of a day's runs.
        let mixed = |model: &str| {
            row(model, "2026-03-25").replace("trtllm", "sglang").replace("fp8,fp8", "fp8,fp8_block")
        };
        assert!(load(&mixed("DeepSeek-V3")).is_ok() && load(&mixed("DeepSeek-R1")).is_err());
    }
}
