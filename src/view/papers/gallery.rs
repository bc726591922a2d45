//! Gallery of both papers' results, each with its content and its error.

use crate::figure::{Cell, Column, Table};
use crate::papers::{self, Found, Known};
use crate::published::{EXHIBITS, Exhibit, Paper};
use crate::scenario::{PaperChoice, Scenario, View, link};
use crate::units::format;
use crate::units::{Amount, Unit};
use crate::view::{Answer, Card, Link, Notice, Part, Question, TablePart};

/// The gallery; `computed` are the results so far.
pub(super) fn answer(computed: &[(&'static str, Found)], question: &Question) -> Answer {
    let all = Amount::new(EXHIBITS.len() as f64, Unit::Count);
    let lead = format!("{all} tables and figures of two papers, computed beside their published values");
    let mut answer = Answer { lead, ..Answer::default() };
    for paper in Paper::ALL {
        let results: Vec<&Exhibit> = EXHIBITS.iter().filter(|exhibit| exhibit.paper == paper).collect();
        if results.is_empty() {
            continue;
        }
        let count = Amount::new(results.len() as f64, Unit::Count);
        let card = Card::new(paper.id(), paper.name(), count).noted("tables and figures computed here");
        answer.cards.push(card);
        answer.parts.push(list(paper, &results, computed, &question.scenario).into());
        answer.parts.push(of_paper(paper));
    }
    answer
}

/// The paper's results.
fn list(
    paper: Paper,
    results: &[&Exhibit],
    computed: &[(&'static str, Found)],
    scenario: &Scenario,
) -> TablePart {
    let mut table =
        Table::under([Column::new("Result"), Column::new("Published values"), Column::of("Mean error", "%")]);
    for exhibit in results {
        let now = computed.iter().find(|(id, _)| *id == exhibit.id).map(|(_, found)| of(found));
        let known = now.or_else(|| papers::known(exhibit.id));
        let count = known.map(|known| Amount::new(f64::from(known.values), Unit::Count));
        let error = match known.and_then(|known| known.mean) {
            Some(mean) => Cell::number(100.0 * mean, format::mean_error(mean)),
            None => Cell::text("–"),
        };
        table.push([
            Cell::text(exhibit.name).opening(to(exhibit, scenario)).noted(exhibit.shows),
            Cell::known(count),
            error,
        ]);
    }
    let finding =
        "A name opens the result: computed and published values on the same axes, and the assumptions";
    TablePart { saved: false, ..TablePart::new(paper.id(), paper.name(), finding, table) }
}

/// Error of a computed result against its published values.
fn of(found: &Found) -> Known {
    let score = found.score();
    Known { values: found.pairs().len() as u32, mean: (score.count > 0).then_some(score.mean) }
}

/// A result as a question.
fn to(exhibit: &Exhibit, scenario: &Scenario) -> String {
    let papers = PaperChoice { result: exhibit.id.to_owned() };
    link::encode(&Scenario { view: View::Papers, papers, ..scenario.clone() })
}

/// Link to the paper.
pub(super) fn of_paper(paper: Paper) -> Part {
    let source = Link {
        text: format!("{}: {}", paper.name(), paper.title()),
        address: paper.address().to_owned(),
        ..Link::default()
    };
    Notice::new(&format!("source-{}", paper.id()), "The paper", vec![source]).into()
}
