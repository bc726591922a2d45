//! Fits sustained clocks and framework overheads, which kernel measurements do not show, to published step times:
//! `make overheads`.
//!
//! `cargo run --release --example overheads -- FILE...`
//!
//! Fitted are the rows whose number in their id is a multiple of five, in sources of few rows ([`FEW`]) of two. All
//! other rows are held out. The constants minimise the mean |ln(prediction / measurement)| of a source, averaged over
//! sources weighted by the square root of their rows. They are found by coordinate descent on shrinking grids, always
//! in the same order. Prints the constants to enter in `src/system/sustained.rs` and `src/training/overheads.rs` and,
//! if the environment has `IDS`, the ids for `tools/src/published/fitted.txt`.

mod memory;

use std::collections::BTreeMap;
use std::process::ExitCode;

use foretoken::scenario::{Scenario, View};
use foretoken::system::System;
use foretoken::training::{Execution, Framework, FrameworkOverheads, TrainingJob};
use foretoken::units::Seconds;
use foretoken::validation::{Case, Family, Quantity, Question, Tier};
use foretoken_tools::published::{self, Document};

/// Rounds of coordinate descent over all constants; each halves the grids.
const ROUNDS: usize = 9;

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    match cases(&files) {
        Ok(cases) if !cases.is_empty() => {
            let rows: Vec<Row> = cases.iter().filter_map(row).collect();
            report(&rows, &best(&rows));
            for framework in Framework::ALL {
                if let Some((activations, copies, error, rows)) = memory::fit(&cases, framework) {
                    println!(
                        "{}: activations x {activations:.2}, copies {copies:.1} B per parameter; {rows} rows, mean {:.1} %",
                        framework.name(),
                        100.0 * error
                    );
                }
            }
            ExitCode::SUCCESS
        }
        Ok(_) => {
            eprintln!("usage: overheads FILE...");
            ExitCode::from(2)
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// A published training run that is fitted.
struct Row {
    id: String,
    source: String,
    scenario: Scenario,
    /// Index of its device's generation in [`GENERATIONS`].
    generation: usize,
    /// True if the run determines the sustained clock: dense layers in fused kernels keep the device busy.
    shows_clock: bool,
    /// Measured step time, s.
    measured: f64,
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
const GENERATIONS: [(&str, &[&str]); 7] = [
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
const AMD: usize = 5;

/// Slow-down of 16-bit arithmetic on devices without a fit (`SustainedConstants::unmeasured`).
const UNMEASURED_WIDE: f64 = 1.149;

/// The constants that are fitted.
#[derive(Clone)]
struct Constants {
    /// Factors by generation: on the time of 16-bit arithmetic, of narrower arithmetic, and of attention kernels of the
    /// generation before.
    sustained: [[f64; 3]; GENERATIONS.len()],
    /// Overheads by framework, in the order of [`Constants::predict`]: host time per operator, µs; time per step, layer
    /// and level of nodes, ms; time per collective and member of groups that leave a scale-up domain, µs; factor on the
    /// time of elementwise kernels relative to fused ones; host time per message between stages, ms.
    overheads: [[f64; PER_FRAMEWORK]; Framework::MEASURED.len()],
    /// Exponent that joins the times of host and device, of all frameworks: fitted to each, it trades against its host
    /// time per operator, and neither holds elsewhere.
    uneven: f64,
}

/// Number of constants fitted per framework.
const PER_FRAMEWORK: usize = 5;

/// The exponents that are tried.
const UNEVEN: [f64; 6] = [1.5, 2.0, 2.5, 3.0, 4.0, 6.0];

impl Constants {
    /// Starting point of the fit.
    fn new(uneven: f64) -> Self {
        let mut sustained = [[1.05, 1.05, 2.0]; GENERATIONS.len()];
        for of_amd in &mut sustained[AMD..] {
            of_amd[0] = UNMEASURED_WIDE;
        }
        Self { sustained, uneven, overheads: [[75.0, 0.4, 0.0, 1.0, 0.5]; Framework::MEASURED.len()] }
    }
}

/// Index of a framework whose overheads are fitted; `None` for kernels alone.
fn place(framework: Framework) -> Option<usize> {
    Framework::MEASURED.iter().position(|other| *other == framework)
}

/// The cases of all files of published rows.
fn cases(files: &[String]) -> Result<Vec<Case>, String> {
    let mut all = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        if let Document::Cases(cases) = published::read(&text).map_err(|error| format!("{file}: {error}"))? {
            all.extend(cases);
        }
    }
    Ok(all)
}

/// The row of a case, if it is fitted: of the training rows that the model answers every fifth, of few every second.
fn row(case: &Case) -> Option<Row> {
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

impl Constants {
    /// Predicted step time of a row with these constants, s.
    fn predict(&self, row: &Row) -> Option<f64> {
        let framework = row.scenario.recipe.framework;
        let mut fitted = place(framework).map(|place| self.overheads[place]);
        if let (Some(own), Some(from)) = (&mut fitted, place(framework.issues_as())) {
            own[0] = self.overheads[from][0];
        }
        let answer = row.scenario.with_training(|job| {
            let mut system: System = job.system.clone();
            let sustained = &mut system.assumptions.sustained;
            [sustained.wide, sustained.narrow, sustained.earlier_attention] = self.sustained[row.generation];
            let mut job = TrainingJob { system: &system, ..*job };
            if let Some([issue, step, hop, elementwise, send]) = fitted {
                job.overheads = FrameworkOverheads {
                    issue: Seconds::from_micros(issue),
                    step: Seconds::new(step * 1e-3),
                    hop: Seconds::from_micros(hop),
                    elementwise,
                    uneven: self.uneven,
                    send: Seconds::new(send * 1e-3),
                    ..job.overheads
                };
            }
            job.step().get()
        });
        answer.ok()
    }

    /// Mean over sources of the mean |ln(prediction / measurement)|, each source weighted by the square root of its
    /// rows.
    ///
    /// For clocks, the square of the logarithm replaces its absolute value, so that the fit is a mean over their few
    /// and unlike sources, not a median.
    fn loss(&self, rows: &[&Row], clock: bool) -> f64 {
        let mut sources: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for row in rows {
            let Some(predicted) = self.predict(row) else { continue };
            let sum = sources.entry(&row.source).or_default();
            let error = libm::log(predicted / row.measured);
            sum.0 += if clock { error * error } else { error.abs() };
            sum.1 += 1.0;
        }
        let weight: f64 = sources.values().map(|(_, rows)| libm::sqrt(*rows)).sum();
        sources.values().map(|(sum, rows)| sum / libm::sqrt(*rows)).sum::<f64>() / weight.max(1.0)
    }

    /// The constant of an index, with its lower and upper bound.
    fn slot(&mut self, index: usize) -> (&mut f64, f64, f64) {
        let generations = GENERATIONS.len() * 3;
        if index < generations {
            let high = if index % 3 == 2 { 4.0 } else { 2.0 };
            return (&mut self.sustained[index / 3][index % 3], 1.0, high);
        }
        let index = index - generations;
        // Only Nanotron has runs with groups that leave a domain.
        let framework = Framework::MEASURED[index / PER_FRAMEWORK];
        let leaves = framework == Framework::Nanotron;
        let most = match framework {
            // Norms, rotations and gates of Transformers are each several kernels.
            Framework::Transformers => 10.0,
            _ if framework.execution() == Some(Execution::Eager) => 3.0,
            _ => 1.0,
        };
        let (low, high) = match index % PER_FRAMEWORK {
            0 if framework.issues_as() != framework => (0.0, 0.0),
            2 if !leaves => (0.0, 0.0),
            3 => (1.0, most),
            1 => (0.0, 4.0),
            4 => (0.0, 10.0),
            // At the bound the host limits whatever a larger value would: Composer's runs keep the device busy.
            _ => (0.0, 150.0),
        };
        (&mut self.overheads[index / PER_FRAMEWORK][index % PER_FRAMEWORK], low, high)
    }

    /// Returns true if a row's prediction depends on a constant.
    fn concerns(row: &Row, index: usize) -> bool {
        let generations = GENERATIONS.len() * 3;
        if index < generations {
            // The attention factor is fitted on all rows of a generation: it shows at long sequences, whatever the
            // software.
            let clock = index % 3 < 2;
            let fitted = row.generation < AMD || index % 3 == 1;
            return fitted && row.generation == index / 3 && (!clock || row.shows_clock);
        }
        row.generation < AMD
            && place(row.scenario.recipe.framework) == Some((index - generations) / PER_FRAMEWORK)
    }
}

/// Minimises the loss by coordinate descent: each constant in turn on a grid of 17 values that halves every round.
fn fit(rows: &[Row], constants: &mut Constants) {
    let slots = GENERATIONS.len() * 3 + Framework::MEASURED.len() * PER_FRAMEWORK;
    for round in 0..ROUNDS {
        for index in 0..slots {
            let concerned: Vec<&Row> = rows.iter().filter(|row| Constants::concerns(row, index)).collect();
            if concerned.is_empty() {
                continue;
            }
            let (now, low, high) = {
                let (slot, low, high) = constants.slot(index);
                (*slot, low, high)
            };
            let reach = (high - low) * libm::pow(0.5, round as f64);
            let clock = index < GENERATIONS.len() * 3 && index % 3 < 2;
            let mut best = (constants.loss(&concerned, clock), now);
            for step in -8_i32..=8 {
                let value = (now + reach * f64::from(step) / 8.0).clamp(low, high);
                *constants.slot(index).0 = value;
                let loss = constants.loss(&concerned, clock);
                if loss < best.0 {
                    best = (loss, value);
                }
            }
            *constants.slot(index).0 = best.1;
        }
    }
}

/// The fit with the exponent of the least loss. Prints the losses of each framework, which show how much the exponent
/// depends on any of them.
fn best(rows: &[Row]) -> Constants {
    let mut best: Option<(f64, Constants)> = None;
    for uneven in UNEVEN {
        let mut constants = Constants::new(uneven);
        fit(rows, &mut constants);
        let loss = |of: &dyn Fn(Framework) -> bool| {
            let rows: Vec<&Row> = rows.iter().filter(|row| of(row.scenario.recipe.framework)).collect();
            constants.loss(&rows, false)
        };
        let all = loss(&|_| true);
        print!("uneven {uneven}: loss {all:.4}");
        for left_out in Framework::MEASURED {
            print!(", without {} {:.4}", left_out.name(), loss(&|framework| framework != left_out));
        }
        println!();
        if best.as_ref().is_none_or(|(least, _)| all < *least) {
            best = Some((all, constants));
        }
    }
    best.map_or_else(|| Constants::new(UNEVEN[0]), |(_, constants)| constants)
}

/// Prints the constants and each source's mean error on the fitted rows.
fn report(rows: &[Row], constants: &Constants) {
    println!("uneven {:.1}", constants.uneven);
    for ((name, _), [wide, narrow, earlier]) in GENERATIONS.iter().zip(&constants.sustained) {
        println!("{name}: wide {wide:.3}, narrow {narrow:.3}, earlier attention {earlier:.3}");
    }
    for (framework, [_, step, hop, elementwise, send]) in Framework::MEASURED.iter().zip(&constants.overheads)
    {
        let issue = place(framework.issues_as()).map_or(0.0, |place| constants.overheads[place][0]);
        println!(
            "{}: issue {issue:.1} us, step {step:.3} ms, hop {hop:.1} us, elementwise {elementwise:.2}, send {send:.2} ms",
            framework.name()
        );
    }
    let mut sources: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in rows {
        if let Some(predicted) = constants.predict(row) {
            sources.entry(&row.source).or_default().push((predicted / row.measured - 1.0).abs());
        }
    }
    for (source, errors) in sources {
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        println!("{source}: {} rows, mean error {:.1} %", errors.len(), 100.0 * mean);
    }
    if std::env::var_os("IDS").is_some() {
        for row in rows {
            println!("{}", row.id);
        }
    }
}
