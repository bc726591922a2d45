//! Rows of local inference: one machine with one device, measured by `llama-bench` and other tests (`local.jsonl`).
//!
//! A row has up to two rates, of prompts and of generated tokens, each of which becomes a case. `Test` says which runs they
//! are rates of.

mod device;
mod model;
mod test;

use serde::Deserialize;

use super::{ReadError, json_lines};
use foretoken::inference::{Engine, InferenceLoad};
use foretoken::scenario::{Scenario, View};
use foretoken::system::Precision;
use foretoken::validation::{Case, Family, Quantity, Question, Skip, Tier};
use test::Test;

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Row {
    id: String,
    /// Source that the row belongs to, if it is not the collection.
    group: Option<String>,
    device: String,
    device_id: Option<String>,
    model: String,
    quant: String,
    backend: String,
    engine: String,
    test: String,
    prompt_tokens: Option<u32>,
    prompt_tok_s: Option<f64>,
    gen_tokens: Option<u32>,
    gen_tok_s: Option<f64>,
    depth: u32,
    batch: u32,
    flash_attention: Option<bool>,
    source: String,
    url: String,
}

/// Returns true if a line is a row of this format.
pub fn is_row(line: &str) -> bool {
    line.contains("\"gen_tok_s\"") || line.contains("\"prompt_tok_s\"")
}

/// The cases of a file.
///
/// # Errors
/// The number of a line that is no JSON object.
pub fn cases(text: &str) -> Result<Vec<Case>, ReadError> {
    let rows: Vec<Row> = json_lines(text)?;
    Ok(rows.iter().flat_map(|row| [prompt(row), decode(row)]).flatten().collect())
}

/// The case of the rate of prompt tokens; `None` if it was not measured.
fn prompt(row: &Row) -> Option<Case> {
    let rate = row.prompt_tok_s?;
    let question = scenario(row).and_then(|scenario| {
        if row.flash_attention == Some(true) {
            flash_prompt(row, scenario.inference.precision)?;
        }
        Ok(asked(&scenario, Test::of(row)?.prompts(row)?))
    });
    Some(case(row, "prompt", question, (Quantity::PrefillTokensPerSecond, rate)))
}

/// The case of the rate of generated tokens; `None` if it was not measured.
fn decode(row: &Row) -> Option<Case> {
    let rate = row.gen_tok_s?;
    let test = Test::of(row);
    let question = scenario(row).and_then(|scenario| Ok(asked(&scenario, test.clone()?.generated(row)?)));
    let measured = match test {
        Ok(test) if test.times_requests(row) => (Quantity::OutputTokensPerSecond, rate),
        // The rate of several sequences is that of all together.
        _ => (Quantity::DecodePerToken, 1e3 * f64::from(row.batch.max(1)) / rate),
    };
    Some(case(row, "decode", question, measured))
}

/// Refuses prompts of llama.cpp's flash attention to which no constant was fitted.
fn flash_prompt(row: &Row, precision: Precision) -> Result<(), Skip> {
    let what = if row.depth > 0 {
        "prompts behind cached tokens in llama.cpp"
    } else if row.backend.starts_with("Vulkan") && matches!(precision, Precision::Bf16 | Precision::Fp16) {
        "prompts in 16 bits by Vulkan"
    } else {
        return Ok(());
    };
    Err(Skip::NotModelled(what.to_owned()))
}

/// The question of one run, or of the mean of several. A run has prompt and generated tokens.
fn asked(scenario: &Scenario, runs: Vec<(u32, u32)>) -> Question {
    let asked = |(input, output)| Scenario {
        inference: InferenceLoad { input, output, ..scenario.inference },
        ..scenario.clone()
    };
    let mut runs: Vec<Scenario> = runs.into_iter().map(asked).collect();
    if runs.len() == 1
        && let Some(only) = runs.pop()
    {
        return Question::Scenario(Box::new(only));
    }
    Question::Runs(runs)
}

fn case(row: &Row, phase: &str, question: Result<Question, Skip>, measured: (Quantity, f64)) -> Case {
    let mixture = model::is_mixture(&row.model);
    Case {
        id: format!("{}-{phase}", row.id),
        source: row.group.clone().unwrap_or_else(|| "local".to_owned()),
        origin: format!("{}, {}", row.source, row.url),
        device: device::named(row).unwrap_or(&row.device).to_owned(),
        model: row.model.clone(),
        family: if mixture { Family::Moe } else { Family::Dense },
        precision: row.quant.clone(),
        tier: Tier::A,
        question,
        measured: vec![measured],
        used_in_fit: false,
    }
}

/// The scenario of a row, without lengths.
fn scenario(row: &Row) -> Result<Scenario, Skip> {
    let system = device::system(row)?;
    if row.backend == "Vulkan" && system.accelerator().is_ok_and(|it| it.vendor == "NVIDIA") {
        return Err(Skip::NotModelled("Vulkan on a device of NVIDIA".to_owned()));
    }
    let engine = engine(row);
    if engine == Engine::Llamafile && model::is_mixture(&row.model) {
        return Err(Skip::NotModelled(
            "mixtures of experts in llamafile, which multiplies by one expert after the other".to_owned(),
        ));
    }
    let mut scenario =
        Scenario { view: View::Inference, model: model::model(&row.model)?, ..Scenario::default() };
    scenario.inference = InferenceLoad {
        tensor: 1,
        pipeline: 1,
        batch: row.batch.max(1),
        precision: precision(&row.quant)?,
        kv_precision: Precision::Fp16,
        engine,
        ..InferenceLoad::default()
    };
    scenario.system = system;
    Ok(scenario)
}

/// The engine of a row. Behind no or few cached tokens the attention kernel has no effect on generation, so that rows without a
/// statement are read as without flash attention.
fn engine(row: &Row) -> Engine {
    match (row.backend.as_str(), row.flash_attention) {
        ("MLX", _) => Engine::Mlx,
        ("llamafile", _) => Engine::Llamafile,
        (_, Some(true)) => Engine::LlamacppFlash,
        _ => Engine::Llamacpp,
    }
}

/// Number format of the weights, which rows of MLX call e.g. `MLX 4-bit`.
fn precision(quant: &str) -> Result<Precision, Skip> {
    let quant = quant.strip_suffix(" (ollama default)").unwrap_or(quant);
    Ok(match quant {
        "F16" => Precision::Fp16,
        "BF16" => Precision::Bf16,
        "MXFP4" => Precision::Mxfp4,
        _ => {
            let bits = quant.strip_prefix("MLX ").and_then(|rest| rest.strip_suffix("-bit"));
            let name = bits.map_or_else(|| format!("{quant} (GGUF)"), |bits| format!("{bits} bits (MLX)"));
            let format = Precision::ALL.into_iter().find(|format| format.name() == name);
            format.ok_or_else(|| Skip::NotModelled(format!("{quant} weights")))?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(fields: &str) -> Vec<Case> {
        of_model("Llama 3.2 1B Instruct", fields)
    }

    fn of_model(model: &str, fields: &str) -> Vec<Case> {
        let row = format!(
            "{{\"id\": \"r\", \"device\": \"RTX 3090\", \"model\": \"{model}\", \"quant\": \"Q4_K_M\", \"batch\": 1, {fields}}}"
        );
        cases(&row).expect("a row")
    }

    fn predicted(case: &Case) -> f64 {
        case.outcomes().first().and_then(|outcome| outcome.predicted.clone().ok()).expect("a prediction")
    }

    #[test]
    fn a_local_score_is_the_mean_rate_of_nine_runs() {
        let score = "\"backend\": \"llamafile\", \"prompt_tok_s\": 5000.0, \"gen_tok_s\": 300.0, \
                     \"test\": \"localscore-mean (nine tests, prompts 16-4096, outputs 16-3072)\"";
        for (case, rate) in one(score).iter().zip([false, true]) {
            let Ok(Question::Runs(runs)) = &case.question else { panic!("no runs") };
            assert_eq!(runs.len(), 9);
            let alone = |run: &Scenario| {
                predicted(&Case { question: Ok(Question::Scenario(Box::new(run.clone()))), ..case.clone() })
            };
            let rates = runs.iter().map(|run| if rate { alone(run).recip() } else { alone(run) });
            let mean = rates.sum::<f64>() / 9.0;
            let mean = if rate { mean.recip() } else { mean };
            assert!((predicted(case) / mean - 1.0).abs() < 1e-12, "{}", case.id);
        }
    }

    #[test]
    fn rates_over_a_request_count_its_prompt() {
        let chat = |backend: &str| {
            let row = format!(
                "\"backend\": \"{backend}\", \"gen_tokens\": 200, \"gen_tok_s\": 300.0, \
                 \"test\": \"llmfit bench (end-to-end, short chat prompts)\""
            );
            one(&row).remove(0)
        };
        let (server, timed) = (chat("llama.cpp"), chat("ollama"));
        assert_eq!(server.measured, [(Quantity::OutputTokensPerSecond, 300.0)]);
        assert_eq!(timed.measured, [(Quantity::DecodePerToken, 1e3 / 300.0)]);
        assert!(predicted(&server) < 1e3 / predicted(&timed));
    }

    #[test]
    fn what_no_constant_was_fitted_to_is_left_out() {
        let bench = |model: &str, depth: u32| {
            let row = format!(
                "\"backend\": \"CUDA\", \"test\": \"llama-bench\", \"flash_attention\": true, \"depth\": {depth}, \
                 \"prompt_tokens\": 2048, \"prompt_tok_s\": 5000.0"
            );
            of_model(model, &row).remove(0).question.is_ok()
        };
        assert!(bench("Llama-3.1-8B", 0) && bench("gpt-oss-20b", 0));
        assert!(!bench("Llama-3.1-8B", 2048) && !bench("gpt-oss-20b", 2048));
    }
}
