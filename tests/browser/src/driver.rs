//! The browser: a chromedriver of our own, and one fresh profile per visit.

use std::{
    env,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow, bail};
use thirtyfour::{
    ChromeCapabilities, ChromiumLikeCapabilities, LoggingPrefsLogLevel, WebDriver,
    testing::{BrowserTestError, run_browser_test},
};

use crate::{Page, Site, artefacts, dist};

/// A static server and a chromedriver, both ended when dropped.
#[derive(Debug)]
pub struct Browser {
    site: Site,
    driver: Driver,
}

/// How wide the window is, and which colour scheme it asks for.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The width in CSS pixels.
    pub width: u32,
    /// Whether a dark page is preferred.
    pub dark: bool,
}

impl Look {
    /// A desktop's window, light.
    pub const WIDE: Self = Self { width: 1280, dark: false };
    /// The narrowest phone, light.
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
        Ok(Self { site: Site::start(folder, base)?, driver: Driver::start()? })
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
    /// In another window size or colour scheme.
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
    pub async fn with(self, test: impl AsyncFnOnce(&Page) -> Result<()>) -> Result<()> {
        let Self { browser, address, look, sign } = self;
        let capabilities = capabilities(look)?;
        let visit = async move |web: WebDriver| {
            let page = Page::new(web, browser.site.address(), sign);
            page.set_look(look).await?;
            let outcome = async {
                page.goto(&address).await?;
                test(&page).await?;
                page.check_manners().await
            }
            .await;
            if outcome.is_err() {
                let name = std::thread::current().name().unwrap_or("test").replace("::", "-");
                let picture = artefacts().join(format!("failed-{name}.png"));
                drop(page.picture(&picture).await); // The test's own error matters more.
                let log = page.console().await.unwrap_or_default();
                return outcome
                    .with_context(|| format!("{address}: see {}; console: {log:?}", picture.display()));
            }
            let missing = browser.site.missing();
            if !missing.is_empty() {
                bail!("{address}: not found: {missing:?}");
            }
            Ok(())
        };
        let session = WebDriver::new(browser.driver.address.as_str(), capabilities);
        run_browser_test(session, visit).await.map_err(|error| match error {
            BrowserTestError::Body(error) => error,
            other => anyhow!("{other:#}"),
        })
    }
}

fn capabilities(look: Look) -> Result<ChromeCapabilities> {
    let mut capabilities = ChromeCapabilities::new();
    capabilities.set_binary(&find(&["chromium", "google-chrome", "chromium-browser", "chrome"])?)?;
    for argument in [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
    ] {
        capabilities.add_arg(argument)?;
    }
    capabilities.add_arg(&format!("--window-size={},900", look.width))?;
    capabilities.set_browser_log_level(LoggingPrefsLogLevel::All)?;
    Ok(capabilities)
}

#[derive(Debug)]
struct Driver {
    process: Child,
    address: String,
    /// Kept open, so that the driver can go on writing.
    output: BufReader<ChildStdout>,
}

impl Driver {
    fn start() -> Result<Self> {
        let program = env::var("CHROMEDRIVER").or_else(|_| find(&["chromedriver"]))?;
        let mut process = Command::new(&program)
            .args(["--port=0", "--log-level=SEVERE"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {program}"))?;
        let output = BufReader::new(process.stdout.take().context("has a pipe")?);
        let mut this = Self { process, address: String::new(), output };
        let mut line = String::new();
        while this.output.read_line(&mut line)? > 0 {
            if let Some((_, port)) = line.trim_end().split_once("was started successfully on port ") {
                this.address = format!("http://127.0.0.1:{}", port.trim_end_matches('.'));
                return Ok(this);
            }
            line.clear();
        }
        bail!("{program} ended without naming its port")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn find(names: &[&str]) -> Result<String> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
        .map(|file| file.display().to_string())
        .with_context(|| format!("found none of {names:?}: run `.ci/setup test`"))
}

/// How long the page may take to do what it was asked.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);
