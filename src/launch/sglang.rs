//! SGLang: `python -m sglang.launch_server`.

use super::client;
use super::flag::Sets::{
    Beyond, BeyondSwitch, Degree, Limit, Neutral, NeutralSwitch, Present, Switch, Value, Word,
};
use super::flag::{Arguments, Flag, Is, flag};
use super::found::Found;
use super::line::Line;
use super::pool::{Pool, replicas};
use super::role::Role;
use super::servers::Servers;
use super::shell::Invocation;
use super::weights::Weights;
use super::writer::Writer;
use crate::scenario::Speculation;
use crate::units::Bytes;

const KV: &[(&str, &str)] = &[
    ("auto", "bf16"),
    ("auto", "fp16"),
    ("bf16", "bf16"),
    ("fp8_e4m3", "fp8"),
    ("fp8_e5m2", "fp8"),
    ("fp4_e2m1", "fp4"),
];

pub(super) const FLAGS: &[Flag] = &[
    flag(&["--model-path", "--model"], Value),
    flag(&["--tp-size", "--tp", "--tensor-parallel-size"], Value),
    flag(&["--pp-size", "--pp", "--pipeline-parallel-size"], Degree("inference.pipeline")),
    flag(&["--dp-size", "--dp", "--data-parallel-size"], Value),
    flag(&["--ep-size", "--ep", "--expert-parallel-size"], Value),
    flag(&["--enable-dp-attention"], Present),
    flag(&["--quantization"], Value),
    flag(&["--dtype"], Value),
    flag(&["--kv-cache-dtype"], Word("inference.kv_precision", KV)),
    flag(&["--disable-cuda-graph"], Switch("inference.launch", Is::Word("stream"), Is::Word("graph"))),
    flag(&["--speculative-algorithm"], Value),
    flag(&["--speculative-num-steps"], Value),
    flag(&["--speculative-eagle-topk"], Value),
    flag(&["--speculative-num-draft-tokens"], Value),
    flag(&["--disaggregation-mode"], Value),
    flag(&["--context-length"], Neutral),
    flag(&["--max-running-requests"], Value),
    flag(&["--chunked-prefill-size"], Value),
    flag(&["--scheduler-recv-interval"], Degree("inference.admission")),
    flag(&["--enable-mixed-chunk"], Switch("inference.mixed", Is::Set(true), Is::Set(false))),
    flag(&["--mem-fraction-static"], Limit("inference.memory_share")),
    flag(&["--page-size"], Neutral),
    flag(&["--stream-interval"], Neutral),
    flag(&["--host"], Neutral),
    flag(&["--port"], Neutral),
    flag(&["--served-model-name"], Neutral),
    flag(&["--tokenizer-path"], Neutral),
    flag(&["--random-seed"], Neutral),
    flag(&["--nnodes"], Neutral),
    flag(&["--node-rank"], Neutral),
    flag(&["--dist-init-addr"], Neutral),
    flag(&["--speculative-draft-model-path"], Neutral),
    flag(&["--disaggregation-transfer-backend"], Neutral),
    flag(&["--schedule-policy"], Neutral),
    flag(&["--attention-backend"], Neutral),
    flag(&["--trust-remote-code"], NeutralSwitch),
    flag(&["--disable-radix-cache"], NeutralSwitch),
    flag(&["--max-total-tokens"], Beyond),
    flag(&["--max-prefill-tokens"], Beyond),
    flag(&["--cuda-graph-max-bs"], Beyond),
    flag(&["--schedule-conservativeness"], Beyond),
    flag(&["--moe-a2a-backend"], Beyond),
    flag(&["--moe-runner-backend"], Beyond),
    flag(&["--deepep-mode"], Beyond),
    flag(&["--ep-num-redundant-experts"], Beyond),
    flag(&["--moe-dense-tp-size"], Beyond),
    flag(&["--moe-dp-size"], Beyond),
    flag(&["--attention-context-parallel-size"], Beyond),
    flag(&["--hicache-ratio"], Beyond),
    flag(&["--hicache-size"], Value),
    flag(&["--cpu-offload-gb"], Beyond),
    flag(&["--enable-hierarchical-cache"], Present),
    flag(&["--enable-dp-lm-head"], BeyondSwitch),
    flag(&["--enable-eplb"], BeyondSwitch),
    flag(&["--enable-two-batch-overlap"], BeyondSwitch),
    flag(&["--disable-overlap-schedule"], BeyondSwitch),
];

/// Writes the commands of the servers and of the benchmark client.
pub(super) fn write(writer: &mut Writer<'_>) {
    let (question, weights) = (writer.question, Weights::of(writer.question));
    writer.checkpoint(weights);
    if question.inference.context > 1 {
        writer.lacks("inference.context");
    }
    for pool in Pool::of(&question.inference) {
        writer.heading(pool.role);
        // With `--enable-dp-attention`, `--dp-size` sets the attention replicas inside a server, so it cannot set
        // copies of the server.
        let servers = Servers::of(writer, pool);
        let apart = pool.data > 1 || servers.is_some() || !Servers::hold(writer, pool);
        writer.replicas(if apart { pool.workers } else { 1 });
        if let Some(servers) = servers {
            servers.variables(writer);
        }
        let mut line = Line::new("python -m sglang.launch_server --model-path \"$MODEL\"");
        line.degree("--tp-size", pool.tensor * pool.data);
        if pool.data > 1 {
            line.value("--dp-size", pool.data);
            line.switch("--enable-dp-attention");
        } else if !apart {
            line.degree("--dp-size", pool.workers);
        }
        line.degree("--ep-size", pool.expert);
        if let Some(servers) = servers {
            servers.ranks(&mut line, ("--dist-init-addr", ":5000"));
        }
        // SGLang defines both limits for all attention replicas of a server together, Foretoken for each replica.
        let load = &question.inference;
        for (name, each) in
            [("--max-running-requests", load.max_sequences), ("--chunked-prefill-size", load.token_budget)]
        {
            if let Some(each) = each {
                line.value(name, u64::from(each) * u64::from(pool.data));
            }
        }
        weights.flags(&mut line);
        writer.fields(&mut line, FLAGS);
        if let Some(each) = writer.host_cache(pool.role) {
            line.switch("--enable-hierarchical-cache");
            // Whole gigabytes of 10^9 bytes for each GPU.
            line.value("--hicache-size", libm::round(Bytes::from_gib(each).get() * 1e-9).max(1.0));
        }
        if question.inference.draft > 0 {
            let tokens = question.inference.draft;
            line.value("--speculative-algorithm", "EAGLE");
            line.value("--speculative-num-steps", tokens);
            line.value("--speculative-eagle-topk", 1);
            // Verification also covers the token that the target model sampled last.
            line.value("--speculative-num-draft-tokens", tokens + 1);
            if question.speculation.model != Speculation::MODULES {
                writer.note("Replace EAGLE with your speculative decoding algorithm");
            }
            if load.max_sequences.is_none() {
                writer.note(
                    "With speculative decoding SGLang serves at most 48 requests at once unless --max-running-requests is set",
                );
            }
        }
        match pool.role {
            Role::Both => {}
            Role::Prefill => line.value("--disaggregation-mode", "prefill"),
            Role::Decode => line.value("--disaggregation-mode", "decode"),
        }
        line.port(pool.role);
        writer.command(&line);
    }
    writer.router("sglang_router.launch_router with --pd-disaggregation");
    client::write(writer, client::SGLANG);
}

/// Reads a server's command.
pub(super) fn read(given: &Arguments, invocation: &Invocation, found: &mut Found<'_>) {
    let checkpoint = given.text("--model-path").unwrap_or("");
    found.checkpoint(checkpoint, [given.text("--quantization"), given.text("--dtype")]);
    let (gpus, groups) = (given.degree("--tp-size") as u32, given.degree("--dp-size") as u32);
    let inside = given.has("--enable-dp-attention") && gpus.is_multiple_of(groups);
    let (tensor, data, servers) = if inside { (gpus / groups, groups, 1) } else { (gpus, 1, groups) };
    let role = match given.text("--disaggregation-mode") {
        Some("prefill") => Role::Prefill,
        Some("decode") => Role::Decode,
        _ => Role::Both,
    };
    // With DeepEP, SGLang sets the expert-parallel size to the tensor-parallel size.
    let dispatch = given.text("--moe-a2a-backend");
    let expert = if dispatch == Some("deepep") { gpus } else { given.degree("--ep-size") as u32 };
    let workers = servers.saturating_mul(replicas(invocation));
    Pool { tensor, data, expert, workers, role }.set(found);
    let cached = given.number("--hicache-size").filter(|_| given.has("--enable-hierarchical-cache"));
    found.host_cache(role, cached.map(|gigabytes| Bytes::new(gigabytes * 1e9).to_gib()));
    for (name, path) in [
        ("--max-running-requests", "inference.max_sequences"),
        ("--chunked-prefill-size", "inference.token_budget"),
    ] {
        found.limit(path, given.number(name).map(|all| libm::floor(all / f64::from(data))));
    }
    if role != Role::Prefill {
        let verified = given.number("--speculative-num-draft-tokens").map(|tokens| tokens - 1.0);
        let chain = given.number("--speculative-num-steps");
        // SGLang chooses three steps for models with prediction modules.
        let chosen = given.text("--speculative-algorithm").is_some() && found.has_modules();
        found.facts.whole(
            "inference.draft",
            chain.or(verified).filter(|tokens| *tokens >= 0.0).unwrap_or(if chosen { 3.0 } else { 0.0 }),
        );
    }
}
