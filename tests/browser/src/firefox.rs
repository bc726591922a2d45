//! Firefox-specific calls: scripts that run in the browser instead of the page.

use anyhow::Result;
use http::Method;
use serde_json::{Value, json};
use thirtyfour::{RequestData, SessionId, WebDriver, common::command::FormatRequestData};

use crate::{Look, driver::find};

/// Known warnings of Firefox that are no faults of the page.
const ADVICE: [&str; 6] = [
    // From the tour, whose ring follows an element.
    "This site appears to use a scroll-linked positioning effect",
    // From the test of sizes, which reports the first figure synchronously.
    "Synchronous XMLHttpRequest on the main thread is deprecated",
    // From edits in quicker succession than any typing.
    "Scroll anchoring was disabled",
    // From the test, which looks for figures while they load.
    "Layout was forced before the page was fully loaded",
    // From the scripts of MkDocs Material.
    "Empty string passed to getElementById",
    // From a request whose address was revoked: a preview that is replaced revokes its address.
    "Failed to load ‘’. A ServiceWorker intercepted",
];

pub(crate) fn capabilities(look: Look) -> Result<Value> {
    Ok(json!({
        "browserName": "firefox",
        "moz:firefoxOptions": {
            "binary": find(&["firefox-esr", "firefox"])?,
            "args": ["-headless"],
            "prefs": {
                "ui.systemUsesDarkTheme": i32::from(look.dark),
                "ui.prefersReducedMotion": 1,
                // Scroll bars lie over the page, as on phones.
                "ui.useOverlayScrollbars": 1,
                // Firefox interrupts the running script of a process that it ends, and reports that as an error of the page.
                "dom.abort_script_on_child_shutdown": false,
            },
        },
    }))
}

/// Context in which the scripts of a session run: `content` or `chrome`.
#[derive(Debug)]
struct Context(&'static str);

impl FormatRequestData for Context {
    fn format_request(&self, session: &SessionId) -> RequestData {
        RequestData::new(Method::POST, format!("/session/{session}/moz/context"))
            .add_body(json!({ "context": self.0 }))
    }
}

/// Runs a script in the browser itself. Its last argument takes the result.
async fn within(web: &WebDriver, script: &str, arguments: Vec<Value>) -> Result<Value> {
    web.handle().cmd(Context("chrome")).await?;
    let result = web.execute_async(script, arguments).await;
    web.handle().cmd(Context("content")).await?;
    Ok(result?.json().clone())
}

/// Sets the size of the page. Firefox's windows have at least 500 pixels, so the page gets a part of the window.
pub(crate) async fn set_size(web: &WebDriver, look: Look) -> Result<()> {
    let script = "const [width, height, done] = arguments;
        const { style } = gBrowser.selectedBrowser;
        for (const [side, length] of [['width', width], ['height', height]]) {
          for (const bound of ['', 'min-', 'max-']) style.setProperty(bound + side, `${length}px`);
        }
        done()";
    within(web, script, vec![json!(look.width), json!(Look::HEIGHT)]).await?;
    Ok(())
}

/// Errors and warnings that concern pages, which the browser keeps, and calls of `console`, which the page's process keeps.
pub(crate) async fn console(web: &WebDriver) -> Result<Vec<String>> {
    let script = r#"const [advice, done] = arguments;
        const reports = Services.console.getMessageArray()
          .filter(report => report instanceof Ci.nsIScriptError && !/^(chrome|resource):/.test(report.sourceName))
          .filter(({ errorMessage }) => !advice.some(start => errorMessage.startsWith(start)))
          .map(report => `${report.category}: ${report.errorMessage} (${report.sourceName}:${report.lineNumber})`);
        Services.console.reset();
        const { messageManager } = gBrowser.selectedBrowser;
        messageManager.addMessageListener("said", function hear({ data }) {
          messageManager.removeMessageListener("said", hear);
          done(reports.concat(data));
        });
        const inThePage = () => {
          const storage = Cc["@mozilla.org/consoleAPI-storage;1"].getService(Ci.nsIConsoleAPIStorage);
          const said = storage.getEvents()
            .filter(({ filename }) => !/^(chrome|resource):/.test(filename))
            .map(({ level, filename, arguments: given }) => `${level}: ${[...given].join(" ")} (${filename})`);
          storage.clearEvents();
          sendAsyncMessage("said", said);
        };
        messageManager.loadFrameScript(`data:,(${encodeURIComponent(inThePage)})()`, false);"#;
    Ok(serde_json::from_value(within(web, script, vec![json!(ADVICE)]).await?)?)
}
