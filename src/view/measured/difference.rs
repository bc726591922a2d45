//! Explains the difference between a measured and a predicted time: the most probable corrections, and how common
//! corrections of this size are among published sources.

use super::{changes, ratio};
use crate::calibration::{Cause, Correction, Difference, Level, Sources, TimeKind, rows_of};
use crate::figure::{self, Cell, Column, Row, Table};
use crate::scenario::{Problem, Profile, Scenario};
use crate::units::format;
use crate::view::{Link, Notice, Part, Question, TablePart, profiled};

/// Id of the table of causes, and of the notice that replaces it under a calibration profile.
const ID: &str = "causes";

/// The waterfall of each measured time, its causes and the table "What to change first"; empty without a measured value. The causes
/// are the terms of a profile if the step was profiled, otherwise the most probable corrections.
pub(in crate::view) fn stage(question: &Question) -> Result<Vec<Part>, Vec<Problem>> {
    let (question, size) = (&question.scenario, question.size);
    let rows = rows_of(question, &question.measured.from);
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let terms = profiled::differences(question).map(|terms| figure::term_differences(&terms, size).into());
    if question.is_corrected() {
        // The profile's corrections are those of the visitor's rows.
        let mut parts: Vec<Part> = terms.into_iter().collect();
        parts.push(without_profile(question).into());
        let kinds = rows.iter().filter_map(|row| TimeKind::of(row.quantity));
        parts.extend(kinds.zip(changes::IDS).filter_map(|(kind, id)| changes::part(question, kind, id)));
        return Ok(parts);
    }
    let found = rows.iter().map(Difference::of).collect::<Result<Vec<_>, _>>();
    let found = found.map_err(|error| vec![Problem::new(ID, error.to_string())])?;
    let mut parts: Vec<Part> = if let Some(terms) = terms {
        vec![terms]
    } else {
        let figures = found.iter().map(|difference| figure::difference(difference, size).into());
        figures.chain([causes(question, &found).into()]).collect()
    };
    parts.extend(found.iter().zip(changes::IDS).filter_map(|(difference, id)| {
        changes::part(&changes::under(question, difference.corrections), difference.kind, id)
    }));
    Ok(parts)
}

/// A notice with a link to the same question without its calibration profile. The causes are themselves corrections of
/// the published constants, so a profile would be counted twice.
fn without_profile(question: &Scenario) -> Notice {
    let off = Profile { off: true, ..question.profile.clone() };
    let there = Scenario { profile: off, ..question.clone() };
    let link = Link::to("Show the causes of the difference without the calibration profile", &there);
    Notice::new(ID, "Causes of the difference", vec![link])
}

/// The table of causes, with the spread of each correction over published sources, and a row for the unexplained
/// scatter of each measured time.
fn causes(question: &Scenario, found: &[Difference]) -> TablePart {
    let mut table = Table::under([
        Column::new("Quantity").file_only(),
        Column::new("Cause"),
        Column::of("Correction", "×"),
        Column::of("Effect on the time", "%"),
        Column::new("80 % range"),
        Column::new("Sources at least as far from 1"),
    ]);
    let mut findings = Vec::new();
    for difference in found {
        let name = difference.kind.title();
        for (place, cause) in difference.causes.iter().enumerate() {
            let sources = Sources::of(question, difference.kind, cause.correction);
            if place == 0 {
                findings.extend(sources.as_ref().map(|sources| likelihood(sources, cause)));
            }
            let [middle, beyond] = common(sources.as_ref(), cause);
            table.rows.push(Row::from([
                Cell::text(name),
                Cell::text(cause.correction.label()),
                Cell::number(cause.value, format::times(cause.value)),
                effect(cause.factor),
                middle,
                beyond,
            ]));
        }
        let usual = difference.usual_scatter;
        table.rows.push(Row::from([
            Cell::text(name),
            Cell::text("Unexplained scatter"),
            Cell::number(difference.scatter, format::times(difference.scatter)),
            effect(difference.scatter),
            Cell::text(between(1.0 / usual, usual)).noted("of rows within a source"),
            Cell::none(),
        ]));
        let rows = difference.causes.len() + 1;
        let first = table.rows.len() - rows;
        table.rows[first].group = Some(name.to_owned());
    }
    findings.push(
        "Causes are the most probable corrections, given their spread over published sources as prior. A correction \
         above 1 means a higher link bandwidth or, for the others, a longer time"
            .to_owned(),
    );
    TablePart::new(ID, "Causes of the difference", findings.join(". "), table)
}

/// The effect of a factor on a time.
fn effect(factor: f64) -> Cell {
    Cell::number(100.0 * (factor - 1.0), ratio::signed(factor))
}

/// A range of factors, e.g. `0.9× to 1.2×`.
fn between(low: f64, high: f64) -> String {
    format!("{} to {}", format::times(low), format::times(high))
}

/// Cells with the 10th to 90th percentile of a correction over published sources, and with the number of sources whose
/// correction is at least as far from 1.
fn common(sources: Option<&Sources>, cause: &Cause) -> [Cell; 2] {
    let Some(sources) = sources else {
        return [Cell::text("–").noted("fewer than three published sources"), Cell::none()];
    };
    let (low, high) = sources.middle();
    let beyond = format!("{} of {}", sources.beyond(cause.value), sources.factors.len());
    [Cell::text(between(low, high)).noted(whose(sources)), Cell::text(beyond)]
}

/// Description of a group of sources, e.g. `sources of vLLM`.
fn whose(sources: &Sources) -> String {
    match (sources.software.as_str(), sources.level) {
        ("", Level::Home) => "sources of any software".to_owned(),
        ("", Level::Abroad) => "sources without fitted constants".to_owned(),
        (software, _) => format!("sources of {software}"),
    }
}

/// States how common a correction is among published sources, in one sentence without a full stop.
fn likelihood(sources: &Sources, cause: &Cause) -> String {
    let count = sources.factors.len();
    let (low, high) = sources.middle();
    let side = if cause.value < 1.0 { "at most" } else { "at least" };
    format!(
        "Of {count} {}, the central 80 % had {} of {} the prediction; {} of {count} had {side} {}",
        whose(sources),
        plural(cause.correction),
        between(low, high),
        sources.beyond(cause.value),
        format::times(cause.value)
    )
}

/// Plural name of the quantity that a correction multiplies.
const fn plural(correction: Correction) -> &'static str {
    match correction {
        Correction::Kernels => "kernel times",
        Correction::Host => "host times",
        Correction::Links => "link bandwidths",
        Correction::Starts => "start times of collectives",
        Correction::Step => "overheads per step or request",
    }
}
