//! A measured run: the values of one scenario, which one prediction covers.

use super::linear::Equation;
use super::solve::dot;
use super::time_kind::TimeKind;
use super::{COUNT, Row, Vector};
use crate::validation::Skip;

/// Increment of a correction's logarithm for numerical derivatives.
const DIFFERENCE: f64 = 0.02;

/// Increment in both directions for a simulated run. A small change of a correction reorders its steps, which changes its
/// times at random by about 1 %.
const SIMULATED_DIFFERENCE: f64 = 0.2;

/// Values of one run with their linearised residuals.
#[derive(Debug, Default)]
pub(super) struct Run<'a> {
    values: Vec<Value<'a>>,
    /// Residuals of all values in each prediction of the current linearisation: first at its point, then with one correction
    /// moved.
    samples: Vec<Vec<Result<f64, Skip>>>,
}

/// A value of a run.
#[derive(Debug)]
pub(super) struct Value<'a> {
    /// Index among the given rows.
    pub(super) place: usize,
    /// The row.
    pub(super) row: &'a Row,
    /// The kind of time that it measures.
    pub(super) kind: TimeKind,
    /// log(measured / predicted) with all corrections at 1.
    pub(super) before: f64,
    /// Linearised residual.
    pub(super) equation: Equation,
}

impl<'a> Run<'a> {
    /// Returns true if the prediction of this run covers the row.
    pub(super) fn predicts(&self, row: &Row) -> bool {
        self.values.iter().all(|value| value.row.is_of_run(row))
    }

    /// Adds the value of a row.
    pub(super) fn add(&mut self, place: usize, row: &'a Row, kind: TimeKind) {
        let equation = Equation { residual: 0.0, slope: [0.0; COUNT], kind };
        self.values.push(Value { place, row, kind, before: 0.0, equation });
    }

    /// The values.
    pub(super) fn values(&self) -> &[Value<'a>] {
        &self.values
    }

    /// Increments of a correction's logarithm in the predictions of its derivative.
    fn moves(&self) -> &'static [f64] {
        let simulated = self.values.first().is_some_and(|value| value.row.is_simulated());
        if simulated { &[-SIMULATED_DIFFERENCE, SIMULATED_DIFFERENCE] } else { &[DIFFERENCE] }
    }

    /// log(measured / predicted) of each value at a point.
    fn residuals(&self, point: &Vector) -> Vec<Result<f64, Skip>> {
        let answer = self.values.first().map(|value| value.row.answer(point));
        let residual = |value: &Value<'_>| match &answer {
            Some(Ok(answer)) => value.row.residual_in(answer),
            Some(Err(skip)) => Err(skip.clone()),
            None => Ok(0.0),
        };
        self.values.iter().map(residual).collect()
    }

    /// Records the residuals without corrections, after a linearisation there that could not predict the `skipped` values.
    /// These are left out of the run.
    pub(super) fn start(&mut self, skipped: &[(usize, Skip)]) {
        self.values.retain(|value| skipped.iter().all(|(place, _)| *place != value.place));
        for value in &mut self.values {
            value.before = value.equation.residual;
        }
    }

    /// Computes the next of the predictions from which the residuals are linearised about a point by numerical derivatives.
    /// Returns `None` until the last one, which returns the values that the model cannot predict at the point. Their slopes are
    /// 0, so that they have no influence.
    pub(super) fn linearise(&mut self, point: &Vector) -> Option<Vec<(usize, Skip)>> {
        let moves = self.moves();
        let mut at = *point;
        if let Some(moved) = self.samples.len().checked_sub(1) {
            at[moved / moves.len()] += moves[moved % moves.len()];
        }
        let sample = self.residuals(&at);
        self.samples.push(sample);
        if self.samples.len() < 1 + COUNT * moves.len() {
            return None;
        }
        let samples = std::mem::take(&mut self.samples);
        let (first, last) = (moves[0], moves[moves.len() - 1]);
        let mut skipped = Vec::new();
        for (index, value) in self.values.iter_mut().enumerate() {
            let slope = std::array::from_fn(|place| {
                let above = (place + 1) * moves.len();
                // A single move is compared with the point itself.
                let (below, apart) = if moves.len() == 1 { (0, last) } else { (above - 1, last - first) };
                match (&samples[below][index], &samples[above][index]) {
                    (Ok(below), Ok(above)) => (below - above) / apart,
                    _ => 0.0,
                }
            });
            let (residual, slope) = match &samples[0][index] {
                Ok(residual) => (residual + dot(&slope, point), slope),
                Err(skip) => {
                    skipped.push((value.place, skip.clone()));
                    (0.0, [0.0; COUNT])
                }
            };
            value.equation = Equation { residual, slope, kind: value.kind };
        }
        Some(skipped)
    }
}

/// The residual of one row, linearised about the corrections with the logarithms `point`.
pub fn tangent(row: &Row, kind: TimeKind, point: &Vector) -> Result<Equation, Skip> {
    let mut run = Run::default();
    run.add(0, row, kind);
    let mut skipped = loop {
        if let Some(skipped) = run.linearise(point) {
            break skipped;
        }
    };
    match skipped.pop() {
        Some((_, skip)) => Err(skip),
        None => Ok(run.values[0].equation),
    }
}
