//! A measured value and why it differs from its prediction.

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Look, artefacts};

const LINK: &str = "#v=1&model=llama-3.1-8b&gpu=h100-sxm&gpus=64&tp=8&pp=1&batch=128&framework=megatron&measured.step=3.2&part=measured";

/// Script that returns true once all parts below a measured value are shown.
const SHOWN: &str = "return document.querySelector('[data-figure=difference-step] svg')?.checkVisibility() &&
    ['causes', 'changes', 'nearest'].every((id) => document.querySelector(`[data-table=${id}]`)?.checkVisibility())";

async fn check(look: Look) -> Result<()> {
    Browser::start()?
        .open(LINK)
        .look(look)
        .with(async |page| {
            page.until("causes, changes and published rows", SHOWN).await?;
            page.picture(&artefacts().join(format!("measured-{}.png", look.name()))).await?;
            ensure!(page.overflow().await? <= 0, "it scrolls sideways at {} px", look.width);
            page.check_accessibility().await.with_context(|| look.name())?;
            page.click("[data-table=changes] a").await?;
            page.until("the changed question", "return !location.hash.includes('measured.step')").await?;
            page.until(
                "it has no measurement",
                "return document.querySelector('[data-table=causes]') === null",
            )
            .await
        })
        .await
}

#[tokio::test]
async fn why_it_differs_wide_and_light() -> Result<()> {
    check(Look::ALL[0]).await
}

#[tokio::test]
async fn why_it_differs_narrow_and_dark() -> Result<()> {
    check(Look::ALL[3]).await
}
