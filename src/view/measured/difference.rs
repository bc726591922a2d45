//! Why a measured value differs from its prediction: the most probable causes, and how likely published sources make them.

use super::changes;
use crate::calibration::{Cause, Correction, Difference, Level, Sources, Topic, rows_of};
use crate::figure::{self, Cell, Column, Size, Table};
use crate::scenario::{Problem, Profile, Scenario, link};
use crate::units::format;
use crate::view::{Link, Notice, Part, TablePart};

/// Id of the table of causes, and of the notice in its place.
const ID: &str = "causes";

/// The figures and the table of causes, and what to change first; nothing without a measured value.
pub(in crate::view) fn stage(question: &Scenario, size: Size) -> Result<Vec<Part>, Vec<Problem>> {
    let rows = rows_of(question, &question.measured.from);
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    if question.profile_in_use().is_some() {
        return Ok(vec![profiled(question).into()]);
    }
    let found = rows.iter().map(Difference::of).collect::<Result<Vec<_>, _>>();
    let found = found.map_err(|error| vec![Problem::new(ID, error.to_string())])?;
    let mut parts: Vec<Part> =
        found.iter().map(|difference| figure::difference(difference, size).into()).collect();
    parts.push(causes(question, &found).into());
    parts.extend(found.first().and_then(|first| changes::part(question, first.topic)));
    Ok(parts)
}

/// The causes are corrections of the published constants, so that a profile would count twice.
fn profiled(question: &Scenario) -> Notice {
    let off = Profile { off: true, ..question.profile.clone() };
    let there = Scenario { profile: off, ..question.clone() };
    Notice {
        id: ID.to_owned(),
        text: "Causes of the difference".to_owned(),
        links: vec![Link {
            text: "Show the causes of the difference without the calibration profile".to_owned(),
            link: link::encode(&there),
            ..Link::default()
        }],
    }
}

/// Each cause with its likelihood; the rest of each difference as a row of its own.
fn causes(question: &Scenario, found: &[Difference]) -> TablePart {
    let mut table = Table::under([
        Column::new("Measured"),
        Column::new("Cause"),
        Column::of("Correction", "×"),
        Column::of("Effect on the time", "%"),
        Column::new("Published sources"),
    ]);
    for difference in found {
        let name = Cell::text(difference.topic.quantity().label());
        for cause in &difference.causes {
            table.push([
                name.clone(),
                Cell::text(cause.correction.label()),
                Cell::number(cause.value, format::times(cause.value)),
                Cell::signed_percent(cause.factor - 1.0),
                Cell::text(likelihood(question, difference.topic, cause)),
            ]);
        }
        let usual = difference.usual_scatter;
        table.push([
            name,
            Cell::text("Scatter, not explained"),
            Cell::none(),
            Cell::signed_percent(difference.scatter - 1.0),
            Cell::text(format!(
                "80 % of published rows lie within {} to {} of the prediction that is corrected for their source",
                format::times(1.0 / usual),
                format::times(usual)
            )),
        ]);
    }
    let finding = "The corrections of a calibration that explain the difference best, with the spread of published sources as \
                   prior. A correction of link bandwidth above 1 is a higher bandwidth, of the others a longer time";
    TablePart::new(ID, "Causes of the difference", finding, table)
}

/// How common a correction is among published sources, in one sentence.
fn likelihood(question: &Scenario, topic: Topic, cause: &Cause) -> String {
    let Some(sources) = Sources::of(question, topic, cause.correction) else {
        return "Fewer than three published sources tell it".to_owned();
    };
    let count = sources.factors.len();
    let of = match (sources.software.as_str(), sources.level) {
        ("", Level::Home) => format!("{count} sources of any software"),
        ("", Level::Abroad) => format!("{count} sources whose software and device no constant was fitted to"),
        (software, _) => format!("{count} sources of {software}"),
    };
    let (low, high) = sources.middle();
    let side = if cause.value < 1.0 { "at most" } else { "at least" };
    format!(
        "Of {of}, the middle 80 % had {} {} to {} the prediction; {} of {count} had {side} {}",
        plural(cause.correction),
        format::times(low),
        format::times(high),
        sources.beyond(cause.value),
        format::times(cause.value)
    )
}

/// What a correction multiplies.
const fn plural(correction: Correction) -> &'static str {
    match correction {
        Correction::Kernels => "kernel times",
        Correction::Host => "host times",
        Correction::Links => "link bandwidths",
        Correction::Starts => "start times of collectives",
        Correction::Step => "overheads per step or request",
    }
}
