//! Start of the page: from any folder, without delay, or with an explanation of a failure.

use std::fs;

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Engine, Look, Page, built, copy, dist};
use serde_json::{Value, json};

/// The boundary of what Core Web Vitals call good.
const GOOD_SHIFT: f64 = 0.1;

/// Pixels by which a part of the answer may move when the program has started.
const MOST_MOVED: f64 = 2.0;

#[tokio::test]
async fn works_below_a_path_and_fetches_each_file_once() -> Result<()> {
    Browser::serve(dist(), "/docs/foretoken/")?
        .open("#v=1&view=inference")
        .with(async |page| {
            ensure!(page.answers().await?.contains_key("ttft"));
            page.show("training").await?;
            ensure!(page.answers().await?.contains_key("step"));
            let mut fetched: Vec<String> = page
                .script("return performance.getEntriesByType('resource').map(file => file.name)", vec![])
                .await?;
            fetched.sort();
            let all = fetched.len();
            fetched.dedup();
            ensure!(fetched.len() == all, "of {all} requests some are for the same file: {fetched:#?}");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn works_in_a_sandboxed_frame() -> Result<()> {
    if Engine::chosen()?.lacks("'self' in policies of frames without an origin", &[Engine::WebKit]) {
        return Ok(());
    }
    let folder = copy(env!("CARGO_TARGET_TMPDIR"), "sandbox")?;
    // Without allow-same-origin: no origin, no storage.
    let frame = "<!doctype html><html lang=en><title>Host</title><link rel=icon href=data:,>
        <iframe title=Foretoken sandbox=allow-scripts src=index.html?embed#v=1 width=800 height=600></iframe>";
    fs::write(folder.join("host.html"), frame)?;
    Browser::serve(folder, "/")?
        .open("host.html")
        .awaiting("iframe")
        .with(async |page| {
            page.element("iframe").await?.enter_frame().await?;
            page.until("the frame", "return document.querySelector('main[data-ready]') !== null").await?;
            ensure!(page.answers().await?.contains_key("step"));
            // If no worker can start, the page computes the answer itself.
            page.script::<()>("location.hash = '#v=1&view=validation&errors.of=kernel'", vec![]).await?;
            let figure = "return document.querySelector('figure[data-figure=scatter]') !== null";
            page.until("the errors", figure).await
        })
        .await
}

#[tokio::test]
async fn damaged_code_is_refused_and_explained() -> Result<()> {
    let folder = copy(env!("CARGO_TARGET_TMPDIR"), "damaged")?;
    let wasm = fs::read_dir(&folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|file| {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("foretoken-") && file.extension().is_some_and(|end| end == "wasm")
        })
        .context("there is a .wasm file")?;
    let mut bytes = fs::read(&wasm)?;
    bytes.pop();
    fs::write(&wasm, bytes)?;
    Browser::serve(folder, "/")?
        .open("")
        .awaiting("#starting")
        .with(async |page| {
            let text = "return document.getElementById('starting').textContent.includes('could not start')";
            page.until("an explanation", text).await?;
            let console = page.console().await?;
            if page.engine().lacks("a console that says why a module failed", &[Engine::WebKit]) {
                return Ok(());
            }
            ensure!(console.iter().any(|line| line.contains("integrity")), "another failure: {console:?}");
            Ok(())
        })
        .await
}

/// What the page says first, and where.
const FIRST: &str = "
  const text = css => [...document.querySelectorAll(css)].map(element => element.textContent);
  const shown = [...document.querySelectorAll('figure[data-figure] .drawing > svg')]
    .find(drawing => drawing.getBoundingClientRect().width > 0);
  const place = css => {
    const { left, top, width } = document.querySelector(css).getBoundingClientRect();
    return [left, top, width];
  };
  return {
    lead: text('.lead'),
    cards: text('.number-card :is(dt, dd[data-answer], .range a, .note)'),
    sections: text('.contents a'),
    figure: text('figure[data-figure] :is(h3, .finding, .assumptions li)').slice(0, arguments[0] ?? undefined),
    drawing: shown?.outerHTML,
    places: ['.headline', '.lead', '.headline dl'].flatMap(place),
    visible: getComputedStyle(document.querySelector('.lead')).visibility,
  };";

#[tokio::test]
async fn the_first_answer_is_there_before_the_program() -> Result<()> {
    let browser = Browser::start()?;
    let bare = without_program("bare")?;
    for width in [320, 560, 1280] {
        let look = Look { width, dark: false };
        let mut early = Value::Null;
        let first = async |page: &Page| {
            early = page.script(FIRST, vec![]).await?;
            Ok(())
        };
        bare.open("").look(look).awaiting(".start").with(first).await?;
        let count = early["figure"].as_array().map(Vec::len);
        let compared = async |page: &Page| {
            let started: Value = page.script(FIRST, vec![json!(count)]).await?;
            for part in ["lead", "cards", "sections", "figure", "drawing", "visible"] {
                let (early, started) = (&early[part], &started[part]);
                ensure!(
                    !early.is_null() && early == started,
                    "{part} at {width} px: {early}, then {started}"
                );
            }
            let places =
                |first: &Value| -> Result<Vec<f64>> { Ok(serde_json::from_value(first["places"].clone())?) };
            let (early, started) = (places(&early)?, places(&started)?);
            let stays =
                early.iter().zip(&started).all(|(early, started)| (early - started).abs() <= MOST_MOVED);
            ensure!(stays, "at {width} px from {early:?} to {started:?}");
            Ok(())
        };
        browser.open("").look(look).with(compared).await?;
    }
    Ok(())
}

#[tokio::test]
async fn no_other_question_shows_the_first_answer() -> Result<()> {
    let browser = without_program("asked")?;
    for link in ["#v=1&gpus=64", "?embed=memory#v=1", "?embed=memory"] {
        let visit = browser.open(link).awaiting(".start");
        visit
            .with(async |page| {
                let seen = "return ['.lead', '.number-card dd', 'figure[data-figure] svg'].filter(css =>
                  document.querySelector(css).checkVisibility({ visibilityProperty: true }))";
                let seen: Vec<String> = page.script(seen, vec![]).await?;
                ensure!(seen.is_empty(), "{link} shows {seen:?}");
                Ok(())
            })
            .await?;
    }
    Ok(())
}

/// A site whose page never gets its program, as if that were still on its way.
fn without_program(name: &str) -> Result<Browser> {
    let folder = copy(env!("CARGO_TARGET_TMPDIR"), name)?;
    let boot = built()?.into_iter().find(|file| file.starts_with("boot-")).context("boot.js")?;
    let file = folder.join(&boot);
    let script = fs::read_to_string(&file)?;
    let waiting = script.replacen(
        "addEventListener(\"DOMContentLoaded\"",
        "({ addEventListener() {} }).addEventListener(\"\"",
        1,
    );
    ensure!(waiting != script, "{boot} does not wait for the page");
    fs::write(file, waiting)?;
    let page = fs::read_to_string(folder.join("index.html"))?;
    // Its script is another one now.
    let (before, tag) = page.split_once("<script").context("a script")?;
    let (tag, after) = tag.split_once('>').context("the end of the script")?;
    let tag: Vec<&str> = tag.split(' ').filter(|word| !word.starts_with("integrity=")).collect();
    fs::write(folder.join("index.html"), format!("{before}<script{}>{after}", tag.join(" ")))?;
    Browser::serve(folder, "/")
}

#[tokio::test]
async fn nothing_jumps_while_the_page_starts() -> Result<()> {
    let browser = Browser::start()?;
    if browser.engine().lacks("a count of what moves", &[Engine::Firefox, Engine::WebKit]) {
        return Ok(());
    }
    browser
        .open("")
        .with(async |page| {
            let shift = page.shift().await?;
            ensure!(shift < GOOD_SHIFT, "the layout shifts by {shift}");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn nothing_jumps_while_a_long_answer_is_computed() -> Result<()> {
    let browser = Browser::start()?;
    if browser.engine().lacks("a count of what moves", &[Engine::Firefox, Engine::WebKit]) {
        return Ok(());
    }
    for look in [Look::WIDE, Look::NARROW] {
        for view in ["inference", "sizing", "search", "generations", "technology", "papers", "validation"] {
            browser
                .open(&format!("#v=1&view={view}"))
                .look(look)
                .with(async |page| {
                    let shift = page.shift().await?;
                    ensure!(shift < GOOD_SHIFT, "{view} at {} px shifts by {shift}", look.width);
                    Ok(())
                })
                .await?;
        }
    }
    Ok(())
}
