//! Rows of measured servers (`serving.csv`) as scenarios.
//!
//! | column | field |
//! |---|---|
//! | `concurrency` | `inference.concurrency`; if blank, the batch sizes are limits |
//! | `tp_size`, `attention_dp_size`, `moe_ep_size` | `tensor`, `data`, `expert`; blank replicas are one |
//! | `prefill_*`, `decode_*` | prefill workers and decode workers of disaggregated serving |
//! | `gemm_quant_mode`, `moe_quant_mode` | `precision`: that of the experts, or of a dense model's matrix multiplies |
//! | `backend` | `engine` |
//!
//! Rows without a date and a number of replicas are runs by the collectors, with outputs of one length (`uniform`).
//! Dated rows come from a public benchmark (`inferencex`), which draws lengths uniformly from the upper fifth of the
//! range: `input` and `output` are the means. Its scripts give `token_budget`, `max_sequences`, `memory_share` and
//! `admission`.
//!
//! The format of the KV cache is not recorded. As in the engines' published recipes, it has 8 bits if weights and
//! activations have at most 8, otherwise 16.

use std::collections::HashMap;

use super::inferencex::Degrees;
use super::serving_defects::Repeats;
use super::{ReadError, device, inferencex};
use foretoken::catalog;
use foretoken::catalog::layers::Mixer;
use foretoken::inference::{Engine, InferenceLoad};
use foretoken::scenario::{Choice, Scenario, SystemChoice, View};
use foretoken::system::Precision;
use foretoken::validation::Quantity;
use foretoken::validation::{Case, Family, Question, Skip, Tier};

/// Number of requests that each benchmark client sends in sequence, as in the published scripts.
const ROUNDS: u32 = 10;

/// Part of the ids of a sweep that publishes medians alone (`experimental/token_position_decode_slo` of
/// SemiAnalysisAI/InferenceX@5969d0a); all other rows are means, as predictions are.
const MEDIANS: &str = "inferencex-token-position";

/// Part of the ids of rows whose lengths are uniform between 1 and twice the mean.
const UNEQUAL: &str = "sglang-cookbook";

/// Start of the header, which identifies the format.
pub const HEADER: &str = "id,backend,";

/// One row, with its values by column name.
pub(super) struct Row {
    fields: HashMap<String, String>,
}

impl Row {
    /// Text of a column; empty if it is blank or missing.
    pub(super) fn text(&self, column: &str) -> &str {
        self.fields.get(column).map_or("", String::as_str)
    }

    /// All columns and their texts.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(column, value)| (column.as_str(), value.as_str()))
    }

    /// Whole number of a column.
    pub(super) fn whole(&self, column: &str) -> Option<u32> {
        let number = self.number(column)?;
        (number >= 0.0 && number <= f64::from(u32::MAX)).then_some(number as u32)
    }

    fn number(&self, column: &str) -> Option<f64> {
        self.text(column).parse().ok()
    }

    /// Returns true for disaggregated serving, with separate prefill workers.
    pub(super) fn separate(&self) -> bool {
        self.text("mode") == "disagg"
    }

    fn needed(&self, column: &'static str) -> Result<u32, Skip> {
        self.whole(column).ok_or(Skip::Missing(column))
    }

    /// Number of attention replicas; 1 if it is blank.
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
    super::mixed::set(&rows, &mut cases);
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
        precision: formats(row, sparse),
        tier: Tier::A,
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
    if row.text("id").contains(MEDIANS) {
        return Err(Skip::NotModelled("medians of a run".to_owned()));
    }
    super::serving_defects::check(row, sparse, repeats)?;
    let (precision, kv_precision) = precision(row, sparse)?;
    let kv_precision = if keeps_latent_wide(model, &system) { Precision::Bf16 } else { kv_precision };
    let length = |column| {
        let nominal = row.needed(column)?.max(1);
        Ok(if inferencex::is_run(row) { inferencex::mean_length(nominal) } else { nominal })
    };
    let settings = inferencex::settings(row);
    let load = InferenceLoad {
        input: length("isl")?,
        output: length("osl")?,
        token_budget: settings.budget,
        max_sequences: settings.slots,
        memory_share: settings.memory,
        admission: settings.interval,
        precision,
        kv_precision,
        engine: engine(row)?,
        rounds: ROUNDS,
        uniform: row.text("measured_date").is_empty()
            && row.text("attention_dp_size").is_empty()
            && !row.text("id").contains(UNEQUAL),
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

/// The load of aggregated serving, in which every worker prefills and decodes.
fn together(row: &Row) -> Result<InferenceLoad, Skip> {
    row.needed("tp_size")?;
    let Degrees { tensor, data, dealt, .. } = Degrees::of(row);
    Ok(InferenceLoad {
        concurrency: row.needed("concurrency")?,
        tensor,
        pipeline: row.whole("pp_size").unwrap_or(1).max(1),
        data,
        expert: dealt.max(1),
        ..InferenceLoad::default()
    })
}

/// The load of disaggregated serving, with prefill and decode workers.
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

/// The catalogue's model for a published path, by its last component without the number format.
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

/// Returns true if latents are cached in 16 bits, because latent-attention kernels on Hopper (FlashMLA) support only 16
/// bits.
pub(super) fn keeps_latent_wide(model: &str, system: &SystemChoice) -> bool {
    let latent = catalog::architecture(model).is_some_and(|architecture| {
        let mut mixers = architecture.layer_kinds().flat_map(|layer| layer.mixers());
        mixers.any(|mixer| matches!(mixer, Mixer::Latent(_)))
    });
    let Choice::Named(device) = &system.accelerator else { return false };
    latent && catalog::accelerator(device).is_some_and(|device| device.architecture == "Hopper")
}

/// The formats of the multiplies and, of a mixture of experts, of its experts, as people write them.
fn formats(row: &Row, sparse: bool) -> String {
    let named = |word: &str| match word {
        "fp8_block" => "FP8 block".to_owned(),
        "int4_wo" => "INT4 weights".to_owned(),
        "w4a16_mxfp4" => "MXFP4 weights".to_owned(),
        other => other.to_uppercase(),
    };
    let (multiplies, experts) = (named(row.text("gemm_quant_mode")), named(row.text("moe_quant_mode")));
    if !sparse || multiplies == experts || experts.is_empty() {
        multiplies
    } else {
        format!("{multiplies}, experts {experts}")
    }
}

/// Number formats of the weights and of the KV cache.
fn precision(row: &Row, sparse: bool) -> Result<(Precision, Precision), Skip> {
    let mode = row.text(if sparse { "moe_quant_mode" } else { "gemm_quant_mode" });
    let mode = if mode.is_empty() { row.text("precision") } else { mode };
    Ok(match mode {
        "" | "bf16" | "float16" | "bfloat16" => (Precision::Bf16, Precision::Bf16),
        // All published FP8 mixtures of experts use block scales.
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

/// Returns true for SGLang versions before 0.5.8, e.g. "0.5.1.post1".
fn is_early_sglang(version: &str) -> bool {
    let patch =
        version.strip_prefix("0.5.").and_then(|rest| rest.split(['.', '-']).next()?.parse::<u32>().ok());
    patch.is_some_and(|patch| patch < 8)
}

fn engine(row: &Row) -> Result<Engine, Skip> {
    Ok(match row.text("backend") {
        "vllm" => super::inference::vllm(row.text("backend_version")),
        "sglang" if is_early_sglang(row.text("backend_version")) => Engine::Sglang056,
        "sglang" => Engine::Sglang,
        "trtllm" if row.text("backend_version").starts_with("1.0") => Engine::Trtllm10,
        "trtllm" => Engine::Trtllm,
        other => return Err(Skip::NotModelled(other.to_owned())),
    })
}
