//! Measured runs that the memory estimate wrongly refuses as not fitting into memory.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use foretoken::scenario::{Scenario, View};
use foretoken::validation::{Case, Quantity, Question};

/// Runs of one software.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// Number of measured runs that are modelled.
    pub measured: u32,
    /// Number of these that the memory estimate refuses.
    pub refused: u32,
}

impl Runs {
    /// Share of refused runs.
    pub fn share(self) -> f64 {
        f64::from(self.refused) / f64::from(self.measured.max(1))
    }

    /// Counts a run.
    fn add(&mut self, fits: bool) {
        self.measured += 1;
        self.refused += u32::from(!fits);
    }
}

/// Measured runs by view (training or inference) and software.
pub fn runs(cases: &[Case]) -> BTreeMap<(&'static str, &'static str), Runs> {
    let mut all: BTreeMap<(&str, &str), Runs> = BTreeMap::new();
    for case in cases.iter().filter(|case| ran(case)) {
        let Ok(Question::Scenario(scenario)) = &case.question else { continue };
        let Some(fits) = fits(scenario) else { continue };
        let key = match scenario.view {
            View::Training => ("Training", scenario.recipe.framework.name()),
            _ => ("Inference", scenario.inference.engine.name()),
        };
        all.entry(key).or_default().add(fits);
    }
    all
}

/// Runs of all software together.
pub fn total(runs: &BTreeMap<(&'static str, &'static str), Runs>) -> Runs {
    runs.values().fold(Runs::default(), |sum, more| Runs {
        measured: sum.measured + more.measured,
        refused: sum.refused + more.refused,
    })
}

/// The table of refused runs by software, as Markdown.
pub fn table(cases: &[Case]) -> String {
    let runs = runs(cases);
    let mut text = "| | software | runs | refused | share |\n|---|---|---:|---:|---:|\n".to_owned();
    let mut row = |what: &str, software: &str, runs: Runs| {
        let _ = writeln!(
            text,
            "| {what} | {software} | {} | {} | {:.1} % |",
            runs.measured,
            runs.refused,
            100.0 * runs.share()
        );
    };
    for ((what, software), of) in &runs {
        row(what, software, *of);
    }
    row("Both", "all", total(&runs));
    text
}

/// Returns true if a time was measured, which proves that the run fitted into memory.
fn ran(case: &Case) -> bool {
    case.measured.iter().any(|(quantity, _)| {
        matches!(
            quantity.as_time(),
            Quantity::IterTime | Quantity::Ttft | Quantity::Tpot | Quantity::RequestLatency
        )
    })
}

/// Returns true if a scenario fits into memory according to the estimate; `None` if it is not modelled.
fn fits(scenario: &Scenario) -> Option<bool> {
    match scenario.view {
        View::Training => scenario.with_training(|_| ()).is_ok().then(|| scenario.training().is_ok()),
        View::Inference => scenario.with_inference(|_| ()).is_ok().then(|| scenario.inference().is_ok()),
        _ => None,
    }
}
