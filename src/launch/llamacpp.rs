//! llama.cpp: `llama-server`, and `llama-bench` for one request.

use super::client;
use super::flag::Sets::{Beyond, BeyondSwitch, Limit, Neutral, NeutralSwitch, Present, Value, Word};
use super::flag::{Arguments, Flag, flag};
use super::found::Found;
use super::line::Line;
use super::pool::Pool;
use super::role::Role;
use super::servers::Servers;
use super::writer::Writer;
use crate::scenario::{NONE, fields};
use crate::words::Word as _;

/// Values of `--cache-type-k`, and the words of `inference.kv_precision` that they stand for.
const KV: &[(&str, &str)] = &[
    ("f16", "fp16"),
    ("f16", "bf16"),
    ("bf16", "bf16"),
    ("q8_0", "q8_0"),
    ("q8_0", "int8"),
    ("q4_0", "int4"),
];

pub(super) const FLAGS: &[Flag] = &[
    flag(&["-m", "--model"], Value),
    flag(&["-hf", "--hf-repo"], Value),
    flag(&["-sm", "--split-mode"], Value),
    flag(&["-ts", "--tensor-split"], Value),
    flag(&["-ctk", "--cache-type-k"], Word("inference.kv_precision", KV)),
    flag(&["-ctv", "--cache-type-v"], Neutral),
    flag(&["-c", "--ctx-size"], Neutral),
    flag(&["-np", "--parallel"], Value),
    flag(&["-ngl", "--gpu-layers", "--n-gpu-layers"], Value),
    flag(&["-ncmoe", "--n-cpu-moe"], Value),
    flag(&["-cmoe", "--cpu-moe"], Present),
    flag(&["-ot", "--override-tensor"], Beyond),
    flag(&["-nkvo", "--no-kv-offload"], BeyondSwitch),
    flag(&["-b", "--batch-size"], Limit("inference.token_budget")),
    flag(&["-ub", "--ubatch-size"], Beyond),
    flag(&["-md", "--model-draft"], Beyond),
    flag(&["-fa", "--flash-attn"], Neutral),
    flag(&["-mg", "--main-gpu"], Neutral),
    flag(&["-t", "--threads"], Neutral),
    flag(&["-fit", "--fit"], Neutral),
    flag(&["-fitt"], Neutral),
    flag(&["-fitc"], Neutral),
    flag(&["--cache-ram"], Neutral),
    flag(&["--cache-reuse"], Neutral),
    flag(&["--host"], Neutral),
    flag(&["--port"], Neutral),
    flag(&["--jinja"], NeutralSwitch),
    flag(&["-cb", "--cont-batching"], NeutralSwitch),
    flag(&["--no-mmap"], NeutralSwitch),
    flag(&["--mlock"], NeutralSwitch),
    flag(&["--swa-full"], NeutralSwitch),
];

/// Format of the KV cache that a value of `--cache-type-k` names, as a word of `inference.kv_precision`.
pub(crate) fn cache(kind: &str) -> Option<&'static str> {
    KV.iter().find(|(name, _)| *name == kind).map(|(_, word)| *word)
}

const BENCH: &[Flag] = &[flag(&["-p", "--n-prompt"], Value), flag(&["-n", "--n-gen"], Value)];

/// Layers of a model that is not known: more than any has.
const LAYERS: u32 = 1024;

/// Writes the commands of the server and of the benchmark client.
pub(super) fn write(writer: &mut Writer<'_>) {
    let load = &writer.question.inference;
    writer.placeholder("MODEL", &format!("-{}.gguf", load.precision.word()), "the path of a GGUF file");
    writer.note("The GGUF file sets the number format of the weights");
    for (path, more) in [
        ("inference.data", load.data > 1),
        ("inference.context", load.context > 1),
        ("inference.expert", load.expert > 1),
        ("inference.draft", load.draft > 0),
        ("inference.memory_share", load.memory_share.is_some()),
        ("inference.prefill_workers", load.prefill_workers > 0),
        ("inference.pipeline", load.pipeline > 1 && load.tensor > 1),
    ] {
        if more {
            writer.lacks(path);
        }
    }
    for pool in Pool::of(load) {
        if let Some(Servers { count, gpus }) = Servers::of(writer, pool) {
            writer.note(format!(
                "The command is for one machine: {gpus} GPUs in {count} machines need the RPC backend of llama.cpp"
            ));
        }
    }
    writer.replicas(load.workers);
    let mut line = Line::new("llama-server -m \"$MODEL\"");
    devices(writer, &mut line, ",");
    let in_flight = load.concurrency.max(load.batch) / load.workers.max(1);
    let slots = load.max_sequences.unwrap_or(in_flight);
    line.value("-np", slots.max(1));
    line.value("-c", u64::from(slots.max(1)) * u64::from(load.input.saturating_add(load.output)));
    writer.fields(&mut line, FLAGS);
    values(writer, &mut line);
    if load.turns <= 1 && load.shared_prefix == 0 && load.cached <= 0.0 {
        line.value("--cache-ram", 0);
        writer.note(
            "Without --cache-ram 0 the server copies each request's KV cache to host memory before the next one begins, for \
             prompts that repeat: 0.11 s for 1,152 tokens of Llama-3.1-8B on an H100",
        );
    }
    // The default port has changed between builds.
    line.value("--port", client::LLAMACPP_PORT);
    writer.command(&line);
    if load.batch == 1 && load.concurrency == 0 && load.rate <= 0.0 {
        bench(writer);
    } else {
        client::write(writer, client::LLAMACPP);
    }
}

/// Appends the flags that place layers and experts. `between` stands between the shares of GPUs.
fn devices(writer: &Writer<'_>, line: &mut Line, between: &str) {
    let load = &writer.question.inference;
    let server = between == ",";
    match load.gpu_layers {
        Some(slots) => line.value("-ngl", slots),
        None if server => line.value("-ngl", "all"),
        None => {}
    }
    let layers = writer.question.architecture().map_or(u32::MAX, |model| model.layers);
    match load.cpu_experts {
        0 => {}
        all if all >= layers && server => line.switch("-cmoe"),
        some => line.value("-ncmoe", some),
    }
    let gpus = load.tensor.max(load.pipeline);
    if gpus > 1 {
        line.value("-sm", if load.tensor > 1 { "row" } else { "layer" });
        line.value("-ts", vec!["1"; gpus as usize].join(between));
    }
    if let (Some(layers), Ok(Some(_))) = (load.second_layers, writer.question.system.second_device()) {
        let all = writer.question.architecture().map_or(layers, |model| model.layers);
        line.value("-ts", format!("{}{between}{}", all.saturating_sub(layers), layers.saturating_add(1)));
    }
}

/// Appends the format of cached values, which is that of keys.
fn values(writer: &Writer<'_>, line: &mut Line) {
    let cached = writer.question.at("inference.kv_precision").and_then(fields::Value::as_text);
    if let Some((kind, _)) =
        KV.iter().find(|(_, word)| Some(*word) == cached).filter(|(kind, _)| *kind != "f16")
    {
        line.value("-ctv", kind);
    }
}

/// Writes the command that measures one request: `llama-bench` loads the model itself.
fn bench(writer: &mut Writer<'_>) {
    let load = &writer.question.inference;
    let mut line = Line::new("llama-bench -m \"$MODEL\"");
    line.value("-p", load.input);
    line.value("-n", load.output);
    devices(writer, &mut line, "/");
    writer.fields(&mut line, FLAGS);
    values(writer, &mut line);
    writer.line("");
    writer
        .line("# Instead of the server: measure the predicted request. Drop the printed result on the page.");
    writer.command(&line);
}

/// Reads the lengths of one request from `llama-bench`; returns false for other programs. Its other flags repeat those of the
/// server.
pub(super) fn read_bench(words: &[String], found: &mut Found<'_>) -> bool {
    let place = words.iter().position(|word| word.ends_with("llama-bench"));
    let Some(after) = place.and_then(|place| words.get(place + 1..)) else { return false };
    let given = Arguments::of(BENCH, after);
    found.facts.whole("inference.input", given.number("-p"));
    found.facts.whole("inference.output", given.number("-n"));
    found.facts.whole("inference.batch", 1.0);
    true
}

/// Reads a server's command.
pub(super) fn read(given: &Arguments, found: &mut Found<'_>) {
    let file = given.text("-m").or_else(|| given.text("-hf")).unwrap_or("");
    found.checkpoint(file.trim_end_matches(".gguf"), [None, None]);
    let shares: Vec<&str> =
        given.text("-ts").map_or_else(|| vec!["1"], |shares| shares.split([',', '/']).collect());
    let rows = matches!(given.text("-sm"), Some("row" | "tensor"));
    let (tensor, stages) = match shares[..] {
        [_, last] if !rows && found.current.system.second != NONE => {
            // The second number counts the output head beside the layers.
            if let Some(slots) = last.parse().ok().filter(|slots: &f64| *slots >= 1.0) {
                found.facts.whole("inference.second_layers", slots - 1.0);
            }
            (1, 1)
        }
        _ if rows => (shares.len() as u32, 1),
        _ => (1, shares.len() as u32),
    };
    found.facts.whole("inference.pipeline", f64::from(stages));
    Pool { tensor, data: 1, expert: 1, workers: 1, role: Role::Both }.set(found);
    found.limit("inference.max_sequences", given.number("-np"));
    offload(given, found);
}

/// Reads the layers and experts on the CPU. The output head takes a slot of `-ngl`, beside one for each layer; a word or a
/// negative number leaves the choice to llama.cpp, which is taken to be the whole model.
fn offload(given: &Arguments, found: &mut Found<'_>) {
    let layers = found.scenario().architecture().ok().map(|model| model.layers);
    let some = |slots: &f64| *slots >= 0.0 && layers.is_none_or(|layers| *slots <= f64::from(layers));
    match given.number("-ngl").filter(some) {
        Some(slots) => found.facts.whole("inference.gpu_layers", slots),
        None => found.limit("inference.gpu_layers", None),
    }
    let all = given.has("-cmoe").then(|| f64::from(layers.unwrap_or(LAYERS)));
    let experts = all.or_else(|| given.number("-ncmoe")).filter(|_| found.has_experts()).unwrap_or(0.0);
    if experts > 0.0 || found.current.inference.cpu_experts > 0 {
        found.facts.whole("inference.cpu_experts", experts);
    }
}
