//! Why a measured value differs from its prediction: the most probable causes, and how likely published sources make them.

use super::changes;
use crate::calibration::{Cause, Correction, Difference, Level, Sources, rows_of};
use crate::figure::{self, Cell, Column, Row, Size, Table};
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
        Column::new("Quantity").file_only(),
        Column::new("Cause"),
        Column::of("Correction", "×"),
        Column::of("Effect on the time", "%"),
        Column::new("Middle 80 %"),
        Column::new("At least as far off"),
    ]);
    let mut findings = Vec::new();
    for difference in found {
        let name = difference.topic.title();
        for (place, cause) in difference.causes.iter().enumerate() {
            let sources = Sources::of(question, difference.topic, cause.correction);
            if place == 0 {
                findings.extend(sources.as_ref().map(|sources| likelihood(sources, cause)));
            }
            let [middle, beyond] = common(sources.as_ref(), cause);
            table.rows.push(Row::from([
                Cell::text(name),
                Cell::text(cause.correction.label()),
                Cell::number(cause.value, format::times(cause.value)),
                Cell::signed_percent(cause.factor - 1.0),
                middle,
                beyond,
            ]));
        }
        let usual = difference.usual_scatter;
        table.rows.push(Row::from([
            Cell::text(name),
            Cell::text("Scatter, not explained"),
            Cell::number(difference.scatter, format::times(difference.scatter)),
            Cell::signed_percent(difference.scatter - 1.0),
            Cell::text(between(1.0 / usual, usual)).noted("of rows about their source"),
            Cell::none(),
        ]));
        let rows = difference.causes.len() + 1;
        let first = table.rows.len() - rows;
        table.rows[first].group = Some(name.to_owned());
    }
    findings.push(
        "The corrections of a calibration that explain the difference best, with the spread of published sources as prior. A \
         correction of link bandwidth above 1 is a higher bandwidth, of the others a longer time"
            .to_owned(),
    );
    TablePart::new(ID, "Causes of the difference", findings.join(". "), table)
}

/// `0.9× to 1.2×`.
fn between(low: f64, high: f64) -> String {
    format!("{} to {}", format::times(low), format::times(high))
}

/// The corrections of the middle 80 % of published sources, and how many are at least as far from 1.
fn common(sources: Option<&Sources>, cause: &Cause) -> [Cell; 2] {
    let Some(sources) = sources else {
        return [Cell::text("–").noted("fewer than three sources tell it"), Cell::none()];
    };
    let (low, high) = sources.middle();
    let beyond = format!("{} of {}", sources.beyond(cause.value), sources.factors.len());
    [Cell::text(between(low, high)).noted(whose(sources)), Cell::text(beyond)]
}

/// Which sources they are, e.g. `sources of vLLM`.
fn whose(sources: &Sources) -> String {
    match (sources.software.as_str(), sources.level) {
        ("", Level::Home) => "sources of any software".to_owned(),
        ("", Level::Abroad) => "sources without constants of their own".to_owned(),
        (software, _) => format!("sources of {software}"),
    }
}

/// How common a correction is among published sources, in one sentence without a full stop.
fn likelihood(sources: &Sources, cause: &Cause) -> String {
    let count = sources.factors.len();
    let (low, high) = sources.middle();
    let side = if cause.value < 1.0 { "at most" } else { "at least" };
    format!(
        "Of {count} {}, the middle 80 % had {} {} the prediction; {} of {count} had {side} {}",
        whose(sources),
        plural(cause.correction),
        between(low, high),
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
