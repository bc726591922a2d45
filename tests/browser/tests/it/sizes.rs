//! Sizes of the files that a visitor's browser requests, and when it requests them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
};

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Page, Site, built, copy, dist};
use flate2::{Compression, write::GzEncoder};

/// When a file travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// The page asks for it to show its first answer.
    FirstView,
    /// Fetched as soon as the first figure is there: what starts the worker.
    Later,
    /// Fetched with the Validation view, or a result of the Papers view.
    Rows,
    /// Fetched when a visitor presses or points at what needs it, or by another site.
    Asked,
    /// Pages and texts that the foot of the page links; a reader opens one of them at a time.
    Documents,
}

/// Maximum size of each part, with each file compressed by brotli 11.
///
/// The first view holds the whole program, which is most of it; the target is 480 kB. docs/performance.md has the sizes. This limit
/// keeps it from growing until the target is met.
const BUDGETS: [(Part, usize); 5] = [
    (Part::FirstView, 1_279_000),
    (Part::Later, 10_000),
    (Part::Rows, 264_000),
    (Part::Asked, 18_000),
    (Part::Documents, 137_000),
];

/// Actions of a visitor, and the files that they fetch. These files are not fetched before.
const DEEDS: [(&str, &[&str]); 2] =
    [("[data-tool=share]", &["embed.js"]), ("[data-view=validation]", &["validation.csv"])];

/// Measured collectives, fetched with one result of the Papers view.
const NCCL: &str = "nccl_perlmutter.csv";

/// Script of the worker.
const WORKER: &str = "worker.js";

/// Files that no action on the page fetches: they serve scripts of other sites, tools that build documents, an installed
/// page, and the offline page.
const BY_OTHERS: [&str; 5] =
    ["estimate.js", "favicon.svg", "hosts/docusaurus.mjs", "hosts/foretoken.py", "sw.js"];

/// Files linked in the footer.
const DOCUMENTS: [&str; 3] = ["citation.txt", "license-mit.txt", "license-apache.txt"];

/// Folder of the documentation, which the footer links.
const MANUAL: &str = "docs/";

/// Maximum size of the script that other pages load for embedding, in bytes with brotli.
const EMBED: usize = 2_800;

/// Tells the server that the program's first figure is there, before the page does anything else.
const WATCH: &str = "new MutationObserver((_, observer) => {
  if (!document.querySelector('main:not(.start) figure[data-figure] svg')) return;
  observer.disconnect();
  const request = new XMLHttpRequest();
  request.open('GET', 'first-figure.txt', false);
  request.send();
}).observe(document, { childList: true, subtree: true });";

#[test]
fn embeds_are_small() -> Result<()> {
    let size = brotli(&fs::read(dist().join("embed.js")).context("run `make dist`")?)?.len();
    ensure!(size <= EMBED, "embed.js weighs {size} bytes with brotli, over {EMBED}");
    Ok(())
}

#[tokio::test]
async fn each_part_is_small_and_travels_when_it_is_needed() -> Result<()> {
    let folder = copy(env!("CARGO_TARGET_TMPDIR"), "sizes")?;
    fs::write(folder.join("watch.js"), WATCH)?;
    fs::write(folder.join("first-figure.txt"), "")?;
    // The service worker requests every file after the start. Without it, only the page's own requests remain.
    fs::write(folder.join("sw.js"), "// Keeps nothing.")?;
    let page = fs::read_to_string(folder.join("index.html"))?;
    let watched = page.replacen("<head>", "<head><script src=\"watch.js\"></script>", 1);
    ensure!(watched != page, "the page has no head");
    fs::write(folder.join("index.html"), watched)?;

    let browser = Browser::serve(folder, "/")?;
    let site = browser.site();
    let mut parts = BTreeMap::new();
    browser
        .open("")
        .with(async |page| {
            parts = first_parts(site, page).await?;
            for (deed, fetched) in DEEDS {
                let early = fetched.iter().find(|file| parts.contains_key(**file));
                ensure!(early.is_none(), "{early:?} is fetched before {deed} is pressed");
                do_deed(site, page, deed, fetched).await?;
                let part = if deed.contains("validation") { Part::Rows } else { Part::Asked };
                parts.extend(fetched.iter().map(|file| ((*file).to_owned(), part)));
                let known: BTreeSet<_> = parts.keys().map(String::as_str).chain(["sw.js"]).collect();
                let more: Vec<_> =
                    files(site).into_iter().filter(|file| !known.contains(file.as_str())).collect();
                ensure!(more.is_empty(), "{deed} also fetches {more:?}");
            }
            Ok(())
        })
        .await?;
    parts.insert(NCCL.to_owned(), Part::Rows);
    parts.extend(DOCUMENTS.map(|file| (file.to_owned(), Part::Documents)));
    parts.extend(BY_OTHERS.map(|file| (file.to_owned(), Part::Asked)));
    weigh(&parts)
}

/// Files requested so far, without those of the test itself.
fn files(site: &Site) -> Vec<String> {
    let files = site.asked().into_iter().filter(|file| file != "watch.js" && file != "first-figure.txt");
    files.map(|file| if file.is_empty() { "index.html".to_owned() } else { file }).collect()
}

/// Files fetched until the page is idle.
async fn first_parts(site: &Site, page: &Page) -> Result<BTreeMap<String, Part>> {
    let here = async || Ok(site.asked().iter().any(|asked| asked == WORKER));
    page.wait("the worker", here).await?;
    let all = site.asked();
    let drawn = all.iter().position(|file| file == "first-figure.txt").context("a first figure")?;
    let second = |file: &str| file == WORKER;
    let early: Vec<_> = all[..drawn].iter().filter(|file| second(file)).collect();
    ensure!(early.is_empty(), "{early:?} is fetched before the first figure is there");
    // Icons and manifests are fetched by some browsers only.
    let links: Vec<String> = page
        .script(
            "return [...document.querySelectorAll('link[href]')].map(link => link.href.slice(document.baseURI.length))",
            vec![],
        )
        .await?;
    ensure!(!links.is_empty() && links.iter().all(|link| dist().join(link).is_file()), "{links:?}");
    let part = |file: &str| if second(file) { Part::Later } else { Part::FirstView };
    let files = files(site).into_iter().chain(links).filter(|file| file != "sw.js");
    Ok(files.map(|file| (file.clone(), part(&file))).collect())
}

/// Presses something, and waits until what that takes is there.
async fn do_deed(site: &Site, page: &Page, deed: &str, fetched: &[&str]) -> Result<()> {
    page.click(deed).await?;
    page.wait(deed, async || Ok(fetched.iter().all(|file| site.asked().iter().any(|asked| asked == file))))
        .await?;
    if deed.starts_with("[data-tool") {
        page.until(deed, "return document.querySelector('dialog[open]') !== null").await?;
        page.script::<()>("document.querySelector('dialog').close()", vec![]).await?;
    }
    page.until("the page", "return document.querySelector('main[data-ready]') !== null").await
}

/// Weighs every file that there is, and holds each part to its budget.
fn weigh(parts: &BTreeMap<String, Part>) -> Result<()> {
    let mut weights: BTreeMap<Part, [usize; 3]> = BTreeMap::new();
    println!("{:>9} {:>9} {:>9}  file", "bytes", "gzip -9", "brotli");
    for name in built()? {
        let manual = name.starts_with(MANUAL).then_some(&Part::Documents);
        let part = *manual.or_else(|| parts.get(&name)).with_context(|| format!("nothing fetches {name}"))?;
        let bytes = fs::read(dist().join(&name))?;
        let sizes = [bytes.len(), gzip(&bytes)?.len(), brotli(&bytes)?.len()];
        println!("{:>9} {:>9} {:>9}  {name}, {part:?}", sizes[0], sizes[1], sizes[2]);
        for (sum, size) in weights.entry(part).or_default().iter_mut().zip(sizes) {
            *sum += size;
        }
    }
    for (part, budget) in BUDGETS {
        let weight = weights.get(&part).with_context(|| format!("no file of {part:?}"))?;
        println!("{:>9} {:>9} {:>9}  {part:?} together", weight[0], weight[1], weight[2]);
        ensure!(weight[2] <= budget, "{part:?} weighs {} bytes with brotli, over {budget}", weight[2]);
    }
    Ok(())
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

fn brotli(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut compressed = Vec::new();
    let settings = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, ..Default::default() };
    brotli::BrotliCompress(&mut &bytes[..], &mut compressed, &settings)?;
    Ok(compressed)
}
