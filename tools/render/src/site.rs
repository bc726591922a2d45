//! Pages for robots and readers without scripts: each preset and each result of a paper with its answer and its chart.
//!
//! `site FOLDER ADDRESS` writes into the folder of a built page: `examples/NAME/index.html` and `papers/NAME/index.html`,
//! each with a chart as SVG and as PNG for previews of links, `sitemap.xml`, `robots.txt`, and the site's own address
//! into its first page.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use foretoken::figure::Figure;
use foretoken::markup::Element;
use foretoken::scenario::preset::presets;
use foretoken::scenario::{Scenario, View, link};
use foretoken::view::{Answer, section_of};

use crate::{draw, png, with_slash};

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
    let address = with_slash(address);
    ensure!(address.starts_with("https://") || address.starts_with("http://"), "{address} is not an address");
    let sheets: Vec<Sheet> = examples().chain(results()).collect();
    for sheet in &sheets {
        write(folder, &address, sheet).with_context(|| sheet.path.clone())?;
    }
    fs::write(folder.join("sitemap.xml"), sitemap(&address, &sheets))?;
    fs::write(
        folder.join("robots.txt"),
        format!("User-agent: *\nAllow: /\nSitemap: {address}sitemap.xml\n"),
    )?;
    front(folder, &address, &sheets)
}

/// The addresses of the pages, for search engines.
fn sitemap(address: &str, sheets: &[Sheet]) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut set = Element::new(&mut xml, "urlset");
    set.attribute("xmlns", "http://www.sitemaps.org/schemas/sitemap/0.9");
    for path in std::iter::once(String::new()).chain(sheets.iter().map(|sheet| format!("{}/", sheet.path))) {
        set.child("url").child("loc").text(&format!("{address}{path}"));
    }
    drop(set);
    xml
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
    // The first figure of the section that the link opens, if it names one.
    let part = sheet.link.split('&').find_map(|pair| pair.strip_prefix("part="));
    let section = part.and_then(|part| section_of(link::decode(&sheet.link).scenario.view, part));
    let opened = answer.figures().find(|figure| section.is_some_and(|it| it.parts.contains(&&*figure.id)));
    let figure = draw::drawing(&answer, opened.map(|figure| &*figure.id))?;
    let folder = folder.join(&sheet.path);
    fs::create_dir_all(&folder)?;
    let drawing = figure.standalone_svg();
    fs::write(folder.join("figure.png"), png::of(&drawing, png::SCALE)?)?;
    fs::write(folder.join("figure.svg"), &drawing)?;
    fs::write(folder.join("index.html"), page(address, sheet, &answer, figure))?;
    Ok(())
}

fn page(address: &str, sheet: &Sheet, answer: &Answer, figure: &Figure) -> String {
    let mut html = String::from("<!doctype html>\n");
    let mut root = Element::new(&mut html, "html");
    root.attribute("lang", "en");
    head(&mut root, address, sheet, answer);
    let mut body = root.child("body");
    body.child("h1").text(&sheet.title);
    body.child("p").text(&format!("{}.", lead(sheet, answer)));
    let mut numbers = body.child("dl");
    for card in &answer.cards {
        let range = card.range.as_ref().map(|range| format!(" ({range})")).unwrap_or_default();
        numbers.child("dt").text(&card.label);
        numbers.child("dd").text(&(card.shown() + &range));
    }
    drop(numbers);
    body.child("h2").text(&figure.title);
    body.child("p").text(&figure.finding);
    body.child("img")
        .attribute("src", "figure.svg")
        .attribute("alt", &*figure.finding)
        .attribute("width", figure.width)
        .attribute("height", figure.height);
    let mut assumptions = body.child("ul");
    for line in &figure.assumptions {
        assumptions.child("li").text(line);
    }
    drop(assumptions);
    let mut more = body.child("p");
    more.child("a").attribute("href", [address, "#", &*sheet.link]).text("Open in Foretoken");
    more.text(", where every number can be changed.");
    drop(more);
    drop(body);
    drop(root);
    html
}

/// The head of a page, with what other sites show of it beside a link.
fn head(root: &mut Element, address: &str, sheet: &Sheet, answer: &Answer) {
    let Sheet { path, title, about, .. } = sheet;
    let mut head = root.child("head");
    head.child("meta").attribute("charset", "utf-8");
    head.child("meta")
        .attribute("name", "viewport")
        .attribute("content", "width=device-width, initial-scale=1");
    head.child("title").text(&format!("{title} – Foretoken"));
    head.child("meta").attribute("name", "description").attribute("content", &**about);
    head.child("link").attribute("rel", "canonical").attribute("href", [address, path, "/"]);
    let preview = [
        ("og:type", "article"),
        ("og:title", title),
        ("og:description", lead(sheet, answer)),
        ("og:url", &format!("{address}{path}/")),
        ("og:image", &format!("{address}{path}/figure.png")),
    ];
    for (property, content) in preview {
        head.child("meta").attribute("property", property).attribute("content", content);
    }
    head.child("meta").attribute("name", "twitter:card").attribute("content", "summary_large_image");
}

/// The answer in a sentence, or the description of a page whose answer has none.
fn lead<'a>(sheet: &'a Sheet, answer: &'a Answer) -> &'a str {
    if answer.lead.is_empty() { &sheet.about } else { &answer.lead }
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
    let mut head = String::from(HEAD);
    Element::new(&mut head, "link").attribute("rel", "canonical").attribute("href", address);
    let image = format!("{address}{}/figure.png", first.path);
    for (property, content) in [("og:url", address), ("og:image", &image)] {
        Element::new(&mut head, "meta").attribute("property", property).attribute("content", content);
    }
    let mut links = String::new();
    let mut list = Element::new(&mut links, "ul");
    for sheet in sheets {
        list.child("li").child("a").attribute("href", [&*sheet.path, "/"]).text(&sheet.title);
    }
    drop(list);
    let index = index.replacen(HEAD, &head, 1).replacen(BODY, &(links + BODY), 1);
    Ok(fs::write(file, index)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::PAGE;

    #[test]
    fn the_first_page_takes_the_address_once() {
        let folder = std::env::temp_dir().join(format!("foretoken-site-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let index = include_str!("../../../index.html");
        fs::write(folder.join("index.html"), index).expect("a page");
        let sheets: Vec<Sheet> = examples().take(2).collect();
        front(&folder, PAGE, &sheets).expect("a place for the address");
        let written = fs::read_to_string(folder.join("index.html")).expect("a page");
        assert!(written.contains("<link rel=\"canonical\" href=\"https://example.org/foretoken/\"/>"));
        assert!(written.contains(&format!("<li><a href=\"{}/\">", sheets[1].path)));
        assert!(front(&folder, PAGE, &sheets).is_err(), "twice");
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn every_page_says_its_answer_and_nothing_unescaped() {
        for mut sheet in examples().take(2) {
            sheet.title = "<b>&\"".to_owned();
            let answer = draw::answer(&sheet.link).expect("an answer");
            let figure = draw::drawing(&answer, None).expect("a figure");
            let page = page(PAGE, &sheet, &answer, figure);
            assert!(page.contains(&answer.lead) && !page.contains("<b>"), "{page}");
            assert!(page.contains(&format!("{PAGE}#{}", sheet.link.replace('&', "&amp;"))));
        }
        assert!(results().count() > 20);
    }
}
