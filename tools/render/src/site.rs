//! Pages for robots and readers without scripts: each preset and each result of a paper with its answer and its chart.
//!
//! `site FOLDER ADDRESS` writes into the folder of a built page: `examples/NAME/index.html` and `papers/NAME/index.html`,
//! each with a chart as SVG and as PNG for previews of links, `sitemap.xml`, `robots.txt`, and the site's own address
//! into its first page.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use foretoken::figure::Figure;
use foretoken::scenario::preset::presets;
use foretoken::scenario::{Scenario, View, link};
use foretoken::view::Answer;

use crate::block::escaped;
use crate::{draw, png};

/// A page of the site.
struct Sheet {
    /// Folder below the site, e.g. `examples/megatron-22b`.
    path: String,
    title: String,
    /// Description, in a sentence.
    about: String,
    /// The question, as a link without `#`.
    link: String,
}

/// Writes the pages into the folder of a built site that will be at this address.
pub(crate) fn run(folder: &Path, address: &str) -> Result<()> {
    let address = format!("{}/", address.trim_end_matches('/'));
    ensure!(address.starts_with("https://") || address.starts_with("http://"), "{address} is not an address");
    let sheets: Vec<Sheet> = examples().chain(results()).collect();
    for sheet in &sheets {
        write(folder, &address, sheet).with_context(|| sheet.path.clone())?;
    }
    let locations: Vec<String> = std::iter::once(address.clone())
        .chain(sheets.iter().map(|sheet| format!("{address}{}/", sheet.path)))
        .map(|location| format!("  <url><loc>{}</loc></url>\n", escaped(&location)))
        .collect();
    fs::write(
        folder.join("sitemap.xml"),
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
             {}</urlset>\n",
            locations.concat()
        ),
    )?;
    fs::write(
        folder.join("robots.txt"),
        format!("User-agent: *\nAllow: /\nSitemap: {address}sitemap.xml\n"),
    )?;
    front(folder, &address, &sheets)
}

fn examples() -> impl Iterator<Item = Sheet> {
    presets().iter().map(|preset| Sheet {
        path: format!("examples/{}", preset.id),
        title: preset.name.to_owned(),
        about: preset.why.to_owned(),
        link: preset.link.to_owned(),
    })
}

fn results() -> impl Iterator<Item = Sheet> {
    foretoken::published::EXHIBITS.iter().map(|exhibit| {
        let mut question = Scenario { view: View::Papers, ..Scenario::default() };
        exhibit.id.clone_into(&mut question.papers.result);
        Sheet {
            path: format!("papers/{}", exhibit.id),
            title: exhibit.name.to_owned(),
            about: exhibit.shows.to_owned(),
            link: link::encode(&question),
        }
    })
}

/// Writes a page with its first figure, and the preview of that.
fn write(folder: &Path, address: &str, sheet: &Sheet) -> Result<()> {
    let answer = draw::answer(&sheet.link)?;
    let figure = draw::drawing(&answer, None)?;
    let folder = folder.join(&sheet.path);
    fs::create_dir_all(&folder)?;
    let drawing = figure.standalone_svg();
    fs::write(folder.join("figure.png"), png::of(&drawing, png::SCALE)?)?;
    fs::write(folder.join("figure.svg"), &drawing)?;
    fs::write(folder.join("index.html"), page(address, sheet, &answer, figure))?;
    Ok(())
}

fn page(address: &str, sheet: &Sheet, answer: &Answer, figure: &Figure) -> String {
    let Sheet { path, title, about, link } = sheet;
    let (title, about, link) = (escaped(title), escaped(about), escaped(link));
    let numbers: Vec<String> = answer
        .cards
        .iter()
        .map(|card| {
            let range = card.range.as_ref().map(|range| format!(" ({} to {})", range.low, range.high));
            let value = format!("{}{}", card.shown(), range.unwrap_or_default());
            format!("      <dt>{}</dt>\n      <dd>{}</dd>\n", escaped(&card.label), escaped(&value))
        })
        .collect();
    let assumptions: Vec<String> =
        figure.assumptions.iter().map(|line| format!("      <li>{}</li>\n", escaped(line))).collect();
    format!(
        "<!doctype html>
<html lang=\"en\">
  <head>
    <meta charset=\"utf-8\">
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
    <title>{title} – Foretoken</title>
    <meta name=\"description\" content=\"{about}\">
    <link rel=\"canonical\" href=\"{address}{path}/\">
    <meta property=\"og:type\" content=\"article\">
    <meta property=\"og:title\" content=\"{title}\">
    <meta property=\"og:description\" content=\"{lead}\">
    <meta property=\"og:url\" content=\"{address}{path}/\">
    <meta property=\"og:image\" content=\"{address}{path}/figure.png\">
    <meta name=\"twitter:card\" content=\"summary_large_image\">
  </head>
  <body>
    <h1>{title}</h1>
    <p>{lead}.</p>
    <dl>
{numbers}    </dl>
    <h2>{heading}</h2>
    <p>{finding}</p>
    <img src=\"figure.svg\" alt=\"{finding}\" width=\"{width}\" height=\"{height}\">
    <ul>
{assumptions}    </ul>
    <p><a href=\"{address}#{link}\">Open in Foretoken</a>, where every number can be changed.</p>
  </body>
</html>
",
        numbers = numbers.concat(),
        assumptions = assumptions.concat(),
        lead = if answer.lead.is_empty() { about.clone() } else { escaped(&answer.lead) },
        heading = escaped(&figure.title),
        finding = escaped(&figure.finding),
        width = figure.width,
        height = figure.height,
    )
}

/// Writes the site's address, a preview image and links to all pages (for readers without scripts) into its first page.
fn front(folder: &Path, address: &str, sheets: &[Sheet]) -> Result<()> {
    const HEAD: &str = "<meta property=\"og:type\" content=\"website\">";
    const BODY: &str = "</noscript>";
    let file = folder.join("index.html");
    let index = fs::read_to_string(&file).context("the folder holds no built page: run `make dist`")?;
    ensure!(!index.contains("rel=\"canonical\""), "the folder has its address already: build it again");
    ensure!(index.contains(HEAD) && index.contains(BODY), "the first page has no place for the address");
    let first = sheets.first().context("a page")?;
    let head = format!(
        "{HEAD}\n    <link rel=\"canonical\" href=\"{address}\">\n    <meta property=\"og:url\" content=\"{address}\">\n    \
         <meta property=\"og:image\" content=\"{address}{}/figure.png\">",
        first.path
    );
    let links: Vec<String> = sheets
        .iter()
        .map(|sheet| format!("<li><a href=\"{}/\">{}</a></li>", sheet.path, escaped(&sheet.title)))
        .collect();
    let index =
        index.replacen(HEAD, &head, 1).replacen(BODY, &format!("<ul>{}</ul>{BODY}", links.concat()), 1);
    Ok(fs::write(file, index)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "https://example.org/foretoken/";

    #[test]
    fn the_first_page_takes_the_address_once() {
        let folder = std::env::temp_dir().join(format!("foretoken-site-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let index = include_str!("../../../index.html");
        fs::write(folder.join("index.html"), index).expect("a page");
        let sheets: Vec<Sheet> = examples().take(2).collect();
        front(&folder, ADDRESS, &sheets).expect("a place for the address");
        let written = fs::read_to_string(folder.join("index.html")).expect("a page");
        assert!(written.contains("<link rel=\"canonical\" href=\"https://example.org/foretoken/\">"));
        assert!(written.contains(&format!("<li><a href=\"{}/\">", sheets[1].path)));
        assert!(front(&folder, ADDRESS, &sheets).is_err(), "twice");
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn every_page_says_its_answer_and_nothing_unescaped() {
        for mut sheet in examples().take(2) {
            sheet.title = "<b>&\"".to_owned();
            let answer = draw::answer(&sheet.link).expect("an answer");
            let figure = draw::drawing(&answer, None).expect("a figure");
            let page = page(ADDRESS, &sheet, &answer, figure);
            assert!(page.contains(&escaped(&answer.lead)) && !page.contains("<b>"), "{page}");
            assert!(page.contains(&format!("{ADDRESS}#{}", escaped(&sheet.link))));
        }
        assert!(results().count() > 20);
    }
}
