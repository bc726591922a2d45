//! The parallelism plan of a training row.

use foretoken::plan::{Offload, Plan, Schedule};
use foretoken::scenario::SystemChoice;
use foretoken::validation::Skip;
use foretoken::workload::Recompute;

use crate::published::row::Row;
use crate::published::software::Software;

/// The plan that a row states, with the defaults of its software.
pub(super) fn plan(row: &Row, system: &SystemChoice) -> Result<Plan, Skip> {
    let parallel = &row.parallel;
    let framework = Software::of(row);
    let one = |degree: Option<u32>| degree.filter(|degree| *degree > 0).unwrap_or(1);
    // torchtitan's FSDP shards over the replicas and over their context-parallel groups (its mesh `dp_shard_cp`).
    let over_context = row.framework.contains("torchtitan") && parallel.fsdp_degree().is_some();
    let sharded = parallel.is_fsdp()
        || parallel.fsdp_shard_group.is_some_and(|group| group > 0)
        || (over_context && one(parallel.cp) > 1);
    let said = [parallel.tp, parallel.pp, parallel.dp, parallel.cp].iter().any(Option::is_some);
    if !said && !sharded && parallel.zero_stage.is_none() {
        return Err(Skip::Missing("parallel"));
    }
    // DeepEP dispatches tokens between expert-parallel GPUs.
    if row.framework.contains("DeepEP") && parallel.ep.is_none() {
        return Err(Skip::Missing("parallel.ep"));
    }
    let (tensor, pipeline, context) = (one(parallel.tp), one(parallel.pp), one(parallel.cp));
    let mut plan = Plan {
        tensor,
        pipeline,
        context,
        expert: one(parallel.ep),
        expert_tensor: expert_tensor(row),
        schedule: Schedule::Alternating,
        recompute_layers: recompute_layers(row, pipeline),
        offload: Offload::default(),
        interleave: if pipeline > 1 { one(parallel.vp) } else { 1 },
        sequence_parallel: tensor > 1 && parallel.sp.unwrap_or(framework.sequence_parallel),
        zero: zero(row, framework, sharded),
        shard_group: None,
        microbatch: 1,
        recompute: recompute(row),
        tensor_overlap: tensor > 1 && framework.tensor_overlap,
        expert_overlap: parallel.moe_a2a_overlap == Some(true),
        data_overlap: framework.data_overlap,
        ..Plan::default()
    };
    let replicas = system.gpus / tensor.saturating_mul(pipeline).max(1);
    let degree = parallel.fsdp_degree().map(|degree| if over_context { degree * context } else { degree });
    let group = parallel.fsdp_shard_group.or(degree);
    plan.shard_group = group.filter(|group| plan.zero >= 2 && *group > 1 && *group < replicas);
    plan.microbatch = microbatch(row, system.gpus / plan.replica().max(1))?;
    Ok(plan)
}

/// Tensor parallelism within experts under expert parallelism; 1 unless the row states it.
fn expert_tensor(row: &Row) -> Option<u32> {
    let experts = row.model.n_experts.is_some_and(|experts| experts > 1) || row.parallel.ep.is_some();
    let stated = row.parallel.etp.filter(|degree| *degree > 0);
    stated.or_else(|| (experts && row.parallel.ep.is_some_and(|degree| degree > 1)).then_some(1))
}

fn zero(row: &Row, framework: Software, sharded: bool) -> u8 {
    let parallel = &row.parallel;
    let stage = match parallel.sharding.as_deref() {
        Some("SHARD_GRAD_OP") => Some(2),
        Some("FULL_SHARD" | "FSDP" | "HSDP") => Some(3),
        _ => None,
    };
    let distributed = parallel.distributed_optimizer.map(u8::from);
    // With a pipeline, FSDP gathers weights once per step and reduces gradients after the last microbatch, like ZeRO-1.
    let piped = row.framework.contains("torchtitan") && parallel.pp.is_some_and(|stages| stages > 1);
    if piped && sharded {
        return 1;
    }
    let sharded = sharded.then_some(3);
    parallel.zero_stage.or(stage).or(sharded).or(distributed).unwrap_or(framework.zero)
}

fn recompute(row: &Row) -> Recompute {
    match row.recompute.as_deref() {
        Some(text) if text.starts_with("full") => Recompute::Full,
        // vTrain's runs: device-bound runs are a quarter slower than without recomputation, and as slow as with it.
        Some("not stated") => Recompute::Full,
        Some(text) if text.contains("layers recomputed") => Recompute::Full,
        Some(text) if text.starts_with("selective layer") => Recompute::Full,
        // IBM's fms-fsdp recomputes every n-th layer whole.
        Some("selective") if row.framework.contains("fms-fsdp") => Recompute::Full,
        Some(text) if text.starts_with("selective") && row.framework.contains("torchtitan") => {
            Recompute::Operators
        }
        Some(text) if text.starts_with("selective") => Recompute::Selective,
        // MaxText lists the activations that it keeps or offloads to the host, and recomputes the rest of each layer;
        // by default it recomputes everything.
        Some(text) if text.starts_with("custom") && text.contains("offloaded") => Recompute::Full,
        None if row.framework.contains("MaxText") => Recompute::Full,
        // No software recomputes by default.
        _ => Recompute::None,
    }
}

/// Number of recomputed layers of a stage if not all are: every second layer for torchtitan's `selective layer`, a
/// stated number for others. Of fms-fsdp's models, the 13B has an HFU 1.157 times its MFU, which is half of the layers, and
/// larger ones 1.34 and 1.36 times: all of them (PyTorch's blog of 13 March 2024, table 1).
fn recompute_layers(row: &Row, pipeline: u32) -> Option<u32> {
    let (text, layers) = (row.recompute.as_deref()?, row.model.n_layers?);
    if text == "selective" && row.framework.contains("fms-fsdp") {
        return (row.model.name == "Llama-2-13B").then_some(layers / 2);
    }
    if text.starts_with("selective layer") {
        return Some(layers.div_ceil(pipeline) / 2);
    }
    let (chosen, rest) = text.split_once(" of ")?;
    rest.contains("layers recomputed").then_some(chosen.parse::<u32>().ok()?.div_ceil(pipeline))
}

/// Sequences per microbatch: stated, or derived from a replica's batch and gradient accumulation.
fn microbatch(row: &Row, replicas: u32) -> Result<u32, Skip> {
    let batch = &row.batch;
    let count = |number: Option<f64>| number.filter(|number| *number >= 1.0).map(|number| number as u32);
    // torchtitan splits the local batch of a replica into as many microbatches as there are pipeline stages
    // (`experimental.pipeline_parallel_microbatches`).
    let stages = row.parallel.pp.filter(|_| row.framework.contains("torchtitan")).unwrap_or(1);
    let local = count(batch.local_batch_seqs).map(|local| (local / stages.max(1)).max(1));
    if let Some(microbatch) = count(batch.micro_batch_seqs).or(local) {
        return Ok(microbatch);
    }
    let (global, rounds) = (count(batch.global_batch_seqs), count(batch.grad_accum));
    let unit = |rounds: u32| rounds.saturating_mul(replicas).max(1);
    match (global, rounds) {
        (Some(global), Some(rounds)) if global >= unit(rounds) => Ok(global / unit(rounds)),
        _ => Err(Skip::Missing("batch.micro_batch_seqs")),
    }
}
