//! The measured rows that a visitor collects for a calibration: from opened files, and from the form.

use super::{MAX_ROWS, rows_of};
use crate::measured::{Measurement, Opened};
use crate::scenario::{Profile, Scenario};

/// A collected row.
#[derive(Clone, Debug, PartialEq)]
pub struct Collected {
    /// The question with its measured values.
    pub question: Scenario,
    /// The measurement, until the visitor has confirmed the settings that its file does not give; `None` from then on.
    pub open: Option<Box<Measurement>>,
}

/// Outcome of adding a question to the collected rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is a new row, with this index.
    New(usize),
    /// The row with this index has the same question already.
    Known(usize),
    /// It replaced the row with this index, whose settings it confirms.
    Confirmed(usize),
    /// It has no measured value.
    Nothing,
    /// With it, the rows would have more values than a calibration takes.
    TooMany,
}

impl Kept {
    /// The outcome in a sentence without a full stop.
    pub fn sentence(self) -> String {
        match self {
            Self::New(place) => format!("Added as row {}", place + 1),
            Self::Known(place) => format!("Not added: row {} has these values already", place + 1),
            Self::Confirmed(place) => format!("Row {} now has the form's settings", place + 1),
            Self::Nothing => "Not added: this question has no measured value".to_owned(),
            Self::TooMany => format!("Not added: a calibration takes at most {MAX_ROWS} values"),
        }
    }
}

/// Adds a row. One that is there already is skipped; one with the measured values of an unconfirmed row replaces that row.
pub fn put(rows: &mut Vec<Collected>, row: Collected) -> Kept {
    let question = Scenario { profile: Profile::default(), ..row.question };
    let values = |question: &Scenario| rows_of(question, "").len();
    if question.measured.is_empty() {
        return Kept::Nothing;
    }
    if let Some(place) = rows.iter().position(|known| known.question == question && known.open == row.open) {
        return Kept::Known(place);
    }
    let same = |known: &Collected| known.open.is_some() && known.question.measured == question.measured;
    if row.open.is_none()
        && let Some(place) = rows.iter().position(same)
    {
        rows[place] = Collected { question, open: None };
        return Kept::Confirmed(place);
    }
    if rows.iter().map(|row| values(&row.question)).sum::<usize>() + values(&question) > MAX_ROWS {
        return Kept::TooMany;
    }
    rows.push(Collected { question, open: row.open });
    Kept::New(rows.len() - 1)
}

/// Adds the measured rows of an opened file: points with measured values, or saved rows. Duplicates are skipped. Rows that are
/// collected already stay as they are.
pub fn collect(rows: &mut Vec<Collected>, opened: &Opened) {
    match opened {
        Opened::Question(_) => {}
        Opened::Points(points) => {
            for point in points {
                put(rows, Collected { question: point.scenario.clone(), open: point.open.clone() });
            }
        }
        Opened::Rows(questions) => {
            for question in questions {
                put(rows, Collected { question: question.clone(), open: None });
            }
        }
    }
}

/// Name of a row: its number and its source.
pub fn row_name(place: usize, question: &Scenario) -> String {
    match question.measured.from.as_str() {
        "" => format!("Row {}", place + 1),
        from => format!("Row {}, {from}", place + 1),
    }
}
