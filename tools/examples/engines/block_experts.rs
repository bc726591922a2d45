//! Experts in FP8 blocks on MI300X: constants of their kernels from requests that were served, because no table of such
//! kernels was published for AMD's devices.

use foretoken::system::Precision;
use foretoken::validation::{Case, Family, Quantity, Question, Replaced};

/// The device whose rows are fitted. Rows of MI325X, which takes the same constants, are only scored.
const DEVICE: &str = "mi300x";

/// Interval of fitted rows of the device.
const ONE_OF: usize = 2;

/// Constants of the kernels, with the values of an H100 from which the search begins.
const CONSTANTS: [(&str, f64); 3] = [
    ("experts.fp8block.launch", 2.925e-5),
    ("experts.fp8block.compute_efficiency", 0.3672),
    ("experts.fp8block.dram_efficiency", 0.8913),
];

/// Fits the constants to the time per output token of every second row, and prints them and the rows.
pub(crate) fn fit(cases: &[Case]) {
    let all: Vec<&Case> = cases.iter().filter(|case| is_of_kernels(case)).collect();
    let fitted: Vec<&Case> = all.iter().skip(1).step_by(ONE_OF).copied().collect();
    let best = super::descend(
        CONSTANTS.map(|(_, value)| value),
        CONSTANTS.len(),
        |values, index, factor| values[index] *= factor,
        |values, _| mean_error(&fitted, values),
    );
    println!("# experts in FP8 blocks on {DEVICE}: {} of {} rows", fitted.len(), all.len());
    for ((key, _), value) in CONSTANTS.iter().zip(best) {
        println!("#   {key}: {value:.4e}");
    }
    println!("#   mean error: {:.1} %", 100.0 * mean_error(&fitted, &best));
    let others: Vec<&Case> = all.iter().step_by(ONE_OF).copied().collect();
    println!("#   of the others: {:.1} %", 100.0 * mean_error(&others, &best));
    for case in fitted {
        println!("{}", case.id);
    }
}

/// Returns true for a run of a mixture of experts in FP8 blocks on the device.
fn is_of_kernels(case: &Case) -> bool {
    let scenario = case.question.as_ref().ok().and_then(Question::scenario);
    scenario.is_some_and(|scenario| scenario.inference.precision == Precision::Fp8Block)
        && case.device == DEVICE
        && case.family == Family::Moe
}

/// Mean of |ln (prediction / measurement)| of the time per output token; infinite if a constant is out of its range.
fn mean_error(rows: &[&Case], values: &[f64]) -> f64 {
    let mut errors = Vec::new();
    for case in rows {
        let mut case = (*case).clone();
        if let Ok(Question::Scenario(scenario)) = &mut case.question {
            let edits = CONSTANTS.iter().zip(values);
            scenario.constants.extend(edits.map(|((key, _), value)| ((*key).to_owned(), *value)));
        }
        for outcome in case.outcomes_with(&Replaced::default()) {
            if outcome.quantity == Quantity::Tpot {
                let predicted = outcome.predicted.unwrap_or(f64::INFINITY);
                errors.push(libm::log(predicted / outcome.measured).abs());
            }
        }
    }
    errors.iter().sum::<f64>() / errors.len() as f64
}
