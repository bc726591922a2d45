//! Rows of local inference: one request on one device, measured by `llama-bench` (`local.jsonl`).
//!
//! A row has up to two rates, each of which becomes a case: the prefill of `prompt_tokens` tokens, and the decode of
//! `gen_tokens` tokens with `depth` tokens in the KV cache.

use serde::Deserialize;

use super::{ReadError, device, json_lines};
use foretoken::catalog::{self, Architecture};
use foretoken::inference::{Engine, InferenceLoad};
use foretoken::scenario::{Choice, Scenario, View};
use foretoken::system::Precision;
use foretoken::validation::{Case, Family, Quantity, Question, Skip};

/// The test of mlx-lm's rows: a prompt, and [`FEW`] tokens generated behind it.
const MLX_LM: &str = "prompt of the stated length, then decode at that depth";

/// Generated tokens of a row that does not state them: so few that they do not lengthen the prompt's cache.
const FEW: u32 = 2;

/// The test of Rapid-MLX's rows: a prompt, and tokens generated behind it.
const RAPID_MLX: &str = "512/128 or 2048/512, median of rounds";

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Row {
    id: String,
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

/// The case of the row's prefill; `None` if it was not timed.
fn prompt(row: &Row) -> Option<Case> {
    let rate = row.prompt_tok_s?;
    let question = scenario(row).and_then(|scenario| {
        if row.flash_attention == Some(true) {
            return Err(Skip::NotModelled("prompts with flash attention in llama.cpp".to_owned()));
        }
        let input = row.prompt_tokens.ok_or(Skip::Missing("prompt_tokens"))?;
        let load = InferenceLoad { input, output: 1, ..scenario.inference };
        Ok(Scenario { inference: load, ..scenario })
    });
    Some(case(row, "prompt", question, (Quantity::PrefillTokensPerSecond, rate)))
}

/// The case of the row's decode; `None` if it was not timed.
fn decode(row: &Row) -> Option<Case> {
    let rate = row.gen_tok_s?;
    let question = scenario(row).and_then(|scenario| {
        // Without cached tokens the attention kernel has no effect on the time.
        if row.flash_attention == Some(true) && row.depth > 0 {
            return Err(Skip::NotModelled("flash attention in llama.cpp behind cached tokens".to_owned()));
        }
        // MLX generates behind the prompt.
        let mlx = scenario.inference.engine == Engine::Mlx;
        let depth = if mlx { row.prompt_tokens.ok_or(Skip::Missing("prompt_tokens"))? } else { row.depth };
        let unstated = (row.test == MLX_LM).then_some(FEW);
        let output = row.gen_tokens.or(unstated).ok_or(Skip::Missing("gen_tokens"))?;
        // A prompt of one token stands for none.
        let load = InferenceLoad { input: depth.max(1), output, ..scenario.inference };
        Ok(Scenario { inference: load, ..scenario })
    });
    Some(case(row, "decode", question, (Quantity::DecodePerToken, 1e3 / rate)))
}

fn case(row: &Row, phase: &str, question: Result<Scenario, Skip>, measured: (Quantity, f64)) -> Case {
    let mixture = catalog::model_named(&row.model).is_some_and(|model| model.moe.is_some());
    Case {
        id: format!("{}-{phase}", row.id),
        source: "local".to_owned(),
        origin: format!("{}, {}", row.source, row.url),
        device: row.device_id.clone().unwrap_or_else(|| row.device.clone()),
        model: row.model.clone(),
        family: if mixture { Family::Moe } else { Family::Dense },
        precision: row.quant.clone(),
        tier: "A".to_owned(),
        question: question.map(|scenario| Question::Scenario(Box::new(scenario))),
        measured: vec![measured],
        used_in_fit: false,
    }
}

/// The scenario of a row, without lengths.
fn scenario(row: &Row) -> Result<Scenario, Skip> {
    if !matches!(row.test.as_str(), "llama-bench" | MLX_LM | RAPID_MLX) {
        return Err(Skip::NotModelled(format!(
            "rates of another test than those of llama-bench and MLX: {}",
            row.test
        )));
    }
    if row.batch != 1 {
        return Err(Skip::NotModelled("rates over several sequences".to_owned()));
    }
    let accelerator = row
        .device_id
        .as_deref()
        .filter(|id| catalog::accelerator(id).is_some())
        .or_else(|| catalog::device_named(&row.device))
        .ok_or_else(|| Skip::NotModelled(format!("{} is not in the catalogue", row.device)))?;
    let mut system = device::system(&row.device).unwrap_or_default();
    system.accelerator = Choice::Named(accelerator.to_owned());
    system.gpus = 1;
    if row.backend == "Vulkan" && catalog::accelerator(accelerator).is_some_and(|it| it.vendor == "NVIDIA") {
        return Err(Skip::NotModelled("Vulkan on a device of NVIDIA".to_owned()));
    }
    let mut scenario = Scenario { view: View::Inference, model: model(&row.model)?, ..Scenario::default() };
    scenario.inference = InferenceLoad {
        tensor: 1,
        pipeline: 1,
        batch: 1,
        precision: precision(&row.quant)?,
        kv_precision: Precision::Fp16,
        engine: if row.backend == "MLX" { Engine::Mlx } else { Engine::Llamacpp },
        ..InferenceLoad::default()
    };
    scenario.system = system;
    Ok(scenario)
}

/// The catalogue's model with the row's name.
fn model(name: &str) -> Result<Choice<Architecture>, Skip> {
    let known = catalog::model_named(name).ok_or(Skip::Missing("the model's shape"))?;
    Ok(Choice::Named(known.id.clone()))
}

/// Number format of the weights, which rows of MLX call e.g. `MLX 4-bit`.
fn precision(quant: &str) -> Result<Precision, Skip> {
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
