//! The visitor's own measurements among the published rows.

use crate::calibration::{self, Row, rows_of};
use crate::figure::Dot;
use crate::scenario::{Profile, Scenario, Topic, View};
use crate::view::Question;

/// A measured time of the visitor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OwnRow {
    /// What was measured.
    pub(super) scenario: Scenario,
    /// Predicted time, s.
    pub(super) predicted: f64,
    /// Measured time, s.
    pub(super) measured: f64,
}

/// Measured times of the question and of the collected rows that belong to a topic.
pub(super) fn rows(question: &Question, topic: Topic) -> Vec<OwnRow> {
    let mut times = calibration::TimeKind::ALL.into_iter();
    let Some(time) = times.find(|time| time.errors() == topic) else { return Vec::new() };
    let view = if time == calibration::TimeKind::Step { View::Training } else { View::Inference };
    // Published rows are predicted without a profile. The question has no view of its own here, the collected rows have.
    let asked = Scenario { view, ..question.scenario.clone() };
    let collected = question.collected().filter(|row| row.view == view);
    let plain = |row: &Scenario| Scenario { profile: Profile::default(), ..row.clone() };
    let rows = std::iter::once(&asked).chain(collected).map(plain);
    let rows = rows.flat_map(|row| rows_of(&row, ""));
    rows.filter(|row| calibration::TimeKind::of(row.quantity) == Some(time))
        .filter_map(|row: Row| {
            let (measured, predicted) = row.times().ok()?;
            Some(OwnRow { scenario: row.scenario, predicted, measured })
        })
        .collect()
}

/// A mark for each row, whether it passes the filters or not.
pub(super) fn dots(rows: &[OwnRow]) -> impl Iterator<Item = Dot<'_>> {
    let name = if rows.len() > 1 { "your measurements" } else { "your measurement" };
    rows.iter().map(move |row| Dot {
        name,
        group: name,
        measured: row.measured,
        predicted: row.predicted,
        counted: false,
        link: "".into(),
        own: true,
    })
}
