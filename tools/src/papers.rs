//! `docs/papers.md`: every published value of both papers beside ours.

use std::fmt::Write as _;

use foretoken::figure;
use foretoken::papers::{self, Bars, Chart, Data, Dots, Entry, Found, Lines, Share};
use foretoken::published::{EXHIBITS, Paper};

const HEAD: &str = "# Results of two papers\n\n\
    Every table and figure of arXiv 2407.14645 and arXiv 2410.00273 that can be computed, each published value beside\n\
    ours. `make papers` writes this page; the Papers view shows the same with charts, and each configuration opens\n\
    there as a question.\n\n\
    Cells are `ours / published`, to four significant digits; a dash stands for a value that one of the two does not\n\
    have. Output of the authors' code is no measurement and is named so.\n";

/// Every result with what it gives, in order.
pub fn all() -> Result<Vec<(&'static Entry, Found)>, String> {
    papers::entries().map(|entry| Ok((entry, entry.compute(beside)?))).collect()
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
    if score.count == 0 { "–".to_owned() } else { figure::error(score.mean) }
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

/// A row for each bar, a column for the whole and each part.
fn of_bars(text: &mut String, bars: &Bars) {
    let unit =
        if bars.quantity.unit.is_empty() { String::new() } else { format!(", {}", bars.quantity.unit) };
    let parts = bars.rows.iter().any(|bar| !bar.parts.is_empty());
    let columns = [bars.quantity.name].into_iter().chain(bars.parts.iter().copied().filter(|_| parts));
    header(text, "", columns.map(|name| format!("{name}{unit}")));
    for bar in &bars.rows {
        let shares = [&bar.whole].into_iter().chain(&bar.parts);
        row(text, &bar.name, shares.map(|Share { ours, published }| cell(*ours, *published)));
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
        let _ = writeln!(text, "| {group} | {} | {} |", errors.len(), figure::error(mean));
    }
}

fn header(text: &mut String, first: &str, names: impl Iterator<Item = String>) {
    let names: Vec<String> = names.collect();
    let _ = writeln!(text, "| {first} | {} |\n|---|{}", names.join(" | "), "---:|".repeat(names.len()));
}

fn row(text: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    let _ = writeln!(text, "| {first} | {} |", cells.collect::<Vec<_>>().join(" | "));
}

fn cell(ours: Option<f64>, published: Option<f64>) -> String {
    let text = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
    match (ours, published) {
        (None, None) => "–".to_owned(),
        (ours, None) => text(ours),
        (ours, published) => format!("{} / {}", text(ours), text(published)),
    }
}

/// Four significant digits.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let decimals = (3 - libm::log10(value.abs()).floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The text of a file that lies beside the program on the page.
fn beside(name: &str) -> Result<String, String> {
    let places = ["public", "tests/measured"].map(|folder| crate::root().join(folder).join(name));
    let found = places.iter().find_map(|place| std::fs::read_to_string(place).ok());
    found.ok_or_else(|| format!("{name} is in neither public nor tests/measured"))
}
