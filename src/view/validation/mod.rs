//! The Validation view: published measurements, their predictions, and the errors.

mod entry;
mod groups;
mod league;
mod own;
mod parts;
mod rows;

use super::{News, Question, Work, Working};
use crate::scenario::Topic;
use crate::validation::points::{self, Point, Prediction, Terms};
use parts::{Parts, Row};

pub(super) use entry::ENTRY;

/// File of the measured rows, beside the program.
pub(super) const FILE: &str = "validation.csv";

/// Rows that are predicted in one step: some milliseconds.
const SLICE: usize = 40;

/// The view at work: the measured rows, and their predictions so far.
#[derive(Debug, Default)]
pub(crate) struct Validating {
    points: Option<Result<Vec<Point>, String>>,
    /// Assumptions and constants of the predictions.
    terms: Terms,
    /// Prediction of each point.
    predictions: Vec<State>,
}

/// The state of a point's prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// Prediction pending.
    Open,
    /// The model has no answer.
    Refused,
    /// The model's answer.
    Predicted(Prediction),
}

impl Working for Validating {
    fn step(&mut self, question: &Question) -> Work {
        if let Some(Err(why)) = &self.points {
            let message = format!("The measured rows could not be read: {why}");
            // The next question fetches the file again.
            self.points = None;
            return Work::Fault(message);
        }
        let Some(Ok(points)) = &self.points else { return Work::Fetch(FILE) };
        let terms = Terms::of(&question.scenario);
        if self.terms != terms || self.predictions.len() != points.len() {
            self.terms = terms;
            self.predictions = vec![State::Open; points.len()];
        }
        let topic = question.scenario.errors.of;
        let wanted: Vec<usize> = (0..points.len()).filter(|index| points[*index].is_about(topic)).collect();
        let open: Vec<usize> =
            wanted.iter().copied().filter(|index| self.predictions[*index] == State::Open).collect();
        for &index in open.iter().take(SLICE) {
            let prediction = points[index].predict(&self.terms);
            self.predictions[index] = prediction.map_or(State::Refused, State::Predicted);
        }
        if open.len() > SLICE {
            return Work::Progress((wanted.len() - open.len() + SLICE) as u32, wanted.len() as u32);
        }
        let rows = self.rows(points, &wanted, topic);
        Work::Done(News::Whole(
            Parts { scenario: &question.scenario, rows: &rows, own: &own::rows(question, topic) }
                .answer(question.size),
        ))
    }

    fn supply(&mut self, file: Result<&str, String>) {
        self.points = Some(file.and_then(points::read));
    }
}

impl Validating {
    /// The predicted rows of these points.
    fn rows<'a>(&self, points: &'a [Point], wanted: &[usize], topic: Topic) -> Vec<Row<'a>> {
        let mut rows: Vec<Row<'a>> = Vec::new();
        for &index in wanted {
            let point = &points[index];
            // A source that gives a time and its rate gives one measurement.
            let again = topic != Topic::Throughput && rows.last().is_some_and(|row| row.point.id == point.id);
            if let (State::Predicted(prediction), false) = (self.predictions[index], again) {
                rows.push(Row { point, pair: point.pair(prediction, topic) });
            }
        }
        rows
    }
}
