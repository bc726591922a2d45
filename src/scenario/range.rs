//! Between what values each number of a scenario may be.

use super::{Problem, Scenario};

/// Lowest and highest value that a number may take, by document path: what the model's equations hold for.
const RANGES: &[(&str, f64, f64)] = &[
    ("system.gpus", 1.0, 1_048_576.0),
    ("system.dram_gb_s", 1.0, 1e6),
    ("system.dram_gib", 0.1, 1e5),
    ("system.scale_up_gb_s", 0.1, 1e5),
    ("system.scale_up_domain", 1.0, 65_536.0),
    ("system.scale_out_gb_s", 0.01, 1e5),
    ("system.adapters", 0.01, 64.0),
    ("system.pod", 1.0, 1_048_576.0),
    ("system.oversubscription", 1.0, 64.0),
    ("parallelism.tensor", 1.0, 1024.0),
    ("parallelism.panels", 1.0, 65_536.0),
    ("parallelism.pipeline", 1.0, 1024.0),
    ("parallelism.interleave", 1.0, 64.0),
    ("parallelism.microbatch", 1.0, 65_536.0),
    ("parallelism.recompute_layers", 0.0, 1024.0),
    ("parallelism.context", 1.0, 1024.0),
    ("parallelism.expert", 1.0, 1024.0),
    ("parallelism.expert_tensor", 1.0, 1024.0),
    ("parallelism.shard_group", 1.0, 65_536.0),
    ("parallelism.placement.tensor", 1.0, 1024.0),
    ("parallelism.placement.context", 1.0, 1024.0),
    ("parallelism.placement.data", 1.0, 65_536.0),
    ("parallelism.placement.pipeline", 1.0, 1024.0),
    ("recipe.batch", 1.0, 1_048_576.0),
    ("recipe.sequence", 1.0, 16_777_216.0),
    ("recipe.tokens", 1.0, 1e18),
    ("inference.input", 1.0, 16_777_216.0),
    ("inference.output", 1.0, 1_048_576.0),
    ("inference.batch", 1.0, 65_536.0),
    ("inference.tensor", 1.0, 1024.0),
    ("inference.concurrency", 0.0, 1_048_576.0),
    ("inference.rounds", 0.0, 1_048_576.0),
    ("inference.rate", 0.0, 1e6),
    ("inference.requests", 0.0, 16_384.0),
    ("inference.ttft_limit_ms", 0.001, 1e7),
    ("inference.tpot_limit_ms", 0.001, 1e6),
    ("inference.cached", 0.0, 1.0),
    ("inference.draft", 0.0, 64.0),
    ("inference.acceptance", 0.0, 1.0),
    ("inference.draft_cost", 0.0, 1.0),
    ("inference.context", 1.0, 64.0),
    ("inference.pipeline", 1.0, 1_024.0),
    ("inference.data", 1.0, 1_024.0),
    ("inference.expert", 1.0, 8_192.0),
    ("inference.workers", 1.0, 65_536.0),
    ("inference.prefill_workers", 0.0, 65_536.0),
    ("inference.prefill_tensor", 1.0, 1_024.0),
    ("inference.prefill_data", 1.0, 1_024.0),
    ("inference.prefill_expert", 1.0, 8_192.0),
    ("economics.usd_per_gpu_hour", 0.0, 1e4),
    ("economics.usd_per_kwh", 0.0, 100.0),
    ("economics.pue", 1.0, 10.0),
    ("economics.carbon_g_kwh", 0.0, 1e4),
    ("economics.gpu_hours_per_failure", 1.0, 1e12),
    ("economics.checkpoint_s", 0.0, 1e5),
    ("economics.restart_s", 0.0, 1e6),
    ("search.memory", 0.01, 1.0),
    ("search.tensor", 1.0, 1024.0),
    ("search.fewest", 1.0, 1_048_576.0),
    ("search.most", 1.0, 1_048_576.0),
    ("comparison.domain", 1.0, 65_536.0),
    ("comparison.batch", 1.0, 1024.0),
    ("technology.domain", 1.0, 65_536.0),
    ("technology.area_mm2", 10.0, 10_000.0),
    ("technology.power_w", 10.0, 20_000.0),
    ("technology.edge_mm", 10.0, 1_000.0),
    ("technology.dies", 1.0, 2.0),
    ("errors.page", 1.0, 1e6),
];

/// The range of a numeric field, for whoever draws a form.
pub fn range(field: &str) -> Option<(f64, f64)> {
    RANGES.iter().find(|(name, ..)| *name == field).map(|&(_, low, high)| (low, high))
}

impl Scenario {
    /// Every number that is out of its range.
    pub(super) fn out_of_range(&self) -> Vec<Problem> {
        let bad = |&(field, low, high): &(&str, f64, f64)| {
            // A field that may be absent is fine so.
            let value = self.at(field)?.as_number()?;
            let fine = (low..=high).contains(&value);
            (!fine).then(|| Problem::new(field, format!("must be between {low} and {high}")))
        };
        RANGES.iter().filter_map(bad).collect()
    }
}
