//! Memory and speed of fine-tuning: published, on which nothing was fitted, and measured by this project.

use foretoken::validation::{Case, Quantity, Score};

use crate::serving::cases;

const FILE: &str = "finetune.jsonl";

fn score(source: &str, quantities: &[Quantity]) -> Score {
    let cases = cases(FILE);
    let outcomes = cases.iter().filter(|case| case.source == source).flat_map(Case::outcomes);
    let outcomes = outcomes.filter(|outcome| quantities.contains(&outcome.quantity));
    Score::of(outcomes.filter_map(|outcome| Some((outcome.predicted.ok()?, outcome.measured))))
}

#[test]
fn memory_of_torchtune_is_within_a_tenth() {
    let memory = score("torchtune", &[Quantity::PeakMemory]);
    assert!(memory.count >= 9 && memory.mean <= 0.10, "{memory:?}");
}

#[test]
fn rates_are_within_a_quarter() {
    let rates = [Quantity::TokensPerSecond, Quantity::TokensPerSecondPerGpu];
    for (source, least) in [("torchtune", 8), ("llama-factory", 9), ("megatron-bridge", 4)] {
        let score = score(source, &rates);
        assert!(score.count >= least && score.mean <= 0.25, "{source}: {score:?}");
    }
}

/// The steps on one GPU that no constant was fitted to. Those of compiled layers test the constants of fused kernels, which are
/// fitted to other software.
#[test]
fn steps_and_memory_of_transformers_are_within_their_errors() {
    let cases: Vec<Case> = cases("one_gpu.jsonl").into_iter().filter(|case| !case.used_in_fit).collect();
    let score = |quantity: Quantity| {
        let outcomes = cases.iter().flat_map(Case::outcomes).filter(|outcome| outcome.quantity == quantity);
        Score::of(outcomes.filter_map(|outcome| Some((outcome.predicted.ok()?, outcome.measured))))
    };
    let (speed, memory) = (score(Quantity::TokensPerSecond), score(Quantity::PeakMemory));
    assert!(speed.count == 63 && speed.mean <= 0.12 && speed.median <= 0.10, "{speed:?}");
    assert!(memory.count == 63 && memory.mean <= 0.03 && memory.median <= 0.02, "{memory:?}");
}

#[test]
fn runs_out_of_memory_are_told_apart() {
    let fits = score("llama-factory", &[Quantity::Fits]);
    assert!(fits.count >= 10, "{fits:?}");
    for outcome in cases(FILE).iter().flat_map(Case::outcomes) {
        if outcome.quantity == Quantity::Fits {
            assert_eq!(outcome.predicted.ok(), Some(outcome.measured));
        }
    }
}
