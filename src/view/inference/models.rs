//! Other models on the question's GPUs: each in the widest format that fits, with its speed.

use crate::catalog::{Architecture, catalog};
use crate::figure::{Cell, Column, Table};
use crate::inference::{Engine, InferenceLoad};
use crate::order;
use crate::scenario::{Choice, Problem, Scenario, link};
use crate::serving::InferenceEstimate;
use crate::system::Precision;
use crate::units::{Amount, Bytes, Seconds, Unit, format};
use crate::view::title::machines;
use crate::view::{Part, Question, TablePart};

/// Id of the table and of its section.
pub(super) const MODELS: &str = "models";

/// Models that the page shows; the file has all.
const SHOWN: u32 = 20;

/// Least context of a model in the table, tokens: models of shorter contexts are superseded.
const CONTEXT: u32 = 8192;

/// Formats of llama.cpp and of MLX that are tried after the published one, widest first.
const GGUF: [Precision; 6] =
    [Precision::Q8_0, Precision::Q6K, Precision::Q5KM, Precision::Q4KM, Precision::Q3KM, Precision::Q2K];
const MLX: [Precision; 4] = [Precision::Mlx8, Precision::Mlx6, Precision::Mlx4, Precision::Mlx3];

/// Formats of other engines, for dense models and for mixtures of experts.
const DENSE: [Precision; 2] = [Precision::Fp8, Precision::Awq];
const EXPERTS: [Precision; 2] = [Precision::Fp8Block, Precision::Awq];

/// A model in the widest format that fits.
struct Row {
    model: &'static Architecture,
    parameters: f64,
    question: Scenario,
    estimate: InferenceEstimate,
}

/// The table of models, largest first.
pub(super) fn stage(asked: &Question) -> Result<Vec<Part>, Vec<Problem>> {
    let question = alone(&asked.scenario);
    let models = catalog().architectures.iter().filter(|model| model.max_sequence >= CONTEXT);
    let models: Vec<&Architecture> = models.collect();
    let room = question.with_inference(|job| job.system.device.capacity)?
        * f64::from(question.inference.worker_gpus());
    let mut rows: Vec<Row> = models.iter().filter_map(|model| widest(&question, model, room)).collect();
    order::sort(&mut rows, |a, b| b.parameters.total_cmp(&a.parameters));
    let mut table = Table::under([
        Column::new("Model"),
        Column::new("Parameters"),
        Column::new("Format"),
        Column::of("Memory per GPU", "GiB"),
        Column::new("Output tokens/s"),
        Column::of("TTFT", "s"),
    ]);
    for row in &rows {
        let estimate = &row.estimate;
        table.push([
            Cell::text(&row.model.name).opening(link::encode(&row.question)),
            Cell::number(row.parameters, format::count(row.parameters)),
            Cell::text(row.question.inference.precision.name()),
            Cell::amount(Amount::memory(estimate.memory.total())),
            Cell::amount(Amount::new(Seconds::new(1.0) / estimate.tpot, Unit::Rate)),
            Cell::amount(Amount::time(estimate.ttft)),
        ]);
    }
    let load = &question.inference;
    let finding = format!(
        "{} of {} models of the catalogue fit on {} with one request of {} prompt and {} output tokens, each in its published \
         format or else in the widest format of the engine that fits. Formats of fewer bits cost quality, which is not modelled.",
        rows.len(),
        models.len(),
        machines(&question, load),
        Amount::count(load.input),
        Amount::count(load.output),
    );
    let part = TablePart {
        shown_rows: Some(SHOWN),
        ..TablePart::new(MODELS, "Other models on these GPUs", finding, table)
    };
    Ok(vec![part.into()])
}

/// The question with one request at a time, without what belongs to its own model: drafts, images, and parts on the host.
fn alone(question: &Scenario) -> Scenario {
    let load = InferenceLoad {
        batch: 1,
        concurrency: 0,
        rate: 0.0,
        draft: 0,
        gpu_layers: None,
        cpu_experts: 0,
        ..question.inference
    };
    Scenario { inference: load, ..question.clone() }
}

/// The model in the first format that fits. Formats in which its weights alone exceed `room` are not tried.
fn widest(question: &Scenario, model: &'static Architecture, room: Bytes) -> Option<Row> {
    let parameters = model.parameters().total as f64;
    let mut there = Scenario { model: Choice::Named(model.id.clone()), ..question.clone() };
    let native = there.native_precision();
    let tried = match question.inference.engine.product() {
        Engine::Llamacpp => &GGUF[..],
        Engine::Mlx => &MLX[..],
        _ if model.moe.is_some() => &EXPERTS[..],
        _ => &DENSE[..],
    };
    let narrower = tried.iter().filter(|format| format.element() < native.element());
    let mut formats = std::iter::once(native)
        .chain(narrower.copied())
        .filter(|format| format.element() * parameters <= room);
    formats.find_map(|precision| {
        there.inference.precision = precision;
        let estimate = there.inference().ok()?;
        Some(Row { model, parameters, question: there.clone(), estimate })
    })
}
