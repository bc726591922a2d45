//! Training steps of a few layers of a vision transformer with long sequences, measured by this project on one GPU.

use foretoken::catalog::{self, Architecture};
use foretoken::scenario::{Choice, Scenario};
use foretoken::training::{Framework, Gradients, Optimizer};
use foretoken::validation::Score;
use foretoken::workload::Recompute;
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    layers: u32,
    hidden: u32,
    heads: u32,
    ffn: u32,
    patches: u32,
    recompute: bool,
    compile: bool,
    step_s: f64,
    peak_mem_gib: f64,
    used_in_fit: bool,
}

impl Row {
    fn scenario(&self) -> Scenario {
        let published = catalog::architecture("vit-era5-32k").expect("a model of the catalogue");
        let model = Architecture {
            id: "own-vit".to_owned(),
            layers: self.layers,
            hidden: self.hidden,
            heads: self.heads,
            kv_heads: self.heads,
            head_dim: self.hidden / self.heads,
            ffn: self.ffn,
            max_sequence: self.patches,
            ..published.clone()
        };
        let mut scenario = Scenario { model: Choice::Explicit(Box::new(model)), ..Scenario::default() };
        scenario.system.accelerator = Choice::Named("h200-sxm".to_owned());
        scenario.system.gpus = 1;
        let plan = &mut scenario.parallelism;
        (plan.tensor, plan.pipeline, plan.microbatch, plan.sequence_parallel) = (1, 1, 1, false);
        plan.recompute = if self.recompute { Recompute::Full } else { Recompute::None };
        let recipe = &mut scenario.recipe;
        (recipe.batch, recipe.sequence) = (1, self.patches);
        recipe.framework = if self.compile { Framework::Compiled } else { Framework::Eager };
        (recipe.gradients, recipe.optimizer) = (Gradients::Bf16, Optimizer::Adam16);
        scenario
    }
}

fn rows() -> Vec<Row> {
    let text = include_str!("../../../tests/measured/kernels/vit.jsonl");
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// The first row is left out: the slow-down of wide heads is fitted to it. The shortest step is bound by the host.
#[test]
fn steps_and_memory_of_long_sequences_are_within_their_errors() {
    let rows = rows();
    let others = || rows.iter().filter(|row| !row.used_in_fit);
    let estimate = |row: &Row| row.scenario().training().expect("a plan that fits");
    let step = Score::of(others().map(|row| (estimate(row).step.get(), row.step_s)));
    let memory = Score::of(others().map(|row| {
        let memory = estimate(row).memory;
        ((memory.total() - memory.reserve).to_gib(), row.peak_mem_gib)
    }));
    assert!(step.count == 11 && step.mean <= 0.10 && step.median <= 0.05, "{step:?}");
    assert!(memory.count == 11 && memory.mean <= 0.09, "{memory:?}");
}
