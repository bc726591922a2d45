//! The Papers view, without a browser: the gallery, every result, the file that one of them reads.

use foretoken::figure::{self, FIGURES, Figure, Size};
use foretoken::papers::{
    Bar, Bars, Chart, Data, Dot, Dots, Limit, Line, Lines, Look, Origin, Point, Printed, Quantity, Share,
    Source,
};
use foretoken::published::{EXHIBITS, Paper};
use foretoken::scenario::{View, link, preset};
use foretoken::service::{Said, Service, Step};
use foretoken::view::{Answer, News, Notice, Part};

use crate::figure_cases::{HOSTILE_NAME, SIZES, check, check_colours, drawn_safely};
use crate::service::{answered, ids, replies, request};

const ROWS: &str = include_str!("../measured/nccl_perlmutter.csv");

/// The answer to a result's question.
fn answer(id: &str) -> Answer {
    let mut service = Service::default();
    service.ask(request(1, &format!("v=1&view=papers&result={id}")));
    let mut said = Vec::new();
    loop {
        match service.step() {
            Step::Idle => break,
            Step::Busy => {}
            Step::Tell(reply) => said.push(reply.said),
            Step::Fetch(name) => {
                assert_eq!(name, "nccl_perlmutter.csv");
                service.supply(Ok(ROWS));
            }
        }
    }
    answered(&said).clone()
}

fn notices(parts: &[Part]) -> impl Iterator<Item = &Notice> {
    parts.iter().filter_map(|part| match part {
        Part::Notice(notice) => Some(notice),
        _ => None,
    })
}

fn links(answer: &Answer) -> Vec<String> {
    let rows = answer.parts.iter().filter_map(Part::table).flat_map(|table| &table.rows);
    rows.flat_map(|row| &row.cells).filter_map(|cell| cell.link.clone()).collect()
}

#[test]
fn the_gallery_opens_every_result() {
    let said = replies("v=1&view=papers");
    assert!(matches!(said.first(), Some(Said::Partial { done: 0, .. })), "{:?}", said.first());
    let answer = answered(&said);
    let opened: Vec<String> =
        links(answer).iter().map(|there| link::decode(there).scenario.papers.result).collect();
    let exhibits = |paper| EXHIBITS.iter().filter(move |exhibit| exhibit.paper == paper);
    let all: Vec<&str> = Paper::ALL.into_iter().flat_map(exhibits).map(|exhibit| exhibit.id).collect();
    assert_eq!(opened, all);
    for paper in Paper::ALL.into_iter().filter(|paper| exhibits(*paper).next().is_some()) {
        let Some(Part::Notice(notice)) = answer.part(&format!("source-{}", paper.id())) else {
            panic!("{:?}", ids(answer))
        };
        assert_eq!(notice.links[0].address, paper.address());
    }
}

/// Results of which neither text nor code gave values.
const UNPUBLISHED: [&str; 2] = ["operator-bounds", "technology-nodes"];

#[test]
fn every_result_has_its_error_figures_and_values() {
    for exhibit in EXHIBITS {
        let answer = answer(exhibit.id);
        let shown: Vec<&str> = answer.cards.iter().map(|card| card.id.as_str()).collect();
        let compared = !UNPUBLISHED.contains(&exhibit.id);
        let cards: &[&str] = if compared { &["mean", "largest", "points"] } else { &[] };
        assert_eq!(shown, cards, "{}", exhibit.id);
        assert!(
            !answer.lead.is_empty() && answer.cards.iter().all(|card| card.amount.is_some()),
            "{}",
            exhibit.id
        );
        assert!(answer.figures().count() > 0 && answer.part("values").is_some(), "{}", exhibit.id);
        for figure in answer.figures() {
            check(&figure.svg);
            check_colours(figure);
            let listed = FIGURES.iter().any(|listed| listed.view == View::Papers && listed.id == figure.id);
            assert!(listed && !figure.svg.contains("No values to show"), "{} of {}", figure.id, exhibit.id);
            assert!(figure.finding.ends_with('.') && !figure.table.rows.is_empty(), "{}", figure.id);
            assert!(figure.assumptions.iter().all(|sentence| !sentence.ends_with('.')), "{}", figure.id);
        }
    }
}

/// The table of a result, and that of its figure, say 78.35 where the authors' code gave 78.35.
#[test]
fn values_have_the_published_digits() {
    let answer = answer("days-gpt3-b200");
    let values = answer.part("values").and_then(Part::table).expect("values");
    let figures = answer.figures().flat_map(|figure| &figure.table.rows);
    for rows in [values.rows.iter().collect::<Vec<_>>(), figures.collect()] {
        let texts = rows.iter().map(|row| (row.cells[2].shown(), row.cells[3].shown()));
        let published: Vec<(&str, &str)> = texts.filter(|(_, theirs)| *theirs != "–").collect();
        // Days, the fewest GPUs of three strategies, what two dimensions gain in three domains.
        assert_eq!(published.len(), 54 + 3 + 3);
        for pair in
            [("78.35 days", "78.35 days"), ("5.237 days", "5.24 days"), ("432.477 days", "432.477 days")]
        {
            assert!(published.contains(&pair), "{pair:?} is not in {published:?}");
        }
    }
}

/// All 702 searches are on one page, with the number of plans that the authors' code tries.
#[test]
fn the_whole_study_is_one_page() {
    let answer = answer("study");
    assert_eq!(answer.figures().count(), 9);
    let plans = answer.figures().find(|figure| figure.id == "study-plans").expect("the plans");
    assert_eq!(plans.finding, "9,183,444 plans were searched; 2,443,160 of them fit into memory.");
    let searched =
        |figure: &&Figure| figure.id.starts_with("study-gpt3-") || figure.id.starts_with("study-vit-");
    let rows = answer.figures().filter(searched).flat_map(|figure| &figure.table.rows);
    // 360 of the 702 points have a plan that fits.
    assert_eq!(rows.count(), 360);
    let Some(Part::Notice(pages)) = answer.part("questions") else { panic!("no links") };
    assert_eq!(pages.links.len(), 1 + 6);
}

/// The questions that results open are answered with their values: steps, and days of whole runs.
#[test]
fn configurations_open_as_questions() {
    let opened = |id: &str| {
        let answer = answer(id);
        let table = answer.part("values").and_then(Part::table).expect("values");
        let mut opened = 0;
        for row in &table.rows {
            let Some(there) = &row.cells[5].link else { continue };
            let decoded = link::decode(there);
            assert_eq!((decoded.problems.len(), decoded.scenario.view), (0, View::Training), "{there}");
            let unit = row.cells[2].text.rsplit(' ').next().expect("a unit");
            // Shallow pipelines do not fit, nor does the 1T model on A100 as the code counts: refused for it.
            let Ok(estimate) = decoded.scenario.training() else { continue };
            let theirs = match unit {
                "s" => estimate.step.get(),
                "days" => estimate.run.get() / 86400.0,
                _ => continue,
            };
            let ours = row.cells[2].value.expect("a time");
            assert!((theirs / ours - 1.0).abs() < 1e-9, "{id}: {theirs}, {ours}: {there}");
            opened += 1;
        }
        opened
    };
    assert_eq!(opened("why-that-plan"), 14);
    assert_eq!((opened("optima"), opened("megatron")), (11, 3 + 3 + 3 + 3));
    assert_eq!(opened("days-gpt3-b200"), 72);
    assert_eq!(opened("sweeps-gpt3"), 6 * 28 + 4 * 22);
}

/// Every shown row of a result has a published value, and every value that a scenario can express opens as a question.
#[test]
fn shown_rows_are_published_and_open_questions() {
    for (id, least) in [("optima", 11), ("dram-technology", 4), ("sweeps-gpt3", 60), ("domain-speedup", 30)] {
        let answer = answer(id);
        let table = answer.part("values").and_then(Part::table).expect("values");
        let shown = table.rows.iter().take(60);
        let both = shown.filter(|row| row.cells[3].value.is_some() && row.cells[5].link.is_some());
        assert!(both.count() >= least, "{id}");
    }
    for exhibit in EXHIBITS {
        let answer = answer(exhibit.id);
        let notices = notices(&answer.parts).flat_map(|notice| &notice.links);
        let questions =
            notices.filter(|link| !link.link.is_empty() && !link.link.contains("view=papers")).count();
        assert!(links(&answer).len() + questions > 0, "{} opens nothing", exhibit.id);
    }
}

/// A question of a paper says the paper's time: no failures, and once what its equations lack.
#[test]
fn a_question_of_a_paper_says_its_time() {
    let answer = answer("days-gpt3-b200");
    let table = answer.part("values").and_then(Part::table).expect("values");
    let row = table.rows.iter().find(|row| row.cells[3].text == "5.24 days").expect("a row");
    let said = replies(row.cells[5].link.as_ref().expect("a question"));
    let wholes: Vec<&Answer> = said
        .iter()
        .filter_map(|said| match said {
            Said::Partial { news: News::Whole(answer), .. } => Some(answer),
            _ => None,
        })
        .collect();
    let leads = || wholes.iter().map(|answer| answer.lead.as_str());
    assert!(leads().all(|lead| lead.starts_with("5.237 days to train")), "{:?}", leads().collect::<Vec<_>>());
    let last = wholes.last().expect("an answer");
    let others = notices(&last.parts).filter(|notice| notice.text.contains("choose another set"));
    assert_eq!(others.count(), 1);
}

/// The configuration that reaches the whole speed-up is said first, and its causes are what the link opens.
#[test]
fn the_comparison_of_systems_leads_with_its_configuration() {
    let answer = answer("a100-b200");
    assert!(answer.lead.contains("TP ") && answer.lead.contains("B200-NVS-L"), "{}", answer.lead);
    let preset = preset::presets().iter().find(|preset| preset.id == "gpt-3-35x").expect("the preset");
    assert_eq!(preset.part(), "causes");
    assert!(links(&answer).iter().all(|link| link.ends_with("&part=causes")));
}

#[test]
fn a_result_that_is_not_listed_is_refused() {
    let said = replies("v=1&view=papers&result=day-vit-h200");
    let Some(Said::Refused(problems)) = said.last() else { panic!("{said:?}") };
    assert_eq!(
        problems[0].to_string(),
        "papers.result: there is no result `day-vit-h200`: did you mean `days-vit-h200`?"
    );
}

#[test]
fn a_broken_file_is_a_fault_and_fetched_again() {
    let mut service = Service::default();
    for file in
        [Err("it is not there".to_owned()), Ok("<html>"), Ok("size,time-o,op,num_nodes,gpus_per_node\nx")]
    {
        service.ask(request(1, "v=1&view=papers&result=nccl"));
        assert_eq!(service.step(), Step::Fetch("nccl_perlmutter.csv"));
        service.supply(file);
        let Step::Tell(reply) = service.step() else { panic!("no reply") };
        assert!(matches!(reply.said, Said::Fault { .. }), "{:?}", reply.said);
    }
}

fn quantity(logarithmic: bool) -> Quantity {
    Quantity { name: "Time", unit: "s", logarithmic }
}

fn chart(data: Data) -> Chart {
    Chart {
        id: "days-nvs4".into(),
        title: HOSTILE_NAME.to_owned(),
        finding: String::new(),
        source: Source { origin: Origin::Measured, place: "a table" },
        data,
        assumptions: vec![HOSTILE_NAME.to_owned()],
    }
}

/// Charts of one hostile number among others.
fn hostile(value: f64, size: Size) -> Vec<Figure> {
    let name = || HOSTILE_NAME.to_owned();
    let lines = |logarithmic| {
        let point = |x, ours, published: Option<f64>| Point {
            x,
            ours,
            published: published.map(f64::into),
            what: name(),
            link: None,
        };
        let points = vec![
            point(1.0, Some(value), Some(2.0)),
            point(value, Some(1.0), Some(value)),
            point(3.0, None, Some(value)),
            point(4.0, Some(3.0), None),
        ];
        let line = Line { name: name(), look: Look { colour: 250, dash: 250 }, points };
        let limit = || vec![Limit { name: name(), at: value }, Limit { name: name(), at: 2.0 }];
        chart(Data::Lines(Lines {
            x: quantity(logarithmic),
            y: quantity(logarithmic),
            lines: vec![line],
            limits: limit(),
            posts: limit(),
        }))
    };
    let share = |ours, published| Share { ours: Some(ours), published: Some(Printed::from(published)) };
    let bar = |whole: Share| Bar { name: name(), whole, parts: vec![share(value, 1.0)], ..Bar::default() };
    let bars = chart(Data::Bars(Bars {
        quantity: quantity(false),
        parts: vec!["part"],
        rows: vec![bar(share(value, 1.0)), bar(share(1.0, value)), bar(Share::default())],
    }));
    let dot = |ours, published| Dot { name: name(), group: name(), ours, published };
    let dots = Dots { quantity: quantity(true), dots: vec![dot(value, 1.0), dot(1.0, value), dot(1.0, 2.0)] };
    [lines(false), lines(true), bars, chart(Data::Dots(dots))]
        .iter()
        .map(|chart| figure::result(chart, size))
        .collect()
}

#[test]
fn hostile_results_are_drawn_safely() {
    drawn_safely(hostile);
}

#[test]
fn a_result_without_values_says_so() {
    let empty = Lines {
        x: quantity(true),
        y: quantity(true),
        lines: Vec::new(),
        limits: Vec::new(),
        posts: Vec::new(),
    };
    for size in SIZES {
        let figure = figure::result(&chart(Data::Lines(empty.clone())), size);
        assert!(figure.svg.contains("No values to show"));
        assert_eq!(figure.finding, "There is no published value to compare with.");
    }
}

/// A search with the paper's assumption set, model and system offers the paper's job, whose search states its days.
#[test]
fn a_search_offers_the_job_of_the_paper_and_prints_its_days() {
    let asked = "v=1&view=search&assumptions=subramanian-2024&model=gpt3-1t&gpus=16384&gpu=subramanian-";
    let said = |link: &str| answered(&replies(link)).clone();
    for (system, days) in
        [("a100-nvs4", "29.29 days"), ("a100-nvs64", "22.33 days"), ("b200-nvs8", "4.086 days")]
    {
        let refused = said(&format!("{asked}{system}"));
        let fields: Vec<&str> = refused.problems.iter().map(|problem| problem.field.as_str()).collect();
        assert_eq!(fields, ["recipe.dropout", "recipe.gradients"]);
        let Some(Part::Notice(offer)) = refused.part("as-in-paper") else { panic!("no offer") };
        let answer = said(&offer.links[0].link);
        assert!(answer.lead.starts_with(days), "{system}: {}", answer.lead);
        assert!(!answer.lead.contains(" to "), "papers have no ranges: {}", answer.lead);
    }
}

/// Results open the searches and the sweeps that they are made of.
#[test]
fn results_open_their_searches() {
    for (id, searches) in [("days-vit-h200", 3), ("sweeps-gpt3", 3)] {
        let answer = answer(id);
        let Some(Part::Notice(questions)) = answer.part("questions") else { panic!("no links") };
        let opened: Vec<_> = questions.links.iter().map(|link| link::decode(&link.link)).collect();
        let search = opened.iter().filter(|opened| opened.scenario.view == View::Search);
        assert_eq!(search.clone().count(), searches, "{id}");
        assert!(search.clone().all(|opened| opened.scenario.published_search().is_ok()), "{id}");
    }
}
