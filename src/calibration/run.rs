//! A measured run, whose values one prediction gives.

use super::linear::Equation;
use super::solve::dot;
use super::time_kind::TimeKind;
use super::{COUNT, Row, Vector};
use crate::validation::Skip;

/// Increment of a logarithm for numerical derivatives.
const DIFFERENCE: f64 = 0.02;

/// Increment in both directions for a simulated run. A small change of a correction reorders its steps, which changes its
/// times at random by about 1 %.
const SIMULATED_DIFFERENCE: f64 = 0.2;

/// Values of one run with their linearised residuals.
#[derive(Debug)]
pub(super) struct Run<'a> {
    values: Vec<Value<'a>>,
    /// Residuals of the values at the points so far of the linearisation under way: at its point, then moved in each direction.
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
    /// A run of one value.
    pub(super) fn of(place: usize, row: &'a Row, kind: TimeKind) -> Self {
        let equation = Equation { residual: 0.0, slope: [0.0; COUNT], kind };
        Self { values: vec![Value { place, row, kind, before: 0.0, equation }], samples: Vec::new() }
    }

    /// Adds a value that the same prediction gives; otherwise returns a run of it.
    pub(super) fn join(&mut self, place: usize, row: &'a Row, kind: TimeKind) -> Option<Self> {
        let run = Self::of(place, row, kind);
        if !self.values.iter().all(|known| known.row.is_of_run(row)) {
            return Some(run);
        }
        self.values.extend(run.values);
        None
    }

    /// The values.
    pub(super) fn values(&self) -> &[Value<'a>] {
        &self.values
    }

    /// Increments of a logarithm from which a derivative is computed.
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

    /// [`Self::linearise`] about corrections of 1. Values that the model cannot predict are left out.
    pub(super) fn start(&mut self) -> Option<Vec<(usize, Skip)>> {
        let skipped = self.linearise(&[0.0; COUNT])?;
        self.values.retain(|value| skipped.iter().all(|(place, _)| *place != value.place));
        for value in &mut self.values {
            value.before = value.equation.residual;
        }
        Some(skipped)
    }

    /// Computes the next of the predictions from which the residuals are linearised about a point, by numerical derivatives.
    /// The last one returns the values that the model cannot predict at the point, which get no influence.
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
                // One move alone is seen from the point itself.
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

/// A row's residual, linearised about `point` (the logarithms of the corrections).
pub fn tangent(row: &Row, kind: TimeKind, point: &Vector) -> Result<Equation, Skip> {
    let mut run = Run::of(0, row, kind);
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
