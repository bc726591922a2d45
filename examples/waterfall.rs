//! Where the speed-up from A100 to B200 comes from: GPT-3 175B on 8,192 GPUs, under several assumptions.
//!
//! `cargo run --release --example waterfall`

use std::io::{self, Write};

use foretoken::catalog;
use foretoken::generations::Waterfall;
use foretoken::generations::waterfall::{Side, fastest_plan, waterfall};
use foretoken::plan::Plan;
use foretoken::system::{AssumptionSet, Precision};
use foretoken::training::TrainingRecipe;
use foretoken::workload::Recompute;

/// GPUs of the case that arXiv 2407.14645 is known for.
const GPUS: u32 = 8192;
/// Sequences per step on the A100s.
const BATCH: u32 = 1024;

/// How the A100s run the job: microbatches and recomputation as published for them, without full recomputation,
/// or as suits them best.
const BASELINES: [(&str, Option<Recompute>); 3] =
    [("full", Some(Recompute::Full)), ("selective", Some(Recompute::Selective)), ("own best", None)];

/// What the B200s differ in: format, GPUs that NVLink connects, times the batch.
const VARIANTS: [(Precision, u32, u32); 9] = [
    (Precision::Bf16, 8, 1),
    (Precision::Fp8, 8, 1),
    (Precision::Fp4, 8, 1),
    (Precision::Bf16, 64, 1),
    (Precision::Fp8, 64, 1),
    (Precision::Fp4, 64, 1),
    (Precision::Bf16, 64, 4),
    (Precision::Fp8, 64, 4),
    (Precision::Fp4, 64, 4),
];

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for set in [AssumptionSet::Calibrated, AssumptionSet::Ideal] {
        writeln!(out, "{}: speed-up over A100s with this recomputation\n", set.name())?;
        writeln!(out, "{:36} {:>9} {:>9} {:>9}", "B200", BASELINES[0].0, BASELINES[1].0, BASELINES[2].0)?;
        for variant in VARIANTS {
            let (precision, domain, batch) = variant;
            let name = format!("{}, NVLink over {domain}, batch × {batch}", precision.name());
            write!(out, "{name:36}")?;
            for (_, recompute) in BASELINES {
                match headline(variant, recompute, set) {
                    Ok(found) => write!(out, " {:8.1}×", found.speedup)?,
                    Err(reason) => write!(out, " {reason}")?,
                }
            }
            writeln!(out)?;
        }
        writeln!(out)?;
    }
    for variant in [VARIANTS[7], VARIANTS[8]] {
        match headline(variant, BASELINES[0].1, AssumptionSet::Calibrated) {
            Ok(found) => print(&mut out, &found)?,
            Err(reason) => writeln!(out, "{reason}")?,
        }
    }
    Ok(())
}

fn headline(
    (precision, domain, batch): (Precision, u32, u32),
    recompute: Option<Recompute>,
    set: AssumptionSet,
) -> Result<Waterfall, String> {
    let known = |id| catalog::accelerator(id).ok_or("unknown device");
    let architecture = catalog::architecture("gpt-3-175b").ok_or("unknown model")?;
    let (a100, mut b200) = (known("a100-sxm-80gb")?, known("b200")?.clone());
    b200.scale_up.domain = domain;
    let plan = Plan { tensor: 8, pipeline: 8, recompute: recompute.unwrap_or_default(), ..Plan::default() };
    let recipe = TrainingRecipe { batch: BATCH, sequence: 2048, ..TrainingRecipe::default() };
    let mut from = Side { accelerator: a100, plan, recipe, gpus: GPUS };
    if recompute.is_none()
        && let Some((best, _)) = fastest_plan(architecture, &from, set)
    {
        from.plan = best;
    }
    let recipe = TrainingRecipe { batch: BATCH * batch, precision, ..recipe };
    let to = Side { accelerator: &b200, plan, recipe, gpus: GPUS };
    waterfall(architecture, &from, &to, set)
}

fn print(out: &mut impl Write, found: &Waterfall) -> io::Result<()> {
    writeln!(out, "{} to {}: {:.1}×", found.from.name, found.to.name, found.speedup)?;
    for end in [&found.from, &found.to] {
        let plan = &end.plan;
        writeln!(
            out,
            "  {:.2} s: tensor {}, pipeline {} × {}, microbatch {}, {:?} recomputation",
            end.step.get(),
            plan.tensor,
            plan.pipeline,
            plan.interleave,
            plan.microbatch,
            plan.recompute
        )?;
    }
    for factor in &found.factors {
        let (least, most) = (factor.least, factor.most);
        writeln!(out, "  {:26} {:.2}  ({least:.2} to {most:.2})", factor.cause.name(), factor.factor)?;
    }
    writeln!(out)
}
