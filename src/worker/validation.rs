//! The Validation view: predictions beside measurements, and how far apart they are.

mod answer;
mod groups;
mod list;

use super::desk::Work;
use crate::figure::Size;
use crate::scenario::{Scenario, Topic};
use crate::validation::points::{self, Pair, Point, Prediction, Terms};
use answer::Answer;

/// The measured rows, beside the program.
const FILE: &str = "validation.csv";

/// Rows that are predicted in one step: some milliseconds.
const SLICE: usize = 40;

/// The measured rows, and what was predicted for them so far.
#[derive(Debug, Default)]
pub(super) struct Validation {
    points: Option<Result<Vec<Point>, String>>,
    /// What the predictions rest on.
    terms: Terms,
    /// One for each point.
    predictions: Vec<State>,
}

/// How far a point is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// The model has not been asked yet.
    Open,
    /// The model refuses to answer.
    Refused,
    /// The model's answer.
    Predicted(Prediction),
}

/// A row that is shown: what was measured and predicted of it.
struct Row<'a> {
    point: &'a Point,
    pair: Pair,
}

impl Validation {
    /// Takes the file, or why there is none.
    pub(super) fn read(&mut self, file: Result<&str, String>) {
        self.points = Some(file.and_then(points::read));
    }

    /// One step towards the answer.
    pub(super) fn work(&mut self, scenario: &Scenario, size: Size) -> Result<Work, String> {
        let points = match &self.points {
            None => return Ok(Work::Fetch(FILE)),
            Some(Err(why)) => {
                let message = format!("The measured rows could not be read: {why}");
                // The next question tries again.
                self.points = None;
                return Err(message);
            }
            Some(Ok(points)) => points,
        };
        let terms = Terms::of(scenario);
        if self.terms != terms || self.predictions.len() != points.len() {
            self.terms = terms;
            self.predictions = vec![State::Open; points.len()];
        }
        let topic = scenario.errors.of;
        let wanted: Vec<usize> = (0..points.len()).filter(|index| points[*index].is_about(topic)).collect();
        let open: Vec<usize> =
            wanted.iter().copied().filter(|index| self.predictions[*index] == State::Open).collect();
        for &index in open.iter().take(SLICE) {
            let prediction = points[index].predict(&self.terms);
            self.predictions[index] = prediction.map_or(State::Refused, State::Predicted);
        }
        if open.len() > SLICE {
            return Ok(Work::Progress((wanted.len() - open.len() + SLICE) as u32, wanted.len() as u32));
        }
        let mut rows: Vec<Row<'_>> = Vec::new();
        for index in wanted {
            let point = &points[index];
            // A row that gives a time and the rate that goes with it says the same twice.
            let again = topic != Topic::Throughput && rows.last().is_some_and(|row| row.point.id == point.id);
            if let (State::Predicted(prediction), false) = (self.predictions[index], again) {
                rows.push(Row { point, pair: point.pair(prediction, topic) });
            }
        }
        Ok(Answer { scenario, rows: &rows }.done(size))
    }
}
