//! TensorRT-LLM: `trtllm-serve`, and a YAML file for settings without a flag.

use super::client;
use super::flag::Sets::{BeyondSwitch, Degree, Neutral, NeutralSwitch, Value};
use super::flag::{Arguments, Flag, flag};
use super::found::Found;
use super::line::Line;
use super::pool::{Pool, replicas};
use super::role::Role;
use super::servers::Servers;
use super::shell::Invocation;
use super::weights::Weights;
use super::writer::Writer;
use crate::inference::Launch;
use crate::scenario::{Speculation, names};
use crate::serving::simulation::Lengths;
use crate::system::Precision;
use crate::units::Bytes;

pub(super) const FLAGS: &[Flag] = &[
    flag(&["--model"], Value),
    flag(&["--tp_size", "--tensor_parallel_size"], Value),
    flag(&["--pp_size", "--pipeline_parallel_size"], Degree("inference.pipeline")),
    flag(&["--cp_size", "--context_parallel_size"], Degree("inference.context")),
    flag(&["--ep_size", "--moe_expert_parallel_size"], Value),
    flag(&["--server_role"], Value),
    flag(&["--config", "--extra_llm_api_options"], Neutral),
    flag(&["--backend"], Neutral),
    flag(&["--max_seq_len"], Neutral),
    flag(&["--max_beam_width"], Neutral),
    flag(&["--max_batch_size"], Value),
    flag(&["--max_num_tokens"], Value),
    flag(&["--free_gpu_memory_fraction", "--kv_cache_free_gpu_memory_fraction"], Value),
    flag(&["--cluster_size", "--moe_cluster_parallel_size"], Neutral),
    flag(&["--host"], Neutral),
    flag(&["--port"], Neutral),
    flag(&["--tokenizer"], Neutral),
    flag(&["--log_level"], Neutral),
    flag(&["--trust_remote_code"], NeutralSwitch),
    flag(&["--enable_chunked_prefill"], BeyondSwitch),
];

/// Limits of a server: flag, key in the YAML file, path of the field. The file takes precedence over the flag.
const LIMITS: [(&str, &str, &str); 3] = [
    ("--max_batch_size", "max_batch_size", "inference.max_sequences"),
    ("--max_num_tokens", "max_num_tokens", "inference.token_budget"),
    ("--free_gpu_memory_fraction", "kv_cache_config.free_gpu_memory_fraction", "inference.memory_share"),
];

/// Writes the commands of the servers and of the benchmark client.
pub(super) fn write(writer: &mut Writer<'_>) {
    let (question, weights) = (writer.question, Weights::of(writer.question));
    let load = &question.inference;
    // TensorRT-LLM does not quantise weights at load time, so FP8 needs an FP8 checkpoint.
    let weights = if weights == Weights::Online { Weights::Checkpoint(load.precision) } else { weights };
    writer.checkpoint(weights);
    for pool in Pool::of(load) {
        writer.heading(pool.role);
        let settings = settings(writer, pool);
        let file = match pool.role {
            Role::Both => "serve.yaml",
            Role::Prefill => "prefill.yaml",
            Role::Decode => "decode.yaml",
        };
        if !settings.is_empty() {
            writer.line(&format!("cat > {file} <<'EOF'"));
            for line in &settings {
                writer.line(line);
            }
            writer.line("EOF");
        }
        writer.replicas(pool.workers);
        if let Some(Servers { count, gpus }) = Servers::of(writer, pool) {
            writer.note(format!(
                "A server of {gpus} GPUs spans {count} machines: start it under mpirun or srun by \
                 trtllm-llmapi-launch, one process per GPU"
            ));
        }
        let mut line = Line::new("trtllm-serve \"$MODEL\"");
        line.degree("--tp_size", pool.tensor * pool.data);
        line.degree("--ep_size", pool.expert);
        for (flag, _, path) in LIMITS {
            if let Some(limit) = writer.number(path) {
                line.value(flag, limit);
            }
        }
        writer.fields(&mut line, FLAGS);
        match pool.role {
            Role::Both => {}
            Role::Prefill => line.value("--server_role", "CONTEXT"),
            Role::Decode => line.value("--server_role", "GENERATION"),
        }
        if !settings.is_empty() {
            line.value("--config", file);
        }
        line.port(pool.role);
        writer.command(&line);
    }
    writer.router("trtllm-serve disaggregated");
    client::write(writer, client::VLLM);
}

/// The lines of the server's YAML file.
fn settings(writer: &mut Writer<'_>, pool: Pool) -> Vec<String> {
    let load = &writer.question.inference;
    let mut lines = Vec::new();
    if pool.data > 1 {
        lines.push("enable_attention_dp: true".to_owned());
        if pool.tensor > 1 {
            writer.note("In TensorRT-LLM an attention replica has one GPU: attention is not tensor-parallel");
        }
    }
    let mut cache: Vec<String> = Vec::new();
    match load.kv_precision {
        Precision::Bf16 | Precision::Fp16 => {}
        Precision::Fp8 => cache.push("  dtype: fp8".to_owned()),
        Precision::Fp4 => cache.push("  dtype: nvfp4".to_owned()),
        _ => writer.lacks("inference.kv_precision"),
    }
    // Bytes for each GPU.
    let host = writer.host_cache(pool.role).map(|gib| libm::round(Bytes::from_gib(gib).get()));
    cache.extend(host.map(|bytes| format!("  host_cache_size: {bytes}")));
    if !cache.is_empty() {
        lines.push("kv_cache_config:".to_owned());
        lines.append(&mut cache);
    }
    if load.draft > 0 {
        lines.push("speculative_config:".to_owned());
        lines.push("  decoding_type: MTP".to_owned());
        lines.push(format!("  max_draft_len: {}", load.draft));
        if writer.question.speculation.model != Speculation::MODULES {
            writer.note("Replace MTP with your speculative decoding method");
        }
    }
    // By default a server rejects prompts longer than `max_num_tokens`.
    let budget = load.token_budget.map_or(load.engine.overheads().budget, f64::from);
    let varied = writer.question.sizing.lengths != Lengths::Constant;
    if pool.role != Role::Decode && (varied || budget < f64::from(load.input)) {
        lines.push("enable_chunked_prefill: true".to_owned());
    }
    if load.launch == Launch::Stream {
        lines.push("cuda_graph_config: null".to_owned());
    }
    if pool.role != Role::Both {
        lines.extend(["cache_transceiver_config:", "  backend: DEFAULT"].map(str::to_owned));
    }
    lines
}

/// Reads a server's command and the YAML settings before it.
pub(super) fn read(given: &Arguments, invocation: &Invocation, found: &mut Found<'_>) {
    let checkpoint = given.text("--model").or(given.words.first().map(String::as_str)).unwrap_or("");
    found.checkpoint(checkpoint, [None, None]);
    let setting = |key: &str| invocation.settings.get(key).map(String::as_str);
    let number = |key: &str| setting(key).and_then(|text| text.parse::<f64>().ok());
    let stated = |flag: &str, key: &str| number(key).unwrap_or_else(|| given.degree(flag)) as u32;
    let gpus = stated("--tp_size", "tensor_parallel_size").max(1);
    let replicated = setting("enable_attention_dp").is_some_and(|text| text.eq_ignore_ascii_case("true"));
    let (tensor, data) = if replicated { (1, gpus) } else { (gpus, 1) };
    let role = match given.text("--server_role").map(str::to_ascii_uppercase).as_deref() {
        Some("CONTEXT") => Role::Prefill,
        Some("GENERATION") => Role::Decode,
        _ => Role::Both,
    };
    let (expert, workers) = (stated("--ep_size", "moe_expert_parallel_size").max(1), replicas(invocation));
    Pool { tensor, data, expert, workers, role }.set(found);
    let cache = setting("kv_cache_config.dtype").and_then(names::precision).unwrap_or("bf16");
    found.facts.text("inference.kv_precision", cache);
    for (flag, key, path) in LIMITS {
        found.limit(path, number(key).or_else(|| given.number(flag)));
    }
    found.host_cache(role, number("kv_cache_config.host_cache_size").map(|bytes| Bytes::new(bytes).to_gib()));
    let eager = setting("cuda_graph_config") == Some("null");
    found.facts.text("inference.launch", if eager { "stream" } else { "graph" });
    if role != Role::Prefill {
        let draft = number("speculative_config.max_draft_len");
        let draft = draft.or_else(|| number("speculative_config.num_nextn_predict_layers"));
        found.facts.whole("inference.draft", draft.unwrap_or(0.0));
    }
}
