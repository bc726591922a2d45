//! The measured quantities of a training row.

use foretoken::validation::Quantity;
use serde_json::Value;

use crate::published::defects::contradicts;
use crate::published::row::Row;

/// Measured quantities of the row. Throughput is left out if it contradicts the step time.
pub(super) fn measured(row: &Row, batch_tokens: f64) -> Vec<(Quantity, f64)> {
    let positive = |name: &str| row.measured(name).filter(|number| number.is_finite() && *number > 0.0);
    let sequences = row.batch.global_batch_seqs.filter(|batch| *batch > 0.0);
    let samples = || positive("samples_per_s").zip(sequences).map(|(rate, batch)| batch / rate);
    let step = positive("iter_time_s").or_else(|| positive("iter_time_s_derived")).or_else(samples);
    let gpus = row.hardware.n_gpus.map(f64::from);
    let consistent = |rate: &f64, gpus: f64| {
        step.is_none_or(|step| batch_tokens <= 0.0 || !contradicts(rate * gpus, batch_tokens, step))
    };
    let per_gpu = positive("tokens_per_s_per_gpu")
        .or_else(|| positive("tokens_per_s_per_gpu_derived"))
        .filter(|rate| consistent(rate, gpus.unwrap_or(1.0)));
    let all = positive("tokens_per_s").filter(|rate| consistent(rate, 1.0));
    let computed = || {
        let rate = flops_per_second(row)? / flops_per_token(row)? * gpus?;
        (batch_tokens > 0.0 && per_gpu.is_none() && all.is_none()).then_some(batch_tokens / rate)
    };
    let out_of_memory = match (row.measured.get("oom"), row.measured.get("status")) {
        (Some(Value::Bool(oom)), _) => Some(*oom),
        (_, Some(Value::String(status))) if status == "OOM" => Some(true),
        (_, Some(Value::String(status))) if status == "Success" => Some(false),
        _ => None,
    };
    // Reserved memory is preferred to allocated memory, which some sources read after activations are freed.
    let memory = positive("peak_mem_reserved_gib").or_else(|| positive("peak_mem_gib"));
    let quantities = [
        (Quantity::IterTime, step.or_else(computed)),
        (Quantity::TokensPerSecondPerGpu, per_gpu),
        (Quantity::TokensPerSecond, all),
        (Quantity::PeakMemory, memory.filter(|_| out_of_memory != Some(true))),
        (Quantity::Fits, out_of_memory.map(|oom| f64::from(u8::from(!oom)))),
    ];
    quantities.into_iter().filter_map(|(quantity, value)| Some((quantity, value?))).collect()
}

/// FLOP/s per GPU, by the source's convention.
fn flops_per_second(row: &Row) -> Option<f64> {
    let share = || Some(row.measured("mfu_pct")? / 100.0 * row.measured("peak_tflops_used_for_mfu")?);
    row.measured("model_tflops_per_gpu").or_else(share).filter(|rate| *rate > 0.0).map(|rate| rate * 1e12)
}

/// FLOPs per token, by the source's convention.
fn flops_per_token(row: &Row) -> Option<f64> {
    let matches = row.derived.get("published_tflops_matches").and_then(Value::as_str);
    let convention = row.flops_convention.as_str();
    let causal = match matches {
        Some(matches) => matches == "causal",
        None if convention.contains("full attention") => false,
        None if convention.contains("causal-halved") => true,
        None => return None,
    };
    let name = if causal { "train_flops_per_token_causal_attn" } else { "train_flops_per_token_full_attn" };
    row.derived(name).filter(|flops| *flops > 0.0)
}
