//! A single result: its error, figures, values and assumptions.

use super::gallery::of_paper;
use crate::figure::{self, Cell, Column, Row, Size, Table};
use crate::order;
use crate::papers::{Chart, Entry, Found};
use crate::published::Exhibit;
use crate::scenario::{PaperChoice, Scenario, View};
use crate::units::{Amount, Unit, format};
use crate::view::{Answer, Card, Link, Notice, Part, TablePart};

/// Rows that the table shows on the page; its file has all.
const SHOWN: u32 = 60;

/// Columns of the published value and of the configuration.
const PUBLISHED: usize = 3;
const CONFIGURATION: usize = 5;

/// The whole answer.
pub(super) fn answer(exhibit: &Exhibit, entry: &Entry, found: &Found, size: Size) -> Answer {
    let shows = Notice::new("shows", format!("{}.", exhibit.shows), Vec::new());
    let figures = found.charts.iter().map(|chart| figure::result(chart, size).into());
    Answer {
        lead: lead(found),
        cards: cards(found),
        parts: [Part::from(shows)]
            .into_iter()
            .chain(figures)
            .chain([values(exhibit, found).into(), opens(found)])
            .chain(inferred(entry))
            .chain([of_paper(exhibit.paper)])
            .collect(),
        ..Answer::default()
    }
}

/// States the error of the result against its published values; empty without published values.
fn lead(found: &Found) -> String {
    if !found.lead.is_empty() {
        return found.lead.clone();
    }
    let score = found.score();
    if score.count == 0 {
        // Charts without published values say what they find.
        let says = found.charts.iter().map(|chart| chart.finding.trim_end_matches('.'));
        return says.into_iter().find(|finding| !finding.is_empty()).unwrap_or_default().to_owned();
    }
    let published = Amount::new(score.count as f64, Unit::Count);
    format!("Mean error of {} against {published} published values", format::mean_error(score.mean))
}

fn cards(found: &Found) -> Vec<Card> {
    let score = found.score();
    let all = found.pairs().len();
    if all == 0 {
        return Vec::new();
    }
    let published = Amount::new(all as f64, Unit::Count);
    let without = all - score.count;
    let compared = found.counted().filter(|chart| !chart.pairs().is_empty());
    let mut origins: Vec<&str> = compared.map(|chart| chart.source.origin.name()).collect();
    order::sort(&mut origins, Ord::cmp);
    origins.dedup();
    // An error below the rounding of published values is shown as text.
    let error = |id: &str, label: &str, error: Option<f64>| Card {
        words: error.filter(|error| *error < format::EXACT).map(format::mean_error).unwrap_or_default(),
        ..Card::known(id, label, error.map(Amount::percent))
    };
    vec![
        error("mean", "Mean error", (score.count > 0).then_some(score.mean)).noted("of the absolute values"),
        error("largest", "Largest error", found.largest()),
        Card::new("points", "Published values", published).noted(match without {
            0 => origins.join(", "),
            without => {
                format!("{}; {without} of them are zero or have no computed value", origins.join(", "))
            }
        }),
    ]
}

/// The list of all results, and the questions that this one opens.
fn opens(found: &Found) -> Part {
    let all = Scenario { view: View::Papers, papers: PaperChoice::default(), ..Scenario::default() };
    let back = Link::to("All results", &all);
    let questions = found.questions.iter().map(|question| Link::at(&question.text, question.link.clone()));
    let links = [back].into_iter().chain(questions).collect();
    Notice::new("questions", "Questions", links).into()
}

/// Every value of all charts: of each chart first what was published or opens as a question.
fn values(exhibit: &Exhibit, found: &Found) -> TablePart {
    let mut table = Table::under([
        Column::new("Of"),
        Column::new("At"),
        Column::new("Ours"),
        Column::new("Published"),
        Column::of("Difference", "%"),
        Column::new("Configuration"),
        Column::new("Figure").file_only(),
    ]);
    let several = found.charts.len() > 1;
    let quota = SHOWN as usize / found.charts.len().max(1);
    let mut later = Vec::new();
    for chart in &found.charts {
        let mut first = rows(chart);
        let mut rest = first.split_off(quota.min(first.len()));
        for (rows, heading) in
            [(&mut first, chart.title.clone()), (&mut rest, format!("{}: other values", chart.title))]
        {
            if let Some(row) = rows.first_mut().filter(|_| several) {
                row.group = Some(heading);
            }
        }
        table.rows.append(&mut first);
        later.append(&mut rest);
    }
    table.rows.append(&mut later);
    let finding = if table.rows.len() > SHOWN as usize {
        format!(
            "{SHOWN} of {} values; the file has all. A configuration with a link opens as a question",
            table.rows.len()
        )
    } else {
        "A configuration with a link opens as a question; back returns here".to_owned()
    };
    let title = format!("{}: computed and published values", exhibit.name);
    TablePart { shown_rows: Some(SHOWN), ..TablePart::new("values", title, finding, table) }
}

/// The rows of a chart with its title, those with published values and questions first.
fn rows(chart: &Chart) -> Vec<Row> {
    let mut rows = figure::result_rows(chart);
    let place = |row: &Row| {
        let has = |at: usize, of: fn(&Cell) -> bool| row.cells.get(at).is_some_and(of);
        let published = has(PUBLISHED, |cell| cell.value.is_some());
        (!published, !has(CONFIGURATION, |cell| cell.link.is_some()))
    };
    order::sort(&mut rows, |one, other| place(one).cmp(&place(other)));
    for row in &mut rows {
        row.cells.push(Cell::text(chart.title.as_str()));
    }
    rows
}

/// Inputs that the paper does not state and that were inferred.
fn inferred(entry: &Entry) -> Option<Part> {
    let text = entry.inferred.iter().map(|sentence| format!("{sentence}.")).collect::<Vec<_>>().join(" ");
    let text = format!("What is inferred: {text}");
    let notice = Notice::new("inferred", text, Vec::new());
    (!entry.inferred.is_empty()).then(|| notice.into())
}
