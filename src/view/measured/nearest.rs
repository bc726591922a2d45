//! The published rows nearest to a measured question, beside it.

use crate::calibration::{Row as Own, Topic, rows_of};
use crate::figure::{Cell, Column, Row, Table};
use crate::order::quantile;
use crate::scenario::{Scenario, Trait};
use crate::units::{Amount, Seconds, Unit, format};
use crate::validation::points::{self, Pair, Point, Terms};
use crate::validation::{Near, nearest};
use crate::view::validation::FILE;
use crate::view::{News, Notice, Part, Question, TablePart, Work};

/// Id of the table, and of the notice in its place.
const ID: &str = "nearest";

/// Rows that are shown of one measured quantity.
const SHOWN: usize = 8;

/// The published rows of times, which are fetched for the first measured question.
#[derive(Debug, Default)]
pub(in crate::view) struct Published {
    points: Option<Result<Vec<Point>, String>>,
}

impl Published {
    /// The step of an answer after its stages: the file is fetched, then the table follows. `None` once that is shown, and
    /// for a question without a measured value or without an answer.
    pub(in crate::view) fn step(&mut self, question: &Question, stages: u32, of: u32) -> Option<Work> {
        if question.shown != Some(stages) {
            return None;
        }
        let own = rows_of(&question.scenario, &question.scenario.measured.from);
        if own.is_empty() || own.iter().any(|row| row.times().is_err()) {
            return None;
        }
        let part = match &self.points {
            None => return Some(Work::Fetch(FILE)),
            Some(Ok(points)) => beside(&question.scenario, &own, points),
            Some(Err(why)) => {
                let text = format!("The published rows could not be read: {why}.");
                // The next question fetches the file again.
                self.points = None;
                Notice { id: ID.to_owned(), text, links: Vec::new() }.into()
            }
        };
        Some(Work::Partial(stages + 1, of, News::More(vec![part])))
    }

    /// Takes the text of the file.
    pub(in crate::view) fn supply(&mut self, file: Result<&str, String>) {
        let time = |quantity| Topic::of(quantity).is_some();
        self.points = Some(file.and_then(|text| points::read_of(text, time)));
    }
}

/// The column of the ratio.
const RATIO: usize = 4;

/// The nearest rows of each measured quantity, below the question's own.
fn beside(question: &Scenario, own: &[Own], points: &[Point]) -> Part {
    let mut table = Table::under([
        Column::new("Quantity").file_only(),
        Column::new("Question"),
        Column::of("Measured", "s"),
        Column::of("Predicted", "s"),
        Column::of("Ratio", "×"),
        Column::new("Distance"),
        Column::new("Device"),
        Column::new("GPUs"),
        Column::new("Software"),
        Column::new("Precision"),
        Column::new("Source"),
    ]);
    let mut findings = Vec::new();
    for row in own {
        let Some(topic) = Topic::of(row.quantity) else { continue };
        let near = nearest(question, |quantity| Topic::of(quantity) == Some(topic), points, SHOWN);
        let terms = Terms::of(question);
        let found: Vec<(Near<'_>, Pair)> = near
            .into_iter()
            .filter_map(|near| {
                let prediction = near.point.predict(&terms)?;
                Some((near, near.point.pair(prediction, topic.errors())))
            })
            .collect();
        let name = topic.title();
        let yours = own_row(question, row, topic, name);
        findings.extend(finding(name, &yours, &found));
        table.rows.push(yours);
        table.rows.extend(found.iter().map(|(near, pair)| published(*near, *pair, topic, name)));
    }
    let finding = format!(
        "{}. Measured over predicted time; a rate counts as its time. The distance adds up doublings of the model, and what else \
         differs: device, software, format, GPUs, tokens, batch. A name opens the row as a question",
        findings.join("; ")
    );
    TablePart::new(ID, "Nearest published rows", finding, table).into()
}

/// The ratios of the rows in a sentence; nothing where there are none.
fn finding(name: &str, yours: &Row, found: &[(Near<'_>, Pair)]) -> Option<String> {
    let mut ratios: Vec<f64> = found.iter().map(|(_, pair)| pair.measured / pair.predicted).collect();
    ratios.sort_by(f64::total_cmp);
    let (least, most) = (*ratios.first()?, *ratios.last()?);
    let yours = yours.cells.get(RATIO)?;
    Some(format!(
        "{name}: {} against {} to {} of the {} nearest rows, half of them below {}",
        yours.text,
        format::times(least),
        format::times(most),
        ratios.len(),
        format::times(quantile(&ratios, 0.5))
    ))
}

/// What all rows have: device, GPUs, software.
fn hardware(scenario: &Scenario) -> [Cell; 3] {
    let device = scenario.system.accelerator().map_or_else(|_| String::new(), |device| device.name);
    let gpus = Amount::new(f64::from(scenario.system.gpus), Unit::Count);
    [Cell::text(device), Cell::amount(gpus), Cell::text(scenario.software())]
}

fn times(measured: Seconds, predicted: Seconds) -> [Cell; 3] {
    let ratio = measured / predicted;
    [
        Cell::amount(Amount::time(measured)),
        Cell::amount(Amount::time(predicted)),
        Cell::number(ratio, format::times(ratio)),
    ]
}

/// The question's own row, as the first of its group.
fn own_row(question: &Scenario, row: &Own, topic: Topic, name: &str) -> Row {
    let serving = topic != Topic::Step;
    let precision = if serving { question.inference.precision } else { question.recipe.precision };
    let model = question.architecture().map_or_else(|_| String::new(), |model| model.name.clone());
    let from = match question.measured.from.as_str() {
        "" => "yours, as entered".to_owned(),
        from => format!("yours, by {from}"),
    };
    let [device, gpus, software] = hardware(question);
    let (measured, predicted) = row.times().unwrap_or((f64::NAN, f64::NAN));
    let [measured, predicted, ratio] = times(topic.seconds(measured), topic.seconds(predicted));
    Row {
        group: Some(name.to_owned()),
        current: true,
        cells: vec![
            Cell::text(name),
            Cell::text(model),
            measured,
            predicted,
            ratio,
            Cell::number(0.0, "0"),
            device,
            gpus,
            software,
            Cell::text(precision.name()),
            Cell::text(from),
        ],
    }
}

fn published(Near { point, distance }: Near<'_>, pair: Pair, topic: Topic, name: &str) -> Row {
    let nothing = || [Cell::none(), Cell::none(), Cell::none()];
    let [device, gpus, software] = point.scenario().map_or_else(nothing, hardware);
    let [measured, predicted, ratio] = times(topic.seconds(pair.measured), topic.seconds(pair.predicted));
    let fitted = if point.used_in_fit { "used in a fit" } else { "" };
    Row::from(vec![
        Cell::text(name),
        Cell::text(&point.model).opening(&point.link),
        measured,
        predicted,
        ratio.noted(fitted),
        Cell::number(distance, format::digits(distance)),
        device,
        gpus,
        software,
        Cell::text(point.of(Trait::Precision)),
        Cell::text(format!("{}: {}", point.of(Trait::Source), point.origin)),
    ])
}
