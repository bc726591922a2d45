//! The browsers that the page is tested in, and what their drivers say in different ways.

use std::{env, fmt, io::Write as _};

use anyhow::{Context as _, Result, bail};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use thirtyfour::{Capabilities, WebDriver, extensions::addons::firefox::FirefoxTools};

use crate::{Look, driver::find, firefox, webkit};

/// A browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Chromium or Google Chrome.
    Chromium,
    /// Firefox.
    Firefox,
    /// The small browser that `WebKitGTK` brings along.
    WebKit,
}

impl Engine {
    /// Every browser.
    pub const ALL: [Self; 3] = [Self::Chromium, Self::Firefox, Self::WebKit];

    /// The one that `$FORETOKEN_BROWSER` names; Chromium if it names none.
    pub fn chosen() -> Result<Self> {
        let Some(name) = env::var_os("FORETOKEN_BROWSER") else { return Ok(Self::Chromium) };
        let known = Self::ALL.into_iter().find(|engine| name == engine.name());
        known.with_context(|| format!("FORETOKEN_BROWSER is {}, not one of {:?}", name.display(), Self::ALL))
    }

    /// Name of the engine in `$FORETOKEN_BROWSER`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
            Self::WebKit => "webkit",
        }
    }

    /// Returns true if this browser is one of those that lack something, so that a check of the running test is left
    /// out. Then that is printed past the test harness, which hides what successful tests print.
    pub fn lacks(self, what: &str, those: &[Self]) -> bool {
        let lacks = those.contains(&self);
        if lacks {
            self.report(&format!("lacks {what}: left out"));
        }
        lacks
    }

    /// Prints something about this browser and the running test past the test harness.
    pub(crate) fn report(self, what: &str) {
        let test = std::thread::current();
        let said = format!("{self}, {}: {what}\n", test.name().unwrap_or("a test"));
        drop(std::io::stderr().write_all(said.as_bytes()));
    }

    /// Capabilities requested for a new session.
    pub(crate) fn capabilities(self, look: Look) -> Result<Capabilities> {
        let asked = match self {
            Self::Chromium => chromium(look)?,
            Self::Firefox => firefox::capabilities(look)?,
            Self::WebKit => webkit::capabilities(look)?,
        };
        let Value::Object(asked) = asked else { bail!("{asked} is no object") };
        Ok(asked.into())
    }

    /// Makes a new session's window look as asked.
    pub(crate) async fn set_look(self, web: &WebDriver, look: Look) -> Result<()> {
        match self {
            Self::Chromium => {
                let tools = web.cdp();
                let metrics = json!({ "width": look.width, "height": Look::HEIGHT, "deviceScaleFactor": 1, "mobile": false });
                tools.send_raw("Emulation.setDeviceMetricsOverride", metrics).await?;
                let scheme = if look.dark { "dark" } else { "light" };
                let media = json!({ "features": [
                    { "name": "prefers-color-scheme", "value": scheme },
                    { "name": "prefers-reduced-motion", "value": "reduce" },
                ] });
                tools.send_raw("Emulation.setEmulatedMedia", media).await?;
            }
            Self::Firefox => firefox::set_size(web, look).await?,
            Self::WebKit => web.set_window_rect(0, 0, look.width, Look::HEIGHT).await?,
        }
        Ok(())
    }

    /// Console messages since the last call.
    pub(crate) async fn console(self, web: &WebDriver) -> Result<Vec<String>> {
        Ok(match self {
            Self::Chromium => {
                let entries = web.browser_log().await?;
                entries.into_iter().map(|entry| format!("{}: {}", entry.level, entry.message)).collect()
            }
            Self::Firefox => firefox::console(web).await?,
            Self::WebKit => webkit::console(web).await?,
        })
    }

    /// A picture of the page, as PNG.
    pub(crate) async fn picture(self, web: &WebDriver) -> Result<Vec<u8>> {
        Ok(match self {
            Self::Chromium => chromium_picture(web).await?,
            Self::Firefox => FirefoxTools::new(web.handle().clone()).full_screenshot_as_png().await?,
            Self::WebKit => web.screenshot_as_png().await?,
        })
    }
}

/// Picture of the whole page, which is higher than the window.
async fn chromium_picture(web: &WebDriver) -> Result<Vec<u8>> {
    let size = "return [innerWidth, document.documentElement.scrollHeight]";
    let (width, height): (u32, u32) = web.execute(size, vec![]).await?.convert()?;
    let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
    let asked = json!({ "captureBeyondViewport": true, "clip": clip });
    let shot = web.cdp().send_raw("Page.captureScreenshot", asked).await?;
    Ok(BASE64_STANDARD.decode(shot["data"].as_str().context("a picture")?)?)
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chromium => "Chromium",
            Self::Firefox => "Firefox",
            Self::WebKit => "WebKitGTK",
        })
    }
}

fn chromium(look: Look) -> Result<Value> {
    let size = format!("--window-size={},{}", look.width, Look::HEIGHT);
    Ok(json!({
        "browserName": "chrome",
        "goog:loggingPrefs": { "browser": "ALL" },
        "goog:chromeOptions": {
            "binary": find(&["chromium", "google-chrome", "chromium-browser", "chrome"])?,
            "args": [
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
                size,
            ],
        },
    }))
}
