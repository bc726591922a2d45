//! `llama-bench`: each test is a point, prefill (pp) or decode (tg), from an empty or a filled KV cache.

use super::lines::leading;
use super::measurement::LACKS_MODEL;
use super::object::{loose, text};
use super::{Fault, Format, Kind, Measurement, Statistic};
use crate::csv::Records;
use crate::json::Json;
use crate::launch;

const WHAT: &str = Format::LlamaBench.name();

/// Remark on a model that was found by `model_type`, which has no release.
const RELEASE: &str =
    "llama-bench names the model's architecture and size, not its release: choose the model that ran";

/// Number of layers (`-ngl`) from which on all layers are on the GPU. llama-bench reports 99 or -1 if it was not given.
const ALL_LAYERS: f64 = 99.0;

/// Returns true if a JSON object is a test of llama-bench.
pub(super) fn is(test: &Json<'_>) -> bool {
    loose(test, "avg_ts").is_some() && loose(test, "n_prompt").is_some()
}

/// One test of llama-bench.
#[derive(Default)]
struct Test<'a> {
    /// `model_type`: architecture, size and number format.
    model: &'a str,
    gpu: &'a str,
    /// Tokens of the prompt (pp).
    prompt: f64,
    /// Generated tokens (tg).
    generated: f64,
    /// Tokens in the KV cache before the test.
    depth: f64,
    /// Tokens per second.
    rate: f64,
    /// `type_k`: format of the KV cache.
    cache: &'a str,
    /// `n_gpu_layers`: layers in the GPU's memory.
    layers: Option<f64>,
    /// `n_cpu_moe`: layers whose experts are in host memory.
    host_experts: f64,
    /// `split_mode`: how several GPUs divide the model.
    split: &'a str,
}

impl Test<'_> {
    /// The test as a point; `None` without a rate, or if it times prefill and decode together.
    fn point(&self) -> Option<Measurement> {
        let Self { model, gpu, prompt, generated, depth, rate, .. } = *self;
        if rate <= 0.0 || !rate.is_finite() || (prompt > 0.0) == (generated > 0.0) {
            return None;
        }
        let mut found = Measurement::new(Format::LlamaBench);
        named(&mut found, model);
        if found.fact_of("model").is_some() {
            found.remark(RELEASE);
        }
        found.device(gpu.split(", ").next().unwrap_or(gpu));
        found.precision(model);
        self.placed(&mut found);
        found.whole("inference.batch", 1.0);
        if prompt > 0.0 {
            found.whole("inference.input", prompt + depth);
            found.whole("inference.output", 1.0);
            found.number("inference.cached", depth / (prompt + depth));
            found.reading(Kind::Ttft, Statistic::Mean, prompt / rate);
            found.reading(Kind::Input, Statistic::Mean, rate);
        } else {
            found.whole("inference.input", depth.max(1.0));
            found.whole("inference.output", generated);
            found.number("inference.cached", 0.0);
            found.reading(Kind::Tpot, Statistic::Mean, 1.0 / rate);
            found.reading(Kind::Output, Statistic::Mean, rate);
        }
        found.remark("llama-bench times neither tokenisation nor sampling");
        Some(found)
    }

    /// Sets the format of the cache, and where layers and experts are.
    fn placed(&self, found: &mut Measurement) {
        found.text("inference.kv_precision", launch::llamacpp_cache(self.cache).unwrap_or("fp16"));
        // The names of several GPUs have commas between them.
        let gpus = if self.split == "none" { 1.0 } else { self.gpu.split(", ").count() as f64 };
        let by_rows = self.split == "row";
        found.whole("inference.tensor", if by_rows { gpus } else { 1.0 });
        if gpus > 1.0 && !by_rows {
            found.whole("inference.pipeline", gpus);
        }
        found.whole("inference.gpu_layers", self.layers.filter(|layers| (0.0..ALL_LAYERS).contains(layers)));
        found.whole("inference.cpu_experts", Some(self.host_experts).filter(|layers| *layers >= 1.0));
    }
}

/// Sets the model by its `model_type` up to the number format: `qwen2 7B` of `qwen2 7B Q4_K - Medium`.
fn named(found: &mut Measurement, kind: &str) {
    let known = ["Q", "F16", "BF16", "F32", "MXFP4", "IQ"];
    let words = kind.split_whitespace().take_while(|word| !known.iter().any(|mark| word.starts_with(mark)));
    found.model(&words.collect::<Vec<_>>().join(" "));
}

/// Reads tests as JSON.
pub(super) fn read(tests: &[Json<'_>]) -> Result<Vec<Measurement>, Fault> {
    let of = |test: &Json<'_>| {
        let number = |key: &str| loose(test, key).unwrap_or(0.0);
        let model = text(test, "model_filename").rsplit('/').next().unwrap_or("");
        let kind = text(test, "model_type");
        let point = Test {
            model: kind,
            gpu: text(test, "gpu_info"),
            prompt: number("n_prompt"),
            generated: number("n_gen"),
            depth: number("n_depth"),
            rate: number("avg_ts"),
            cache: text(test, "type_k"),
            layers: loose(test, "n_gpu_layers"),
            host_experts: number("n_cpu_moe"),
            split: text(test, "split_mode"),
        };
        let mut found = point.point()?;
        from_file(&mut found, model);
        Some(found)
    };
    some(tests.iter().filter_map(of).collect())
}

/// Sets the model by its file's name if that has the release, in place of the remarks on `model_type`.
fn from_file(found: &mut Measurement, file: &str) {
    if let Some(id) = crate::scenario::names::model(file.trim_end_matches(".gguf")) {
        found.text("model", id);
        found.remarks.retain(|remark| remark != RELEASE && !remark.starts_with(LACKS_MODEL));
    }
}

/// The points, or a fault if there are none.
fn some(points: Vec<Measurement>) -> Result<Vec<Measurement>, Fault> {
    if points.is_empty() {
        return Err(Fault::Empty { what: WHAT, wanted: "test of a prompt (pp) or of generation (tg)" });
    }
    Ok(points)
}

/// Reads tests as CSV.
pub(super) fn csv(table: &str) -> Result<Vec<Measurement>, Fault> {
    let mut records = Records::of(table);
    let header = records.next().unwrap_or_default();
    tests(&header, records)
}

/// Text that marks a test as SQL.
pub(super) const SQL: &str = "INSERT INTO llama_bench (";

/// Reads tests as SQL: `INSERT INTO llama_bench (build_commit, …) VALUES ('5bb6d3f', …);`.
pub(super) fn sql(script: &str) -> Result<Vec<Measurement>, Fault> {
    let of = |line: &str| {
        let (columns, values) = line.trim().strip_prefix(SQL)?.split_once(") VALUES ('")?;
        let columns: Vec<String> = columns.split(", ").map(str::to_owned).collect();
        let values = values.trim_end_matches(';').trim_end_matches(')').trim_end_matches('\'');
        let values = values.split("', '").map(str::to_owned).collect();
        Some((columns, values))
    };
    let (columns, records): (Vec<_>, Vec<_>) = script.lines().filter_map(of).unzip();
    tests(columns.first().map_or(&[], Vec::as_slice), records.into_iter())
}

/// Reads tests as records below a header.
fn tests(header: &[String], records: impl Iterator<Item = Vec<String>>) -> Result<Vec<Measurement>, Fault> {
    let place = |name: &str| header.iter().position(|column| column == name);
    let columns = ["model_type", "gpu_info", "model_filename"].map(place);
    // Versions differ in the columns before the timed ones, and a header may be of another version than its rows: the
    // timed columns are counted from the end.
    let placed = ["type_k", "n_gpu_layers", "n_cpu_moe", "split_mode"].map(place);
    let timed =
        ["n_prompt", "n_gen", "n_depth", "avg_ts"].map(|name| place(name).map(|place| header.len() - place));
    let of = |record: Vec<String>| {
        let text =
            |place: Option<usize>| place.and_then(|place| record.get(place)).map_or("", String::as_str);
        let [kind, gpu, file] = columns.map(text);
        let last = |back: Option<usize>| back.and_then(|back| record.len().checked_sub(back));
        let [prompt, generated, depth, rate] = timed.map(|back| text(last(back)));
        let number = |text: &str| leading(text).unwrap_or(0.0);
        let of_header = record.len() == header.len();
        let [cache, layers, host_experts, split] = placed.map(|place| text(place.filter(|_| of_header)));
        let test = Test {
            model: kind,
            gpu,
            prompt: number(prompt),
            generated: number(generated),
            depth: number(depth),
            rate: number(rate),
            cache,
            layers: leading(layers),
            host_experts: number(host_experts),
            split,
        };
        let mut found = test.point()?;
        from_file(&mut found, file.rsplit('/').next().unwrap_or(""));
        Some(found)
    };
    let records: Vec<Vec<String>> = records.collect();
    let columns = records.first().map_or(0, Vec::len);
    let (whole, cut): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| record.len() >= columns);
    Ok(without(some(whole.into_iter().filter_map(of).collect())?, cut.len()))
}

/// The points, of which the last notes the rows that were cut short.
fn without(mut points: Vec<Measurement>, cut: usize) -> Vec<Measurement> {
    if let Some(last) = points.last_mut() {
        last.leave_out(cut, "with fewer columns, perhaps truncated");
    }
    points
}

/// Reads tests as a Markdown table: `| … | test | t/s |`.
pub(super) fn markdown(table: &str) -> Result<Vec<Measurement>, Fault> {
    let cells = |line: &str| -> Vec<String> {
        line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut header: Vec<String> = Vec::new();
    let (mut points, mut cut) = (Vec::new(), 0);
    // The lines before the table name the devices: `  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes`.
    let device = |line: &str| {
        let (number, name) = line.trim_start().strip_prefix("Device ")?.split_once(": ")?;
        number
            .bytes()
            .all(|digit| digit.is_ascii_digit())
            .then(|| name.split(',').next().unwrap_or(name).to_owned())
    };
    let gpus = table.lines().filter_map(device).collect::<Vec<String>>().join(", ");
    for line in table.lines().filter(|line| line.trim_start().starts_with('|')) {
        let row = cells(line);
        if row.len() < header.len() {
            cut += 1;
            continue;
        }
        if row.iter().any(|cell| cell == "t/s") {
            header = row;
            continue;
        }
        let cell = |name: &str| {
            let place = header.iter().position(|column| column == name)?;
            row.get(place).map(String::as_str)
        };
        let (Some(test), Some(rate)) = (cell("test"), cell("t/s").and_then(leading)) else { continue };
        let (test, depth) = test.split_once(" @ d").unwrap_or((test, ""));
        // `pp512+tg128` times a prompt and the generation behind it together.
        let count = |name: &str| {
            let tokens = test.split('+').find_map(|part| part.strip_prefix(name));
            tokens.and_then(leading).unwrap_or(0.0)
        };
        let of = Test {
            model: cell("model").unwrap_or(""),
            gpu: &gpus,
            cache: cell("type_k").unwrap_or(""),
            layers: cell("ngl").and_then(leading),
            host_experts: cell("n_cpu_moe").and_then(leading).unwrap_or(0.0),
            split: cell("sm").unwrap_or(""),
            prompt: count("pp"),
            generated: count("tg"),
            depth: leading(depth).unwrap_or(0.0),
            rate,
        };
        points.extend(of.point());
    }
    Ok(without(some(points)?, cut))
}
