//! Rows of measured servers (`serving.csv`) as scenarios.
//!
//! | column | field |
//! |---|---|
//! | `concurrency` | `inference.concurrency`; the batch sizes are limits where it is blank |
//! | `tp_size`, `attention_dp_size`, `moe_ep_size` | `tensor`, `data`, `expert`; blank replicas are one |
//! | `prefill_*`, `decode_*` | the prefill workers', and the worker's where prompts are read elsewhere |
//! | `gemm_quant_mode`, `moe_quant_mode` | `precision`: the experts', or a dense model's multiplies' |
//! | `backend` | `engine` |
//!
//! Rows without a date and a number of replicas are the collectors' own runs, whose answers have one length (`uniform`); dated ones come from a
//! public benchmark (InferenceMAX), which draws lengths from the upper fifth.
//!
//! The cache's format is not recorded: 8 bits where weights and activations have at most 8, else 16, which is what
//! the engines' published recipes do.

use std::collections::HashMap;

use super::serving_defects::Repeats;
use super::{ReadError, device};
use foretoken::catalog;
use foretoken::catalog::layers::Mixer;
use foretoken::inference::{Engine, InferenceLoad};
use foretoken::scenario::{Choice, Scenario, SystemChoice, View};
use foretoken::system::Precision;
use foretoken::validation::Quantity;
use foretoken::validation::{Case, Family, Question, Skip};

/// Prompts that the benchmarks send per client, one after another: the published scripts' setting.
const ROUNDS: u32 = 10;

/// The first columns of the header, by which the format is known.
pub const HEADER: &str = "id,backend,";

/// One row by column.
pub(super) struct Row {
    fields: HashMap<String, String>,
}

impl Row {
    /// A column's text; empty where it is blank or absent.
    pub(super) fn text(&self, column: &str) -> &str {
        self.fields.get(column).map_or("", String::as_str)
    }

    /// All columns and their texts.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(column, value)| (column.as_str(), value.as_str()))
    }

    /// A column's whole number.
    pub(super) fn whole(&self, column: &str) -> Option<u32> {
        let number = self.number(column)?;
        (number >= 0.0 && number <= f64::from(u32::MAX)).then_some(number as u32)
    }

    fn number(&self, column: &str) -> Option<f64> {
        self.text(column).parse().ok()
    }

    /// Returns true if prompts are read by workers of their own.
    pub(super) fn separate(&self) -> bool {
        self.text("mode") == "disagg"
    }

    fn needed(&self, column: &'static str) -> Result<u32, Skip> {
        self.whole(column).ok_or(Skip::Missing(column))
    }

    /// A number of attention replicas: one where it is blank.
    pub(super) fn replicas(&self, column: &str) -> u32 {
        self.whole(column).unwrap_or(1)
    }
}

/// Rows of a CSV text.
pub(super) fn rows(text: &str) -> Result<Vec<Row>, ReadError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let wrong = |line: usize, error: &csv::Error| ReadError::Line(line, error.to_string());
    let header = reader.headers().map_err(|error| wrong(1, &error))?.clone();
    let records = reader.records().enumerate();
    records
        .map(|(index, record)| {
            let record = record.map_err(|error| wrong(index + 2, &error))?;
            let pairs = header.iter().zip(record.iter());
            Ok(Row { fields: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect() })
        })
        .collect()
}

/// The cases of a file.
pub fn cases(text: &str) -> Result<Vec<Case>, ReadError> {
    let rows = rows(text)?;
    let repeats = Repeats::of(&rows);
    let mut cases: Vec<Case> = rows.iter().map(|row| case(row, &repeats)).collect();
    super::cached::leave_out(&rows, &mut cases);
    Ok(cases)
}

fn case(row: &Row, repeats: &Repeats) -> Case {
    let system = row.text("system");
    let model = model(row.text("model_path"));
    let architecture = model.and_then(catalog::architecture);
    let sparse = architecture.is_some_and(|architecture| architecture.moe.is_some());
    let mode = if row.separate() { " disagg" } else { "" };
    let measured = [("silicon_ttft_ms", Quantity::Ttft), ("silicon_tpot_ms", Quantity::Tpot)];
    Case {
        id: row.text("id").to_owned(),
        source: format!("{} {system}{mode}", row.text("backend")),
        origin: format!(
            "silicon_sample.csv of ai-dynamo/aiconfigurator@095f58a, {} {}, {}",
            row.text("backend"),
            row.text("backend_version"),
            row.text("measured_date")
        ),
        device: catalog::device_named(system).map_or_else(|| system.to_owned(), str::to_owned),
        model: row.text("model_path").to_owned(),
        family: if sparse { Family::Moe } else { Family::Dense },
        precision: format!("{}, {}", row.text("gemm_quant_mode"), row.text("moe_quant_mode")),
        tier: "A".to_owned(),
        question: scenario(row, model, sparse, repeats)
            .map(|scenario| Question::Scenario(Box::new(scenario))),
        measured: measured
            .into_iter()
            .filter_map(|(column, quantity)| {
                Some((quantity, row.number(column).filter(|value| *value > 0.0)?))
            })
            .collect(),
        used_in_fit: false,
    }
}

fn scenario(row: &Row, model: Option<&str>, sparse: bool, repeats: &Repeats) -> Result<Scenario, Skip> {
    let model = model.ok_or_else(|| Skip::NotModelled(format!("the shape of {}", row.text("model_path"))))?;
    let system = device::system(row.text("system"))
        .ok_or_else(|| Skip::NotModelled(format!("{} is not in the catalogue", row.text("system"))))?;
    let load = if row.separate() { separate(row)? } else { together(row)? };
    super::serving_defects::check(row, sparse, repeats)?;
    let (precision, kv_precision) = precision(row, sparse)?;
    let kv_precision = if keeps_latent_wide(model, &system) { Precision::Bf16 } else { kv_precision };
    let load = InferenceLoad {
        input: row.needed("isl")?.max(1),
        output: row.needed("osl")?.max(1),
        precision,
        kv_precision,
        engine: engine(row)?,
        rounds: ROUNDS,
        uniform: row.text("measured_date").is_empty() && row.text("attention_dp_size").is_empty(),
        expert: if sparse { load.expert } else { 1 },
        prefill_expert: if sparse { load.prefill_expert } else { 1 },
        ..load
    };
    let mut scenario = Scenario {
        view: View::Inference,
        model: Choice::Named(model.to_owned()),
        system,
        ..Scenario::default()
    };
    scenario.inference = load;
    scenario.system.gpus = load.gpus();
    Ok(scenario)
}

/// Every worker reads prompts and decodes.
fn together(row: &Row) -> Result<InferenceLoad, Skip> {
    let data = row.replicas("attention_dp_size");
    Ok(InferenceLoad {
        concurrency: row.needed("concurrency")?,
        tensor: row.needed("tp_size")?,
        pipeline: row.whole("pp_size").unwrap_or(1).max(1),
        data,
        expert: row.whole("moe_ep_size").unwrap_or(1).max(1),
        ..InferenceLoad::default()
    })
}

/// Some workers read prompts, others decode.
fn separate(row: &Row) -> Result<InferenceLoad, Skip> {
    let prefill_workers = row.needed("prefill_num_workers")?;
    let workers = row.needed("decode_num_workers")?;
    let data = row.replicas("decode_attention_dp_size");
    Ok(InferenceLoad {
        concurrency: row.needed("concurrency")?,
        workers,
        tensor: row.needed("decode_tp_size")?,
        data,
        expert: row.whole("decode_moe_ep_size").unwrap_or(1).max(1),
        prefill_workers,
        prefill_tensor: row.needed("prefill_tp_size")?,
        prefill_data: row.replicas("prefill_attention_dp_size"),
        prefill_expert: row.whole("prefill_moe_ep_size").unwrap_or(1).max(1),
        ..InferenceLoad::default()
    })
}

/// The catalogue's model for a published path: its last part, without what names the numbers' format.
fn model(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let bare = ["-fp8", "-nvfp4", "-instruct", "-base", "-0528", "-0324", "-2507", "-thinking"]
        .into_iter()
        .fold(name, |name, suffix| name.replace(suffix, ""));
    let id = match bare.as_str() {
        "deepseek-r1" | "deepseek-v3" => "deepseek-v3",
        "kimi-k2" | "kimi-k2.5" => "kimi-k2",
        other => other,
    };
    catalog::architecture(id).map(|architecture| architecture.id.as_str())
}

/// Returns true if latents are cached in 16 bits: Hopper's kernels of latent attention (FlashMLA) have no other form.
pub(super) fn keeps_latent_wide(model: &str, system: &SystemChoice) -> bool {
    let latent = catalog::architecture(model).is_some_and(|architecture| {
        let mut mixers = architecture.layer_kinds().flat_map(|layer| layer.mixers());
        mixers.any(|mixer| matches!(mixer, Mixer::Latent(_)))
    });
    let Choice::Named(device) = &system.accelerator else { return false };
    latent && catalog::accelerator(device).is_some_and(|device| device.architecture == "Hopper")
}

/// Formats of weights and of cached keys and values.
fn precision(row: &Row, sparse: bool) -> Result<(Precision, Precision), Skip> {
    let mode = row.text(if sparse { "moe_quant_mode" } else { "gemm_quant_mode" });
    let mode = if mode.is_empty() { row.text("precision") } else { mode };
    Ok(match mode {
        "" | "bf16" | "float16" | "bfloat16" => (Precision::Bf16, Precision::Bf16),
        // Every published mixture of experts in 8 bits has scales per block.
        "fp8" if sparse => (Precision::Fp8Block, Precision::Fp8),
        "fp8" => (Precision::Fp8, Precision::Fp8),
        "fp8_block" => (Precision::Fp8Block, Precision::Fp8),
        "nvfp4" | "fp4" => (Precision::Fp4, Precision::Fp8),
        "int4_wo" | "int4" => (Precision::Int4, Precision::Bf16),
        "mxfp4" | "w4a16_mxfp4" => (Precision::Mxfp4, Precision::Bf16),
        "int8_wo" | "int8" | "sq" => (Precision::Int8, Precision::Bf16),
        other => return Err(Skip::NotModelled(format!("{other} weights"))),
    })
}

/// Returns true if this is a version before 0.5.8: "0.5.1.post1".
fn is_early_sglang(version: &str) -> bool {
    let patch =
        version.strip_prefix("0.5.").and_then(|rest| rest.split(['.', '-']).next()?.parse::<u32>().ok());
    patch.is_some_and(|patch| patch < 8)
}

fn engine(row: &Row) -> Result<Engine, Skip> {
    Ok(match row.text("backend") {
        "vllm" => Engine::Vllm,
        "sglang" if is_early_sglang(row.text("backend_version")) => Engine::Sglang056,
        "sglang" => Engine::Sglang,
        "trtllm" if row.text("backend_version").starts_with("1.0") => Engine::Trtllm10,
        "trtllm" => Engine::Trtllm,
        other => return Err(Skip::NotModelled(other.to_owned())),
    })
}
