//! Gauss-Newton fit of the corrections: predictions are linearised about the current point, and the linear problem is
//! solved until the corrections converge.

use super::linear::{Equation, Estimate, estimate};
use super::prior::Prior;
use super::result::{Calibration, CalibrationError, MAX_ROWS, RowResult, rounded};
use super::solve::dot;
use super::time_kind::TimeKind;
use super::{COUNT, Row, Vector};
use crate::order;
use crate::system::{AssumptionSet, Corrections};
use crate::validation::Skip;

/// Maximum number of Gauss-Newton steps. Few are needed: log(time) is nearly linear in the corrections' logarithms.
const STEPS: u32 = 8;

/// Increment of a logarithm for numerical derivatives.
const DIFFERENCE: f64 = 0.02;

/// Increment in both directions for a simulated run. A small change of a correction reorders its steps, which changes its
/// times at random by about 1 %.
const SIMULATED_DIFFERENCE: f64 = 0.2;

/// Convergence threshold: the fit ends when no logarithm changes by more.
const SETTLED: f64 = 5e-4;

/// Largest change of a logarithm in one step: a factor of two.
const LONGEST: f64 = 0.7;

/// Largest magnitude of a logarithm: a factor of 10, the range of the profile's fields.
pub const LARGEST: f64 = 2.3;

/// A row that can be fitted.
struct Fitted<'a> {
    /// Index among the given rows.
    place: usize,
    row: &'a Row,
    kind: TimeKind,
    /// log(measured / predicted) with all corrections at 1.
    before: f64,
}

/// Fits the corrections to measured rows, with the prior estimated from published rows.
pub fn fit(rows: &[Row]) -> Result<Calibration, CalibrationError> {
    let devices = distinct(rows.iter().filter_map(Row::device));
    if devices.len() > 1 {
        return Err(CalibrationError::Devices(devices));
    }
    fit_under(&Prior::of_rows(rows), rows)
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
    if rows.len() > MAX_ROWS {
        return Err(CalibrationError::TooMany(rows.len()));
    }
    let (mut fitted, mut skipped) = (Vec::new(), Vec::new());
    for (place, row) in rows.iter().enumerate() {
        match usable(place, row) {
            Ok(row) => fitted.push(row),
            Err(skip) => skipped.push((place, skip)),
        }
    }
    if fitted.is_empty() {
        return Err(CalibrationError::NoRow(skipped));
    }
    // A fixed order makes floating-point sums, and so the fit, independent of the order in which rows were given.
    order::sort(&mut fitted, |a, b| {
        let ordered = a.kind.cmp(&b.kind).then(a.before.total_cmp(&b.before));
        ordered.then(a.row.measured.total_cmp(&b.row.measured))
    });
    let mut point = [0.0; COUNT];
    let mut equations = tangents(&fitted, &point);
    let mut found = estimate(prior, &equations);
    for _ in 0..STEPS {
        let step: Vector = std::array::from_fn(|place| found.logarithms[place] - point[place]);
        let longest = step.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
        let share = if longest > LONGEST { LONGEST / longest } else { 1.0 };
        for (place, step) in step.into_iter().enumerate() {
            point[place] = (point[place] + share * step).clamp(-LARGEST, LARGEST);
        }
        if longest < SETTLED {
            break;
        }
        equations = tangents(&fitted, &point);
        found = estimate(prior, &equations);
    }
    let found = Estimate { logarithms: point, ..found };
    Ok(summed_up(prior, &fitted, &equations, &found, skipped))
}

/// The row as an input of the fit, if the model predicts it and corrections apply to it.
fn usable(place: usize, row: &Row) -> Result<Fitted<'_>, Skip> {
    let kind = TimeKind::of(row.quantity).ok_or_else(|| Skip::NotModelled(row.quantity.name().to_owned()))?;
    if row.scenario.assumptions != AssumptionSet::Calibrated {
        return Err(Skip::Defect("corrections apply only to calibrated assumptions"));
    }
    let before = row.residual(&[0.0; COUNT])?;
    Ok(Fitted { place, row, kind, before })
}

/// The rows' linearised residuals at a point. A row that the model cannot predict there gets slope 0, so that it has no
/// influence.
fn tangents(fitted: &[Fitted<'_>], point: &Vector) -> Vec<Equation> {
    let tangent = |fitted: &Fitted<'_>| {
        let nothing = Equation { residual: 0.0, slope: [0.0; COUNT], kind: fitted.kind };
        tangent(fitted.row, fitted.kind, point).unwrap_or(nothing)
    };
    fitted.iter().map(tangent).collect()
}

/// A row's residual, linearised about `point` (the logarithms of the corrections).
pub fn tangent(row: &Row, kind: TimeKind, point: &Vector) -> Result<Equation, Skip> {
    let residual = row.residual(point)?;
    let moved = |place: usize, by: f64| {
        let mut moved = *point;
        moved[place] += by;
        row.residual(&moved)
    };
    let slope = std::array::from_fn(|place| {
        if !row.is_simulated() {
            return moved(place, DIFFERENCE).map_or(0.0, |moved| (residual - moved) / DIFFERENCE);
        }
        let (below, above) = (moved(place, -SIMULATED_DIFFERENCE), moved(place, SIMULATED_DIFFERENCE));
        below.and_then(|below| Ok((below - above?) / (2.0 * SIMULATED_DIFFERENCE))).unwrap_or(0.0)
    });
    Ok(Equation { residual: residual + dot(&slope, point), slope, kind })
}

/// Builds the result of a fit. `equations` are the rows' residuals, linearised at the fitted point.
fn summed_up(
    prior: &Prior,
    fitted: &[Fitted<'_>],
    equations: &[Equation],
    found: &Estimate,
    skipped: Vec<(usize, Skip)>,
) -> Calibration {
    let of = |(index, (fitted_row, equation)): (usize, (&Fitted<'_>, &Equation))| {
        let of_others = |(other, _): &(&Fitted<'_>, &Equation)| other.row.name != fitted_row.row.name;
        let others = fitted.iter().zip(equations).filter(of_others).map(|(_, equation)| *equation);
        let others = estimate(prior, &others.collect::<Vec<Equation>>());
        RowResult {
            place: fitted_row.place,
            before: fitted_row.before,
            after: found.left(equation),
            left_out: others.left(equation),
            weight: found.weights[index],
            moved: std::array::from_fn(|place| found.logarithms[place] - others.logarithms[place]),
        }
    };
    let mut rows: Vec<RowResult> = fitted.iter().zip(equations).enumerate().map(of).collect();
    order::sort(&mut rows, |a, b| a.place.cmp(&b.place));
    let spread = |kind: TimeKind| {
        let of: Vec<f64> = equations
            .iter()
            .filter(|equation| equation.kind == kind)
            .map(|equation| found.deviation(kind, &equation.slope))
            .collect();
        let square: f64 = of.iter().map(|deviation| deviation * deviation).sum();
        (!of.is_empty()).then(|| (kind, libm::sqrt(square / of.len() as f64)))
    };
    let named = |name: fn(&Row) -> String| distinct(fitted.iter().map(|fitted| name(fitted.row)));
    Calibration {
        gpu: match &named(|row| row.device().unwrap_or_default())[..] {
            [one] => one.clone(),
            _ => String::new(),
        },
        software: named(|row| row.scenario.software_word().to_owned()).join(","),
        runs: u32::try_from(named(|row| row.name.clone()).len()).unwrap_or(u32::MAX),
        corrections: Corrections::of(found.logarithms.map(|logarithm| rounded(libm::exp(logarithm)))),
        prior: prior.corrections,
        deviations: std::array::from_fn(|place| libm::sqrt(found.covariance[place][place].max(0.0))),
        rows,
        skipped,
        spreads: TimeKind::ALL.into_iter().filter_map(spread).collect(),
    }
}

/// Sorted names without duplicates.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    order::sort(&mut names, Ord::cmp);
    names.dedup();
    names
}
