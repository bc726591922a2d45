//! The fit: tangents of predictions at ever better points, until the corrections settle.

use super::linear::{Equation, Estimate, estimate};
use super::prior::{Prior, Topic};
use super::result::{Calibration, CalibrationError, summed_up};
use super::solve::dot;
use super::{COUNT, Row, Vector};
use crate::order;
use crate::system::AssumptionSet;
use crate::validation::Skip;

/// Most rows of one fit.
pub const MAX_ROWS: usize = 256;

/// Gauss-Newton steps at most: logarithms of times are nearly linear in those of corrections.
const STEPS: u32 = 8;

/// The difference of a logarithm by which derivatives are taken.
const DIFFERENCE: f64 = 0.02;

/// A step that changes every logarithm by less ends the fit.
const SETTLED: f64 = 5e-4;

/// The longest step of a logarithm: a factor of two.
const LONGEST: f64 = 0.7;

/// The largest logarithm, within the range of the profile's fields.
const LARGEST: f64 = 2.3;

/// A row that can be fitted, and its place among those that were given.
pub(super) struct Fitted<'a> {
    pub(super) place: usize,
    pub(super) row: &'a Row,
    pub(super) topic: Topic,
    /// Its residual without any correction.
    pub(super) before: f64,
}

/// Fits the corrections to rows, under the prior of published rows.
pub fn fit(rows: &[Row]) -> Result<Calibration, CalibrationError> {
    let all: Vec<&Row> = rows.iter().collect();
    fit_under(&Prior::of_rows(&all), rows)
}

/// Fits the corrections to rows under a given prior.
pub fn fit_under(prior: &Prior, rows: &[Row]) -> Result<Calibration, CalibrationError> {
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
    // Sums have the same bits in whatever order the rows came.
    order::sort(&mut fitted, |a, b| {
        let ordered = a.topic.cmp(&b.topic).then(a.before.total_cmp(&b.before));
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

/// The row, if the model has a time for it that corrections change.
fn usable(place: usize, row: &Row) -> Result<Fitted<'_>, Skip> {
    let topic = Topic::of(row.quantity).ok_or_else(|| Skip::NotModelled(row.quantity.name().to_owned()))?;
    if row.scenario.assumptions != AssumptionSet::Calibrated {
        return Err(Skip::Defect("its assumptions are not the calibrated ones"));
    }
    let before = row.residual(&[0.0; COUNT])?;
    Ok(Fitted { place, row, topic, before })
}

/// The rows' tangents at a point; a row that the model refuses there says nothing.
fn tangents(fitted: &[Fitted<'_>], point: &Vector) -> Vec<Equation> {
    let tangent = |fitted: &Fitted<'_>| {
        let nothing = Equation { residual: 0.0, slope: [0.0; COUNT], topic: fitted.topic };
        tangent(fitted.row, fitted.topic, point).unwrap_or(nothing)
    };
    fitted.iter().map(tangent).collect()
}

/// A row's tangent at these logarithms of corrections.
pub fn tangent(row: &Row, topic: Topic, point: &Vector) -> Result<Equation, Skip> {
    let residual = row.residual(point)?;
    let slope = std::array::from_fn(|place| {
        let mut moved = *point;
        moved[place] += DIFFERENCE;
        row.residual(&moved).map_or(0.0, |moved| (residual - moved) / DIFFERENCE)
    });
    Ok(Equation { residual: residual + dot(&slope, point), slope, topic })
}
