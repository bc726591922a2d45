//! Every numeric axis has at least three labels, in each figure and at each width of the page.

use std::collections::{BTreeMap, BTreeSet};

use foretoken::figure::{self, Figure, Size};
use foretoken::published::EXHIBITS;
use foretoken::scenario::preset::presets;
use foretoken::service::{Ask, Request, Said, Service, Step};
use foretoken::view::Answer;

use crate::figure_cases::{SIZES, all};
use crate::{figure as estimates, figure_search};

/// Labels that show a scale.
const LEAST: usize = 3;

/// Questions whose figures are computed within a second or two, drawn at every width.
const QUICK: [&str; 7] = [
    "v=1",
    "v=1&model=llama-3.1-8b&gpus=64&tp=8&pp=1&batch=128&framework=megatron&measured.step=3",
    "v=1&view=inference&model=llama-3.1-8b&serve.tp=2&serve.concurrency=16&serve.ttft=500&serve.tpot=20",
    "v=1&view=inference&model=llama-3.1-8b&serve.tp=1&serve.concurrency=16&serve.turns=5&measured.tpot=9",
    "v=1&view=inference&model=llama-3.1-8b&serve.tp=2&serve.batch=8&measured.ttft=80&measured.latency=2000",
    "v=1&view=technology",
    "v=1&view=validation",
];

/// Questions that take longer, drawn at 320 pixels alone: the axes are shortest there.
const LONG: [&str; 4] = [
    "v=1&view=search&model=llama-3.1-8b&gpus=16&batch=64&seq=4096&search.gpus_max=64",
    "v=1&view=generations&model=gpt-3-13b&gpus=64&tp=8&pp=1&batch=256&seq=2048&serve.tp=1&serve.in=512&serve.out=128",
    "v=1&view=sizing&model=llama-3.1-8b&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30&serve.engine=vllm",
    "v=1&view=sizing&size.job=train&model=llama-3.1-8b&tokens=1e12&batch=512",
];

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

/// The figures of the answer to a question, drawn at a size.
fn figures(link: &str, size: Size) -> Vec<Figure> {
    let mut service = Service::default();
    service.ask(Request { id: 1, ask: Ask::Answer { link: link.to_owned(), size, workers: 1 } });
    let mut known = Answer::default();
    loop {
        match service.step() {
            Step::Idle => return known.figures().cloned().collect(),
            Step::Busy => {}
            Step::Tell(reply) => match reply.said {
                Said::Partial { news, .. } | Said::Answer(news) => known.take(news),
                Said::Progress { .. } => {}
                other => panic!("{link}: {other:?}"),
            },
            Step::Fetch(name) => service.supply(Ok(match name {
                "nccl_perlmutter.csv" => include_str!("../measured/nccl_perlmutter.csv"),
                _ if link.contains("view=validation") => include_str!("../../public/validation.csv"),
                _ => "",
            })),
        }
    }
}

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
    let mut drawn = Vec::new();
    for size in SIZES {
        drawn.extend(all(size));
        drawn.extend(figure_search::maps(size));
        drawn.extend(presets().iter().flat_map(|preset| estimates::of_scenario(&preset.scenario(), size)));
        drawn.extend(QUICK.into_iter().flat_map(|link| figures(link, size)));
    }
    drawn.extend(LONG.into_iter().flat_map(|link| figures(link, Size::Narrow)));
    let results = EXHIBITS.iter().map(|exhibit| format!("v=1&view=papers&result={}", exhibit.id));
    drawn.extend(results.flat_map(|link| figures(&link, Size::Narrow)));

    let with_values = drawn.iter().filter(|figure| !figure.svg.contains("No values to show"));
    let few: BTreeSet<String> = with_values.flat_map(short).collect();
    assert!(few.is_empty(), "{few:#?}");

    let seen: BTreeSet<&str> = drawn.iter().map(|figure| figure.id.as_ref()).collect();
    let listed = figure::FIGURES.iter().map(|listed| listed.id);
    let missing: BTreeSet<&str> = listed.filter(|id| !seen.contains(id) && !ALIKE.contains(id)).collect();
    assert!(missing.is_empty(), "not drawn: {missing:?}");
}
