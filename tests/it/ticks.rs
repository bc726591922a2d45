//! Every numeric axis has at least three labels, in each figure and at each width of the page.

use std::collections::{BTreeMap, BTreeSet};

use foretoken::figure::{self, Figure};

use crate::figure_answers::drawn;

/// Labels that show a scale.
const LEAST: usize = 3;

/// Figures that take a long search or a measurement, with charts of the same kind as others: maps of features, and waterfalls.
const ALIKE: [&str; 8] = [
    "sweep-dram",
    "sweep-rate",
    "sweep-domain",
    "difference-step",
    "difference-ttft",
    "difference-tpot",
    "difference-latency",
    "run-costs",
];

/// Texts in the ink of axes with this anchor, by the coordinate that those of one axis share.
fn labels<'a>(svg: &'a str, anchor: &str, shared: &str) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for text in svg.split("<text").skip(1) {
        let (tag, rest) = text.split_once('>').expect("a tag");
        let attribute = |name: &str| {
            let (_, value) = tag.split_once(&format!(" {name}=\""))?;
            value.split('"').next()
        };
        let shown = rest.split('<').next().unwrap_or_default();
        let muted = attribute("class").is_some_and(|class| class.ends_with("fig-fill-muted"));
        if muted && attribute("text-anchor") == Some(anchor) && shown.contains(|c: char| c.is_ascii_digit()) {
            found.entry(attribute(shared).expect("a place")).or_default().push(shown);
        }
    }
    found
}

/// Axes with too few labels, as the figure's id and what is there.
fn short(figure: &Figure) -> Vec<String> {
    let axes =
        [("horizontal", labels(&figure.svg, "middle", "y")), ("upright", labels(&figure.svg, "end", "x"))];
    let fewer = axes.into_iter().filter_map(|(axis, found)| {
        // Titles of axes may have digits too; labels are the largest group.
        let labels = found.into_values().max_by_key(Vec::len)?;
        (labels.len() < LEAST)
            .then(|| format!("{} at {} px, {axis}: {}", figure.id, figure.width, labels.join(", ")))
    });
    fewer.collect()
}

#[test]
fn every_numeric_axis_has_three_labels() {
    let figures = || drawn().iter().map(|drawn| &drawn.figure);
    let with_values = figures().filter(|figure| !figure.svg.contains("No values to show"));
    let few: BTreeSet<String> = with_values.flat_map(short).collect();
    assert!(few.is_empty(), "{few:#?}");

    let seen: BTreeSet<&str> = figures().map(|figure| figure.id.as_ref()).collect();
    let listed = figure::FIGURES.iter().map(|listed| listed.id);
    let missing: BTreeSet<&str> = listed.filter(|id| !seen.contains(id) && !ALIKE.contains(id)).collect();
    assert!(missing.is_empty(), "not drawn: {missing:?}");
}
