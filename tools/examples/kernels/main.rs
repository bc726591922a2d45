//! Fits the constants in `src/system/calibration.json` to the measured kernels in `tests/measured`.
//!
//! `cargo run --release --package foretoken-tools --example kernels` fits every group on every device, writes the file, and prints how far
//! predictions are from the measurements that were not fitted. With `--check` it scores the file as it stands and
//! fails if an error differs from the one stated there or misses its target; with `--shapes` it fits on half of the
//! shapes and scores the other half, as if those had never been measured. Starts of groups' keys, such
//! as `experts`, devices' ids and keys of libraries leave all else as it is.

mod carry;
mod file;
mod fit;

use std::process::ExitCode;

use foretoken::catalog;
use foretoken::system::{Assumed, AssumptionSet, KernelLibrary, System};

use carry::Done;
use file::{File, rounded};
use foretoken_tools::kernels::score::Part;
use foretoken_tools::kernels::{self, Sample, report, score};
use foretoken_tools::parallel;

/// Generations of a search.
const EFFORT: usize = 500;

/// Mode of the program.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Fit,
    Check,
    Shapes,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, String> {
    let mut mode = Mode::Fit;
    let mut only = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--check" => mode = Mode::Check,
            "--shapes" => mode = Mode::Shapes,
            name => only.push(name.to_owned()),
        }
    }
    let root = foretoken_tools::root();
    let path = root.join("src/system/calibration.json");
    let mut file = File::read(&path)?;
    let samples = kernels::samples(&root.join("tests/measured"));
    let named = |sample: &Sample, name: &String| {
        sample.group.starts_with(name) || sample.device == *name || sample.library.key() == *name
    };
    let asked = |sample: &Sample| only.is_empty() || only.iter().any(|name| named(sample, name));
    if mode == Mode::Shapes {
        shapes(&samples, asked);
        return Ok(true);
    }
    let done = parallel::each(&samples, |sample| {
        let system = system(sample, &samples);
        if mode == Mode::Check || !asked(sample) {
            return Done { sample, system };
        }
        let rows = sample.rows(Part::Fitted);
        let found = fit::fit(&system, sample, &rows, &starts(&system, sample, &samples), EFFORT);
        Done { sample, system: fit::with_values(&system, sample.group, &found) }
    });
    report::heading();
    let mut good = true;
    for Done { sample, system } in &done {
        let score = score::score(system, sample, &sample.rows(Part::Scored));
        let whole = score::score(system, sample, &sample.all_rows(Part::Scored));
        let met = report::line(sample, &score, &whole);
        if mode == Mode::Check {
            let stated = file.error(sample);
            let same = stated.is_some_and(|stated| (stated - rounded(score.mean)).abs() < 1.5e-4);
            if !same {
                println!("  the file states {stated:?}");
            }
            good &= met && same;
        }
        let fitted = sample.rows(Part::Fitted).len();
        file.set(sample, system, fitted, &score);
    }
    samples.iter().for_each(report::left_out);
    carry::carry(&done, &mut file);
    if mode == Mode::Fit {
        file.write(&path)?;
    }
    Ok(good)
}

/// The device of a sample with its present constants, borrowed ones in place.
fn system(sample: &Sample, samples: &[Sample]) -> System {
    let mut system = catalogue(sample.device, sample.library);
    fit::borrow(sample, &mut system, |device| {
        let known = samples.iter().any(|sample| sample.device == device);
        known.then(|| catalogue(device, KernelLibrary::Usual))
    });
    system
}

/// A device of the catalogue; samples name no other.
fn catalogue(device: &str, library: KernelLibrary) -> System {
    let accelerator = catalog::accelerator(device).unwrap_or(&catalog::catalog().accelerators[0]);
    System::new(accelerator, Assumed { library, ..AssumptionSet::Calibrated.into() })
}

/// The present constants, and the middle of all devices' where several were measured.
fn starts(system: &System, sample: &Sample, samples: &[Sample]) -> Vec<Vec<f64>> {
    let present = fit::values(system, sample.group);
    let pooled = middle(sample, samples, |_| true).unwrap_or_else(|| present.clone());
    vec![present, pooled]
}

/// The median of each constant of a sample's group and library over some devices.
fn middle(sample: &Sample, samples: &[Sample], counts: impl Fn(&str) -> bool) -> Option<Vec<f64>> {
    let Sample { group, library, .. } = *sample;
    let all: Vec<Vec<f64>> = samples
        .iter()
        .filter(|other| other.group == group && other.library == library && counts(other.device))
        .map(|other| fit::values(&catalogue(other.device, library), group))
        .collect();
    let first = all.first()?;
    let median = |index: usize| {
        let mut column: Vec<f64> = all.iter().map(|values| values[index]).collect();
        column.sort_by(f64::total_cmp);
        column[column.len() / 2]
    };
    Some((0..first.len()).map(median).collect())
}

/// Fits on the fit rows of every other shape and scores the other rows of the shapes between; begins at other devices'
/// constants, since the present ones have seen all shapes.
fn shapes(samples: &[Sample], asked: impl Fn(&Sample) -> bool + Sync) {
    println!("Fitted on every other shape, scored on the shapes between:");
    report::heading();
    let scores = parallel::each(samples, |sample| {
        let others = middle(sample, samples, |device| device != sample.device);
        let others = others.filter(|_| asked(sample))?;
        let mut names: Vec<&str> = sample.kernels.iter().map(|kernel| kernel.shape.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let even = |index: &usize| {
            let shape = sample.kernels[*index].shape.as_str();
            names.binary_search(&shape).is_ok_and(|place| place % 2 == 0)
        };
        let (known, _): (Vec<usize>, _) = sample.rows(Part::Fitted).into_iter().partition(even);
        let (_, unknown): (Vec<usize>, Vec<usize>) = sample.rows(Part::Scored).into_iter().partition(even);
        if known.is_empty() || unknown.is_empty() {
            return None;
        }
        let system = fit::with_fitted(&catalogue(sample.device, sample.library), sample.group, &others);
        let found = fit::fit(&system, sample, &known, &[others], EFFORT);
        Some(score::score(&fit::with_values(&system, sample.group, &found), sample, &unknown))
    });
    for (sample, score) in samples.iter().zip(scores) {
        if let Some(score) = score {
            report::line(sample, &score, &score);
        }
    }
}
