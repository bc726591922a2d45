//! After a first visit the page needs no network, and a new release is seen at once where there is one.

use std::fs;

use anyhow::{Result, ensure};
use browser_tests::{Browser, Page, copy, dist};

/// Waits until the page's files are kept.
async fn kept(page: &Page) -> Result<()> {
    let active: bool = page
        .web()
        .execute_async(
            "const done = arguments[0]; navigator.serviceWorker.ready.then(() => done(true))",
            vec![],
        )
        .await?
        .convert()?;
    ensure!(active, "no service worker");
    Ok(())
}

#[tokio::test]
async fn every_view_works_without_a_network_after_one_visit() -> Result<()> {
    let browser = Browser::serve(dist(), "/some/where/")?;
    let site = browser.site();
    browser
        .open("")
        .with(async |page| {
            kept(page).await?;
            site.stop();
            page.reload().await?;
            ensure!(page.answers().await?.contains_key("step"), "no answer");
            for view in ["inference", "generations", "training"] {
                page.show(view).await?;
                ensure!(!page.answers().await?.is_empty(), "{view} has no answer");
            }
            page.script::<()>("location.hash = '#v=1&view=validation&errors.of=kernel'", vec![]).await?;
            page.until("the rows", "return document.querySelector('[data-figure=scatter]') !== null").await?;
            page.web().goto(format!("{}?theme=dark#v=1&gpus=1024", site.address())).await?;
            page.until("another question", "return document.querySelector('main[data-ready]') !== null")
                .await?;
            // The service worker asked in vain for what has no hash in its name.
            drop(page.console().await?);
            Ok(())
        })
        .await
}

#[tokio::test]
async fn what_is_kept_travels_once() -> Result<()> {
    let browser = Browser::start()?;
    browser
        .open("")
        .with(async |page| {
            kept(page).await?;
            let asked = browser.site().asked();
            let mut files: Vec<_> = asked.iter().filter(|file| file.starts_with("foretoken-")).collect();
            // A worker fetches the glue again if the host sets no cache lifetime.
            files.sort();
            files.dedup_by(|a, b| a == b && a.rsplit_once('.').is_some_and(|(_, kind)| kind == "js"));
            ensure!(files.len() == 3, "of these some are for the same file: {asked:#?}");
            // Though nobody pressed anything that needs it.
            ensure!(asked.iter().any(|file| file == "validation.csv"), "the rows are not kept: {asked:#?}");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn a_new_release_is_seen_at_once() -> Result<()> {
    let folder = copy(env!("CARGO_TARGET_TMPDIR"), "release")?;
    let (index, worker) = (folder.join("index.html"), folder.join("sw.js"));
    Browser::serve(folder, "/")?
        .open("")
        .with(async |page| {
            kept(page).await?;
            let next = fs::read_to_string(&index)?
                .replace("<html lang=\"en\"", "<html lang=\"en\" data-release=\"2\"");
            fs::write(&index, next)?;
            let next = fs::read_to_string(&worker)?.replace("const VERSION = \"", "const VERSION = \"2-");
            fs::write(&worker, next)?;
            page.reload().await?;
            page.until("the next release", "return document.documentElement.dataset.release === '2'").await?;
            // Both versions are kept as long as a page of the first one may be open.
            let caches = "const done = arguments[0];
                const count = async () => (await caches.keys()).length;
                const wait = async () => (await count()) === 2 ? done(true) : setTimeout(wait, 50);
                navigator.serviceWorker.getRegistration().then(found => found.update()).then(wait);";
            let two: bool = page.web().execute_async(caches, vec![]).await?.convert()?;
            ensure!(two, "the next release is not kept");
            Ok(())
        })
        .await
}
