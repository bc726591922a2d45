//! Pinned questions in the figures of whole answers.

#![allow(clippy::disallowed_methods)]

use foretoken::figure::{Figure, Size};
use foretoken::view::Part;
use foretoken::view::json::Answers;

/// Questions with others pinned beside them.
const PINNED: [&str; 2] = [
    "v=1&view=training~v=1&view=training&gpus=1024&pin=true~v=1&view=training&gpu=b200&tp=4&pin=true",
    "v=1&view=inference~v=1&view=inference&gpu=b200&pin=true~v=1&view=inference&model=llama-3.1-8b&pin=true",
];

/// Questions of views that search, with another pinned beside each, and the figure that has both.
const SEARCHED: [(&str, &str); 4] = [
    (
        "v=1&view=search&model=llama-3.1-8b&batch=64&seq=4096&gpus=16&search.gpus_min=16&search.gpus_max=32\
         ~v=1&view=search&model=llama-3.1-8b&batch=64&seq=4096&gpus=16&search.gpus_min=16&search.gpus_max=32&gpu=b200&pin=true",
        "scaling",
    ),
    (
        "v=1&view=sizing&model=llama-3.1-8b&size.users=100&size.percentile=mean&size.one=true\
         ~v=1&view=sizing&model=llama-3.1-8b&size.users=100&size.percentile=mean&size.one=true&gpu=b200&pin=true",
        "fleet-costs",
    ),
    (
        "v=1&view=sizing&size.job=train&model=llama-3.1-8b&tokens=1e11&batch=512&size.one=true\
         ~v=1&view=sizing&size.job=train&model=llama-3.1-8b&tokens=1e11&batch=512&size.one=true&gpu=b200&pin=true",
        "run-costs",
    ),
    ("v=1&view=technology&tech.memory=hbm2e~v=1&view=technology&tech.memory=hbm3e&pin=true", "node-speedup"),
];

/// The figures of an answer.
fn figures(link: &str, size: Size) -> Vec<Figure> {
    let answer = Answers::reading(|name| Err(name.to_owned())).drawn(size).answer(link);
    let parts = answer.expect("an answer").parts.into_iter();
    let figures = parts.filter_map(|part| match part {
        Part::Figure(figure) => Some(figure),
        _ => None,
    });
    figures.collect()
}

/// The figures of the answers.
fn pinned(size: Size) -> Vec<Figure> {
    PINNED.into_iter().flat_map(|link| figures(link, size)).collect()
}

/// Pinned questions of views that search have their values in the figure, its table and its read-outs.
#[test]
fn pinned_questions_that_search_are_drawn_too() {
    for (link, id) in SEARCHED {
        let all = figures(link, Size::Medium);
        let figure = all.iter().find(|figure| figure.id == id).expect(id);
        assert!(figure.svg.contains("pinned: "), "{id}");
        let beside = figure.table.rows.iter().filter(|row| row.cells[0].shown().starts_with("pinned: "));
        let (_, alone) = link.split_once('~').expect("two questions");
        let alone = figures(alone.trim_end_matches("&pin=true"), Size::Medium);
        let alone = alone.iter().find(|figure| figure.id == id).expect(id);
        assert_eq!(beside.count(), alone.compared.len(), "{id}");
        assert!(!alone.compared.is_empty(), "{id}");
        assert!(figure.reads.iter().any(|read| read.text.starts_with("pinned: ")), "{id}");
        assert!(foretoken::figure::PINNABLE.contains(&id), "{id}");
    }
}

#[test]
fn pinned_questions_are_named_in_the_drawing_and_the_table() {
    let figures = pinned(Size::Narrow);
    let named = |figure: &&Figure| figure.svg.contains("pinned: B200");
    for id in [
        "step-breakdown",
        "memory",
        "roofline",
        "prefill-breakdown",
        "decode-breakdown",
        "capacity",
        "sensitivity",
    ] {
        let figure = figures.iter().filter(named).find(|figure| figure.id == id).expect(id);
        let of = |row: &foretoken::figure::Row| row.cells[0].shown().contains("pinned: B200 SXM");
        assert!(figure.table.rows.iter().any(of), "{id}");
        assert!(figure.reads.iter().any(|read| read.text.contains("pinned: B200 SXM")), "{id}");
    }
}
