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

/// The figures of the answers.
fn pinned(size: Size) -> Vec<Figure> {
    let figures = |link: &str| {
        let answer = Answers::reading(|name| Err(name.to_owned())).drawn(size).answer(link);
        let parts = answer.expect("an answer").parts.into_iter();
        let figures = parts.filter_map(|part| match part {
            Part::Figure(figure) => Some(figure),
            _ => None,
        });
        figures.collect::<Vec<_>>()
    };
    PINNED.into_iter().flat_map(figures).collect()
}

#[test]
fn pinned_questions_are_named_in_the_drawing_and_the_table() {
    let figures = pinned(Size::Narrow);
    let named = |figure: &&Figure| figure.svg.contains("pinned: B200");
    for id in ["step-breakdown", "memory", "roofline", "prefill-breakdown", "decode-breakdown", "capacity"] {
        let figure = figures.iter().filter(named).find(|figure| figure.id == id).expect(id);
        let of = |row: &foretoken::figure::Row| row.cells[0].shown().contains("pinned: B200 SXM");
        assert!(figure.table.rows.iter().any(of), "{id}");
        assert!(figure.reads.iter().any(|read| read.text.contains("pinned: B200 SXM")), "{id}");
    }
}
