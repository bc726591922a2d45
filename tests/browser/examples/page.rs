//! Times the built page in a browser: `make bench`.
//!
//! The first figure, which is in the page's HTML, and the program's own that takes its place are timed twice: as this
//! machine is, and with a processor four times slower behind 10 Mbit/s and 40 ms, about a phone of the middle class. An edit's work is what the page does in one go, from the event
//! of a number field until another figure is laid out; its frame is when that has been drawn. Memory is what the largest
//! renderer process has to itself, in a visit of its own: of a blank page, of the first view, and once four views have
//! been shown. Nothing asks the browser to collect garbage.

use std::{env, fs, path::PathBuf};

use anyhow::{Context as _, Result};
use browser_tests::{Browser, Page, built, copy};
use foretoken::scenario::{Scenario, link, write_rows};
use serde_json::json;

/// Questions whose answers are timed in the worker.
const ANSWERS: [(&str, &str); 5] = [
    (
        "plans of GPT-3 175B on 4,096 A100",
        "v=1&view=search&model=gpt-3-175b&gpu=a100-sxm-80gb&gpus=4096&batch=4096&seq=2048&search.gpus_min=4096\
         &search.gpus_max=4096",
    ),
    ("sweeps of system features", "v=1&view=search&search.of=features"),
    ("inference, sweeps and deployments", "v=1&view=inference"),
    (
        "fleets for 500 users",
        "v=1&view=sizing&model=llama-3.1-70b&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30&serve.engine=vllm",
    ),
    ("every measured row", "v=1&view=validation"),
];

/// Edits that are timed.
const EDITS: usize = 200;

/// Notes, before anything of the page runs, the frame that shows a figure first, and the one that shows the program's.
const WATCH: &str = "const marked = new Set();
  const seen = (mark, css) => {
    if (marked.has(mark) || !document.querySelector(css)) return;
    marked.add(mark);
    requestAnimationFrame(() => performance.mark(mark));
  };
  new MutationObserver((_, observer) => {
    seen('first-figure', 'figure[data-figure] svg');
    seen('program', 'main:not(.start) figure[data-figure] svg');
    if (marked.size === 2) observer.disconnect();
  }).observe(document, { childList: true, subtree: true });";

/// Median milliseconds from the start of the navigation until a figure is shown, and until the program's is.
async fn first_figures(page: &Page) -> Result<[f64; 2]> {
    const MARKS: [&str; 2] = ["first-figure", "program"];
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..5 {
        page.web().refresh().await?;
        page.until("a figure", "return performance.getEntriesByName('program').length > 0").await?;
        for (mark, times) in MARKS.iter().zip(&mut times) {
            let time = "return performance.getEntriesByName(arguments[0])[0].startTime";
            times.push(page.script(time, vec![json!(mark)]).await?);
        }
    }
    Ok(times.map(|mut times| percentile(&mut times, 50)))
}

/// Milliseconds from a question until the worker, which is ready, has answered it, and its cards.
async fn answered(page: &Page, link: &str) -> Result<(f64, String)> {
    let ask = "const [link, done] = arguments;
        const { code, glue } = document.querySelector('script[data-code]').dataset;
        const worker = new Worker('./worker.js', { type: 'module' });
        let start, cards;
        worker.onmessage = ({ data }) => {
          if (data === 'ready') {
            start = performance.now();
            worker.postMessage(JSON.stringify({ id: 1, ask: { answer: { link, size: 'wide', workers: 1 } } }));
            return;
          }
          const { said } = JSON.parse(new TextDecoder().decode(data));
          cards = (said.partial?.news ?? said.answer)?.whole?.cards ?? cards;
          if ('progress' in said || 'partial' in said || 'share' in said) return;
          worker.terminate();
          done([performance.now() - start, JSON.stringify('answer' in said ? cards : said)]);
        };
        WebAssembly.compileStreaming(fetch(code)).then(module =>
          worker.postMessage({ module, glue: new URL(glue, document.baseURI).href }));";
    Ok(page.web().execute_async(ask, vec![json!(link)]).await?.convert()?)
}

/// The page as hosts send it: each file compressed with brotli 11.
fn compressed() -> Result<PathBuf> {
    let folder = copy(&env::temp_dir().display().to_string(), "foretoken-bench")?;
    for name in built()? {
        let file = folder.join(name);
        let mut compressed = Vec::new();
        let settings = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, ..Default::default() };
        brotli::BrotliCompress(&mut &fs::read(&file)?[..], &mut compressed, &settings)?;
        fs::write(format!("{}.br", file.display()), compressed)?;
    }
    Ok(folder)
}

/// Time from the click on Calibrate to the result, ms, for this number of measured values.
async fn calibrated(page: &Page, address: &str, values: u32) -> Result<f64> {
    let row = |place: u32| {
        let (load, engine) = (1 << (place % 7), if place.is_multiple_of(2) { "vllm" } else { "sglang" });
        let tpot = 7.0 + f64::from(load) * 0.15;
        let link = format!(
            "v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&serve.engine={engine}&serve.concurrency={load}\
             &serve.in={}&serve.out=200&measured.tpot={tpot}&measured.ttft={}",
            500 + place,
            40 + 8 * load,
        );
        link::decode(&link).scenario
    };
    let rows: Vec<Scenario> = (0..values / 2).map(row).collect();
    let drop = "const files = new DataTransfer();
        files.items.add(new File([arguments[0]], 'rows.jsonl'));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }))";
    page.goto(&format!("{address}#v=1")).await?;
    page.script::<()>(drop, vec![json!(write_rows(&rows))]).await?;
    page.until("the rows", "return document.querySelector('#calibrate-run:enabled') !== null").await?;
    let press = "return new Promise(resolve => {
          const start = performance.now();
          new MutationObserver((_, observer) => {
            if (document.getElementById('calibrate-name') === null) return;
            observer.disconnect();
            resolve(performance.now() - start);
          }).observe(document.body, { childList: true, subtree: true });
          document.getElementById('calibrate-run').click();
        })";
    page.script(press, vec![]).await
}

fn percentile(times: &mut [f64], percent: usize) -> f64 {
    times.sort_by(f64::total_cmp);
    times[(times.len() - 1) * percent / 100]
}

/// True if a process was started by this one, or by one that was.
fn is_ours(mut process: u32) -> bool {
    while process > 1 {
        if process == std::process::id() {
            return true;
        }
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
        process = parent.unwrap_or(0);
    }
    false
}

/// Kibibytes that the largest renderer has to itself, of all that this process has started.
fn renderer() -> Result<u32> {
    let mut largest = 0;
    for process in fs::read_dir("/proc")?.flatten() {
        let Ok(command) = fs::read_to_string(process.path().join("cmdline")) else { continue };
        let id = process.file_name().to_str().and_then(|name| name.parse().ok());
        if !command.contains("--type=renderer") || !id.is_some_and(is_ours) {
            continue;
        }
        let Ok(memory) = fs::read_to_string(process.path().join("smaps_rollup")) else { continue };
        let private: u32 = memory
            .lines()
            .filter(|line| line.starts_with("Private_"))
            .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u32>().ok())
            .sum();
        largest = largest.max(private);
    }
    Ok(largest)
}

/// Prints the memory of a visit that shows four views.
async fn memory(browser: &Browser) -> Result<()> {
    browser
        .open("")
        .with(async |page| {
            page.web().goto("about:blank").await?;
            let mut rows = vec![("blank", renderer()?)];
            page.goto(&browser.site().address()).await?;
            rows.push(("first view", renderer()?));
            for view in ["inference", "generations", "training"] {
                page.show(view).await?;
            }
            rows.push(("four views", renderer()?));
            let tools = page.web().cdp();
            tools.send_raw("Performance.enable", json!({})).await?;
            let heap = tools.send_raw("Performance.getMetrics", json!({})).await?;
            let heap = heap["metrics"]
                .as_array()
                .and_then(|metrics| metrics.iter().find(|metric| metric["name"] == "JSHeapUsedSize"))
                .and_then(|metric| metric["value"].as_f64())
                .context("a heap")?;
            for (what, kibibytes) in rows {
                println!("renderer, private, {what:12} {:7.1} MB", f64::from(kibibytes) * 1024.0 / 1e6);
            }
            println!("JavaScript heap                 {:7.1} MB", heap / 1e6);
            Ok(())
        })
        .await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let browser = Browser::serve(compressed()?, "/")?;
    memory(&browser).await?;
    browser
        .open("")
        .with(async |page| {
            let tools = page.web().cdp();
            tools.send_raw("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH })).await?;
            tools.send_raw("Network.enable", json!({})).await?;
            tools.send_raw("Network.setBypassServiceWorker", json!({ "bypass": true })).await?;
            tools.send_raw("Network.setCacheDisabled", json!({ "cacheDisabled": true })).await?;

            let plain = first_figures(page).await?;
            tools.send_raw("Emulation.setCPUThrottlingRate", json!({ "rate": 4 })).await?;
            let slow = json!({ "offline": false, "latency": 40, "downloadThroughput": 1_250_000, "uploadThroughput": 625_000 });
            tools.send_raw("Network.emulateNetworkConditions", slow).await?;
            let throttled = first_figures(page).await?;
            let fast = json!({ "offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
            tools.send_raw("Network.emulateNetworkConditions", fast).await?;
            tools.send_raw("Emulation.setCPUThrottlingRate", json!({ "rate": 1 })).await?;

            let edits = "const [edits, done] = arguments;
                const field = document.getElementById('recipe-batch');
                const body = document.querySelector('main');
                const [busy, seen] = [[], []];
                const next = () => {
                  const start = performance.now();
                  new MutationObserver((_, observer) => {
                    observer.disconnect();
                    body.getBoundingClientRect(); // Lays it out.
                    busy.push(performance.now() - start);
                    // The frame that shows it has been drawn when the next task runs.
                    requestAnimationFrame(() => setTimeout(() => {
                      seen.push(performance.now() - start);
                      if (seen.length === edits) return done([busy, seen]);
                      // People do not wait for frames.
                      setTimeout(next, 40 + seen.length * 7 % 17);
                    }));
                  }).observe(document.querySelector('figure[data-figure]').parentNode, { childList: true, subtree: true });
                  field.value = String(1024 + 16 * (seen.length % 64 + 1));
                  field.dispatchEvent(new Event('input', { bubbles: true }));
                };
                next();";
            let (mut busy, mut seen): (Vec<f64>, Vec<f64>) =
                page.web().execute_async(edits, vec![json!(EDITS)]).await?.convert()?;
            let mut answers = Vec::new();
            for (name, link) in ANSWERS {
                answers.push((name, answered(page, link).await?));
            }
            let mut fits = Vec::new();
            for values in [10, 256] {
                fits.push((values, calibrated(page, &browser.site().address(), values).await?));
            }
            for (what, time) in ["", ", 4x slower processor, 10 Mbit/s"].iter().zip([plain, throttled]) {
                println!("first figure{what}: {:.0} ms; the program's: {:.0} ms (medians of 5)", time[0], time[1]);
            }
            for (what, times) in [("work of an edit", &mut busy), ("edit to its frame", &mut seen)] {
                println!("{what:22} median    {:7.1} ms ({EDITS} edits)", percentile(times, 50));
                println!("  95th percentile               {:7.1} ms", percentile(times, 95));
            }
            for (name, (milliseconds, cards)) in answers {
                println!("{name:34} {:6.2} s: {cards}", milliseconds / 1e3);
            }
            for (values, milliseconds) in fits {
                println!("calibration on {values:3} values          {:6.2} s", milliseconds / 1e3);
            }
            Ok(())
        })
        .await
}
