//! The Sizing view: fleets for given traffic, by what the visitor chooses, each of which opens as a question.

use anyhow::{Result, ensure};
use browser_tests::{Browser, Page, artefacts};

/// Five hundred users of a model of 70 billion parameters.
const ASKED: &str = "#v=1&view=sizing&model=llama-3.1-70b&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30\
                     &serve.engine=vllm";

async fn answered(page: &Page) -> Result<()> {
    page.answered("[data-table=fleets] tbody tr").await
}

#[tokio::test]
async fn a_fleet_opens_as_a_question_and_back_returns() -> Result<()> {
    Browser::start()?
        .open(ASKED)
        .with(async |page| {
            answered(page).await?;
            page.picture(&artefacts().join("sizing-500-users.png")).await?;
            let best = page.answers().await?;
            ensure!(best.contains_key("gpus") && best.contains_key("cost"), "{best:?}");
            page.click("[data-table=fleets] tbody a").await?;
            page.wait("the fleet's TPOT", async || {
                let answers = page.answers().await?;
                Ok(answers.contains_key("kv") && answers.get("tpot") == best.get("tpot"))
            })
            .await?;
            page.web().back().await?;
            page.wait("the fleets again", async || Ok(page.answers().await? == best)).await?;
            page.set("sizing-users", "5000").await?;
            page.wait("more GPUs", async || {
                let answers = page.answers().await?;
                Ok(answers.contains_key("gpus") && answers["gpus"] != best["gpus"])
            })
            .await
        })
        .await
}

/// Several workers search for one answer, here for some seconds: none of them goes on after a cancellation.
#[tokio::test]
async fn it_can_be_cancelled_and_tried_again() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            let mixture = "#v=1&view=sizing&model=deepseek-v3&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30";
            page.script::<()>("location.hash = arguments[0]", vec![mixture.into()]).await?;
            page.until("progress", "return document.querySelector('progress[max]') !== null").await?;
            page.click("#cancel").await?;
            page.until("the way to go on", "return document.querySelector('#again') !== null").await?;
            let shown = async || page.script::<String>("return document.querySelector('main').innerText", vec![]).await;
            let before = shown().await?;
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            ensure!(shown().await? == before, "it went on");
            page.click("#again").await?;
            answered(page).await?;
            ensure!(page.answers().await?.contains_key("gpus"), "no fleet");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn a_point_of_the_chart_opens_as_a_question() -> Result<()> {
    Browser::start()?
        .open(&format!("{ASKED}&part=speed"))
        .with(async |page| {
            page.until(
                "the chart",
                "return document.querySelector('.progress').dataset.status === 'answered'
                   && document.querySelector('[data-figure=fleet-costs] .reader') !== null",
            )
            .await?;
            page.picture(&artefacts().join("sizing-chart.png")).await?;
            page.script::<()>(
                "const reader = document.querySelector('[data-figure=fleet-costs] .reader');
                 for (const key of ['ArrowRight', 'Enter']) {
                   reader.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
                 }",
                vec![],
            )
            .await?;
            page.until("the question", "return location.hash.includes('view=inference')").await
        })
        .await
}
