//! Common figures of compared questions whose views search: their points are those of the answers' own figures.

use std::sync::Arc;

use foretoken::figure::{
    Compared, CurveAxis, CurvePoint, Figure, ItemValue, Size, Table, compared_curves, compared_nodes,
    compared_speedups,
};
use foretoken::scenario::{Scenario, link};
use foretoken::service::Service;
use foretoken::units::Unit;
use foretoken::view::comparison::searched;
use foretoken::view::{Answer, Part};

use crate::figure_cases::{HOSTILE_NAME, SIZES, check, check_colours, drawn_safely};
use crate::service::{all, answered, request};

/// The answers to some links, each with its question.
fn answers(links: &[String]) -> Vec<(Scenario, Arc<Answer>)> {
    let answer = |link: &String| {
        let mut service = Service::default();
        service.ask(request(1, link));
        (link::decode(link).scenario, Arc::new(answered(&all(&mut service, "")).clone()))
    };
    links.iter().map(answer).collect()
}

/// An answer whose tables have neither names nor numbers: comparisons take nothing from them.
fn without_tables(mut answer: Answer) -> Answer {
    for part in &mut answer.parts {
        if let Part::Figure(figure) = part {
            figure.table = Table::default();
        }
    }
    answer
}

/// The common figures of answered questions.
fn drawn(answers: &[(Scenario, Arc<Answer>)], size: Size) -> Vec<Figure> {
    let questions: Vec<Scenario> = answers.iter().map(|(question, _)| question.clone()).collect();
    let search = |question: &Scenario| {
        let known = answers.iter().find(|(known, _)| known == question);
        Ok(known.map(|(_, answer)| answer.clone()).unwrap_or_default())
    };
    searched(&questions, &search, size)
}

/// The wide figures, once those of every size are found to be whole, with one series for each of some questions.
fn figures(answers: &[(Scenario, Arc<Answer>)], series: usize) -> Vec<Figure> {
    for figure in SIZES.into_iter().flat_map(|size| drawn(answers, size)) {
        check(&figure.svg);
        check_colours(&figure);
        assert!(!figure.svg.contains("No values to show"), "{}", figure.id);
        assert!(figure.finding.ends_with('.'), "{}: {}", figure.id, figure.finding);
        assert_eq!(figure.series.len(), series, "{}", figure.id);
    }
    let bare: Vec<_> = answers
        .iter()
        .map(|(question, answer)| (question.clone(), Arc::new(without_tables(Answer::clone(answer)))))
        .collect();
    assert_eq!(drawn(&bare, Size::Wide), drawn(answers, Size::Wide));
    drawn(answers, Size::Wide)
}

fn ids(figures: &[Figure]) -> Vec<&str> {
    figures.iter().map(|figure| &*figure.id).collect()
}

fn table<'a>(answer: &'a Answer, id: &str) -> &'a Table {
    answer.part(id).and_then(Part::table).unwrap_or_else(|| panic!("no {id}"))
}

#[test]
fn searches_share_curves_of_their_best_plans() {
    let search = "v=1&view=search&model=llama-3.1-8b&batch=64&seq=4096";
    let links = [("", 64), ("&gpu=h200-sxm", 16)]
        .map(|(rest, most)| format!("{search}{rest}&gpus=16&search.gpus_min=16&search.gpus_max={most}"));
    let answers = answers(&links);
    let figures = figures(&answers, 2);
    assert_eq!(ids(&figures), ["compared-scaling", "compared-plans"]);
    let [scaling, plans] = &figures[..] else { panic!("two figures") };
    // 16, 32 and 64 GPUs of the first question, 16 of the second.
    let gpus: Vec<&str> = scaling.table.rows.iter().map(|row| &*row.cells[2].text).collect();
    assert_eq!(gpus, ["16", "32", "64", "16"]);
    assert!(scaling.finding.contains(" of 1. "), "{}", scaling.finding);
    assert!(scaling.finding.ends_with(" on 64 GPUs."), "{}", scaling.finding);
    let step = |answer: &Answer| answer.card("step").and_then(|card| card.amount).expect("a step").value;
    for (row, (_, answer)) in [0, 3].into_iter().zip(&answers) {
        let shown = &scaling.table.rows[row].cells;
        assert_eq!(shown[3].value, Some(step(answer)), "{shown:?}");
        let opened = link::decode(shown[1].link.as_deref().expect("a link")).scenario;
        assert!((opened.training().expect("a plan").step.get() / step(answer) - 1.0).abs() < 1e-9);
    }
    let optimal = |answer: &Answer| {
        let rows = &table(answer, "plans").rows;
        rows.iter().filter(|row| row.cells[1].text == "yes").count()
    };
    let all: usize = answers.iter().map(|(_, answer)| optimal(answer)).sum();
    assert_eq!((plans.table.rows.len(), all > 2), (all, true));
    assert!(plans.reads.iter().all(|read| !read.link.is_empty()));
}

#[test]
fn fleets_share_an_axis_of_cost_where_they_have_the_same() {
    let sizing = "v=1&view=sizing&model=llama-3.1-8b&size.percentile=mean&size.one=true";
    let serve = |rest: &str| format!("{sizing}&size.users=100{rest}");
    let train = "v=1&view=sizing&size.job=train&model=llama-3.1-8b&tokens=1e11&batch=512&size.one=true";
    let answers = answers(&[serve(""), serve("&serve.tpot=20"), serve("&size.by=gpus")]);
    let figures = figures(&answers, 2);
    let [fleets] = &figures[..] else { panic!("{:?}", ids(&figures)) };
    assert_eq!(fleets.id, "compared-fleets");
    assert_eq!(fleets.table.columns[3].label, "US$ per hour");
    assert!(fleets.svg.contains(">$"), "ticks in dollars");
    assert!(fleets.assumptions[0].ends_with("questions with another objective are left out"));
    // The first point of each front is the cheapest fleet of all.
    for (question, (_, answer)) in ["1. ", "2. "].into_iter().zip(&answers) {
        let mine = fleets.table.rows.iter().filter(|row| row.cells[0].text.starts_with(question));
        let cheapest = mine.filter_map(|row| row.cells[3].value).reduce(f64::min).expect("a fleet");
        let all = table(answer, "fleet-costs").rows.iter().filter_map(|row| row.cells[3].value);
        assert_eq!(Some(cheapest), all.reduce(f64::min), "{question}");
    }
    assert!(fleets.reads.iter().all(|read| !read.link.is_empty()));
    let runs = self::answers(&[format!("{train}&size.days=30"), format!("{train}&size.days=10")]);
    let runs = self::figures(&runs, 2);
    assert_eq!((ids(&runs), &*runs[0].table.columns[3].label), (vec!["compared-run-costs"], "US$"));
}

#[test]
fn generations_share_bars_and_technologies_share_lines() {
    let small =
        "v=1&view=generations&gpus=64&tp=8&pp=1&batch=256&seq=2048&serve.tp=1&serve.in=512&serve.out=128";
    let nodes = "v=1&view=technology&tech.task=decode&tech.memory";
    let links = [format!("{small}&model=gpt-3-13b"), format!("{small}&model=llama-3.1-8b")];
    let generations = answers(&links);
    let shared = figures(&generations, 2);
    assert_eq!(ids(&shared), ["compared-speedups"]);
    let bars = &shared[0].table;
    assert_eq!(bars.columns.len(), 3);
    for (column, (_, answer)) in generations.iter().enumerate() {
        for (row, own) in bars.rows.iter().zip(&table(answer, "speedup").rows) {
            assert_eq!(
                (&row.cells[0].text, row.cells[1 + column].value),
                (&own.cells[0].text, own.cells[3].value)
            );
            assert_eq!(row.cells[1 + column].link, own.cells[3].link);
        }
    }
    let technologies = answers(&["hbm2e", "hbm3e"].map(|memory| format!("{nodes}={memory}")));
    let shared = figures(&technologies, 2);
    assert_eq!(ids(&shared), ["compared-nodes"]);
    let lines = &shared[0].table;
    assert_eq!((lines.columns[1].unit.as_deref(), lines.rows.len() > 4), (Some("s"), true));
    // Each question has the line of its own memory; later nodes are faster.
    for column in [1, 2] {
        let times: Vec<f64> = lines.rows.iter().filter_map(|row| row.cells[column].value).collect();
        assert!(times.len() > 4 && times.first() > times.last(), "{times:?}");
    }
    assert_ne!(lines.rows[4].cells[1].value, lines.rows[4].cells[2].value);
}

#[test]
fn questions_that_are_still_searched_have_no_figure() {
    let questions = [link::decode("v=1&view=search").scenario, link::decode("v=1").scenario];
    assert_eq!(searched(&questions, &|_| Ok(Arc::default()), Size::Wide), []);
    assert_eq!(searched(&questions, &|_| Err(Vec::new()), Size::Wide), []);
}

fn side<T>(name: &str, of: T) -> Compared<T> {
    Compared { name: name.to_owned(), link: String::new(), of }
}

fn items(values: &[(&str, f64)]) -> Vec<ItemValue> {
    let item = |(item, value): &(&str, f64)| ItemValue {
        item: (*item).to_owned(),
        value: *value,
        link: "v=1".to_owned(),
    };
    values.iter().map(item).collect()
}

#[test]
fn items_of_later_questions_stand_before_those_that_follow_them() {
    let sides = [
        side("1. a", items(&[("N5", 2.0), ("N3", 1.0)])),
        side("2. b", items(&[("N7", 3.0), ("N5", 4.0), ("A14", 0.5)])),
    ];
    let figure = compared_nodes(&sides, Size::Wide);
    let nodes: Vec<&str> = figure.table.rows.iter().map(|row| &*row.cells[0].text).collect();
    assert_eq!(nodes, ["N7", "N5", "A14", "N3"]);
    assert_eq!(figure.finding, "2. b takes least: 500 ms on A14.");
    let figure = compared_speedups(&sides, Size::Wide);
    assert_eq!(figure.finding, "2. b gains most: N5 trains it 4.00× as fast as N7.");
}

#[test]
fn hostile_values_are_drawn_safely() {
    drawn_safely(|value, size| {
        let sides = [
            side(HOSTILE_NAME, items(&[(HOSTILE_NAME, value), ("B", 1.0)])),
            side("2", items(&[("B", value), ("C", 2.0)])),
        ];
        let point = |at| CurvePoint { at, what: HOSTILE_NAME.to_owned(), link: "v=1".to_owned() };
        let curves = [side(HOSTILE_NAME, vec![point((value, 1.0))]), side("2", vec![point((2.0, 1.0))])];
        let axis = CurveAxis { title: HOSTILE_NAME, unit: Unit::None };
        vec![
            compared_speedups(&sides, size),
            compared_nodes(&sides, size),
            compared_curves(("compared-plans", "Plans"), (axis, axis), &curves, (String::new(), ""), size),
        ]
    });
}
