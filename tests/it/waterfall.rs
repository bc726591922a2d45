//! Speed-ups and their causes: what Shapley values promise, and the case that is quoted as 35×.

use foretoken::catalog::{self, Accelerator};
use foretoken::generations::Waterfall;
use foretoken::generations::shapley::contributions;
use foretoken::generations::waterfall::{Cause, Side, fastest_plan, waterfall};
use foretoken::plan::Plan;
use foretoken::system::{AssumptionSet, Precision};
use foretoken::training::{Framework, TrainingRecipe};
use foretoken::workload::Recompute;
use proptest::prelude::*;

/// Values of all coalitions of up to six causes.
fn games() -> impl Strategy<Value = Vec<f64>> {
    (1u32..7).prop_flat_map(|causes| proptest::collection::vec(-5.0..5.0, 1_usize << causes))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// The coalition without one cause, whose bit is taken out.
fn without(coalition: usize, cause: usize) -> usize {
    (coalition & ((1 << cause) - 1)) | (coalition >> (cause + 1) << cause)
}

proptest! {
    #[test]
    fn contributions_sum_to_the_whole(values in games()) {
        let whole = values[values.len() - 1] - values[0];
        let all = contributions(&values);
        prop_assert!(close(all.iter().map(|share| share.mean).sum(), whole));
        for share in all {
            prop_assert!(share.least <= share.mean + 1e-12 && share.mean <= share.most + 1e-12);
        }
    }

    #[test]
    fn causes_that_do_the_same_contribute_the_same(values in games()) {
        // Exchanging the lowest two bits changes nothing.
        let swapped = |coalition: usize| coalition & !3 | (coalition & 1) << 1 | (coalition >> 1 & 1);
        let symmetric: Vec<f64> = (0..values.len())
            .map(|coalition| if values.len() < 4 { 0.0 } else { values[coalition] + values[swapped(coalition)] })
            .collect();
        if let [first, second, ..] = contributions(&symmetric)[..] {
            prop_assert!(close(first.mean, second.mean));
            prop_assert!(close(first.least, second.least) && close(first.most, second.most));
        }
    }

    #[test]
    fn what_does_nothing_contributes_nothing(values in games(), cause in 0usize..7) {
        let causes = values.len().ilog2() as usize + 1;
        let cause = cause % causes;
        let padded: Vec<f64> =
            (0..1_usize << causes).map(|coalition| values[without(coalition, cause)]).collect();
        let all = contributions(&padded);
        prop_assert!(close(all[cause].mean, 0.0) && close(all[cause].least, 0.0));
        // And the others contribute what they do without it.
        let rest: Vec<f64> = contributions(&values).iter().map(|share| share.mean).collect();
        let kept = all.iter().enumerate().filter(|(other, _)| *other != cause).map(|(_, share)| share.mean);
        prop_assert!(kept.zip(rest).all(|(a, b)| close(a, b)));
    }
}

fn device(id: &str) -> &'static Accelerator {
    catalog::accelerator(id).expect("a known device")
}

fn side(accelerator: &Accelerator, gpus: u32, batch: u32) -> Side<'_> {
    Side {
        accelerator,
        plan: Plan { tensor: 8, pipeline: 8, ..Plan::default() },
        recipe: TrainingRecipe { batch, sequence: 2048, ..TrainingRecipe::default() },
        gpus,
    }
}

fn compare(from: &Side<'_>, to: &Side<'_>) -> Result<Waterfall, String> {
    let architecture = catalog::architecture("gpt-3-175b").expect("a known model");
    waterfall(architecture, from, to, AssumptionSet::Calibrated)
}

fn factor(waterfall: &Waterfall, cause: Cause) -> f64 {
    waterfall.factors.iter().find(|factor| factor.cause == cause).map_or(f64::NAN, |factor| factor.factor)
}

#[test]
fn the_factors_multiply_to_the_speed_up() {
    let pairs = [
        ("a100-sxm-80gb", "h100-sxm"),
        ("h100-sxm", "h200-sxm"),
        ("h100-sxm", "a100-sxm-80gb"),
        ("a100-sxm-80gb", "mi300x"),
        ("h100-sxm", "tpu-v5p"),
        ("b200", "gb200-nvl72"),
    ];
    for (from, to) in pairs {
        let found = compare(&side(device(from), 512, 512), &side(device(to), 512, 512)).expect("both run");
        let product: f64 = found.factors.iter().map(|factor| factor.factor).product();
        assert!((product / found.speedup - 1.0).abs() < 1e-12, "{from} to {to}: {product}");
        assert_eq!(found.factors.len(), Cause::ALL.len());
        for factor in &found.factors {
            assert!(factor.least <= factor.factor * (1.0 + 1e-12), "{from} to {to}: {factor:?}");
            assert!(factor.factor <= factor.most * (1.0 + 1e-12), "{from} to {to}: {factor:?}");
        }
    }
}

#[test]
fn only_what_differs_is_a_cause() {
    let h100 = device("h100-sxm");
    let mut faster = h100.clone();
    faster.scale_out.gb_s *= 4.0;
    let found = compare(&side(h100, 512, 512), &side(&faster, 512, 512)).expect("both run");
    for cause in Cause::ALL {
        let expected = [Cause::ScaleOut, Cause::Plan].contains(&cause);
        assert!(expected || close(factor(&found, cause), 1.0), "{cause:?}");
    }
    assert!(factor(&found, Cause::ScaleOut) > 1.0);
    // A device at its own best plan is compared only with itself under the asked plan.
    let asked = side(h100, 512, 512);
    let tuned = compare(&asked, &asked).expect("it runs");
    assert!(tuned.speedup >= 1.0 && close(factor(&tuned, Cause::Plan), tuned.speedup));
}

#[test]
fn a_larger_memory_helps_by_the_plan_that_it_allows() {
    let h100 = device("h100-sxm");
    let mut larger = h100.clone();
    larger.dram.capacity_gib *= 4.0;
    let asked = side(h100, 64, 256);
    let found = compare(&asked, &side(&larger, 64, 256)).expect("both run");
    assert!(factor(&found, Cause::DramCapacity) > 1.02, "{found:?}");
    let capacity = found.factors.iter().find(|factor| factor.cause == Cause::DramCapacity);
    // Under the asked plan, capacity has no effect.
    assert!(capacity.is_some_and(|capacity| close(capacity.least, 1.0)), "{found:?}");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let mut tiny = device("h100-sxm").clone();
    tiny.dram.capacity_gib = 2.0;
    let (asked, small) = (side(device("h100-sxm"), 64, 256), side(&tiny, 64, 256));
    assert!(compare(&asked, &small).is_err_and(|reason| reason.contains("DRAM capacity")));
    assert!(compare(&small, &asked).is_err_and(|reason| reason.contains("as asked")));
    let a100 = device("a100-sxm-80gb");
    let mut narrow = side(a100, 512, 512);
    narrow.recipe.precision = Precision::Fp8;
    let refused = compare(&side(a100, 512, 512), &narrow);
    assert_eq!(refused, Err("A100 SXM 80 GB has no FP8 matrix units".to_owned()));
}

/// GPT-3 175B on 8,192 GPUs, A100 with HDR to B200: format, GPUs that NVLink connects, times the batch of 1,024.
fn headline(recompute: Option<Recompute>, (precision, domain, batch): (Precision, u32, u32)) -> Waterfall {
    let architecture = catalog::architecture("gpt-3-175b").expect("a known model");
    let mut b200 = device("b200").clone();
    b200.scale_up.domain = domain;
    let mut from = side(device("a100-sxm-80gb"), 8192, 1024);
    let mut to = side(&b200, 8192, 1024 * batch);
    to.recipe.precision = precision;
    // Devices are compared, not what software adds to both.
    (from.recipe.framework, to.recipe.framework) = (Framework::None, Framework::None);
    if let Some(recompute) = recompute {
        from.plan.recompute = recompute;
    } else {
        let best = fastest_plan(architecture, &from, AssumptionSet::Calibrated).expect("a plan");
        from.plan = best.0;
    }
    compare(&from, &to).expect("both run")
}

/// The largest speed-up takes all of it: 4-bit operands, NVLink beyond one server, a larger batch, and A100s that
/// recompute everything and wait for their pipeline; 35× it reaches without overheads only. Against A100s at their
/// best it is half of that.
#[test]
fn which_assumptions_give_35() {
    let speedup = |recompute, job| headline(recompute, job).speedup;
    let full = Some(Recompute::Full);
    let whole = speedup(full, (Precision::Fp4, 64, 4));
    assert!((22.0..35.0).contains(&whole), "{whole}");
    for less in [(Precision::Fp8, 64, 4), (Precision::Fp4, 8, 4), (Precision::Fp4, 64, 1)] {
        let speedup = speedup(full, less);
        assert!(speedup < 0.9 * whole, "{less:?}: {speedup}");
    }
    let fair = speedup(None, (Precision::Fp4, 64, 4));
    assert!((0.4..0.65).contains(&(fair / whole)), "{fair}");
    let plain = speedup(None, (Precision::Bf16, 8, 1));
    assert!((3.0..6.0).contains(&plain), "{plain}");
}

/// The rate is the largest cause of the factor of 35, and no single cause explains it.
#[test]
fn the_causes_of_35() {
    let found = headline(Some(Recompute::Full), (Precision::Fp4, 64, 4));
    let mut causes = found.factors.clone();
    causes.sort_by(|a, b| b.factor.total_cmp(&a.factor));
    assert_eq!(causes[0].cause, Cause::Rate, "{causes:?}");
    let next: Vec<Cause> = causes[1..4].iter().map(|factor| factor.cause).collect();
    for cause in [Cause::Plan, Cause::Job, Cause::Precision] {
        assert!(next.contains(&cause), "{cause:?} is not among {next:?}");
    }
    assert!(causes[0].factor < 4.0, "{causes:?}");
}
