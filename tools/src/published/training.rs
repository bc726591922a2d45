//! Converts training rows to scenarios.
//!
//! Each property that a row may state or omit has one rule; `tests/measured/README.md` lists the omissions of each
//! source and the reasons for the rules.

use serde_json::Value;

use super::defects::{contradicts, defect, slow};
use super::network::scale_out;
use super::row::Row;
use super::software::Software;
use super::stalled::Plans;
use super::{Question, device, model};
use foretoken::catalog;
use foretoken::plan::{Offload, Plan, Schedule};
use foretoken::scenario::{Scenario, SystemChoice, View};
use foretoken::system::Precision;
use foretoken::training::{Framework, TrainingRecipe};
use foretoken::validation::{Case, Family, Quantity, Skip};
use foretoken::workload::{Recompute, Targets};

/// The cases of a training row: one; if its speed is known to be wrong, one for the speed and one for the other
/// quantities.
pub fn cases(row: &Row, plans: &Plans) -> Vec<Case> {
    let case = case(row);
    let stopped =
        || plans.show_stopped(row).then_some("more than twice as long as other runs of its plan allow");
    let Some(rule) = slow(row).or_else(stopped) else { return vec![case] };
    let (memory, speed) = case
        .measured
        .iter()
        .partition(|(quantity, _)| matches!(quantity, Quantity::PeakMemory | Quantity::Fits));
    let wrong = Case { question: Err(Skip::Defect(rule)), measured: speed, ..case.clone() };
    vec![Case { measured: memory, ..case }, wrong]
}

fn case(row: &Row) -> Case {
    let question = question(row);
    let device =
        catalog::device_named(&row.hardware.gpu).map_or_else(|| row.hardware.gpu.clone(), str::to_owned);
    let measured = match &question {
        Ok(scenario) => measured(row, f64::from(scenario.recipe.batch) * f64::from(scenario.recipe.sequence)),
        Err(_) => measured(row, 0.0),
    };
    // Rows may omit the experts of a model that the catalogue describes.
    let listed = question.as_ref().ok().and_then(|scenario| scenario.architecture().ok()).map(Family::of);
    let stated = if row.model.n_experts.is_some() { Family::Moe } else { Family::Dense };
    Case {
        id: row.id.clone(),
        source: row.source_group.clone(),
        origin: row.source.line(),
        device,
        model: row.model.name.clone(),
        family: listed.unwrap_or(stated),
        precision: row.precision.clone(),
        tier: row.tier(),
        question: question.map(Box::new).map(Question::Scenario),
        measured,
        used_in_fit: false,
    }
}

/// The scenario that predicts the row's quantities.
fn question(row: &Row) -> Result<Scenario, Skip> {
    if let Some(rule) = defect(row) {
        return Err(Skip::Defect(rule));
    }
    if row.category == "layer_time" {
        return Err(Skip::NotModelled("the time of one layer".to_owned()));
    }
    let model = model::model(&row.model)?;
    let system = system(row)?;
    let parallelism = plan(row, &system)?;
    let recipe = recipe(row, &parallelism, system.gpus)?;
    let scenario =
        Scenario { view: View::Training, model, system, parallelism, recipe, ..Scenario::default() };
    // Megatron-Core recomputes single modules if memory is short, which costs little time.
    let unknown = row.recompute.is_none() && scenario.recipe.framework != Framework::Nemo;
    Ok(if unknown { as_it_fits(scenario) } else { scenario })
}

/// Sets recomputation for rows that do not state it: full recomputation if the run fits into memory only with it.
fn as_it_fits(scenario: Scenario) -> Scenario {
    let fits = |scenario: &Scenario| scenario.with_training(|job| job.memory().fits());
    let mut full = scenario.clone();
    full.parallelism.recompute = Recompute::Full;
    if fits(&scenario) == Ok(false) && fits(&full) == Ok(true) { full } else { scenario }
}

fn system(row: &Row) -> Result<SystemChoice, Skip> {
    let hardware = &row.hardware;
    let absent = || match hardware.gpu.as_str() {
        "" => Skip::Missing("hardware.gpu"),
        gpu => Skip::NotModelled(gpu.to_owned()),
    };
    let mut system = device::system(&hardware.gpu).ok_or_else(absent)?;
    system.dram_gb_s = hardware.hbm_bw_gb_s.or(system.dram_gb_s);
    system.gpus = hardware.n_gpus.filter(|gpus| *gpus > 0).ok_or(Skip::Missing("hardware.n_gpus"))?;
    let node = hardware.gpus_per_node.filter(|gpus| *gpus > 0);
    let domain = hardware.nvlink_domain_gpus.filter(|gpus| *gpus > 0).or(node);
    system.scale_up_domain = domain.or(system.scale_up_domain);
    let network = hardware.network.as_deref().unwrap_or_default();
    system.scale_out_gb_s =
        scale_out(network, node.unwrap_or(8)).or_else(|| measured_scale_out(row, system.gpus));
    Ok(system)
}

/// Scale-out bandwidth from an all-reduce over all GPUs that was measured beside the run: a ring through every GPU of a
/// node uses all of the node's links. Beside pipelines, and in some other runs, the measured bandwidth falls in inverse
/// proportion to the number of GPUs. Such an all-reduce is bound by its [`checks`] and does not reveal the bandwidth.
fn measured_scale_out(row: &Row, gpus: u32) -> Option<f64> {
    let node = row.hardware.gpus_per_node.filter(|node| *node > 0 && gpus > *node)?;
    let rate = row.measured("allreduce_busbw_gb_s").filter(|rate| *rate > 0.0)?;
    let pipelined = row.parallel.pp.is_some_and(|stages| stages > 1);
    let waits = gpus / 4 > node && rate * f64::from(gpus) < WAITING_GB_S;
    (!pipelined && !waits).then_some(rate / f64::from(node))
}

/// Threshold, GB/s, of an all-reduce's bandwidth times its number of members. Below it checks bind.
const WAITING_GB_S: f64 = 8000.0;

fn plan(row: &Row, system: &SystemChoice) -> Result<Plan, Skip> {
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
    // With ZeRO, Nanotron reduces gradients after the backward pass and gathers weights after the optimizer's step.
    plan.data_overlap &= framework.framework != Framework::Nanotron || plan.zero == 0;
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

fn recipe(row: &Row, plan: &Plan, gpus: u32) -> Result<TrainingRecipe, Skip> {
    let sequence = row.model.seq_len_tokens.ok_or(Skip::Missing("model.seq_len_tokens"))?;
    let software = Software::of(row);
    let unit = f64::from(gpus / plan.replica().max(1)) * f64::from(plan.microbatch);
    let counted = row.batch.grad_accum.map(|rounds| rounds * unit).filter(|batch| *batch >= 1.0);
    let batch = match (row.batch.global_batch_seqs, counted) {
        // Some rows give the global batch in tokens.
        (Some(global), Some(counted)) if (global / (counted * f64::from(sequence)) - 1.0).abs() < 1e-9 => {
            counted
        }
        (Some(global), _) => global,
        (None, Some(counted)) => counted,
        (None, None) => return Err(Skip::Missing("batch.global_batch_seqs")),
    };
    let (precision, frozen) = (precision(&row.precision)?, row.category == "lora");
    // Frozen weights are in the format of the multiplies: `fp8_params` follows `fp8` in MLPerf's reference of NeMo
    // (mlcommons/training_results_v4.0@62f111b7, megatron_gpt_peft_tuning_config.yaml).
    let narrow = frozen && precision == Precision::Fp8 && row.framework.starts_with("MLPerf");
    Ok(TrainingRecipe {
        batch: batch as u32,
        sequence,
        precision,
        attention: software.attention,
        dropout: software.dropout,
        gradients: software.gradients,
        frozen,
        base: if narrow { Precision::Fp8 } else { Precision::Bf16 },
        // MLPerf's benchmark, with most of these rows, has rank 16 on the projections of attention; the others do not say.
        targets: Targets::Attention,
        framework: software.framework,
        checks_us: checks(row, gpus),
        ..TrainingRecipe::default()
    })
}

/// Host time of the consistency check before each collective, µs per member beyond the first. It is read from the
/// all-gather of 1 GiB over all GPUs that was measured beside the run (`measure_bandwidth`, huggingface/nanotron@e3b886c).
///
/// The Ultra-Scale Playbook's later runs over several nodes take 0.31 to 0.34 ms per member for an all-gather, a
/// reduce-scatter and an all-reduce alike, from 32 to 512 GPUs. The transfer of an all-reduce has twice the steps of
/// the other two, so it is not what takes this time. PyTorch's checks take equal time for all three. A launch script of
/// Nanotron's repository enables them (`TORCH_DISTRIBUTED_DEBUG=DETAIL` in `examples/mamba/run_multinode.sh`); the rows
/// do not state the setting. The earlier runs take 0.05 to 0.16 ms per member, as their transfers do.
fn checks(row: &Row, gpus: u32) -> u32 {
    let Some(rate) = row.measured("allgather_busbw_gb_s").filter(|rate| *rate > 0.0) else { return 0 };
    let (members, node) = (f64::from(gpus), row.hardware.gpus_per_node.unwrap_or(8));
    let microseconds = GATHERED_GB / members / rate * 1e6;
    // Over two nodes the transfer alone takes 0.28 ms per member.
    let least = if gpus > 2 * node { 250.0 } else { 340.0 };
    if gpus > node && microseconds > least { microseconds as u32 } else { 0 }
}

/// Size of the all-gather that Nanotron measures: 2^28 elements of 32 bits, GB.
const GATHERED_GB: f64 = 1.073_741_824;

/// Parses the number format. Microscaled FP8 (`MXFP8`) multiplies as fast as other FP8.
fn precision(text: &str) -> Result<Precision, Skip> {
    let has = |word: &str| text.contains(word);
    match () {
        () if has("FP4") && has("FP8") => Err(Skip::Missing("precision")),
        () if has("FP4") => Ok(Precision::Fp4),
        () if has("FP8") && has("fine-grained") => Ok(Precision::Fp8Block),
        () if has("FP8") => Ok(Precision::Fp8),
        () if has("BF16") => Ok(Precision::Bf16),
        () if has("FP16") => Ok(Precision::Fp16),
        () if has("TF32") || has("FP32") => Ok(Precision::Tf32),
        () => Err(Skip::Missing("precision")),
    }
}

/// Measured quantities of the row. Throughput is left out if it contradicts the step time.
fn measured(row: &Row, batch_tokens: f64) -> Vec<(Quantity, f64)> {
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
