//! The timeline of a predicted step, opened in speedscope, a reader of Chrome traces.

use std::{collections::BTreeMap, env, fs, path::Path};

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Engine};
use foretoken::{scenario::link, view::trace::chrome};
use serde_json::{Value, json};

/// Number of slices of a thread, and the time from the first one's start to the last one's end in µs.
type Thread = (usize, f64);

/// The threads of a trace.
fn threads(trace: &Value) -> Result<Vec<Thread>> {
    let mut threads: BTreeMap<String, Vec<[f64; 2]>> = BTreeMap::new();
    for event in trace["traceEvents"].as_array().context("events")?.iter().filter(|event| event["ph"] == "X")
    {
        let start = event["ts"].as_f64().context("a start")?;
        let end = start + event["dur"].as_f64().context("a duration")?;
        threads.entry(format!("{}, {}", event["pid"], event["tid"])).or_default().push([start, end]);
    }
    Ok(sorted(threads.values().map(|slices| {
        let first = slices.iter().map(|slice| slice[0]).fold(f64::INFINITY, f64::min);
        (slices.len(), slices.iter().map(|slice| slice[1]).fold(0.0, f64::max) - first)
    })))
}

/// The threads that speedscope saves after it has opened a trace.
fn opened(file: &Value) -> Result<Vec<Thread>> {
    let thread = |profile: &Value| -> Result<Thread> {
        ensure!(profile["unit"] == "microseconds", "{}", profile["unit"]);
        let events = profile["events"].as_array().context("events")?;
        let opening = events.iter().filter(|event| event["type"] == "O").count();
        // In a saved file, times count from the thread's first slice.
        let at = |event: Option<&Value>| event.and_then(|event| event["at"].as_f64());
        Ok((opening, at(events.last()).context("an end")?))
    };
    let profiles = file["profiles"].as_array().context("profiles")?;
    Ok(sorted(profiles.iter().map(thread).collect::<Result<Vec<Thread>>>()?))
}

fn sorted(threads: impl IntoIterator<Item = Thread>) -> Vec<Thread> {
    let mut threads: Vec<Thread> = threads.into_iter().collect();
    threads.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    threads
}

#[tokio::test]
async fn a_reader_of_traces_opens_it() -> Result<()> {
    // The exported file does not depend on the browser.
    if Engine::chosen()? != Engine::Chromium {
        return Ok(());
    }
    let tools = env::var("FORETOKEN_TOOLS").context("source .ci/env")?;
    let reader = Path::new(&tools).join("node_modules/speedscope/dist/release");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("speedscope");
    fs::create_dir_all(&folder)?;
    for file in
        fs::read_dir(&reader).with_context(|| format!("{}: run `.ci/setup test`", reader.display()))?
    {
        let file = file?;
        fs::copy(file.path(), folder.join(file.file_name()))?;
    }
    for plan in ["gpus=64&tp=8&pp=4&batch=64", "gpus=64&tp=8&pp=4&batch=64&schedule=zero-bubble-2"] {
        let question = link::decode(&format!("v=1&{plan}")).scenario;
        let trace = json!(chrome(&question).map_err(|problems| anyhow::anyhow!("{problems:?}"))?);
        fs::write(folder.join("step.json"), trace.to_string())?;
        let browser = Browser::serve(folder.clone(), "/")?;
        let visit = browser.open("#profileURL=/step.json&title=step").awaiting("canvas");
        visit
            .with(async |page| {
                let saved: String = page
                    .web()
                    .execute_async(
                        "const done = arguments[0];
                         const address = URL.createObjectURL;
                         URL.createObjectURL = file => { file.text().then(done); return address.call(URL, file) };
                         HTMLAnchorElement.prototype.click = () => {};
                         const wait = () => {
                           const button = [...document.querySelectorAll('div')].find(part => part.textContent.endsWith('Export') && !part.children[1]);
                           button ? button.click() : setTimeout(wait, 100);
                         };
                         wait()",
                        vec![],
                    )
                    .await?
                    .convert()?;
                let (expected, found) = (threads(&trace)?, opened(&serde_json::from_str(&saved)?)?);
                ensure!(expected.len() == found.len() && expected.len() > 3, "{expected:?} {found:?}");
                for (expected, found) in expected.iter().zip(&found) {
                    let near = (found.1 / expected.1 - 1.0).abs() < 1e-3;
                    ensure!(found.0 == expected.0 && near, "{plan}: {found:?} for {expected:?}");
                }
                // speedscope draws with WebGL in software, of which Chromium warns.
                page.web().goto("about:blank").await?;
                drop(page.console().await?);
                Ok(())
            })
            .await?;
    }
    Ok(())
}
