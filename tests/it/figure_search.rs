//! Figures of searches.

use crate::figure_cases::{SIZES, check, check_colours, rows};
use foretoken::figure::{self, Figure, Scaled, Size};
use foretoken::published::subramanian::{Feature, Map, Run};
use foretoken::scenario::{Scenario, link};
use foretoken::search::{Found, Search};
use foretoken::units::{Bytes, Seconds, format};

fn scenario() -> Scenario {
    link::decode("v=1&view=search&model=llama-3.1-8b&gpus=16&batch=64&seq=4096&search.gpus_max=64").scenario
}

fn search() -> Search {
    let mut search = scenario().search().expect("a question with an answer");
    search.run();
    search
}

fn scaled(search: &Search) -> Vec<Scaled> {
    let scenario = scenario();
    let device = scenario.system.accelerator().expect("a known device");
    let mut found: Vec<&Found> = search.outcomes().iter().filter_map(|outcome| outcome.best()).collect();
    found.sort_by_key(|found| found.gpus);
    let scaled = |found: &Found| Scaled {
        found: *found,
        mfu: search.question().mfu(found),
        bill: scenario.bill(&device, found.gpus, found.step),
    };
    found.into_iter().map(scaled).collect()
}

/// A map with made-up days that get fewer along both features.
fn map(feature: Feature, run: Run) -> Map {
    let mut map = Map::new(feature, run);
    let days = |index: usize| (index % 11 != 3).then_some(40.0 / (1.0 + index as f64));
    map.days = (0..map.points()).map(days).collect();
    map
}

pub(crate) fn maps(size: Size) -> Vec<Figure> {
    let of =
        |feature| [false, true].map(|second| (feature, if second { Run::VIT } else { Run::LLM }, second));
    let all = Feature::ALL.into_iter().flat_map(of);
    all.map(|(feature, run, second)| figure::features(&map(feature, run), second, size)).collect()
}

fn unlinked(_: &Found) -> String {
    String::new()
}

#[test]
fn drawings_are_well_formed_and_labelled() {
    let search = search();
    let limit = search.question().limit();
    for size in SIZES {
        let mut figures = maps(size);
        figures.push(figure::plans(search.asked(), limit, &unlinked, size));
        figures.push(figure::scaling(&scaled(&search), &[], &unlinked, size));
        for figure in figures {
            check(&figure.svg);
            check(&figure.standalone_svg());
            check_colours(&figure);
            assert!(figure.finding.ends_with('.') && figure.finding.contains(|c: char| c.is_ascii_digit()));
            assert!(figure.svg.len() < 120_000, "{} has {} bytes", figure.id, figure.svg.len());
            assert!(!figure.table.rows.is_empty() && !rows(&figure.table).is_empty(), "{}", figure.id);
        }
    }
    let ids: Vec<String> = maps(Size::Wide).iter().map(|figure| figure.id.to_string()).collect();
    assert_eq!(ids, ["dram-llm", "dram-vit", "rate-llm", "rate-vit", "domain-llm", "domain-vit"]);
}

#[test]
fn findings() {
    let search = search();
    let points = scaled(&search);
    let figures = [
        figure::plans(search.asked(), search.question().limit(), &unlinked, Size::Wide),
        figure::scaling(&points, &[], &unlinked, Size::Wide),
        figure::scaling(&points[..1], &[], &unlinked, Size::Wide),
        figure::scaling(&[], &[], &unlinked, Size::Wide),
        figure::features(&map(Feature::Dram, Run::LLM), false, Size::Wide),
    ];
    let [plans, scaling, ..] = &figures;
    for point in &points {
        let mfu = format::percent(point.mfu);
        assert!(scaling.svg.contains(&mfu), "no place for an MFU of {mfu}");
    }
    // Read-outs name the plans; a text drawn in the chart does not.
    let drawn = |found: &Found| plans.svg.contains(&format!("{}</text>", found.name()));
    let named = search.asked().front.found().iter().find(|found| drawn(found));
    assert_eq!(named, None, "a plan's name covers the dots");
    let findings = figures.map(|figure| figure.finding);
    let fastest = search.asked().front.found().first().expect("a plan that fits");
    let fit = format::grouped(search.asked().feasible as f64);
    let begins = format!("Of {fit} plans that fit, the fastest takes {} in", format::time(fastest.step));
    assert!(findings[0].starts_with(&begins), "{}", findings[0]);
    assert!(findings[1].starts_with("From 2 to 64 GPUs a step becomes 36.3×"), "{}", findings[1]);
    assert!(findings[2].starts_with("On 2 GPUs a step takes "), "{}", findings[2]);
    assert_eq!(findings[3], "No plan fits on any number of GPUs that was tried.");
    insta::assert_snapshot!(findings[4], @"Training takes 40.0 days with 500 GB/s and 80 GB, and 0.625 days with 16,000 GB/s and 1,000 GB.");
}

#[test]
fn hostile_numbers_are_drawn_safely() {
    let search = search();
    let numbers = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1e-320, f64::MAX];
    for size in SIZES {
        for value in numbers {
            let mut points = scaled(&search);
            points[0].found.step = Seconds::new(value);
            points[1].mfu = value;
            let mut map = map(Feature::Rate, Run::VIT);
            map.days[2] = Some(value);
            map.columns[3] = value;
            for figure in [
                figure::scaling(&points, &[], &unlinked, size),
                figure::features(&map, true, size),
                figure::plans(search.asked(), Bytes::new(value), &unlinked, size),
            ] {
                check(&figure.svg);
                assert!(!figure.table.to_csv().contains("NaN"), "{}", figure.id);
            }
        }
        let none = Map::new(Feature::Domain, Run::LLM);
        for figure in [figure::scaling(&[], &[], &unlinked, size), figure::features(&none, false, size)] {
            assert!(figure.svg.contains("No values to show"), "{}", figure.id);
        }
    }
}
