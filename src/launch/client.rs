//! The benchmark client that generates the load: `vllm bench serve`, or SGLang's `bench_serving`.

use super::command::{Line, Writer};
use super::flag::Sets::{Neutral, NeutralSwitch, Number, Value};
use super::flag::{Arguments, Flag, flag};
use super::read::Found;
use super::shell::Invocation;

/// vLLM's client, which works with any server that has an OpenAI-compatible API.
pub(super) const VLLM: &str = "vllm bench serve";

/// SGLang's client.
pub(super) const SGLANG: &str = "python -m sglang.bench_serving --backend sglang";

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
pub(super) fn write(writer: &mut Writer<'_>, client: &str) {
    let load = &writer.question.inference;
    let mut line = Line::new(format!("{client} --model \"$MODEL\""));
    line.value("--dataset-name", "random");
    line.value("--random-input-len", load.input);
    line.value("--random-output-len", load.output);
    if client == SGLANG {
        // Its default draws lengths between 1 and these.
        line.value("--random-range-ratio", 1);
    } else {
        // A model may end its answer before this length.
        line.switch("--ignore-eos");
    }
    if load.rate > 0.0 {
        line.value("--request-rate", six_digits(load.rate));
        let prompts = match load.requests {
            0 => libm::ceil(load.rate * ENDLESS.1).max(1.0),
            requests => f64::from(requests),
        };
        line.value("--num-prompts", prompts);
    } else {
        let (clients, rounds) = match (load.concurrency, load.rounds) {
            (0, _) => (load.batch, 1.0),
            (clients, 0) => (clients, ENDLESS.0),
            (clients, rounds) => (clients, f64::from(rounds)),
        };
        line.value("--max-concurrency", clients);
        line.value("--num-prompts", f64::from(clients) * rounds);
    }
    if load.has_history() {
        writer.note("The client's prompts repeat no earlier turns: measure sessions with a multi-turn benchmark instead");
    }
    writer.line("");
    writer.line("# Once the server is up: send the predicted load. Drop the printed result on the page.");
    writer.command(&line);
}

/// A number with six significant digits.
fn six_digits(number: f64) -> f64 {
    format!("{number:.5e}").parse().unwrap_or(number)
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
    match (rate.filter(|rate| *rate > 0.0), given.number("--max-concurrency")) {
        (Some(rate), _) => {
            found.facts.number("inference.rate", rate);
            let short = prompts.filter(|prompts| *prompts < rate * ENDLESS.1);
            found.facts.whole("inference.requests", short.unwrap_or(0.0));
        }
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
