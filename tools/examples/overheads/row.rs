//! The published training runs that constants are fitted to.

use foretoken::scenario::{Scenario, View};
use foretoken::training::Framework;
use foretoken::validation::{Case, Family, Quantity, Question, Tier};

/// A published training run that is fitted.
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) source: String,
    pub(crate) scenario: Scenario,
    /// Index of its device's generation in [`GENERATIONS`].
    pub(crate) generation: usize,
    /// True if the run determines the sustained clock: dense layers in fused kernels keep the device busy.
    pub(crate) shows_clock: bool,
    /// Measured step time, s.
    pub(crate) measured: f64,
}

/// Sources whose runs determine sustained clocks: large models in fused kernels, with measured step times.
const CLOCKS: [&str; 4] = ["korthikanti-2022", "dgxc-benchmarking", "megatron-bridge", "tpu-recipes"];

/// Sources with few rows, with the prefix of the devices' ids. No other source has rows of these devices, so every second
/// row is fitted.
const FEW: [(&str, &str); 2] = [("tpu-recipes", ""), ("mlperf-training", "mi3")];

/// Returns true for a row of [`FEW`].
fn is_of_few(case: &Case) -> bool {
    FEW.iter().any(|(source, device)| case.source == *source && case.device.starts_with(device))
}

/// Generations with their own constants, and parts of their devices' ids. MI300X and MI325X are one generation with
/// different power limits.
pub(crate) const GENERATIONS: [(&str, &[&str]); 7] = [
    ("Ampere", &["a100", "a800", "v100"]),
    ("Hopper", &["h100", "h200", "h800"]),
    ("Blackwell", &["b200"]),
    ("Blackwell Ultra", &["b300"]),
    ("TPU", &["tpu"]),
    ("MI300X", &["mi300x"]),
    ("MI325X", &["mi325x"]),
];

/// Number of NVIDIA's generations, which come first. Their clocks are fitted without runs of ZeRO 2 and 3; other
/// devices have no sources without such runs.
const NVIDIA: usize = 4;

/// Index of the first of AMD's. All their runs multiply in FP8, so that of their constants that alone is fitted.
pub(crate) const AMD: usize = 5;

/// Generations that keep their clocks, whatever the fit: Blackwell and TPU (`src/system/sustained.rs` says why).
pub(crate) const HELD: [usize; 2] = [2, 4];

/// The row of a case, if it is fitted: of the training rows that the model answers every fifth, of few every second.
pub(crate) fn row(case: &Case) -> Option<Row> {
    let Ok(Question::Scenario(scenario)) = &case.question else { return None };
    let number: u32 = case.id.rsplit('-').next()?.parse().ok()?;
    let time = case.outcomes().into_iter().find(|outcome| outcome.predicted.is_ok())?;
    let tokens = f64::from(scenario.recipe.batch) * f64::from(scenario.recipe.sequence);
    let measured = case.measured.iter().find_map(|(quantity, value)| match quantity {
        Quantity::IterTime => Some(*value),
        Quantity::TokensPerSecond => Some(tokens / value),
        Quantity::TokensPerSecondPerGpu => Some(tokens / value / f64::from(scenario.system.gpus)),
        _ => None,
    })?;
    let named = |(_, names): &(&str, &[&str])| names.iter().any(|name| time.case.device.contains(name));
    let generation = GENERATIONS.iter().position(named)?;
    let every = if is_of_few(case) { 2 } else { 5 };
    // Software without its own constants is held out: its rows test the constants of unnamed software.
    let framework = scenario.recipe.framework;
    let fitted = Framework::MEASURED.contains(&framework) || is_of_few(case);
    let known = case.tier == Tier::A || is_of_few(case);
    let kept = fitted && known && scenario.view == View::Training && number.is_multiple_of(every);
    kept.then(|| Row {
        id: case.id.clone(),
        source: case.source.clone(),
        scenario: (**scenario).clone(),
        generation,
        shows_clock: case.family == Family::Dense
            && (scenario.parallelism.zero < 2 || generation >= NVIDIA)
            && (CLOCKS.contains(&case.source.as_str()) || is_of_few(case)),
        measured,
    })
}
