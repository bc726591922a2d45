//! Every view, wide and narrow, light and dark: legible, accessible, and photographed.

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Look, VIEWS, artefacts};

async fn check(look: Look) -> Result<()> {
    Browser::start()?
        .open("")
        .look(look)
        .with(async |page| {
            page.unfold().await?;
            for view in VIEWS.into_iter().chain(["papers", "validation"]) {
                page.show(view).await?;
                page.picture(&artefacts().join(format!("{view}-{}.png", look.name()))).await?;
                ensure!(page.overflow().await? <= 0, "{view} scrolls sideways at {} px", look.width);
                page.check_accessibility().await.with_context(|| format!("{view} {}", look.name()))?;
            }
            // Errors have to be as legible as answers.
            page.show("training").await?;
            page.set("parallelism-tensor", "7").await?;
            page.wait("a message", async || Ok(page.message("parallelism-tensor").await?.is_some())).await?;
            page.picture(&artefacts().join(format!("illegal-{}.png", look.name()))).await?;
            page.check_accessibility().await.with_context(|| format!("an illegal value, {}", look.name()))
        })
        .await
}

#[tokio::test]
async fn wide_and_light() -> Result<()> {
    check(Look::ALL[0]).await
}

#[tokio::test]
async fn narrow_and_light() -> Result<()> {
    check(Look::ALL[1]).await
}

#[tokio::test]
async fn wide_and_dark() -> Result<()> {
    check(Look::ALL[2]).await
}

#[tokio::test]
async fn narrow_and_dark() -> Result<()> {
    check(Look::ALL[3]).await
}

#[tokio::test]
async fn the_theme_button_beats_the_system_and_is_remembered() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            let scheme = "const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g); \
                          return Number(r) + Number(g) + Number(b) < 384";
            ensure!(!page.script::<bool>(scheme, vec![]).await?, "starts dark");
            for _ in 0..3 {
                page.click("#theme").await?;
                if page.script::<bool>(scheme, vec![]).await? {
                    break;
                }
            }
            page.until("a dark page", scheme).await?;
            page.reload().await?;
            ensure!(page.script::<bool>(scheme, vec![]).await?, "the reload forgot the theme");
            Ok(())
        })
        .await
}
