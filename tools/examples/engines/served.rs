//! Constants of kernels and links that no table of kernels determines, from requests that were served.

use foretoken::inference::InferenceLoad;
use foretoken::system::Precision;
use foretoken::validation::{Case, Family, Quantity, Question, Replaced};

/// Constants that are fitted to served requests.
pub(crate) struct Served {
    /// Name, for the argument `--only` and the output.
    pub(crate) name: &'static str,
    /// Keys of the constants, with the values from which the search begins.
    constants: &'static [(&'static str, f64)],
    /// Returns true for a row that the constants affect.
    concerns: fn(&Case) -> bool,
    /// The quantity that they are fitted to.
    quantity: Quantity,
    /// One row in this number is fitted, beginning with the second row.
    one_of: usize,
}

/// All such constants.
pub(crate) const SERVED: [Served; 2] = [
    // No table of such kernels was published for AMD's devices. Rows of MI325X, which takes the same constants, are only scored.
    // The search begins at an H100's.
    Served {
        name: "experts in FP8 blocks on mi300x",
        constants: &[
            ("experts.fp8block.launch", 2.925e-5),
            ("experts.fp8block.compute_efficiency", 0.3672),
            ("experts.fp8block.dram_efficiency", 0.8913),
        ],
        concerns: |case| {
            load(case).is_some_and(|load| load.precision == Precision::Fp8Block)
                && case.device == "mi300x"
                && case.family == Family::Moe
        },
        quantity: Quantity::Tpot,
        one_of: 2,
    },
    // The one published table of collectives over PCIe is of a server in which eight GPUs reach an eighth of what the throughput
    // of NVIDIA's servers implies.
    Served {
        name: "pcie between more than two GPUs",
        constants: &[("links.pcie.several", 0.5)],
        concerns: |case| {
            case.source == "trtllm-ifb"
                && ["l40s", "a100-pcie-80gb"].contains(&case.device.as_str())
                && load(case).is_some_and(|load| load.tensor > 2)
        },
        quantity: Quantity::OutputTokensPerSecond,
        one_of: 8,
    },
];

/// Load of a row; `None` if the row has no prediction.
fn load(case: &Case) -> Option<InferenceLoad> {
    Some(case.scenario()?.inference)
}

impl Served {
    /// Fits the constants, and prints them and the rows.
    pub(crate) fn fit(&self, cases: &[Case]) {
        let all: Vec<&Case> = cases.iter().filter(|case| (self.concerns)(case)).collect();
        let fitted: Vec<&Case> = all.iter().skip(1).step_by(self.one_of).copied().collect();
        let best = super::descend(
            self.constants.iter().map(|(_, value)| *value).collect::<Vec<f64>>(),
            self.constants.len(),
            |values, index, factor| values[index] *= factor,
            |values, _| self.mean_error(&fitted, values),
        );
        println!("# {}: {} of {} rows", self.name, fitted.len(), all.len());
        for ((key, _), value) in self.constants.iter().zip(&best) {
            println!("#   {key}: {value:.4e}");
        }
        println!("#   mean error: {:.1} %", 100.0 * self.mean_error(&fitted, &best));
        let others = all.iter().enumerate().filter(|(place, _)| place % self.one_of != 1);
        let others: Vec<&Case> = others.map(|(_, case)| *case).collect();
        println!("#   of the others: {:.1} %", 100.0 * self.mean_error(&others, &best));
        for case in fitted {
            println!("{}", case.id);
        }
    }

    /// Mean of |ln (prediction / measurement)| of the quantity; infinite if a constant is out of its range.
    fn mean_error(&self, rows: &[&Case], values: &[f64]) -> f64 {
        let mut errors = Vec::new();
        for case in rows {
            let mut case = (*case).clone();
            if let Ok(Question::Scenario(scenario)) = &mut case.question {
                let edits = self.constants.iter().zip(values);
                scenario.constants.extend(edits.map(|((key, _), value)| ((*key).to_owned(), *value)));
            }
            for outcome in case.outcomes_with(&Replaced::default()) {
                if outcome.quantity == self.quantity {
                    let predicted = outcome.predicted.unwrap_or(f64::INFINITY);
                    errors.push(libm::log(predicted / outcome.measured).abs());
                }
            }
        }
        errors.iter().sum::<f64>() / errors.len() as f64
    }
}
