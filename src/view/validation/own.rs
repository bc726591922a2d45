//! The visitor's own measurements among the published rows.

use crate::calibration::{self, Row, rows_of};
use crate::figure::Dot;
use crate::scenario::{Profile, Scenario, Topic, View};
use crate::view::Question;

/// Predicted and measured times of the question and of the collected rows that belong to a topic, s.
pub(super) fn pairs(question: &Question, topic: Topic) -> Vec<(f64, f64)> {
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
        .filter_map(|row: Row| row.times().ok().map(|(measured, predicted)| (predicted, measured)))
        .collect()
}

/// A mark for each pair.
pub(super) fn dots(pairs: &[(f64, f64)]) -> impl Iterator<Item = Dot<'_>> {
    let name = if pairs.len() > 1 { "your measurements" } else { "your measurement" };
    pairs.iter().map(move |(predicted, measured)| Dot {
        name,
        group: name,
        measured: *measured,
        predicted: *predicted,
        counted: false,
        link: "".into(),
        own: true,
    })
}
