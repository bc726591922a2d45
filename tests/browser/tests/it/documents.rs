//! Figures in other people's documents: those of `docs/embed.md`, built and looked at.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Engine, Page, copy, documents};
use foretoken::view::json::json;
use serde_json::{Value, json};

const TEMPORARY: &str = env!("CARGO_TARGET_TMPDIR");

/// The figures of the started page that can be seen. Before, `main` has the class `start` and its HTML holds another answer.
const SEEN: &str = "const main = document.querySelector('main:not(.start)');
     return main && [...main.querySelectorAll('.figures:not([data-stale]) > :is([data-figure], [data-table])')]
       .filter(figure => figure.checkVisibility()).map(({ dataset }) => dataset.figure ?? dataset.table)";

/// Looks into a frame, and comes back.
async fn within<T>(page: &Page, frame: &str, look: impl AsyncFnOnce() -> Result<T>) -> Result<T> {
    page.frame(frame).await?.enter_frame().await?;
    let seen = look().await;
    page.web().enter_parent_frame().await?;
    seen
}

/// One figure, and nothing around it.
async fn shows(page: &Page, frame: &str, figure: &str) -> Result<()> {
    page.frame(frame).await?.scroll_into_view().await?;
    within(page, frame, async || {
        page.wait(&format!("{figure} in {frame}"), async || {
            Ok(page.script::<Option<Vec<String>>>(SEEN, vec![]).await?.is_some_and(|seen| seen == [figure]))
        })
        .await?;
        let around: usize = page
            .script(
                "return [...document.querySelectorAll('.top, .form, .presets, .share, .number-card, .more-numbers, .downloads')]
                   .filter(part => part.checkVisibility()).length",
                vec![],
            )
            .await?;
        ensure!(around == 0, "{around} things around {figure}");
        let open = "const link = document.querySelector('.embed-only a');
                    return link.checkVisibility() && link.href.includes('#v=1') && !link.href.includes('embed')";
        ensure!(page.script::<bool>(open, vec![]).await?, "nothing leads to the whole page");
        Ok(())
    })
    .await
}

/// The frame is as high as what is in it.
async fn fits(page: &Page, frame: &str) -> Result<()> {
    page.wait(&format!("{frame} to fit"), async || {
        let height = page.frame(frame).await?.prop("clientHeight").await?.context("no height")?;
        let height: i64 = height.parse()?;
        let content: i64 = within(page, frame, async || {
            page.script(
                "return Math.ceil(document.getElementById('app').getBoundingClientRect().height)",
                vec![],
            )
            .await
        })
        .await?;
        Ok(content > 200 && (height - content).abs() <= 1)
    })
    .await
}

/// Checks that the frame follows the colour scheme of the document after a change.
async fn follows(page: &Page, frame: &str, change: &str, dark: bool) -> Result<()> {
    page.script::<()>(change, vec![]).await?;
    page.wait(&format!("{frame} to follow {change}"), async || {
        within(page, frame, async || {
            let (theme, red): (Option<String>, f64) = page
                .script(
                    "return [document.documentElement.dataset.theme ?? null,
                             Number(getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0])]",
                    vec![],
                )
                .await?;
            Ok(theme.as_deref() == Some(if dark { "dark" } else { "light" }) && (red < 128.0) == dark)
        })
        .await
    })
    .await
}

/// Opens a document and checks its figure, and the number within its sentence.
async fn check(folder: &Path, path: &str, figure: &str, themes: [&str; 2]) -> Result<()> {
    const FRAME: &str = "foretoken-figure";
    Browser::serve(folder.to_owned(), "/documents/")?
        .open(path)
        .awaiting("foretoken-figure:defined")
        .with(async |page| {
            shows(page, FRAME, figure).await?;
            fits(page, FRAME).await?;
            for (change, dark) in [(themes[1], true), (themes[0], false)] {
                follows(page, FRAME, change, dark).await?;
            }
            let fallback: usize = page
                .script(
                    "return [...document.querySelectorAll('foretoken-figure > a')]
                       .filter(link => link.checkVisibility()).length",
                    vec![],
                )
                .await?;
            ensure!(fallback == 0, "the text for who has no scripts is shown");
            let known =
                "return /[0-9]/.test(document.querySelector('p > foretoken-value').shadowRoot.textContent)";
            page.until("the number within the sentence", known).await
        })
        .await
}

#[tokio::test]
async fn in_an_mdbook() -> Result<()> {
    let folder = documents::host(TEMPORARY, "mdbook")?;
    let source = folder.join("source");
    documents::write("mdBook", &source, "../foretoken/")?;
    documents::tool("mdbook", &["build", "--dest-dir", "../book"], &source)?;
    let themes =
        ["document.documentElement.className = 'js light'", "document.documentElement.className = 'js coal'"];
    check(&folder, "book/figure.html", "step-breakdown", themes).await
}

#[tokio::test]
async fn in_sphinx() -> Result<()> {
    let folder = documents::host(TEMPORARY, "sphinx")?;
    let source = folder.join("source");
    // Sphinx takes the addresses of scripts from `_static`.
    documents::write("Sphinx and MyST", &source, "../../foretoken/")?;
    documents::plug_in("foretoken.py", &source.join("foretoken.py"))?;
    documents::tool("sphinx-build", &["-q", "-W", ".", "../site"], &source)?;
    let themes = ["document.body.dataset.theme = 'light'", "document.body.dataset.theme = 'dark'"];
    check(&folder, "site/index.html", "memory", themes).await
}

#[tokio::test]
async fn in_mkdocs() -> Result<()> {
    let folder = documents::host(TEMPORARY, "mkdocs")?;
    let source = folder.join("source");
    documents::write("MkDocs Material", &source, "../foretoken/")?;
    documents::plug_in("foretoken.py", &source.join("foretoken.py"))?;
    documents::tool("mkdocs", &["build", "--quiet", "--site-dir", "../site"], &source)?;
    let themes =
        ["document.body.dataset.mdColorScheme = 'default'", "document.body.dataset.mdColorScheme = 'slate'"];
    check(&folder, "site/index.html", "speedup", themes).await
}

#[tokio::test]
async fn in_docusaurus() -> Result<()> {
    let folder = documents::host(TEMPORARY, "docusaurus")?;
    let source = folder.join("source");
    documents::write("Docusaurus", &source, "/documents/foretoken/")?;
    documents::plug_in("docusaurus.mjs", &source.join("foretoken.mjs"))?;
    fs::write(source.join("docs/other.md"), "# Another page\n\n[A figure](index.mdx)\n")?;
    documents::package("docusaurus", &source)?;
    documents::tool("docusaurus", &["build", "--out-dir", "../handbook"], &source)?;
    // The button works once React has taken over what was built. What it would have drawn otherwise it says in the console.
    let toggle = "const button = document.querySelector('.navbar button[aria-label^=\"Switch between dark and light\"]');
                  (function press() { button.disabled ? setTimeout(press, 30) : button.click(); })()";
    check(&folder, "handbook/", "dram-latency", [toggle, toggle]).await?;
    // A link of it does not load another document.
    Browser::serve(folder, "/documents/")?
        .open("handbook/other/")
        .awaiting("[data-has-hydrated=true]")
        .with(async |page| {
            let turn = "window.same = true; document.querySelector('article p a').click()";
            page.script::<()>(turn, vec![]).await?;
            page.until("the other page", "return document.querySelector('foretoken-figure') !== null")
                .await?;
            shows(page, "foretoken-figure", "dram-latency").await?;
            ensure!(page.script::<bool>("return window.same ?? false", vec![]).await?, "another document");
            Ok(())
        })
        .await
}

/// Writes a notebook of these cells.
fn notebook(file: &Path, sources: &[&str]) -> Result<()> {
    let cell = |(index, source): (usize, &&str)| {
        json!({ "cell_type": "code", "id": format!("cell-{index}"), "execution_count": null, "metadata": {},
                "outputs": [], "source": source })
    };
    let cells: Vec<Value> = sources.iter().enumerate().map(cell).collect();
    let notebook = json!({ "nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells });
    fs::write(file, notebook.to_string())?;
    Ok(())
}

#[tokio::test]
async fn in_a_notebook() -> Result<()> {
    let folder = documents::host(TEMPORARY, "notebook")?;
    documents::write("Jupyter and Quarto", &folder, "foretoken/")?;
    documents::plug_in("foretoken.py", &folder.join("foretoken.py"))?;
    notebook(&folder.join("figure.ipynb"), &[&fs::read_to_string(folder.join("figure.py"))?])?;
    // The templates with a head load scripts from elsewhere.
    let arguments = ["nbconvert", "--execute", "--to", "html", "--template", "basic", "figure.ipynb"];
    documents::tool("jupyter", &arguments, &folder)?;
    // The template's output is a fragment of a document.
    let cells = fs::read_to_string(folder.join("figure.html"))?;
    fs::write(folder.join("figure.html"), format!("<!doctype html><title>Notebook</title>{cells}"))?;
    Browser::serve(folder, "/")?
        .open("figure.html")
        .awaiting("foretoken-figure:defined")
        .with(async |page| shows(page, "foretoken-figure", "roofline").await)
        .await
}

/// The cells of a Quarto document and the expressions within its sentences.
fn quarto_cells(document: &str) -> Vec<&str> {
    let cells = document.split("\n```{python}\n").skip(1).filter_map(|rest| rest.split("\n```\n").next());
    let expressions = document.split("`{python} ").skip(1).filter_map(|rest| rest.split('`').next());
    cells.chain(expressions).collect()
}

/// Quarto passes a cell's HTML on as it is, and that of an expression between back-quotes:
/// <https://github.com/quarto-dev/quarto-cli/blob/main/src/core/jupyter/jupyter-inline.ts>. Formats other than HTML get Markdown.
#[test]
fn cells_of_a_quarto_document_give_html_and_a_link() -> Result<()> {
    let folder = Path::new(TEMPORARY).join("quarto");
    drop(fs::remove_dir_all(&folder)); // Of an earlier run, if any.
    documents::write("Jupyter and Quarto", &folder, "https://example.org/foretoken/")?;
    documents::plug_in("foretoken.py", &folder.join("foretoken.py"))?;
    notebook(&folder.join("figure.ipynb"), &quarto_cells(&fs::read_to_string(folder.join("figure.qmd"))?))?;
    let arguments = ["nbconvert", "--execute", "--to", "notebook", "--output", "run.ipynb", "figure.ipynb"];
    documents::tool("jupyter", &arguments, &folder)?;
    let run: Value = serde_json::from_str(&fs::read_to_string(folder.join("run.ipynb"))?)?;
    let cells = run["cells"].as_array().context("no cells")?;
    ensure!(cells.len() == 2, "{run}");
    for (cell, element) in
        cells.iter().zip(["<foretoken-figure figure=\"roofline\"", "<foretoken-value value=\"ttft\""])
    {
        let data = &cell["outputs"][0]["data"];
        let [html, markdown] =
            ["text/html", "text/markdown"].map(|kind| data[kind][0].as_str().unwrap_or_default());
        let lines = data["text/html"].as_array().map_or(0, Vec::len);
        let script = "src=\"https://example.org/foretoken/embed.js\"";
        ensure!(
            lines == 1 && html.contains(script) && html.contains(element) && !html.contains('`'),
            "{data}"
        );
        ensure!(
            markdown.starts_with('[') && markdown.contains("](<https://example.org/foretoken/#v=1&"),
            "{data}"
        );
    }
    Ok(())
}

/// A misspelt name of a figure stops the build of a chapter's document, with the nearest known one.
fn refuses(chapter: &str, [page, name]: [&str; 2], [from, to]: [&str; 2], tool: &[&str]) -> Result<()> {
    let folder = Path::new(TEMPORARY).join("refused").join(chapter);
    drop(fs::remove_dir_all(&folder)); // Of an earlier run, if any.
    documents::write(chapter, &folder, "https://example.org/foretoken/")?;
    documents::plug_in(from, &folder.join(to))?;
    if chapter == "Docusaurus" {
        documents::package("docusaurus", &folder)?;
    }
    let text = fs::read_to_string(folder.join(page))?;
    let (start, end) = name.split_at(name.len() - 1);
    let misspelt = text.replacen(name, &format!("{start}x{end}"), 1);
    ensure!(misspelt != text, "{page} has no {name}");
    fs::write(folder.join(page), misspelt)?;
    if chapter.starts_with("Jupyter") {
        notebook(&folder.join("figure.ipynb"), &[&fs::read_to_string(folder.join("figure.py"))?])?;
    }
    let said = documents::tool(tool[0], &tool[1..], &folder).err().context("the document was built")?;
    let said = format!("{said:#}");
    ensure!(said.contains(&format!("did you mean {name}?")) && said.contains("docs/embed.html"), "{said}");
    Ok(())
}

#[test]
fn a_misspelt_figure_stops_the_build() -> Result<()> {
    let python = ["foretoken.py", "foretoken.py"];
    let sphinx = ["sphinx-build", "-q", "-W", ".", "site"];
    refuses("Sphinx and MyST", ["index.md", "memory"], python, &sphinx)?;
    let mkdocs = ["mkdocs", "build", "--quiet"];
    refuses("MkDocs Material", ["docs/index.md", "speedup"], python, &mkdocs)?;
    let cell = ["jupyter", "nbconvert", "--execute", "--to", "html", "--template", "basic", "figure.ipynb"];
    refuses("Jupyter and Quarto", ["figure.py", "roofline"], python, &cell)?;
    let plugin = ["docusaurus.mjs", "foretoken.mjs"];
    refuses("Docusaurus", ["docs/index.mdx", "dram-latency"], plugin, &["docusaurus", "build"])
}

/// A host with a strict policy, whose frames have no origin, twice over.
#[tokio::test]
async fn twice_and_without_an_origin_under_a_strict_policy() -> Result<()> {
    if Engine::chosen()?.lacks("'self' in policies of frames without an origin", &[Engine::WebKit]) {
        return Ok(());
    }
    let folder = documents::host(TEMPORARY, "strict")?;
    let host = r#"<!doctype html><html lang="en"><head><title>Host</title>
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; frame-src 'self'; img-src data:">
        <link rel="icon" href="data:,"><script type="module" src="foretoken/embed.js"></script></head><body>
        <foretoken-figure id="first" sandbox figure="memory" link="v=1"></foretoken-figure>
        <foretoken-figure id="second" sandbox figure="dram-latency" theme="dark" link="https://example.org/#v=1&amp;view=inference">
        </foretoken-figure>
        <iframe id="third" sandbox="allow-scripts" title="Third" width="600" height="500"
          src="foretoken/?embed=figure&amp;figure=nothing#v=1"></iframe></body></html>"#;
    fs::write(folder.join("host.html"), host)?;
    Browser::serve(folder, "/")?
        .open("host.html")
        .awaiting("#second:defined")
        .with(async |page| {
            let (first, second) = ("#first", "#second");
            shows(page, first, "memory").await?;
            shows(page, second, "dram-latency").await?;
            fits(page, first).await?;
            fits(page, second).await?;
            follows(page, first, "document.documentElement.style.background = '#111'", true).await?;
            follows(page, second, "document.documentElement.style.background = '#eee'", true).await?;
            follows(page, first, "", false).await?;

            // Another question arrives in the same frame, and its height with it.
            within(page, first, async || page.script::<()>("window.same = true", vec![]).await).await?;
            page.script::<()>(
                "document.querySelector('#first').setAttribute('link', 'v=1&gpus=1024&tp=4')",
                vec![],
            )
            .await?;
            within(page, first, async || {
                page.until("the question", "return location.hash === '#v=1&gpus=1024&tp=4' && window.same").await
            })
            .await?;
            fits(page, first).await?;

            // Messages of a frame affect only that frame, and messages to itself have no effect.
            within(page, second, async || {
                let lie = "parent.postMessage({ foretoken: 'height', height: 4321 }, '*');
                           postMessage({ foretoken: 'theme', theme: 'light' }, '*')";
                page.script::<()>(lie, vec![]).await
            })
            .await?;
            page.wait("the lie", async || Ok(page.frame(second).await?.css_value("height").await? == "4321px")).await?;
            // The first frame may still be growing to its new answer, so only the lie itself is looked for.
            ensure!(page.frame(first).await?.css_value("height").await? != "4321px", "one frame resizes another");
            fits(page, first).await?;
            follows(page, second, "", true).await?;

            // A figure that is not there is answered with those that are.
            page.element("#third").await?.scroll_into_view().await?;
            within(page, "#third", async || {
                let said = "return document.getElementById('no-figure')?.textContent.includes('step-breakdown, memory') ?? false";
                page.until("which figures there are", said).await
            })
            .await
        })
        .await
}

#[tokio::test]
async fn a_script_computes_what_the_library_computes() -> Result<()> {
    let scenario = json!({ "model": "megatron-175b", "system": { "accelerator": "a100-sxm-80gb", "gpus": 64 },
                           "parallelism": { "pipeline": 8, "recompute": "full" } });
    let native = json(&scenario.to_string());
    ensure!(native["training"]["step"].is_number(), "{native}");
    let folder = documents::host(TEMPORARY, "script")?;
    Browser::serve(folder, "/")?
        .open("")
        .awaiting("title")
        .with(async |page| {
            let module = "import { estimate } from '/foretoken/estimate.js';
                 // The order of fields says nothing, and not every driver can tell 1 from 1.0.
                 const sorted = value => JSON.stringify(value, (_, inner) =>
                   inner?.constructor === Object ? Object.fromEntries(Object.entries(inner).sort()) : inner);
                 const [scenario, native] = JSON.parse(document.getElementById('asked').textContent);
                 const answers = [await estimate(scenario), await estimate(JSON.stringify(scenario))];
                 const same = answers.every(answer => sorted(answer) === sorted(JSON.parse(native)));
                 const { message, problems } = await estimate({ modle: 1 }).catch(error => error);
                 document.body.textContent = JSON.stringify([same, message, problems]);";
            // Inserted as an element, because scripts of some drivers cannot import modules.
            page.script::<()>(
                "for (const [type, textContent] of [['application/json', arguments[0]], ['module', arguments[1]]]) {
                   const script = Object.assign(document.createElement('script'), { type, textContent });
                   if (type !== 'module') script.id = 'asked';
                   document.head.append(script);
                 }",
                vec![json!([scenario, native.to_string()]).to_string().into(), module.into()],
            )
            .await?;
            page.until("an answer", "return document.body.textContent.startsWith('[')").await?;
            let told: String = page.script("return document.body.textContent", vec![]).await?;
            let (same, message, problems): (bool, String, Value) = serde_json::from_str(&told)?;
            ensure!(same, "other numbers than {native}");
            ensure!(message.contains("`model`") && problems[0]["field"] == "modle", "{message}");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn readers_move_a_figure_and_read_a_number_in_the_text() -> Result<()> {
    let folder = copy(TEMPORARY, "movable")?;
    let host = "<!doctype html><html lang=en><title>Host</title><link rel=icon href=data:,>
        <script type=module src=embed.js></script>
        <p>A step takes <foretoken-value value=step range link='v=1&amp;gpus=1024'>seconds</foretoken-value>,
        <foretoken-value id=equation value=mfu equation link='v=1&amp;gpus=1024'>some</foretoken-value>.</p>
        <foretoken-figure figure=memory controls='tp,batch' link='v=1&amp;gpus=1024'></foretoken-figure>";
    fs::write(folder.join("host.html"), host)?;
    Browser::serve(folder, "/")?
        .open("host.html")
        .awaiting("foretoken-figure")
        .with(async |page| {
            let number = "return /^[\\d.]+ s \\([\\d.]+ to [\\d.]+ s\\)$/
                .test(document.querySelector('foretoken-value').shadowRoot.textContent)";
            page.until("the number", number).await?;
            let equation = "return /^MFU = .+ = .+ × 1,024 × .+ = [\\d.]+ %$/
                .test(document.getElementById('equation').shadowRoot.textContent)";
            page.until("the equation", equation).await?;
            page.frame("foretoken-figure").await?.enter_frame().await?;
            let tensor =
                "return document.querySelector('.controls #parallelism-tensor')?.checkVisibility() ?? false";
            page.until("the controls", tensor).await?;
            let fields: usize =
                page.script("return document.querySelectorAll('[data-field]').length", vec![]).await?;
            ensure!(fields == 2, "{fields} fields");
            let slide = "const slider = document.querySelector('.controls .slider');
                         slider.value = String(Number(slider.value) + 1);
                         slider.dispatchEvent(new Event('input', { bubbles: true }))";
            page.script::<()>(slide, vec![]).await?;
            let moved = "return document.getElementById('parallelism-tensor').value === '16'
                  && document.querySelector('.controls .slider').getAttribute('aria-valuetext') === '16 GPUs'";
            page.until("its number", moved).await?;
            let finding = "return document.querySelector('[data-figure=memory] .finding').textContent";
            let before: String = page.script(finding, vec![]).await?;
            page.set("parallelism-tensor", "4").await?;
            page.wait("another memory", async || Ok(page.script::<String>(finding, vec![]).await? != before))
                .await
        })
        .await
}

#[tokio::test]
async fn a_figure_without_a_frame_takes_the_colours_of_its_document() -> Result<()> {
    let folder = copy(TEMPORARY, "frameless")?;
    let host = "<!doctype html><html lang=en><title>Host</title><link rel=icon href=data:,>
        <style>body { background: #123; } foretoken-figure { --foretoken-ink: rgb(1 2 3); --foretoken-accent: nonsense }</style>
        <script type=module src=embed.js></script>
        <foretoken-figure figure=memory frameless link='v=1&amp;gpus=1024'></foretoken-figure>";
    fs::write(folder.join("host.html"), host)?;
    Browser::serve(folder, "/")?
        .open("host.html")
        .awaiting("foretoken-figure:defined")
        .with(async |page| {
            shows(page, "foretoken-figure", "memory").await?;
            fits(page, "foretoken-figure").await?;
            within(page, "foretoken-figure", async || {
                let looks = "const of = (what, name) => getComputedStyle(document.querySelector(what))[name];
                    return of(':root', 'color-scheme') === 'dark' && of('body', 'background-color') === 'rgba(0, 0, 0, 0)'
                      && of('figure', 'border-top-width') === '0px' && of('.fig-fill-ink', 'fill') === 'rgb(1, 2, 3)'
                      && of('.embed-only a', 'color') !== of('figure', 'color')";
                page.until("the document's colours", looks).await
            })
            .await
        })
        .await
}
