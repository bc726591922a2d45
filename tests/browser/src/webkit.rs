//! Replacements for missing functions of `WebKitGTK`'s driver.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use thirtyfour::WebDriver;

use crate::Look;

/// Debian has one browser per version of the library, none of them on the path.
const LIBRARIES: [&str; 2] = ["webkitgtk-6.0", "webkit2gtk-4.1"];

/// A trap that `JavaScriptCore` raises at random on Linux in programs without a fault (oven-sh/bun#17146,
/// tauri-apps/tauri#7154): once in some hundred visits, which pass when they are repeated. A fault of the program would trap
/// again, and in the other browsers too.
pub(crate) const TRAP: &str = "RuntimeError: Out of bounds memory access";

/// Nobody hears what the console of a session says. So the site puts this before everything else in a page.
pub(crate) const LISTENER: &str = "window.said = [];
addEventListener('error', ({ message, filename, lineno }) => said.push(`error: ${message} (${filename}:${lineno})`));
addEventListener('unhandledrejection', ({ reason }) => said.push(`unhandled: ${reason}`));
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  said.push(`policy: ${violatedDirective} forbids ${blockedURI}`));
for (const level of ['error', 'warn']) {
  const log = console[level];
  console[level] = (...given) => {
    said.push(`${level}: ${given.join(' ')}`);
    log.apply(console, given);
  };
}
";

pub(crate) fn capabilities(look: Look) -> Result<Value> {
    let browser = LIBRARIES
        .iter()
        .map(|library| Path::new("/usr/lib/x86_64-linux-gnu").join(library).join("MiniBrowser"))
        .find(|file| file.is_file())
        .context("no MiniBrowser: run `.ci/setup test`")?;
    // Full-screen windows have no tool bar, which would be wider than a phone.
    let mut arguments = vec!["--automation", "--full-screen"];
    if look.dark {
        arguments.push("--dark-mode");
    }
    Ok(json!({
        "browserName": "MiniBrowser",
        "webkitgtk:browserOptions": { "binary": browser, "args": arguments },
    }))
}

/// Console messages of this page and of the frames of its origin.
pub(crate) async fn console(web: &WebDriver) -> Result<Vec<String>> {
    let script = "const heard = view => {
          try {
            return [...view.said.splice(0), ...Array.from(view, heard).flat()];
          } catch {
            return []; // Of another origin.
          }
        };
        return [...heard(top), ...heard(window)]";
    Ok(web.execute(script, vec![]).await?.convert()?)
}
