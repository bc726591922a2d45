//! The browser: a driver of our own, and one fresh profile per visit.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail};
use thirtyfour::{
    WebDriver,
    testing::{BrowserTestError, run_browser_test},
};

use crate::{Engine, Page, Site, artefacts, dist, driver::Driver, webkit};

/// A static server and a driver, both ended when dropped.
#[derive(Debug)]
pub struct Browser {
    engine: Engine,
    site: Site,
    driver: Driver,
}

/// Window size and colour scheme.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The width in CSS pixels.
    pub width: u32,
    /// True if a dark page is preferred.
    pub dark: bool,
}

impl Look {
    /// The height of every window in CSS pixels.
    pub const HEIGHT: u32 = 900;
    /// A desktop's window, light.
    pub const WIDE: Self = Self { width: 1280, dark: false };
    /// The narrowest phone, light. In `WebKitGTK`, whose windows cannot be as narrow, 334 pixels.
    pub const NARROW: Self = Self { width: 320, dark: false };
    /// Every look that the page is checked in.
    pub const ALL: [Self; 4] =
        [Self::WIDE, Self::NARROW, Self { width: 1280, dark: true }, Self { width: 320, dark: true }];

    /// A name for files.
    pub fn name(self) -> String {
        format!("{}-{}", self.width, if self.dark { "dark" } else { "light" })
    }
}

/// A page to open in a fresh profile.
#[derive(Debug)]
pub struct Visit<'a> {
    browser: &'a Browser,
    address: String,
    look: Look,
    sign: &'static str,
}

impl Browser {
    /// Serves the built site at the root.
    pub fn start() -> Result<Self> {
        Self::serve(dist(), "/")
    }

    /// Serves a site below a path such as `/docs/foretoken/`.
    pub fn serve(folder: PathBuf, base: &str) -> Result<Self> {
        if !folder.join("index.html").is_file() {
            bail!("{} has no index.html: run `make dist`", folder.display());
        }
        let engine = Engine::chosen()?;
        let first = if engine == Engine::WebKit { webkit::LISTENER } else { "" };
        Ok(Self { engine, site: Site::start(folder, base, first)?, driver: Driver::start(engine)? })
    }

    /// The browser engine.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The static server.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The page with this link (`#...`, `?...`, or nothing).
    pub fn open(&self, link: &str) -> Visit<'_> {
        let address = format!("{}{link}", self.site.address());
        Visit { browser: self, address, look: Look::WIDE, sign: "main[data-ready]" }
    }
}

impl Visit<'_> {
    /// The browser with another window size or colour scheme.
    #[must_use]
    pub fn look(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// Waits for this element instead of the page's own sign that it is ready.
    #[must_use]
    pub fn awaiting(self, sign: &'static str) -> Self {
        Self { sign, ..self }
    }

    /// Opens the page, waits until it is ready, tries something, and checks what holds for every visit.
    pub async fn with(self, mut test: impl AsyncFnMut(&Page) -> Result<()>) -> Result<()> {
        let outcome = self.once(&mut test).await;
        match outcome {
            Err(error)
                if self.browser.engine == Engine::WebKit && format!("{error:?}").contains(webkit::TRAP) =>
            {
                self.browser.engine.report(&format!("trapped, and is tried again: {error:#}"));
                self.once(&mut test).await
            }
            outcome => outcome,
        }
    }

    async fn once(&self, test: &mut impl AsyncFnMut(&Page) -> Result<()>) -> Result<()> {
        let Self { browser, address, look, sign } = self;
        let engine = browser.engine;
        let capabilities = engine.capabilities(*look)?;
        let visit = async move |web: WebDriver| {
            engine.set_look(&web, *look).await?;
            let page = Page::new(web, engine, browser.site.address(), sign);
            let outcome = async {
                page.goto(address).await?;
                test(&page).await?;
                page.check_manners().await
            }
            .await;
            if outcome.is_err() {
                let name = std::thread::current().name().unwrap_or("test").replace("::", "-");
                let picture = artefacts().join(format!("failed-{name}.png"));
                drop(page.picture(&picture).await); // The test's own error matters more.
                let log = page.console().await.unwrap_or_default();
                return outcome.with_context(|| {
                    format!("{engine}, {address}: see {}; console: {log:?}", picture.display())
                });
            }
            let missing = browser.site.missing();
            if !missing.is_empty() {
                bail!("{engine}, {address}: not found: {missing:?}");
            }
            Ok(())
        };
        let session = WebDriver::new(browser.driver.address.as_str(), capabilities);
        run_browser_test(session, visit).await.map_err(|error| match error {
            BrowserTestError::Body(error) => error,
            other => anyhow!("{engine}: {other:#}"),
        })
    }
}
