//! Converts training rows to scenarios.
//!
//! Each property that a row may state or omit has one rule; `tests/measured/README.md` lists the omissions of each
//! source and the reasons for the rules.

mod measured;
mod plan;

use self::measured::measured;
use self::plan::plan;
use super::defects::{defect, slow};
use super::network::scale_out;
use super::row::Row;
use super::software::Software;
use super::stalled::Plans;
use super::{Question, device, model};
use foretoken::catalog;
use foretoken::plan::Plan;
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
    system.scale_out_gb_s = scale_out(network, node.unwrap_or(8));
    Ok(system)
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
    // Over two nodes the transfer alone takes 0.28 ms per member, and hides a part of the checks.
    let least = if gpus > 2 * node { 250.0 } else { 340.0 };
    if gpus > node && microseconds > least { microseconds.min(CHECK_US) as u32 } else { 0 }
}

/// Median host time of a check per member in the runs over more than two nodes, µs. What is above it is the network's.
const CHECK_US: f64 = 322.0;

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
