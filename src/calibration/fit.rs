//! Gauss-Newton fit of the corrections: predictions are linearised about the current point, and the linear problem is
//! solved until the corrections converge.

use super::linear::{Equation, Estimate, estimate};
use super::prior::Prior;
use super::result::{Calibration, CalibrationError, MAX_ROWS, RowResult, rounded};
use super::run::{Run, Value};
use super::time_kind::TimeKind;
use super::{COUNT, Row, Vector};
use crate::order;
use crate::system::{AssumptionSet, Corrections};
use crate::validation::Skip;

/// Maximum number of Gauss-Newton steps. Few are needed: log(time) is nearly linear in the corrections' logarithms.
const STEPS: u32 = 8;

/// Convergence threshold: the fit ends when no logarithm changes by more.
const SETTLED: f64 = 5e-4;

/// Largest change of a logarithm in one step: a factor of two.
const LONGEST: f64 = 0.7;

/// Largest magnitude of a logarithm: a factor of 10, the range of the profile's fields.
pub const LARGEST: f64 = 2.3;

/// Passes over the runs that are expected for the progress of a fit.
const USUAL: f64 = 5.0;

/// A fit that is computed in steps, each of at most one prediction. It passes over the runs until the corrections have
/// converged, and then over the names of the runs, each of which is left out once.
#[derive(Debug)]
pub struct Fit<'a> {
    prior: Prior,
    estimate: fn(&Prior, &[Equation]) -> Estimate,
    runs: Vec<Run<'a>>,
    /// Rows that are not fitted, in the order in which they were given.
    skipped: Vec<(usize, Skip)>,
    /// Index of the next run or name.
    next: usize,
    /// Gauss-Newton steps so far.
    steps: u32,
    /// Logarithms of the corrections so far.
    point: Vector,
    /// The estimate, once the corrections have converged.
    found: Option<Estimate>,
    /// Names of the runs, once the corrections have converged.
    names: Vec<String>,
    /// Results of the runs that were left out so far.
    results: Vec<RowResult>,
}

/// Fits the corrections to measured rows, with the prior estimated from published rows.
pub fn fit(rows: &[Row]) -> Result<Calibration, CalibrationError> {
    Fit::new(rows)?.finish()
}

/// Fits the corrections to measured rows with a given prior. The scatter is pooled from the prior's and that of the rows.
pub fn fit_under(prior: &Prior, rows: &[Row]) -> Result<Calibration, CalibrationError> {
    fit_by(prior, rows, estimate)
}

/// Fits the corrections with an estimate of the linearised problem.
pub(super) fn fit_by(
    prior: &Prior,
    rows: &[Row],
    estimate: fn(&Prior, &[Equation]) -> Estimate,
) -> Result<Calibration, CalibrationError> {
    Fit::by(*prior, rows, estimate)?.finish()
}

impl<'a> Fit<'a> {
    /// A fit to measured rows of one device, with the prior estimated from published rows.
    pub fn new(rows: &'a [Row]) -> Result<Self, CalibrationError> {
        let devices = distinct(rows.iter().filter_map(Row::device));
        if devices.len() > 1 {
            return Err(CalibrationError::Devices(devices));
        }
        Self::by(Prior::of_rows(rows), rows, estimate)
    }

    fn by(
        prior: Prior,
        rows: &'a [Row],
        estimate: fn(&Prior, &[Equation]) -> Estimate,
    ) -> Result<Self, CalibrationError> {
        if rows.len() > MAX_ROWS {
            return Err(CalibrationError::TooMany(rows.len()));
        }
        let (mut runs, mut skipped) = (Vec::<Run<'a>>::new(), Vec::new());
        for (place, row) in rows.iter().enumerate() {
            match (usable(row), runs.last_mut()) {
                // The values of a run are in consecutive rows.
                (Ok(kind), Some(run)) if run.predicts(row) => run.add(place, row, kind),
                (Ok(kind), _) => {
                    let mut run = Run::default();
                    run.add(place, row, kind);
                    runs.push(run);
                }
                (Err(skip), _) => skipped.push((place, skip)),
            }
        }
        Ok(Self {
            prior,
            estimate,
            runs,
            skipped,
            next: 0,
            steps: 0,
            point: [0.0; COUNT],
            found: None,
            names: Vec::new(),
            results: Vec::new(),
        })
    }

    /// The result, computed at once.
    fn finish(mut self) -> Result<Calibration, CalibrationError> {
        loop {
            if let Some(result) = self.step() {
                return result;
            }
        }
    }

    /// Fraction of the fit that is done. The number of passes is not known before, so that this is an estimate.
    pub fn progress(&self) -> f64 {
        let runs = self.runs.len().max(1) as f64;
        let passes = f64::from(self.steps) + (self.next as f64 / runs).min(1.0);
        passes / USUAL.max(passes + 1.0)
    }

    /// Computes the next step; the result after the last one.
    pub fn step(&mut self) -> Option<Result<Calibration, CalibrationError>> {
        if let Some(found) = self.found.take() {
            let Some(name) = self.names.get(self.next).cloned() else {
                return Some(Ok(self.summed_up(&found)));
            };
            self.leave_out(&name, &found);
            self.next += 1;
            self.found = Some(found);
            return None;
        }
        let Some(run) = self.runs.get_mut(self.next) else {
            self.runs.retain(|run| !run.values().is_empty());
            if self.runs.is_empty() {
                return Some(Err(CalibrationError::NoRow(std::mem::take(&mut self.skipped))));
            }
            self.advance();
            return None;
        };
        let skipped = run.linearise(&self.point)?;
        if self.steps == 0 {
            run.start(&skipped);
            for (place, skip) in skipped {
                let at = self.skipped.partition_point(|(known, _)| *known < place);
                self.skipped.insert(at, (place, skip));
            }
        }
        self.next += 1;
        None
    }

    /// Ends a pass over the runs with a Gauss-Newton step.
    fn advance(&mut self) {
        let equations: Vec<Equation> = self.values().into_iter().map(|value| value.equation).collect();
        let found = (self.estimate)(&self.prior, &equations);
        let step: Vector = std::array::from_fn(|place| found.logarithms[place] - self.point[place]);
        let longest = step.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
        let last = self.steps >= STEPS;
        if !last {
            let share = if longest > LONGEST { LONGEST / longest } else { 1.0 };
            for (point, step) in self.point.iter_mut().zip(step) {
                *point = (*point + share * step).clamp(-LARGEST, LARGEST);
            }
        }
        if last || longest < SETTLED {
            self.found = Some(Estimate { logarithms: self.point, ..found });
            self.names = distinct(self.values().into_iter().map(|value| value.row.name.clone()));
        }
        (self.next, self.steps) = (0, self.steps + 1);
    }

    /// All values in a fixed order. Floating-point sums over them do not depend on the order in which rows were given.
    fn values(&self) -> Vec<&Value<'a>> {
        let mut values: Vec<&Value<'a>> = self.runs.iter().flat_map(Run::values).collect();
        order::sort(&mut values, |a, b| {
            let ordered = a.kind.cmp(&b.kind).then(a.before.total_cmp(&b.before));
            ordered.then(a.row.measured.total_cmp(&b.row.measured))
        });
        values
    }

    /// Adds the results of the values of this name. The corrections for them are estimated from the other values.
    fn leave_out(&mut self, name: &str, found: &Estimate) {
        let values = self.values();
        let others = values.iter().filter(|value| value.row.name != name).map(|value| value.equation);
        let others = estimate(&self.prior, &others.collect::<Vec<Equation>>());
        let result = |(value, weight): (&&Value<'a>, &f64)| {
            let equation = value.equation;
            RowResult {
                place: value.place,
                before: value.before,
                after: found.left(&equation),
                left_out: others.left(&equation),
                weight: *weight,
                moved: std::array::from_fn(|place| found.logarithms[place] - others.logarithms[place]),
            }
        };
        let own = values.iter().zip(&found.weights).filter(|(value, _)| value.row.name == name);
        let results: Vec<RowResult> = own.map(result).collect();
        self.results.extend(results);
    }

    /// The result, once each name was left out.
    fn summed_up(&mut self, found: &Estimate) -> Calibration {
        let mut rows = std::mem::take(&mut self.results);
        order::sort(&mut rows, |a, b| a.place.cmp(&b.place));
        let values = self.values();
        let spread = |kind: TimeKind| {
            let of: Vec<f64> = values
                .iter()
                .filter(|value| value.kind == kind)
                .map(|value| found.deviation(kind, &value.equation.slope))
                .collect();
            let square: f64 = of.iter().map(|deviation| deviation * deviation).sum();
            (!of.is_empty()).then(|| (kind, libm::sqrt(square / of.len() as f64)))
        };
        let devices = distinct(values.iter().map(|value| value.row.device().unwrap_or_default()));
        let software = distinct(values.iter().map(|value| value.row.scenario.software_word().to_owned()));
        Calibration {
            gpu: match &devices[..] {
                [one] => one.clone(),
                _ => String::new(),
            },
            software: software.join(","),
            runs: u32::try_from(self.names.len()).unwrap_or(u32::MAX),
            corrections: Corrections::of(found.logarithms.map(|logarithm| rounded(libm::exp(logarithm)))),
            prior: self.prior.corrections,
            deviations: std::array::from_fn(|place| libm::sqrt(found.covariance[place][place].max(0.0))),
            rows,
            skipped: self.skipped.clone(),
            spreads: TimeKind::ALL.into_iter().filter_map(spread).collect(),
        }
    }
}

/// The kind of time of a row, if corrections apply to it.
fn usable(row: &Row) -> Result<TimeKind, Skip> {
    let kind = TimeKind::of(row.quantity).ok_or_else(|| Skip::NotModelled(row.quantity.name().to_owned()))?;
    if row.scenario.assumptions != AssumptionSet::Calibrated {
        return Err(Skip::Defect("corrections apply only to calibrated assumptions"));
    }
    Ok(kind)
}

/// Sorted names without duplicates.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    order::sort(&mut names, Ord::cmp);
    names.dedup();
    names
}
