//! Training steps of Megatron's models on A100: measured, ours, and the paper's predictions as inferred.

use std::iter;

use super::assumptions::{BEYOND, LINEAGE};
use super::questions::{calibrated, plan_name, score, step, training};
use super::utilisation;
use crate::papers::{Bar, Bars, Begin, Chart, Data, Entry, Found, Origin, Printed, Quantity, Share, Source};
use crate::published::runs::{self, TrainingRun};
use crate::scenario::{Scenario, link};
use crate::units::{Seconds, format};

pub(super) static ENTRIES: [Entry; 1] = [Entry {
    id: "training-validation",
    inferred: &[
        LINEAGE,
        BEYOND,
        "The paper's own predictions were not available. Those shown are times named imec in the repository of a sister \
         tool, Rapid-LLM. They match no measured source and lie 0 to 9 % below the measured times, so they are very \
         probably the paper's. They are excluded from mean errors",
        "Narayanan et al. do not give the number of model chunks per pipeline stage: one is assumed",
        "Published MFU and HFU are those of the measured steps at a peak of 312 TFLOP/s; ours follow from the predicted \
         steps with the same FLOP count",
    ],
    begin: Begin::Once(found),
}];

/// The paper's probable predictions for the eight steps, and for the three steps with several replicas, s.
const INFERRED: [f64; 11] = [1.4, 1.1, 16.9, 12.9, 46.8, 35.5, 87.9, 69.1, 34.1, 51.2, 100.7];

/// A run: the question, and its step times in s: ours, ours with calibrated constants, measured, the paper's as
/// inferred.
struct Case {
    run: TrainingRun,
    question: Scenario,
    ours: Option<f64>,
    calibrated: Option<f64>,
    measured: Printed,
    theirs: f64,
}

fn cases() -> Vec<Case> {
    let steps = runs::steps().into_iter().zip(iter::repeat(2));
    let runs = steps.chain(runs::replicated().into_iter().zip(iter::repeat(1)));
    let case = |((run, decimals), theirs): ((TrainingRun, u8), f64)| {
        let measured = Printed::new(run.seconds, decimals);
        let question = training(&run, run.plan);
        let (ours, calibrated) = (step(&question), step(&calibrated(&question)));
        Case { run, question, ours, calibrated, measured, theirs }
    };
    runs.zip(INFERRED).map(case).collect()
}

fn found() -> Found {
    let cases = cases();
    let against = |value: &dyn Fn(&Case) -> Option<f64>| {
        format::mean_error(score(cases.iter().map(|case| (value(case), case.run.seconds))).mean)
    };
    let finding = format!(
        "Mean error over {} steps: {} under kundu-2024, {} with calibrated constants, {} by the paper's predictions, \
         inferred.",
        cases.len(),
        against(&|case| case.ours),
        against(&|case| case.calibrated),
        against(&|case| Some(case.theirs)),
    );
    let measured = Source {
        origin: Origin::Measured,
        place: "Korthikanti et al. 2022 (arXiv 2205.05198), Table 5; Narayanan et al. 2021 (arXiv 2104.04473), Table 1",
    };
    let inferred = Source { origin: Origin::Inferred, place: "times named imec in Rapid-LLM's repository" };
    Found {
        charts: vec![
            Chart {
                id: "validated-steps".into(),
                title: "Step time of Megatron's models on A100".to_owned(),
                finding,
                source: measured,
                data: bars(&cases, |case| case.measured),
                assumptions: vec![
                    "Measured without FlashAttention or a sharded optimizer: 2048 tokens, dropout".to_owned(),
                ],
            },
            Chart {
                id: "authors-steps".into(),
                title: "The same steps compared with the paper's inferred predictions".to_owned(),
                finding: String::new(),
                source: inferred,
                data: bars(&cases, |case| Printed::new(case.theirs, 1)),
                assumptions: vec!["Predictions are known to one decimal".to_owned()],
            },
            utilisation::mfu(),
            utilisation::hfu(),
            utilisation::replicated(),
        ],
        ..Found::default()
    }
}

fn bars(cases: &[Case], published: impl Fn(&Case) -> Printed) -> Data {
    let row = |case: &Case| {
        let plan = plan_name(case.run.plan, case.run.gpus);
        let calibrated = case.calibrated.map_or_else(String::new, |seconds| {
            format!("; calibrated: {}", format::time(Seconds::new(seconds)))
        });
        Bar {
            name: case.run.name.clone(),
            whole: Share { ours: case.ours, published: Some(published(case)) },
            parts: Vec::new(),
            what: format!("{plan}{calibrated}"),
            link: Some(link::encode(&case.question)),
        }
    };
    Data::Bars(Bars {
        quantity: Quantity { name: "Step time", unit: "s", logarithmic: false },
        parts: vec!["predicted, constants of the paper"],
        rows: cases.iter().map(row).collect(),
    })
}
