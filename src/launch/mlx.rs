//! mlx-lm: `mlx_lm.server` and `mlx_lm.generate`.

use super::client;
use super::flag::Sets::{Beyond, Limit, Neutral, NeutralSwitch, Number, Present, Value};
use super::flag::{Arguments, Flag, flag};
use super::found::Found;
use super::line::Line;
use super::pool::Pool;
use super::role::Role;
use super::weights::Weights;
use super::writer::Writer;
use crate::inference::Engine;
use crate::system::Precision;
use crate::words::Word as _;

pub(super) const FLAGS: &[Flag] = &[
    flag(&["--model"], Value),
    flag(&["--max-tokens", "-m"], Number("inference.output")),
    flag(&["--decode-concurrency"], Limit("inference.max_sequences")),
    flag(&["--prefill-step-size"], Limit("inference.token_budget")),
    flag(&["--pipeline"], Present),
    flag(&["--kv-bits"], Beyond),
    flag(&["--max-kv-size"], Beyond),
    flag(&["--draft-model"], Beyond),
    flag(&["--num-draft-tokens"], Beyond),
    flag(&["--adapter-path"], Beyond),
    flag(&["--prompt-concurrency"], Neutral),
    flag(&["--prompt-cache-size"], Neutral),
    flag(&["--prompt-cache-bytes"], Neutral),
    flag(&["--prompt-cache-file"], Neutral),
    flag(&["--kv-group-size"], Neutral),
    flag(&["--quantized-kv-start"], Neutral),
    flag(&["--prompt", "-p"], Neutral),
    flag(&["--system-prompt"], Neutral),
    flag(&["--temp"], Neutral),
    flag(&["--top-p"], Neutral),
    flag(&["--top-k"], Neutral),
    flag(&["--min-p"], Neutral),
    flag(&["--seed"], Neutral),
    flag(&["--host"], Neutral),
    flag(&["--port"], Neutral),
    flag(&["--log-level"], Neutral),
    flag(&["--chat-template"], Neutral),
    flag(&["--chat-template-args"], Neutral),
    flag(&["--allowed-origins"], Neutral),
    flag(&["--trust-remote-code"], NeutralSwitch),
    flag(&["--use-default-chat-template"], NeutralSwitch),
    flag(&["--ignore-chat-template"], NeutralSwitch),
];

/// Option of `mlx.launch` that lists the machines.
const HOSTS: &str = "--hosts";

/// Option of `mlx.launch` that counts the processes.
const PROCESSES: [&str; 2] = ["-n", "--repeat-hosts"];

/// Writes the commands of the server and of the benchmark client.
pub(super) fn write(writer: &mut Writer<'_>) {
    let load = &writer.question.inference;
    writer.checkpoint(Weights::of(writer.question));
    if let Some(bits) = bits(load.precision) {
        writer.note(format!("`mlx_lm.convert --hf-path … -q --q-bits {bits}` makes such a checkpoint"));
    }
    for (path, more) in [
        ("inference.precision", !Engine::Mlx.loads(load.precision)),
        ("inference.data", load.data > 1),
        ("inference.context", load.context > 1),
        ("inference.expert", load.expert > 1),
        ("inference.draft", load.draft > 0),
        ("inference.memory_share", load.memory_share.is_some()),
        ("inference.prefill_workers", load.prefill_workers > 0),
        ("inference.pipeline", load.pipeline > 1 && load.tensor > 1),
        ("inference.kv_precision", !matches!(load.kv_precision, Precision::Bf16 | Precision::Fp16)),
    ] {
        if more {
            writer.lacks(path);
        }
    }
    writer.replicas(load.workers);
    let machines = load.tensor.max(load.pipeline);
    let mut line = if machines > 1 {
        writer.note(
            "Each machine needs the checkpoint at the same path, and its IP address in place of `mac-1` and on. RDMA over \
             Thunderbolt needs `--backend jaccl` and a `--hostfile` in place of `--hosts`",
        );
        let hosts: Vec<String> = (1..=machines).map(|machine| format!("mac-{machine}")).collect();
        Line::new(format!("mlx.launch {HOSTS} {} mlx_lm.server --model \"$MODEL\"", hosts.join(",")))
    } else {
        Line::new("mlx_lm.server --model \"$MODEL\"")
    };
    if load.pipeline > 1 && load.tensor == 1 {
        line.switch("--pipeline");
    }
    writer.fields(&mut line, FLAGS);
    writer.command(&line);
    client::write(writer, client::MLX);
}

/// Reads the command of a server or of one generation.
pub(super) fn read(given: &Arguments, before: &[String], found: &mut Found<'_>) {
    let name = given.text("--model").unwrap_or("");
    found.checkpoint(name, [in_name(name), None]);
    if before.iter().any(|word| word == "--hostfile" || word.starts_with("--hostfile=")) {
        found.remark(
            "The machines in the file of `--hostfile` are unknown: set the degree of tensor or pipeline parallelism",
        );
    }
    let machines = machines(before);
    let stages = if given.has("--pipeline") { machines } else { 1 };
    found.facts.whole("inference.pipeline", f64::from(stages));
    Pool { tensor: machines / stages, data: 1, expert: 1, workers: 1, role: Role::Both }.set(found);
}

/// Machines that `mlx.launch` starts, from the words before the program.
fn machines(before: &[String]) -> u32 {
    let after = |name: &str| before.iter().position(|word| word == name).and_then(|at| before.get(at + 1));
    let hosts = after(HOSTS).map_or(1, |hosts| hosts.split(',').count() as u32);
    let processes = PROCESSES.iter().find_map(|name| after(name)?.parse().ok()).unwrap_or(1);
    hosts.saturating_mul(processes).max(1)
}

/// Bits per weight of one of MLX's formats.
const fn bits(format: Precision) -> Option<u32> {
    Some(match format {
        Precision::Mlx8 => 8,
        Precision::Mlx6 => 6,
        Precision::Mlx5 => 5,
        Precision::Mlx4 => 4,
        Precision::Mlx3 => 3,
        Precision::Mlx2 => 2,
        _ => return None,
    })
}

/// The format in a checkpoint's name, e.g. `mlx4` for `mlx-community/Llama-3.1-8B-Instruct-4bit`.
fn in_name(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let written = |format: &Precision| {
        bits(*format).is_some_and(|bits| {
            [format!("{bits}bit"), format!("{bits}-bit")].iter().any(|word| lower.contains(word))
        })
    };
    Precision::ALL.into_iter().find(written).map(Precision::word)
}
