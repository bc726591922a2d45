//! The table of the published rows nearest to a question with measured values.

use crate::calibration::{Row as Own, Topic, rows_of};
use crate::figure::{Cell, Column, Row, Table};
use crate::order::quantile;
use crate::scenario::{Scenario, Trait};
use crate::units::{Amount, Seconds, Unit, format};
use crate::validation::points::{self, Pair, Point, Terms};
use crate::validation::{Near, nearest};
use crate::view::validation::FILE;
use crate::view::{News, Notice, Part, Question, TablePart, Work};

/// Id of the table, and of the notice that replaces it if the published rows cannot be read.
const ID: &str = "nearest";

/// Number of published rows that are shown for each measured quantity.
const SHOWN: usize = 8;

/// The published rows with times, fetched when a question first has a measured value.
#[derive(Debug, Default)]
pub(in crate::view) struct Published {
    points: Option<Result<Vec<Point>, String>>,
}

impl Published {
    /// The last step of an answer, after its `stages`: fetches the file of published rows, then adds the table. `None`
    /// if the table is already shown, or if the question has no measured value or no prediction.
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

    /// Receives the text of the fetched file.
    pub(in crate::view) fn supply(&mut self, file: Result<&str, String>) {
        let time = |quantity| Topic::of(quantity).is_some();
        self.points = Some(file.and_then(|text| points::read_of(text, time)));
    }
}

/// Index of the column "Ratio".
const RATIO: usize = 4;

/// The table: for each measured quantity, the question's own row, then the nearest published rows.
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
        "{}. Ratio: measured / predicted time; rates are converted to times. Distance: a weighted sum of differences \
         in model size, device, software, number format, GPUs, tokens and batch. A model's name opens the row as a question",
        findings.join("; ")
    );
    TablePart::new(ID, "Nearest published rows", finding, table).into()
}

/// Compares the question's ratio with those of the nearest rows, in one clause; `None` if there are no rows.
fn finding(name: &str, yours: &Row, found: &[(Near<'_>, Pair)]) -> Option<String> {
    let mut ratios: Vec<f64> = found.iter().map(|(_, pair)| pair.measured / pair.predicted).collect();
    ratios.sort_by(f64::total_cmp);
    let (least, most) = (*ratios.first()?, *ratios.last()?);
    let yours = yours.cells.get(RATIO)?;
    Some(format!(
        "{name}: {}; the {} nearest rows have {} to {}, median {}",
        yours.text,
        ratios.len(),
        format::times(least),
        format::times(most),
        format::times(quantile(&ratios, 0.5))
    ))
}

/// Cells of device, number of GPUs and software.
fn hardware(scenario: &Scenario) -> [Cell; 3] {
    let device = scenario.system.accelerator().map_or_else(|_| String::new(), |device| device.name);
    let gpus = Amount::new(f64::from(scenario.system.gpus), Unit::Count);
    [Cell::text(device), Cell::amount(gpus), Cell::text(scenario.software())]
}

/// Cells of measured time, predicted time and their ratio.
fn times(measured: Seconds, predicted: Seconds) -> [Cell; 3] {
    let ratio = measured / predicted;
    [
        Cell::amount(Amount::time(measured)),
        Cell::amount(Amount::time(predicted)),
        Cell::number(ratio, format::times(ratio)),
    ]
}

/// The row of the question itself, which opens its group.
fn own_row(question: &Scenario, row: &Own, topic: Topic, name: &str) -> Row {
    let serving = topic != Topic::Step;
    let precision = if serving { question.inference.precision } else { question.recipe.precision };
    let model = question.architecture().map_or_else(|_| String::new(), |model| model.name.clone());
    let from = match question.measured.from.as_str() {
        "" => "your measurement".to_owned(),
        from => format!("your measurement ({from})"),
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

/// The row of a published measurement.
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
