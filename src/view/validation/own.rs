//! The visitor's own measurement among the published rows.

use crate::calibration::{self, rows_of};
use crate::figure::Dot;
use crate::scenario::{Profile, Scenario, Topic, View};

/// A mark for each measured value of the question that belongs to a topic of times.
pub(super) fn dots(question: &Scenario, topic: Topic) -> Vec<Dot<'static>> {
    let mut times = calibration::Topic::ALL.into_iter();
    let Some(time) = times.find(|time| time.errors() == topic) else { return Vec::new() };
    let view = if time == calibration::Topic::Step { View::Training } else { View::Inference };
    // Published rows are predicted without a profile.
    let asked = Scenario { view, profile: Profile::default(), ..question.clone() };
    let own = rows_of(&asked, "").into_iter();
    let own = own.filter(|row| calibration::Topic::of(row.quantity) == Some(time));
    let dot = |row: calibration::Row| {
        let (measured, predicted) = row.times().ok()?;
        let name = "your measurement";
        Some(Dot { name, group: name, measured, predicted, counted: false, link: "", own: true })
    };
    own.filter_map(dot).collect()
}
