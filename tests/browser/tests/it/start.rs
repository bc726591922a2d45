//! Start of the page: from any folder, without delay, or with an explanation of a failure.

use std::fs;

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Engine, Look, copy, dist};

/// The boundary of what Core Web Vitals call good.
const GOOD_SHIFT: f64 = 0.1;

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
        for view in ["sizing", "search", "generations", "technology", "papers", "validation"] {
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
