//! The benchmark client that generates the load: `vllm bench serve`, or SGLang's `bench_serving`.

use super::flag::Sets::{Neutral, NeutralSwitch, Number, Value};
use super::flag::{Arguments, Flag, flag};
use super::found::Found;
use super::line::Line;
use super::shell::Invocation;
use super::writer::Writer;
use crate::inference::InferenceLoad;
use crate::units::format;

/// A benchmark client, and the server that it sends requests to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Client {
    program: Program,
    /// Port of the server on this machine, if it is not the client's default.
    port: Option<u32>,
    /// True if the tokenizer has a name of its own, because `MODEL` is a single file without one that the client reads.
    tokenizer: bool,
}

/// Program of a benchmark client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    /// `vllm bench serve`, which works with any server that has an OpenAI-compatible API. Its default port is that of vLLM
    /// and TensorRT-LLM, 8000.
    Vllm,
    /// SGLang's `bench_serving`. Its default port is that of SGLang, 30000.
    Sglang,
}

/// The client for vLLM and TensorRT-LLM.
pub(super) const VLLM: Client = Client { program: Program::Vllm, port: None, tokenizer: false };

/// The client for SGLang.
pub(super) const SGLANG: Client = Client { program: Program::Sglang, port: None, tokenizer: false };

/// The client for MLX. The default port of `mlx_lm.server` is 8080.
pub(super) const MLX: Client = Client { program: Program::Vllm, port: Some(8080), tokenizer: false };

/// Port of `llama-server`, which its command sets because the default differs between versions.
pub(super) const LLAMACPP_PORT: u32 = 8080;

/// The client for llama.cpp.
pub(super) const LLAMACPP: Client =
    Client { program: Program::Vllm, port: Some(LLAMACPP_PORT), tokenizer: true };

/// Shell variable with the requests of a batch, which begin and end together. It tells a batch from clients that send
/// requests one after the other, which are measured by the same flags.
const BATCH: &str = "BATCH";

/// Batches that are measured one after the other, and the least number of requests: a single one measures mostly warm-up.
const BATCHES: (u32, u32) = (5, 10);

/// A benchmark at least this long is modelled in steady state, as an endless stream: requests per client of a closed
/// loop, and duration of an open loop (arrivals at a fixed rate), s.
const ENDLESS: (f64, f64) = (20.0, 600.0);

const FLAGS: &[Flag] = &[
    flag(&["--random-input-len", "--random-input", "--input-len"], Number("inference.input")),
    flag(&["--random-output-len", "--random-output", "--output-len"], Number("inference.output")),
    flag(&["--max-concurrency"], Value),
    flag(&["--request-rate"], Value),
    flag(&["--num-prompts"], Value),
    flag(&["--model"], Value),
    flag(&["--dataset-name"], Neutral),
    flag(&["--dataset-path"], Neutral),
    flag(&["--random-range-ratio"], Neutral),
    flag(&["--backend"], Neutral),
    flag(&["--base-url"], Neutral),
    flag(&["--endpoint"], Neutral),
    flag(&["--host"], Neutral),
    flag(&["--port"], Neutral),
    flag(&["--seed"], Neutral),
    flag(&["--tokenizer"], Neutral),
    flag(&["--num-warmups"], Neutral),
    flag(&["--burstiness"], Neutral),
    flag(&["--percentile-metrics"], Neutral),
    flag(&["--metric-percentiles"], Neutral),
    flag(&["--result-dir"], Neutral),
    flag(&["--result-filename"], Neutral),
    flag(&["--output-file"], Neutral),
    flag(&["--save-result"], NeutralSwitch),
    flag(&["--ignore-eos"], NeutralSwitch),
    flag(&["--trust-remote-code"], NeutralSwitch),
];

/// Writes the client's command for a question's load.
pub(super) fn write(writer: &mut Writer<'_>, client: Client) {
    let load = &writer.question.inference;
    let program = match client.program {
        Program::Vllm => "vllm bench serve",
        Program::Sglang => "python -m sglang.bench_serving --backend sglang",
    };
    let mut line = Line::new(format!("{program} --model \"$MODEL\""));
    if let Some(port) = client.port {
        line.value("--base-url", format!("http://127.0.0.1:{port}"));
    }
    if client.tokenizer {
        line.variable("--tokenizer", "$TOKENIZER");
    }
    line.value("--dataset-name", "random");
    line.value("--random-input-len", load.input);
    line.value("--random-output-len", load.output);
    match client.program {
        // Its default draws lengths between 1 and these.
        Program::Sglang => line.value("--random-range-ratio", 1),
        // A model may end its answer before this length.
        Program::Vllm => line.switch("--ignore-eos"),
    }
    let batch = rate(load, &mut line);
    if load.has_history() {
        writer.note("The client's prompts repeat no earlier turns: measure sessions with a multi-turn benchmark instead");
    }
    writer.line("");
    writer.line("# Once the server is up: send the predicted load. Drop the printed result on the page.");
    if client.tokenizer {
        writer.placeholder("TOKENIZER", "", "the Hugging Face name");
    }
    if let Some(batch) = batch {
        writer.line(&format!("{BATCH}={batch}  # requests that begin and end together"));
    }
    writer.command(&line);
}

/// Appends the flags for the number of requests and their arrival. Returns the size of the batch if requests come in
/// batches.
fn rate(load: &InferenceLoad, line: &mut Line) -> Option<u32> {
    if load.rate > 0.0 {
        line.value("--request-rate", format::significant(load.rate, 6));
        let prompts = match load.requests {
            0 => libm::ceil(load.rate * ENDLESS.1).max(f64::from(BATCHES.1)),
            requests => f64::from(requests),
        };
        line.value("--num-prompts", prompts);
        return None;
    }
    if load.concurrency == 0 {
        let batch = load.batch.max(1);
        let batches = BATCHES.0.max(BATCHES.1.div_ceil(batch));
        line.variable("--max-concurrency", &format!("${BATCH}"));
        line.value("--num-prompts", u64::from(batch) * u64::from(batches));
        return Some(batch);
    }
    let rounds = if load.rounds == 0 { ENDLESS.0 } else { f64::from(load.rounds) };
    line.value("--max-concurrency", load.concurrency);
    line.value("--num-prompts", f64::from(load.concurrency) * rounds);
    None
}

/// Reads a benchmark client's command; returns false if the invocation is another program.
pub(super) fn read(invocation: &Invocation, found: &mut Found<'_>) -> bool {
    let words = &invocation.words;
    let place = words.iter().position(|word| {
        word == "bench" || word.ends_with("bench_serving") || word.ends_with("benchmark_serving.py")
    });
    let Some(after) = place.and_then(|place| words.get(place + 1..)) else { return false };
    let given = Arguments::of(FLAGS, after);
    found.facts.whole("inference.input", given.number("--random-input-len"));
    found.facts.whole("inference.output", given.number("--random-output-len"));
    let (rate, prompts) = (given.number("--request-rate"), given.number("--num-prompts"));
    let batch = invocation.variables.get(BATCH).map(String::as_str);
    let batch = batch.filter(|batch| given.text("--max-concurrency") == Some(*batch));
    match (rate.filter(|rate| *rate > 0.0), given.number("--max-concurrency")) {
        (Some(rate), _) => {
            found.facts.number("inference.rate", rate);
            let short = prompts.filter(|prompts| *prompts < rate * ENDLESS.1);
            found.facts.whole("inference.requests", short.unwrap_or(0.0));
        }
        (None, Some(clients)) if batch.is_some() => found.facts.whole("inference.batch", clients),
        (None, Some(clients)) if prompts.is_some_and(|prompts| prompts <= clients) => {
            found.facts.whole("inference.batch", prompts);
        }
        (None, Some(clients)) => {
            found.facts.whole("inference.concurrency", clients);
            let rounds = prompts.map(|prompts| libm::round(prompts / clients.max(1.0)));
            found.facts.whole("inference.rounds", rounds.filter(|rounds| *rounds < ENDLESS.0).unwrap_or(0.0));
        }
        (None, None) => found.facts.whole("inference.batch", prompts),
    }
    true
}
