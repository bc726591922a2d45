//! The Validation view: predictions beside measurements, and how far apart they are.

use std::collections::BTreeMap;

use super::desk::{Files, Work};
use super::html;
use crate::figure::{self, Cell, Dot, Measure, Size, Table, escape};
use crate::scenario::{ErrorChoice, Scenario, Topic, Trait, link};
use crate::system::AssumptionSet;
use crate::units::{Bytes, Seconds, format};
use crate::validation::Score;
use crate::validation::points::{self, Pair, Point, Prediction};

/// The measured rows, beside the program.
const FILE: &str = "validation.csv";

/// Rows that are predicted in one step: some milliseconds.
const SLICE: usize = 40;

/// Rows on a page of the list.
const PAGE: usize = 20;

/// The measured rows, and what was predicted for them so far.
#[derive(Debug, Default)]
pub(super) struct Validation {
    points: Option<Result<Vec<Point>, String>>,
    /// Under which assumptions the predictions were made.
    assumptions: AssumptionSet,
    /// For each point: not yet asked, refused, or predicted.
    predictions: Vec<Option<Option<Prediction>>>,
}

/// A row that is shown: what was measured and predicted of it.
struct Row<'a> {
    point: &'a Point,
    pair: Pair,
}

impl Validation {
    /// Takes the file, or why there is none.
    pub(super) fn read(&mut self, file: Result<&str, String>) {
        self.points = Some(file.and_then(points::read));
    }

    /// One step towards the answer.
    pub(super) fn work(&mut self, scenario: &Scenario, narrow: bool) -> Result<Work, String> {
        let points = match &self.points {
            None => return Ok(Work::Fetch(FILE)),
            Some(Err(why)) => {
                let message = format!("The measured rows could not be read: {why}");
                // The next question tries again.
                self.points = None;
                return Err(message);
            }
            Some(Ok(points)) => points,
        };
        if self.assumptions != scenario.assumptions || self.predictions.len() != points.len() {
            self.assumptions = scenario.assumptions;
            self.predictions = vec![None; points.len()];
        }
        let topic = scenario.errors.of;
        let wanted: Vec<usize> = (0..points.len()).filter(|index| points[*index].is_about(topic)).collect();
        let open: Vec<usize> =
            wanted.iter().copied().filter(|index| self.predictions[*index].is_none()).collect();
        for &index in open.iter().take(SLICE) {
            self.predictions[index] = Some(points[index].predict(self.assumptions));
        }
        if open.len() > SLICE {
            return Ok(Work::Progress((wanted.len() - open.len() + SLICE) as u32, wanted.len() as u32));
        }
        let mut rows: Vec<Row<'_>> = Vec::new();
        for index in wanted {
            let point = &points[index];
            // A row that gives a time and the rate that goes with it says the same twice.
            let again = topic != Topic::Throughput && rows.last().is_some_and(|row| row.point.id == point.id);
            if let (Some(Some(prediction)), false) = (self.predictions[index], again) {
                rows.push(Row { point, pair: point.pair(prediction, topic) });
            }
        }
        Ok(Answer { scenario, rows: &rows }.done(if narrow { Size::Narrow } else { Size::Wide }))
    }
}

/// All rows of a topic, and what is to be shown of them.
struct Answer<'a> {
    scenario: &'a Scenario,
    rows: &'a [Row<'a>],
}

impl Answer<'_> {
    fn choice(&self) -> &ErrorChoice {
        &self.scenario.errors
    }

    /// The rows that the filters leave, without heed to one of them.
    fn filtered(&self, but: Option<Trait>) -> Vec<&Row<'_>> {
        let fits = |row: &&Row<'_>| {
            Trait::ALL.into_iter().filter(|by| Some(*by) != but).all(|by| {
                let only = self.choice().only(by);
                only.is_empty() || row.point.of(by) == only
            })
        };
        self.rows.iter().filter(fits).collect()
    }

    /// The fragment of the same question with other errors.
    fn fragment(&self, errors: ErrorChoice) -> String {
        link::encode(&Scenario { errors, ..self.scenario.clone() })
    }

    fn done(&self, size: Size) -> Work {
        let choice = self.choice();
        let rows = self.filtered(None);
        let dots: Vec<Dot<'_>> = rows
            .iter()
            .map(|row| Dot {
                name: &row.point.id,
                group: row.point.of(choice.by),
                measured: row.pair.measured,
                predicted: row.pair.predicted,
                fitted: row.point.used_in_fit,
            })
            .collect();
        let drawn = vec![figure::scatter(&dots, measure(choice.of), size), figure::histogram(&dots, size)];
        let (groups, table) = self.groups();
        let mut figures = self.filters();
        figures.extend(drawn.iter().map(html::figure));
        figures.push_str(&groups);
        figures.push_str(&self.list(&rows));
        let files = Files { figures: drawn, tables: vec![("groups", table)] };
        Work::Done { headline: headline(&rows), figures, files }
    }

    /// What is left out, each with a link that brings it back.
    fn filters(&self) -> String {
        let choice = self.choice();
        let set = Trait::ALL.into_iter().filter(|by| !choice.only(*by).is_empty());
        let chips: String = set
            .map(|by| {
                let text = format!("{}: {} ×", by.name(), choice.only(by));
                let href = self.fragment(choice.filtered(by, ""));
                let label = html::link(&format!("any-{}", by.id()), &href, &text);
                format!(r#"<li>{label}<span class="visually-hidden">, remove this filter</span></li>"#)
            })
            .collect();
        if chips.is_empty() {
            String::new()
        } else {
            format!(r#"<ul class="filters" aria-label="Filters">{chips}</ul>"#)
        }
    }

    /// Errors of each group; a group's name is a link to its rows alone.
    fn groups(&self) -> (String, Table) {
        let choice = self.choice();
        let by = choice.by;
        let mut groups: BTreeMap<&str, Vec<&Row<'_>>> = BTreeMap::new();
        for row in self.filtered(Some(by)) {
            groups.entry(row.point.of(by)).or_default().push(row);
        }
        let mut table = Table::new([
            (by.name(), None),
            ("Rows", None),
            ("Used in a fit", None),
            ("Mean", Some("%")),
            ("Median", Some("%")),
            ("Bias", Some("%")),
            ("90th percentile", Some("%")),
            ("Other estimators", Some("%")),
        ]);
        let mut body = String::new();
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
        for (name, rows) in groups {
            let cells = scores(&rows);
            let shown = if name.is_empty() { "not said" } else { name };
            let current = choice.only(by) == name && !name.is_empty();
            let value = if current { "" } else { name };
            let head = if name.is_empty() {
                escape(shown)
            } else {
                html::link(
                    &format!("only-{}-{name}", by.id()),
                    &self.fragment(choice.filtered(by, value)),
                    shown,
                )
            };
            let mark = if current { r#" aria-selected="true""# } else { "" };
            let cell = |cell: &Cell| format!("<td>{}</td>", escape(cell.shown()));
            let others: String = cells.iter().map(cell).collect();
            body.push_str(&format!(
                r#"<tr{}><th scope="row">{head}</th>{others}</tr>"#,
                if current { r#" class="current""# } else { mark }
            ));
            let mut row = vec![Cell::text(shown)];
            row.extend(cells);
            table.rows.push(row);
        }
        let head = html::headings([
            by.name(),
            "Rows",
            "In a fit",
            "Mean",
            "Median",
            "Bias",
            "90th pct.",
            "Others’ mean",
        ]);
        let finding = "Absolute errors of rows that nothing was fitted on; bias keeps the sign: above 0 predictions are too high. \
                       Others’ mean: other published estimators on the rows that they gave";
        let title = format!("Errors by {}", by.name().to_lowercase());
        (html::table("groups", &title, finding, (&head, &body), &html::downloads(&["csv"])), table)
    }

    /// One page of rows, the worst first.
    fn list(&self, rows: &[&Row<'_>]) -> String {
        let mut sorted = rows.to_vec();
        sorted.sort_by(|a, b| b.pair.error().abs().total_cmp(&a.pair.error().abs()));
        let pages = sorted.len().div_ceil(PAGE).max(1);
        let page = (self.choice().page as usize).clamp(1, pages);
        let measure = measure(self.choice().of);
        let mut body = String::new();
        for row in sorted.iter().skip((page - 1) * PAGE).take(PAGE) {
            let Row { point, pair } = row;
            let text = |text: &str| format!(r#"<td class="text">{}</td>"#, escape(text));
            let name = if point.link.is_empty() {
                escape(&point.model)
            } else {
                html::link(&format!("row-{}", point.id), &point.link, &point.model)
            };
            let peer = match (&point.peer, point.peer_pair()) {
                (Some((name, _)), Some(pair)) => format!("{name} {}", signed(pair.error())),
                _ => String::new(),
            };
            let fitted = if point.used_in_fit { " (used in a fit)" } else { "" };
            body.push_str("<tr>");
            body.push_str(&format!(r#"<th scope="row">{name}</th>"#));
            body.push_str(&text(point.of(Trait::Device)));
            body.push_str(&text(point.of(Trait::Precision)));
            body.push_str(&format!("<td>{}</td>", escape(&(measure.show)(pair.measured))));
            body.push_str(&format!("<td>{}</td>", escape(&(measure.show)(pair.predicted))));
            body.push_str(&format!("<td>{}{fitted}</td>", escape(&signed(pair.error()))));
            body.push_str(&text(&peer));
            body.push_str(&format!(
                r#"<td class="text origin">{}, tier {}: {}</td></tr>"#,
                escape(point.of(Trait::Source)),
                escape(&point.tier),
                escape(&point.origin)
            ));
        }
        let head = html::headings([
            "Question",
            "*Device",
            "*Precision",
            "Measured",
            "Predicted",
            "Error",
            "*Other estimator",
            "*Source",
        ]);
        let finding = "The worst first. A question opens as a scenario; back returns here";
        html::table("rows", "Rows", finding, (&head, &body), &self.pager(page, pages))
    }

    fn pager(&self, page: usize, pages: usize) -> String {
        let to = |page: usize| self.fragment(ErrorChoice { page: page as u32, ..self.choice().clone() });
        let way = |id: &str, text: &str, page: Option<usize>| match page {
            Some(page) => html::link(id, &to(page), text),
            None => format!("<span>{text}</span>"),
        };
        format!(
            r#"<nav class="pager" aria-label="Pages of rows">{} <span>Page {page} of {pages}</span> {}</nav>"#,
            way("page-before", "Previous", (page > 1).then(|| page - 1)),
            way("page-after", "Next", (page < pages).then(|| page + 1)),
        )
    }
}

/// Rows, rows in a fit, and errors of the others: mean, median, bias, 90th percentile, and other estimators' mean.
fn scores(rows: &[&Row<'_>]) -> [Cell; 7] {
    let fitted = rows.iter().filter(|row| row.point.used_in_fit).count();
    let score = score(rows);
    let peers = Score::of(
        rows.iter().filter_map(|row| row.point.peer_pair()).map(|pair| (pair.predicted, pair.measured)),
    );
    let count = |count: usize| Cell::number(count as f64, format::grouped(count as f64));
    let percent = |of: &Score, value: f64| {
        if of.count == 0 { Cell::none() } else { Cell::number(100.0 * value, format::percent(value)) }
    };
    let bias =
        if score.count == 0 { Cell::none() } else { Cell::number(100.0 * score.bias, signed(score.bias)) };
    [
        count(rows.len()),
        count(fitted),
        percent(&score, score.mean),
        percent(&score, score.median),
        bias,
        percent(&score, score.p90),
        percent(&peers, peers.mean),
    ]
}

/// Of the rows that nothing was fitted on.
fn score(rows: &[&Row<'_>]) -> Score {
    let counted = rows.iter().filter(|row| !row.point.used_in_fit);
    Score::of(counted.map(|row| (row.pair.predicted, row.pair.measured)))
}

fn headline(rows: &[&Row<'_>]) -> String {
    let score = score(rows);
    let fitted = rows.len() - rows.iter().filter(|row| !row.point.used_in_fit).count();
    let number = |text: String| if score.count == 0 { "–".to_owned() } else { text };
    let fitted = format!("and {} used in a fit, not counted", format::grouped(fitted as f64));
    [
        html::card("rows", "Rows compared", &format::grouped(score.count as f64), &fitted),
        html::card("mean", "Mean error", &number(format::percent(score.mean)), "of the absolute values"),
        html::card("median", "Median error", &number(format::percent(score.median)), "half are closer"),
        html::card("bias", "Bias", &number(signed(score.bias)), "above 0: predicted too high"),
        html::card("p90", "90th percentile", &number(format::percent(score.p90)), "nine of ten are closer"),
    ]
    .concat()
}

/// `+3.4 %`.
fn signed(error: f64) -> String {
    let sign = if error > 0.0 { "+" } else { "" };
    format!("{sign}{}", format::percent(error))
}

/// How values of a topic are written.
fn measure(topic: Topic) -> Measure {
    let (unit, show): (&str, fn(f64) -> String) = match topic {
        Topic::Step => ("s", |seconds| format::time(Seconds::new(seconds))),
        Topic::Memory => ("GiB", |gib| format::memory(Bytes::from_gib(gib))),
        Topic::Ttft | Topic::Tpot | Topic::Request => {
            ("ms", |millis| format::time(Seconds::new(millis * 1e-3)))
        }
        Topic::Throughput => ("tokens/s", |rate| format!("{}/s", format::digits(rate))),
        Topic::Kernel => ("µs", |micros| format::time(Seconds::new(micros * 1e-6))),
    };
    Measure { name: topic.name(), unit, show }
}
