//! Parts below an answer: they arrive later, do not shift the page, and follow the question.

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Engine};

/// The finding of a figure or a table.
const FINDING: &str =
    "const it = document.querySelector(`[data-figure=${arguments[0]}], [data-table=${arguments[0]}]`);
    return it?.querySelector('.finding').textContent ?? ''";

#[tokio::test]
async fn costs_and_sensitivities_follow_the_question() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            let finding = async |of: &str| page.script::<String>(FINDING, vec![of.into()]).await;
            let (costs, bound) = (finding("costs").await?, finding("bound").await?);
            ensure!(costs.contains("$3.49 per GPU-hour, on demand"), "{costs}");
            ensure!(bound.contains("as long"), "{bound}");
            page.set("economics-usd-per-gpu-hour", "4.5").await?;
            page.wait("another price", async || Ok(finding("costs").await?.contains("$4.50 per GPU-hour")))
                .await?;
            let varied = finding("sensitivity").await?;
            page.set("parallelism-tensor", "4").await?;
            page.wait("other sensitivities", async || Ok(finding("sensitivity").await? != varied)).await?;
            page.set("parallelism-tensor", "7").await?;
            page.until("greyed figures", "return document.querySelector('.figures[data-stale]') !== null")
                .await
        })
        .await
}

#[tokio::test]
async fn a_speed_up_is_explained_from_any_device_to_any_other() -> Result<()> {
    let link = "#v=1&view=generations&model=gpt-3-175b&gpus=8192&batch=1024&seq=2048&pp=8&recompute=full\
                &to.precision=fp4&to.domain=64&to.batch=4";
    Browser::start()?
        .open(link)
        .with(async |page| {
            let finding = async || page.script::<String>(FINDING, vec!["waterfall".into()]).await;
            let headline = finding().await?;
            ensure!(headline.contains("B200") && headline.contains("A100"), "{headline}");
            page.set("comparison-from", "h100-sxm").await?;
            page.wait("another beginning", async || Ok(finding().await?.contains("H100"))).await?;
            page.until("the link", "return location.hash.includes('from=h100-sxm')").await?;
            // The other assumptions are questions that a click asks.
            page.click("[data-table=variants] tbody a").await?;
            page.until("the link", "return !location.hash.includes('to.precision')").await?;
            page.wait("another answer", async || Ok(finding().await? != headline)).await?;
            let claims: String = page
                .script("return document.querySelector('[data-table=variants]').textContent", vec![])
                .await?;
            ensure!(claims.contains("Claimed") && claims.contains("recalled"), "{claims}");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn nothing_above_moves_when_it_comes() -> Result<()> {
    let browser = Browser::start()?;
    if browser.engine().lacks("a count of what moves", &[Engine::Firefox, Engine::WebKit]) {
        return Ok(());
    }
    browser
        .open("")
        .with(async |page| {
            let shift = page.shift().await?;
            let more: usize =
                page.script("return document.querySelectorAll('.figures > *').length", vec![]).await?;
            ensure!(more > 6, "there is no more");
            ensure!(shift < 0.05, "the layout shifts by {shift}");
            page.element("figure[data-figure=sensitivity]").await.context("a figure")?;
            Ok(())
        })
        .await
}
