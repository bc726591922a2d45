//! The page, in its own words: fields, answers, figures, views.

use std::{collections::BTreeMap, fs, path::Path, time::Instant};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use thirtyfour::{By, Key, WebDriver, WebElement};

use crate::{Engine, Heard, Look, driver::PATIENCE, heard};

/// The views, by the name that links use.
pub const VIEWS: [&str; 6] = ["training", "inference", "sizing", "search", "generations", "technology"];

/// An open page.
#[derive(Debug, Clone)]
pub struct Page {
    web: WebDriver,
    engine: Engine,
    base: String,
    sign: &'static str,
}

/// A figure as it stands on the page.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Figure {
    /// The value of `data-figure`.
    pub id: String,
    /// True if it is greyed, because the fields no longer say what it shows.
    pub stale: bool,
    /// The chart's markup; empty for a figure that is a table.
    pub svg: String,
    /// Number of rows of the figure's data.
    pub rows: usize,
}

impl Page {
    pub(crate) fn new(web: WebDriver, engine: Engine, base: String, sign: &'static str) -> Self {
        Self { web, engine, base, sign }
    }

    /// The driver, for what this type has no word for.
    pub fn web(&self) -> &WebDriver {
        &self.web
    }

    /// The browser engine.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Opens an address and waits until the page shows an answer, or why there is none.
    pub async fn goto(&self, address: &str) -> Result<()> {
        self.web.goto(address).await?;
        self.ready().await
    }

    /// Loads the page again.
    pub async fn reload(&self) -> Result<()> {
        // Reload by script, like a visitor: Firefox's driver bypasses the service worker's cache.
        self.script::<()>("window.old = true; setTimeout(() => location.reload())", vec![]).await?;
        // Nobody answers while one document makes way for the next.
        self.wait("another document", async || {
            Ok(self.script::<bool>("return !window.old", vec![]).await.unwrap_or(false))
        })
        .await?;
        self.ready().await
    }

    /// Gives the window another width, and a light page.
    pub async fn resize(&self, width: u32) -> Result<()> {
        self.engine.set_look(&self.web, Look { width, dark: false }).await
    }

    /// Waits until the page is complete.
    pub async fn ready(&self) -> Result<()> {
        self.until(self.sign, &format!("return document.querySelector('{}') !== null", self.sign)).await
    }

    /// Runs a script's body in the page.
    pub async fn script<T: DeserializeOwned>(&self, body: &str, arguments: Vec<Value>) -> Result<T> {
        Ok(self.web.execute(body, arguments).await?.convert()?)
    }

    /// Waits until a script returns true.
    pub async fn until(&self, what: &str, script: &str) -> Result<()> {
        // A script that queries a missing element returns undefined, which counts as false.
        self.wait(what, async || Ok(self.script::<Option<bool>>(script, vec![]).await?.unwrap_or(false)))
            .await
    }

    /// Waits until the whole answer is there, and with it what a selector finds.
    pub async fn answered(&self, css: &str) -> Result<()> {
        self.wait(&format!("the end of the answer with {css}"), async || {
            self.script::<bool>(
                "return document.querySelector(arguments[0]) !== null
                   && document.querySelector('.progress').dataset.status === 'answered'",
                vec![css.into()],
            )
            .await
        })
        .await
    }

    /// Sum of the layout shifts since the page was opened; Chromium alone counts them.
    pub async fn shift(&self) -> Result<f64> {
        // Two frames later the last part of the answer has been drawn.
        let count = "const done = arguments[arguments.length - 1];
             let sum = 0;
             new PerformanceObserver(list => { for (const shift of list.getEntries()) sum += shift.value })
               .observe({ type: 'layout-shift', buffered: true });
             setTimeout(() => done(sum), 500);";
        Ok(self.web.execute_async(count, vec![]).await?.convert()?)
    }

    /// Waits until something holds.
    pub async fn wait(&self, what: &str, holds: impl AsyncFn() -> Result<bool>) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if holds().await? {
                return Ok(());
            }
            tokio::time::sleep(std::time::Duration::from_millis(30)).await;
        }
        bail!("waited in vain for: {what}")
    }

    /// The only element that a selector finds.
    pub async fn element(&self, css: &str) -> Result<WebElement> {
        self.web.find(By::Css(css)).await.with_context(|| format!("no {css}"))
    }

    /// The frame that a selector finds, or that the `<foretoken-figure>` which it finds has made.
    pub async fn frame(&self, css: &str) -> Result<WebElement> {
        let inner = "const found = document.querySelector(arguments[0]);
                     return found?.shadowRoot?.querySelector('iframe') ?? found";
        let found = self.web.execute(inner, vec![css.into()]).await?;
        found.element().with_context(|| format!("no {css}"))
    }

    /// Clicks the element that a selector finds, once all sections are open if it lies in one that is not.
    pub async fn click(&self, css: &str) -> Result<()> {
        self.script::<()>(
            "const hidden = document.querySelector(arguments[0])?.closest('.figures > [hidden]');
             if (hidden) document.querySelector('[data-section=all]').click()",
            vec![css.into()],
        )
        .await?;
        let element = self.element(css).await?;
        element.scroll_into_view().await?;
        Ok(element.click().await?)
    }

    /// Goes to a view, and waits for its answer.
    pub async fn show(&self, view: &str) -> Result<()> {
        self.click(&format!("nav [data-view={view}]")).await?;
        self.until(
            &format!("the {view} view"),
            &format!("return document.querySelector('nav [data-view={view}][aria-current]') !== null"),
        )
        .await?;
        self.ready().await
    }

    /// Opens the form where it is folded.
    pub async fn unfold(&self) -> Result<()> {
        self.script(
            "const button = document.querySelector('.unfold[aria-expanded=false]');
             if (button?.checkVisibility()) button.click()",
            vec![],
        )
        .await
    }

    /// Types over what a field holds, or picks an option by its value.
    pub async fn set(&self, id: &str, value: &str) -> Result<()> {
        self.unfold().await?;
        let field = self.element(&format!("#{id}")).await?;
        field.scroll_into_view().await?;
        if field.tag_name().await? == "select" {
            let option = format!("#{id} option[value=\"{value}\"]");
            return Ok(self.element(&option).await?.click().await?);
        }
        field.send_keys(Key::Control + "a").await?;
        field.send_keys(Key::Delete + "").await?;
        // WebKitGTK's driver takes no empty text.
        if !value.is_empty() {
            // The key, which leaves the field; Firefox would type the character.
            field.send_keys(value.replace('\t', "\u{e004}")).await?;
        }
        Ok(())
    }

    /// Value of a field; `true` or `false` for a check box.
    pub async fn value(&self, id: &str) -> Result<String> {
        self.fields().await?.remove(id).with_context(|| format!("no field #{id}"))
    }

    /// Every field that is shown.
    pub async fn fields(&self) -> Result<BTreeMap<String, String>> {
        self.script(
            "return Object.fromEntries([...document.querySelectorAll('main :is(input, select)[id]')]
               .filter(field => field.checkVisibility() && field.id !== 'share-link')
               .map(field => [field.id, field.type === 'checkbox' ? String(field.checked) : field.value]))",
            vec![],
        )
        .await
    }

    /// The message next to a field, if the field is marked as wrong.
    pub async fn message(&self, id: &str) -> Result<Option<String>> {
        self.script(
            "const field = document.getElementById(arguments[0]);
             const message = document.getElementById(arguments[0] + '-message');
             const linked = (field.getAttribute('aria-describedby') ?? '').split(' ').includes(message?.id);
             return field.getAttribute('aria-invalid') === 'true' && linked && message.checkVisibility()
               ? message.textContent.trim() : null",
            vec![json!(id)],
        )
        .await
    }

    /// Every headline number that is shown.
    pub async fn answers(&self) -> Result<BTreeMap<String, String>> {
        self.script(
            "return Object.fromEntries([...document.querySelectorAll('[data-answer]')]
               .filter(answer => (answer.closest('.more-numbers') ?? answer).checkVisibility())
               .map(answer => [answer.dataset.answer, answer.textContent.trim()]))",
            vec![],
        )
        .await
    }

    /// Every figure of the answer, of all its sections. Their data are opened for as long as it takes to count the rows.
    pub async fn figures(&self) -> Result<Vec<Figure>> {
        let folds = "[...document.querySelectorAll('figure[data-figure] > * > details.data')]";
        let open =
            format!("for (const fold of {folds}) if (!fold.open) fold.open = fold.dataset.counted = true;");
        // Figures of later stages may still arrive, so that each look opens what it finds.
        let counted = format!("{open} return {folds}.every(fold => fold.querySelector('tbody tr'))");
        self.until("the figures' data", &counted).await?;
        let figures = self
            .script(
                "return [...document.querySelectorAll('figure[data-figure]')]
                   .filter(figure => figure.hidden || figure.checkVisibility())
                   .map(figure => ({
                     id: figure.dataset.figure,
                     stale: figure.closest('[data-stale]') !== null,
                     svg: figure.querySelector('svg')?.outerHTML ?? '',
                     rows: figure.querySelectorAll('tbody tr').length,
                   }))",
                vec![],
            )
            .await?;
        let close = "for (const fold of document.querySelectorAll('[data-counted]')) {
                       fold.open = false;
                       delete fold.dataset.counted;
                     }";
        self.script::<()>(close, vec![]).await?;
        Ok(figures)
    }

    /// The part of the address that carries the state, with its `#`.
    pub async fn link(&self) -> Result<String> {
        self.script("return location.hash", vec![]).await
    }

    /// Console messages since the last call.
    pub async fn console(&self) -> Result<Vec<String>> {
        self.engine.console(&self.web).await
    }

    /// Checks the invariants of every visit: an empty console, and no requests to other hosts.
    pub async fn check_manners(&self) -> Result<()> {
        let mut console = self.console().await?;
        // Logged where a preview's frame is taken away while it still loads; a program that does not load shows no page.
        console.retain(|line| !(line.contains("Fetch API cannot load") && line.contains(".wasm")));
        // Firefox reports the same as a rejected request of no file.
        console.retain(|line| {
            !(line.contains("NetworkError when attempting to fetch") && line.ends_with("(:0)"))
        });
        // Firefox reports files of a frame that was taken away while its service worker answered. Where the worker fails
        // for a page that stays, the page's content is missing, which tests see.
        console.retain(|line| !line.starts_with("Service Worker Interception: Failed to load"));
        ensure!(console.is_empty(), "the console is not empty: {console:#?}");
        let fetched: Vec<String> = self
            .script("return performance.getEntriesByType('resource').map(entry => entry.name)", vec![])
            .await?;
        let foreign: Vec<_> = fetched
            .iter()
            .filter(|url| {
                !url.starts_with(&self.base)
                    && !url.starts_with("data:")
                    && !url.starts_with("blob:")
                    // Requested by the browser itself.
                    && !url.ends_with("/favicon.ico")
            })
            .collect();
        ensure!(foreign.is_empty(), "fetched from elsewhere: {foreign:?}");
        Ok(())
    }

    /// Checks the page with axe-core.
    pub async fn check_accessibility(&self) -> Result<()> {
        let tools = std::env::var("FORETOKEN_TOOLS")
            .context("run through `make test`, which sets FORETOKEN_TOOLS")?;
        let axe = Path::new(&tools).join("node_modules/axe-core/axe.min.js");
        let axe =
            fs::read_to_string(&axe).with_context(|| format!("{}: run `.ci/setup test`", axe.display()))?;
        self.web.execute(axe, vec![]).await?;
        let found = self
            .web
            .execute_async(
                "const done = arguments[arguments.length - 1];
                 axe.run(document, { resultTypes: ['violations'] }).then(result => done(
                   result.violations.flatMap(rule => rule.nodes.map(node =>
                     `${rule.id} (${rule.help}): ${node.target.join(' ')}: ${node.failureSummary}`))),
                   error => done([String(error)]));",
                vec![],
            )
            .await?;
        let found: Vec<String> = found.convert()?;
        ensure!(found.is_empty(), "axe-core finds:\n{}", found.join("\n"));
        Ok(())
    }

    /// What a screen reader is told, in reading order. Of the drivers, only that of Chromium gives it.
    pub async fn heard(&self) -> Result<Vec<Heard>> {
        heard::tree(&self.web).await
    }

    /// Width by which the page exceeds its window, in CSS pixels.
    pub async fn overflow(&self) -> Result<i64> {
        self.script(
            "const page = document.scrollingElement; return page.scrollWidth - page.clientWidth",
            vec![],
        )
        .await
    }

    /// Writes a picture of the whole page; in `WebKitGTK` of the window.
    pub async fn picture(&self, file: &Path) -> Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let picture = self.engine.picture(&self.web).await?;
        fs::write(file, picture).with_context(|| file.display().to_string())
    }
}
