//! Fits the memory that eager execution keeps beyond the needs of the backward pass, on the peak memory of fitted rows.

use foretoken::training::{Framework, FrameworkOverheads, TrainingJob};
use foretoken::units::Bytes;
use foretoken::validation::{Case, Quantity, Question};

/// The factor on activations and the bytes per parameter that minimise the mean |ln(prediction / measurement)| over
/// the fitted rows of one framework, on a grid of 0.05 and of half a byte; `None` where no row gives its memory.
pub(crate) fn fit(cases: &[Case], framework: Framework) -> Option<(f64, f64, f64, usize)> {
    let rows: Vec<&Case> = cases.iter().filter(|case| measured(case, framework).is_some()).collect();
    let mut best: Option<(f64, f64, f64, usize)> = None;
    for factor in 0..=40 {
        for halves in 0..=16 {
            let (factor, copies) = (1.0 + 0.05 * f64::from(factor), 0.5 * f64::from(halves));
            let errors: Vec<f64> =
                rows.iter().filter_map(|case| error(case, framework, factor, copies)).collect();
            let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
            if !errors.is_empty() && best.is_none_or(|(_, _, least, _)| mean < least) {
                best = Some((factor, copies, mean, errors.len()));
            }
        }
    }
    best
}

/// The peak memory of a fitted row: every fifth, of the same rows whose times are fitted.
fn measured(case: &Case, framework: Framework) -> Option<f64> {
    let Ok(Question::Scenario(scenario)) = &case.question else { return None };
    let memory = case.measured.iter().find(|(quantity, _)| *quantity == Quantity::PeakMemory)?;
    (case.used_in_fit && scenario.recipe.framework == framework).then_some(memory.1)
}

fn error(case: &Case, framework: Framework, activations: f64, copies: f64) -> Option<f64> {
    let Ok(Question::Scenario(scenario)) = &case.question else { return None };
    let predicted = scenario.with_training(|job| {
        let overheads = FrameworkOverheads { activations, copies: Bytes::new(copies), ..job.overheads };
        let memory = TrainingJob { overheads, ..*job }.memory();
        // Software reports what its allocator holds, without what the driver takes.
        (memory.total() - memory.reserve).to_gib()
    });
    Some(libm::log(predicted.ok()? / measured(case, framework)?).abs())
}
