//! `docs/papers.md`: every published value of both papers beside ours.

use std::fmt::Write as _;

use foretoken::papers::{self, Bars, Chart, Data, Dots, Entry, Found, Lines, Printed, Share, beside};
use foretoken::published::{EXHIBITS, Paper};
use foretoken::units::format;

const HEAD: &str = "# Results of two papers\n\n\
    Every table and figure of arXiv 2407.14645 and arXiv 2410.00273 that can be computed, each published value beside\n\
    ours. `make papers` writes this page; the Papers view shows the same with charts, and each configuration opens\n\
    there as a question.\n\n\
    Cells are `ours / published`: the published value as it is printed, ours with as many decimals and four\n\
    significant digits at least; a dash stands for a value that one of the two does not have. Output of the\n\
    authors' code is no measurement and is named so.\n";

/// Every result with what it gives, in order.
pub fn all() -> Result<Vec<(&'static Entry, Found)>, String> {
    papers::entries().map(|entry| Ok((entry, entry.compute(file)?))).collect()
}

/// Table of results for the lists of the page before they are computed: machine name, published values, mean error.
pub fn known(results: &[(&Entry, Found)]) -> String {
    let mut text = String::new();
    for (entry, found) in results {
        let score = found.score();
        let mean = if score.count > 0 { format!("{:.3e}", score.mean) } else { String::new() };
        let _ = writeln!(text, "{},{},{mean}", entry.id, found.pairs().len());
    }
    text
}

/// The document of these results.
pub fn document(results: &[(&Entry, Found)]) -> String {
    let mut text = HEAD.to_owned();
    let mut rest = String::new();
    for paper in Paper::ALL {
        if EXHIBITS.iter().all(|exhibit| exhibit.paper != paper) {
            continue;
        }
        let (name, title, address) = (paper.name(), paper.title(), paper.address());
        let _ = write!(text, "\n[{name}]({address}): {title}.\n\n");
        text.push_str("| result | id | published values | mean error |\n|---|---|---:|---:|\n");
        let _ = write!(rest, "\n## {name}\n");
        for exhibit in EXHIBITS.iter().filter(|exhibit| exhibit.paper == paper) {
            let Some((entry, found)) = results.iter().find(|(entry, _)| entry.id == exhibit.id) else {
                continue;
            };
            let (count, error) = (found.pairs().len(), mean(found));
            let _ = writeln!(text, "| {} | `{}` | {count} | {error} |", exhibit.name, exhibit.id);
            let _ = write!(rest, "\n### {}\n\n{}. Mean error: {error}.\n", exhibit.name, exhibit.shows);
            inferred(&mut rest, entry);
            for chart in &found.charts {
                section(&mut rest, chart);
            }
        }
    }
    text + &rest
}

fn mean(found: &Found) -> String {
    let score = found.score();
    if score.count == 0 { "–".to_owned() } else { format::mean_error(score.mean) }
}

fn inferred(text: &mut String, entry: &Entry) {
    if !entry.inferred.is_empty() {
        text.push_str("\nInferred:\n\n");
    }
    for sentence in entry.inferred {
        let _ = writeln!(text, "- {sentence}.");
    }
}

fn section(text: &mut String, chart: &Chart) {
    let _ = write!(text, "\n**{}**", chart.title);
    if chart.pairs().is_empty() {
        text.push_str(": no value is published.\n");
        return;
    }
    let _ = write!(text, ". Published values: {}, {}.\n\n", chart.source.origin.name(), chart.source.place);
    match &chart.data {
        Data::Lines(lines) => of_lines(text, lines),
        Data::Bars(bars) => of_bars(text, bars),
        Data::Dots(dots) => of_dots(text, dots),
    }
}

/// A row for each place, a column for each line.
fn of_lines(text: &mut String, lines: &Lines) {
    let unit = if lines.y.unit.is_empty() { String::new() } else { format!(", {}", lines.y.unit) };
    let mut places: Vec<f64> = Vec::new();
    for point in lines.lines.iter().flat_map(|line| &line.points).filter(|point| point.published.is_some()) {
        if !places.iter().any(|place| place.to_bits() == point.x.to_bits()) {
            places.push(point.x);
        }
    }
    places.sort_by(f64::total_cmp);
    let names = lines.lines.iter().map(|line| format!("{}{unit}", line.name));
    header(text, lines.x.name, names);
    for place in places {
        let cells = lines.lines.iter().map(|line| {
            let point = line.points.iter().find(|point| point.x.to_bits() == place.to_bits());
            point.map_or_else(|| "–".to_owned(), |point| cell(point.ours, point.published))
        });
        row(text, &number(place), cells);
    }
}

/// A row for each bar, a column for the whole where one is known, each part, and the configuration.
fn of_bars(text: &mut String, bars: &Bars) {
    let unit =
        if bars.quantity.unit.is_empty() { String::new() } else { format!(", {}", bars.quantity.unit) };
    let parts = bars.rows.iter().any(|bar| !bar.parts.is_empty());
    let whole = !parts || bars.rows.iter().any(|bar| bar.whole.ours.is_some());
    let what = bars.rows.iter().any(|bar| !bar.what.is_empty());
    let first = [bars.quantity.name].into_iter().filter(|_| whole);
    let columns = first.chain(bars.parts.iter().copied().filter(|_| parts));
    let columns = columns.map(|name| format!("{name}{unit}"));
    header(text, "", columns.chain(what.then(|| "configuration".to_owned())));
    for bar in &bars.rows {
        let shares = [&bar.whole].into_iter().filter(|_| whole).chain(&bar.parts);
        let cells = shares.map(|Share { ours, published }| cell(*ours, *published));
        row(text, &bar.name, cells.chain(what.then(|| bar.what.clone())));
    }
}

/// The mean error of each group; the pairs themselves are too many for a page.
fn of_dots(text: &mut String, dots: &Dots) {
    text.push_str("| group | pairs | mean error |\n|---|---:|---:|\n");
    let mut groups: Vec<&str> = Vec::new();
    for dot in &dots.dots {
        if !groups.contains(&dot.group.as_str()) {
            groups.push(&dot.group);
        }
    }
    for group in groups {
        let members = dots.dots.iter().filter(|dot| dot.group == group);
        let errors: Vec<f64> = members.map(|dot| (dot.ours / dot.published - 1.0).abs()).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let _ = writeln!(text, "| {group} | {} | {} |", errors.len(), format::mean_error(mean));
    }
}

fn header(text: &mut String, first: &str, names: impl Iterator<Item = String>) {
    let names: Vec<String> = names.collect();
    let _ = writeln!(text, "| {first} | {} |\n|---|{}", names.join(" | "), "---:|".repeat(names.len()));
}

fn row(text: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    let _ = writeln!(text, "| {first} | {} |", cells.collect::<Vec<_>>().join(" | "));
}

/// Our value and the published one, each as the page shows it.
fn cell(ours: Option<f64>, published: Option<Printed>) -> String {
    let text = ours.map_or_else(|| "–".to_owned(), |value| beside(value, published));
    match published {
        None => text,
        Some(published) => format!("{text} / {}", published.text()),
    }
}

/// Four significant digits, without zeros at the end.
fn number(value: f64) -> String {
    let text = beside(value, None);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The text of a file that lies beside the program on the page.
fn file(name: &str) -> Result<String, String> {
    let places = ["public", "tests/measured"].map(|folder| crate::root().join(folder).join(name));
    let found = places.iter().find_map(|place| std::fs::read_to_string(place).ok());
    found.ok_or_else(|| format!("{name} is in neither public nor tests/measured"))
}
