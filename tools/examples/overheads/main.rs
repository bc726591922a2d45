//! Fits sustained clocks and framework overheads, which kernel measurements do not show, to published step times:
//! `make overheads`.
//!
//! `cargo run --release --example overheads -- FILE...`
//!
//! Fitted are the rows whose number in their id is a multiple of five, in sources of few rows (`row::FEW`) of two. All
//! other rows are held out. The constants minimise the mean |ln(prediction / measurement)| of a source, averaged over
//! sources weighted by the square root of their rows. They are found by coordinate descent on shrinking grids, always
//! in the same order. Prints the constants to enter in `src/system/sustained.rs` and `src/training/overheads.rs` and,
//! if the environment has `IDS`, the ids for `tools/src/published/fitted.txt`.

mod constants;
mod memory;
mod row;

use std::collections::BTreeMap;
use std::process::ExitCode;

use constants::{Constants, SLOTS, place};
use foretoken::training::{Framework, FrameworkOverheads};
use foretoken::validation::Case;
use foretoken_tools::published::{self, Document};
use row::{GENERATIONS, HELD, Row, row};

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

/// Exponents tried in addition to that of [`FrameworkOverheads::NONE`].
const UNEVEN: [f64; 5] = [1.5, 2.0, 2.5, 4.0, 6.0];

/// Minimum relative decrease of the loss for another exponent to replace the present one.
const GAIN: f64 = 0.002;

/// Minimises the loss by coordinate descent: each constant in turn on a grid of 17 values that halves every round.
fn fit(rows: &[Row], constants: &mut Constants) {
    for round in 0..ROUNDS {
        for index in 0..SLOTS {
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

/// The fit with the exponent of the least loss, or with the present exponent if the loss decreases by less than [`GAIN`]. Also
/// prints the loss without each framework, which shows how much the exponent depends on it.
fn best(rows: &[Row]) -> Constants {
    let present = fitted(rows, FrameworkOverheads::NONE.uneven);
    let others = UNEVEN.map(|uneven| fitted(rows, uneven));
    let better = |loss: f64| loss < present.0 * (1.0 - GAIN);
    let least = others.into_iter().filter(|(loss, _)| better(*loss)).min_by(|a, b| a.0.total_cmp(&b.0));
    least.unwrap_or(present).1
}

/// The fit with an exponent, after its loss.
fn fitted(rows: &[Row], uneven: f64) -> (f64, Constants) {
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
    (all, constants)
}

/// Prints the constants and each source's mean error on the fitted rows.
fn report(rows: &[Row], constants: &Constants) {
    println!("uneven {:.1}, send {:.2} ms", constants.uneven, constants.send);
    for (index, ((name, _), [wide, narrow, earlier])) in
        GENERATIONS.iter().zip(&constants.sustained).enumerate()
    {
        if HELD.contains(&index) {
            println!("{name}: held");
            continue;
        }
        println!("{name}: wide {wide:.3}, narrow {narrow:.3}, earlier attention {earlier:.3}");
    }
    for (framework, [_, step, hop, elementwise, gather]) in
        Framework::MEASURED.iter().zip(&constants.overheads)
    {
        let issue = place(framework.issues_as()).map_or(0.0, |place| constants.overheads[place][0]);
        println!(
            "{}: issue {issue:.1} us, step {step:.3} ms, hop {hop:.1} us, elementwise {elementwise:.2}, gather {gather:.1} us",
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
