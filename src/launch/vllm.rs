//! vLLM: `vllm serve`.

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
use crate::json::Json;
use crate::scenario::Speculation;

const KV: &[(&str, &str)] = &[
    ("auto", "bf16"),
    ("auto", "fp16"),
    ("fp8", "fp8"),
    ("fp8_e4m3", "fp8"),
    ("fp8_e5m2", "fp8"),
    ("nvfp4", "fp4"),
    ("int8_per_token_head", "int8"),
];

pub(super) const FLAGS: &[Flag] = &[
    flag(&["--model"], Value),
    flag(&["--tensor-parallel-size", "-tp"], Value),
    flag(&["--pipeline-parallel-size", "-pp"], Degree("inference.pipeline")),
    flag(&["--data-parallel-size", "-dp"], Value),
    flag(&["--enable-expert-parallel", "-ep"], Present),
    flag(&["--prefill-context-parallel-size", "-pcp"], Degree("inference.context")),
    flag(&["--quantization", "-q"], Value),
    flag(&["--dtype"], Value),
    flag(&["--kv-cache-dtype"], Word("inference.kv_precision", KV)),
    flag(&["--enforce-eager"], Switch("inference.launch", Is::Word("stream"), Is::Word("graph"))),
    flag(&["--speculative-config"], Value),
    flag(&["--speculative-config.method"], Value),
    flag(&["--speculative-config.num_speculative_tokens"], Value),
    flag(&["--kv-transfer-config"], Value),
    flag(&["--max-model-len"], Neutral),
    flag(&["--max-num-seqs"], Limit("inference.max_sequences")),
    flag(&["--max-num-batched-tokens"], Limit("inference.token_budget")),
    flag(&["--gpu-memory-utilization"], Limit("inference.memory_share")),
    flag(&["--block-size"], Neutral),
    flag(&["--host"], Neutral),
    flag(&["--port"], Neutral),
    flag(&["--api-key"], Neutral),
    flag(&["--served-model-name"], Neutral),
    flag(&["--tokenizer"], Neutral),
    flag(&["--download-dir"], Neutral),
    flag(&["--seed"], Neutral),
    flag(&["--data-parallel-size-local"], Neutral),
    flag(&["--data-parallel-rank"], Neutral),
    flag(&["--data-parallel-start-rank", "-dpr"], Neutral),
    flag(&["--data-parallel-address"], Neutral),
    flag(&["--data-parallel-rpc-port"], Neutral),
    flag(&["--distributed-executor-backend"], Neutral),
    flag(&["--swap-space"], Neutral),
    flag(&["--num-scheduler-steps"], Neutral),
    flag(&["--trust-remote-code"], NeutralSwitch),
    flag(&["--nnodes", "-n"], Neutral),
    flag(&["--node-rank", "-r"], Neutral),
    flag(&["--master-addr"], Neutral),
    flag(&["--master-port"], Neutral),
    flag(&["--headless"], NeutralSwitch),
    flag(&["--data-parallel-hybrid-lb"], NeutralSwitch),
    flag(&["--data-parallel-external-lb"], NeutralSwitch),
    flag(&["--enable-chunked-prefill"], NeutralSwitch),
    flag(&["--enable-prefix-caching"], NeutralSwitch),
    flag(&["--no-enable-prefix-caching"], NeutralSwitch),
    flag(&["--async-scheduling"], NeutralSwitch),
    flag(&["--disable-log-requests"], NeutralSwitch),
    flag(&["--use-v2-block-manager"], NeutralSwitch),
    flag(&["--kv-cache-memory-bytes"], Beyond),
    flag(&["--kv-offloading-size"], Value),
    flag(&["--kv-offloading-backend"], Beyond),
    flag(&["--cpu-offload-gb"], Beyond),
    flag(&["--compilation-config"], Beyond),
    flag(&["--all2all-backend"], Beyond),
    flag(&["--decode-context-parallel-size", "-dcp"], Beyond),
    flag(&["--dcp-comm-backend"], Beyond),
    flag(&["--eplb-config"], Beyond),
    flag(&["--enable-eplb"], BeyondSwitch),
    flag(&["--enable-dbo"], BeyondSwitch),
];

/// Writes the commands of the servers and of the benchmark client.
pub(super) fn write(writer: &mut Writer<'_>) {
    let (question, weights) = (writer.question, Weights::of(writer.question));
    writer.checkpoint(weights);
    let experts = question.has_experts();
    for pool in Pool::of(&question.inference) {
        writer.heading(pool.role);
        // For a dense model, `--data-parallel-size` starts independent replicas in one server. For a mixture of
        // experts it would merge the replicas into one expert group, so copies are separate servers.
        let servers = Servers::of(writer, pool);
        let apart = experts || pool.data > 1 || servers.is_some() || !Servers::hold(writer, pool);
        writer.replicas(if apart { pool.workers } else { 1 });
        if let Some(servers) = servers {
            servers.variables(writer);
        }
        // Role in the transfer of the KV cache, and port of NIXL's side channel, which differs between servers of one machine.
        let transfer = match pool.role {
            Role::Both => None,
            Role::Prefill => Some(("kv_producer", 5600)),
            Role::Decode => Some(("kv_consumer", 5700)),
        };
        let channel =
            transfer.map_or_else(String::new, |(_, port)| format!("VLLM_NIXL_SIDE_CHANNEL_PORT={port} "));
        let mut line = Line::new(format!("{channel}vllm serve \"$MODEL\""));
        line.degree("--tensor-parallel-size", pool.tensor);
        match (experts, pool.data) {
            (true, data) => line.degree("--data-parallel-size", data),
            (false, 1) if apart => {}
            (false, 1) => line.degree("--data-parallel-size", pool.workers),
            (false, _) => writer.lacks("inference.data"),
        }
        if pool.expert > 1 {
            line.switch("--enable-expert-parallel");
            if pool.expert != pool.tensor * pool.data * question.inference.context {
                writer.note("vLLM spreads experts over all GPUs of a server or over none");
            }
        }
        if let Some(servers) = servers {
            spread(writer, &mut line, servers, pool);
        }
        // By default a server refuses to start if the KV cache cannot hold one request as long as the model's context.
        line.value("--max-model-len", "auto");
        weights.flags(&mut line);
        writer.fields(&mut line, FLAGS);
        if let Some(each) = writer.host_cache(pool.role) {
            // The sum over a tensor group.
            line.value("--kv-offloading-size", each * f64::from(pool.tensor));
        }
        if question.inference.draft > 0 {
            let tokens = question.inference.draft;
            let modules = question.speculation.model == Speculation::MODULES;
            let draft = if modules { "\"method\": \"mtp\"" } else { "\"model\": \"DRAFT\"" };
            line.value("--speculative-config", format!("{{{draft}, \"num_speculative_tokens\": {tokens}}}"));
            if !modules {
                writer.note("Replace DRAFT with the draft model's name, or with a method such as mtp");
            }
        }
        if let Some((role, _)) = transfer {
            let transfer = format!("{{\"kv_connector\": \"NixlConnector\", \"kv_role\": \"{role}\"}}");
            line.value("--kv-transfer-config", transfer);
        }
        line.port(pool.role);
        writer.command(&line);
    }
    writer.router("a proxy such as llm-d's");
    client::write(writer, client::VLLM);
}

/// Appends the flags of a worker that spans several servers. Attention replicas are divided among the servers, each of
/// which has its own endpoint. Other groups span all servers, and the first server has the endpoint.
fn spread(writer: &mut Writer<'_>, line: &mut Line, servers: Servers, pool: Pool) {
    if pool.data.is_multiple_of(servers.count) && writer.question.inference.pipeline == 1 {
        let local = pool.data / servers.count;
        line.value("--data-parallel-size-local", local);
        line.variable("--data-parallel-start-rank", &format!("$((RANK*{local}))"));
        line.variable("--data-parallel-address", "$HEAD");
        line.switch("--data-parallel-hybrid-lb");
        writer.note("Each server of a worker has an endpoint: put a load balancer in front of all of them");
    } else {
        servers.ranks(line, ("--master-addr", ""));
        writer.note("Add --headless on servers of rank 1 and higher");
    }
}

/// Reads a server's command.
pub(super) fn read(given: &Arguments, invocation: &Invocation, found: &mut Found<'_>) {
    let checkpoint = given.text("--model").or(given.words.first().map(String::as_str)).unwrap_or("");
    found.checkpoint(checkpoint, [given.text("--quantization"), given.text("--dtype")]);
    let (tensor, replicas_inside) =
        (given.degree("--tensor-parallel-size"), given.degree("--data-parallel-size"));
    let (experts, copies) = (found.has_experts(), replicas(invocation));
    let role = role(given);
    let (data, workers) = if experts {
        (replicas_inside as u32, copies)
    } else {
        (1, copies.saturating_mul(replicas_inside as u32))
    };
    let shared = tensor * replicas_inside * given.degree("--prefill-context-parallel-size");
    let expert = if experts && given.has("--enable-expert-parallel") { shared as u32 } else { 1 };
    Pool { tensor: tensor as u32, data, expert, workers, role }.set(found);
    found.host_cache(role, given.number("--kv-offloading-size").map(|all| all / tensor));
    if role != Role::Prefill {
        let draft = given.text("--speculative-config").and_then(|json| Json::parse(json).ok());
        let proposed = draft.as_ref().and_then(|draft| draft.get("num_speculative_tokens")?.as_number());
        let proposed = proposed.or_else(|| given.number("--speculative-config.num_speculative_tokens"));
        found.facts.whole("inference.draft", proposed.unwrap_or(0.0));
        // `deepseek_mtp` and others are older names of `mtp`.
        let method = draft.as_ref().and_then(|draft| draft.get("method")?.as_text());
        let method = method.or_else(|| given.text("--speculative-config.method"));
        if method.is_some_and(|method| method.ends_with("mtp")) && found.has_modules() {
            found.facts.text("speculation.model", Speculation::MODULES);
        }
    }
}

/// The role of a server, from `kv_role` of its KV-cache transfer configuration.
fn role(given: &Arguments) -> Role {
    let Some(Ok(transfer)) = given.text("--kv-transfer-config").map(Json::parse) else { return Role::Both };
    match transfer.get("kv_role").and_then(Json::as_text) {
        Some("kv_producer") => Role::Prefill,
        Some("kv_consumer") => Role::Decode,
        _ => Role::Both,
    }
}
