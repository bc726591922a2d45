//! The table of the published rows nearest to a question. It follows a measured value, or fills the section of published
//! rows if the question has no measured value.

use crate::calibration::{Row as Own, TimeKind, rows_of};
use crate::figure::{Cell, Column, Row, Table};
use crate::order::quantile;
use crate::scenario::{Profile, Scenario, Trait, View, link};
use crate::units::{Amount, Seconds, Unit, format};
use crate::validation::points::{self, Pair, Point, Terms};
use crate::validation::{Near, Replaced, nearest, predicted};
use crate::view::sections::PUBLISHED;
use crate::view::validation::FILE;
use crate::view::{Link, News, Notice, Part, Question, TablePart, Work};

/// Id of the table below a measured value, and of the notice if its rows cannot be read.
const BESIDE: &str = "nearest";

/// Maximum number of rows of one quantity.
const SHOWN: usize = 8;

/// The published rows of times, which are fetched for the first question that needs them.
#[derive(Debug, Default)]
pub(in crate::view) struct Published {
    points: Option<Result<Vec<Point>, String>>,
}

/// A quantity of a question, with its measured value and its prediction if they exist.
struct Asked {
    kind: TimeKind,
    measured: Option<Seconds>,
    /// The measured rate that the time follows from, if no time was measured.
    rate: Option<String>,
    predicted: Option<Seconds>,
}

impl Published {
    /// The step of an answer that follows its stages. It fetches the published rows and shows the table if the question
    /// has a measured value or if the section of published rows is open; otherwise it shows a notice with a link to that
    /// section. `None` once one of them is shown, and for a measured value without a prediction.
    pub(in crate::view) fn step(&mut self, question: &Question, stages: u32, of: u32) -> Option<Work> {
        if question.shown != Some(stages) {
            return None;
        }
        let scenario = &question.scenario;
        let own = rows_of(scenario, &scenario.measured.from);
        if own.is_empty() && !question.opens_published() {
            return Some(Work::Partial(stages + 1, of, News::More(vec![offer(scenario)])));
        }
        let (id, asked) = if own.is_empty() {
            (PUBLISHED, kinds(scenario))
        } else {
            (BESIDE, own.iter().map(measured).collect::<Option<Vec<Asked>>>()?)
        };
        let part = match &self.points {
            None => return Some(Work::Fetch(FILE)),
            Some(Ok(points)) => beside(scenario, id, &asked, points),
            Some(Err(why)) => {
                let text = format!("The published rows could not be read: {why}.");
                // The next question fetches the file again.
                self.points = None;
                Notice::new(id, text, Vec::new()).into()
            }
        };
        Some(Work::Partial(stages + 1, of, News::More(vec![part])))
    }

    /// Receives the text of the fetched file.
    pub(in crate::view) fn supply(&mut self, file: Result<&str, String>) {
        let time = |quantity| TimeKind::of(quantity).is_some();
        self.points = Some(file.and_then(|text| points::read_of(text, time)));
    }

    /// The rows; none before they are fetched.
    pub(in crate::view) fn points(&self) -> &[Point] {
        self.points.as_ref().and_then(|points| points.as_deref().ok()).unwrap_or_default()
    }
}

/// The notice that takes the place of the table until its section is open, because the file of rows is large.
fn offer(question: &Scenario) -> Part {
    let there = Link::at("Published runs near this one", link::encode_at(question, PUBLISHED));
    Notice::new(PUBLISHED, "Measured times of the nearest published runs", vec![there]).into()
}

/// A measured value with its prediction; `None` if the model cannot predict it.
fn measured(row: &Own) -> Option<Asked> {
    let kind = TimeKind::of(row.quantity)?;
    let (measured, predicted) = row.times().ok()?;
    let [measured, predicted] = [measured, predicted].map(|time| Some(kind.seconds(time)));
    Some(Asked { kind, measured, rate: row.rate(), predicted })
}

/// The predicted times of a question without a measured value.
fn kinds(question: &Scenario) -> Vec<Asked> {
    let kinds: &[TimeKind] = match question.view {
        View::Training => &[TimeKind::Step],
        _ => &[TimeKind::Ttft, TimeKind::Tpot, TimeKind::Latency],
    };
    // Published rows are predicted without a calibration profile, so the question is too.
    let plain = Scenario { profile: Profile::default(), ..question.clone() };
    let asked = |kind: &TimeKind| {
        let predicted = predicted(&plain, kind.quantity(), &Replaced::default()).ok();
        Asked {
            kind: *kind,
            measured: None,
            rate: None,
            predicted: predicted.map(|value| kind.seconds(value)),
        }
    };
    kinds.iter().map(asked).collect()
}

/// Index of the column of ratios.
const RATIO: usize = 4;

/// The nearest rows of each quantity, below the question's own.
fn beside(question: &Scenario, id: &str, asked: &[Asked], points: &[Point]) -> Part {
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
    let terms = Terms::of(question);
    for asked in asked {
        let kind = asked.kind;
        let near = nearest(question, |point| TimeKind::of(point.quantity) == Some(kind), points, SHOWN);
        let found: Vec<(Near<'_>, Pair)> = near
            .into_iter()
            .filter_map(|near| {
                let prediction = near.point.predict(&terms)?;
                Some((near, near.point.pair(prediction, kind.errors())))
            })
            .collect();
        let name = kind.title();
        let yours = own_row(question, asked, name);
        findings.extend(finding(name, &yours, &found));
        table.rows.push(yours);
        table.rows.extend(found.iter().map(|(near, pair)| published(*near, *pair, kind, name)));
    }
    if findings.is_empty() {
        findings.push("No published run has a measured time of this kind".to_owned());
    }
    let without = if question.is_corrected() {
        " Predictions here, yours included, are without the calibration profile."
    } else {
        ""
    };
    let finding = format!(
        "{}.{without} Rates are converted to times. Distance: a weighted sum of differences \
         in model size, device, software, number format, GPUs, tokens and batch. A model's name opens the row as a question",
        findings.join("; ")
    );
    let title = if id == PUBLISHED { "Published runs near this one" } else { "Nearest published rows" };
    TablePart::new(id, title, finding, table).into()
}

/// Compares the question's ratio with those of the nearest rows, in one clause; `None` if there are no rows.
fn finding(name: &str, yours: &Row, found: &[(Near<'_>, Pair)]) -> Option<String> {
    let mut ratios: Vec<f64> = found.iter().map(|(_, pair)| pair.measured / pair.predicted).collect();
    ratios.sort_by(f64::total_cmp);
    let (least, most) = (*ratios.first()?, *ratios.last()?);
    let yours = yours.cells.get(RATIO).filter(|ratio| ratio.value.is_some());
    let yours = yours.map_or_else(String::new, |ratio| format!("{} here; ", ratio.text));
    Some(format!(
        "{name}: measured / predicted is {yours}{} to {} in the {} (median {})",
        format::times(least),
        format::times(most),
        format::counted(ratios.len() as u32, "nearest rows"),
        format::times(quantile(&ratios, 0.5))
    ))
}

/// Cells of device, number of GPUs and software.
fn hardware(scenario: &Scenario) -> [Cell; 3] {
    let device = scenario.system.accelerator().map_or_else(|_| String::new(), |device| device.name);
    let gpus = Amount::new(f64::from(scenario.gpus()), Unit::Count);
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

/// The question's own row, as the first of its group.
fn own_row(question: &Scenario, asked: &Asked, name: &str) -> Row {
    let model = question.architecture().map_or_else(|_| String::new(), |model| model.name.clone());
    let from = match question.measured.from.as_str() {
        _ if asked.measured.is_none() => "this question".to_owned(),
        "" => "your measurement".to_owned(),
        from => format!("your measurement ({from})"),
    };
    let [device, gpus, software] = hardware(question);
    let [measured, predicted, ratio] = match (asked.measured, asked.predicted) {
        (Some(time), Some(predicted)) => {
            let [measured, predicted, ratio] = times(time, predicted);
            let note = asked.rate.as_ref().map(|rate| format!("from {rate}"));
            let measured = match note {
                Some(note) => measured.noted(note),
                None => measured,
            };
            [measured, predicted, ratio]
        }
        (_, predicted) => [Cell::none(), Cell::known(predicted.map(Amount::time)), Cell::none()],
    };
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
            Cell::text(question.precision().name()),
            Cell::text(from),
        ],
    }
}

/// The row of a published measurement.
fn published(Near { point, distance }: Near<'_>, pair: Pair, kind: TimeKind, name: &str) -> Row {
    let nothing = || [Cell::none(), Cell::none(), Cell::none()];
    let [device, gpus, software] = point.scenario().map_or_else(nothing, hardware);
    let [measured, predicted, ratio] = times(kind.seconds(pair.measured), kind.seconds(pair.predicted));
    let fitted = if point.used_in_fit { "used in a fit" } else { "" };
    Row::from(vec![
        Cell::text(name),
        Cell::text(&point.model).opening(point.opened()),
        measured,
        predicted,
        ratio.noted(fitted),
        Cell::number(distance, format::digits(distance)),
        device,
        gpus,
        software,
        Cell::text(point.of(Trait::Precision)),
        Cell::text(point.citation()),
    ])
}
