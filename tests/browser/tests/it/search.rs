//! The Search view: a search shows what it knows, can be called off, and its plans open as questions.

use anyhow::{Result, ensure};
use browser_tests::{Browser, Page, artefacts};

/// Small enough for a second.
const SMALL: &str = "#v=1&view=search&model=llama-3.1-8b&gpus=16&batch=64&seq=4096";
/// Some more axes free than usual, on many GPUs: some seconds.
const LARGE: &str = "#v=1&view=search&model=gpt-3-175b&gpu=a100-sxm-80gb&gpus=4096&batch=4096&seq=2048\
                     &search.fixed=offload%20tensor_kind%20context_kind%20recompute_layers";

async fn answered(page: &Page) -> Result<()> {
    page.answered("[data-table=ranking] tbody tr").await
}

#[tokio::test]
async fn a_plan_opens_as_a_question_and_back_returns() -> Result<()> {
    Browser::start()?
        .open(SMALL)
        .with(async |page| {
            answered(page).await?;
            let figures = page.figures().await?;
            let drawn: Vec<&str> = figures.iter().map(|figure| figure.id.as_str()).collect();
            ensure!(drawn == ["plans", "scaling"], "{drawn:?}");
            ensure!(figures.iter().all(|figure| figure.rows > 0 && !figure.stale), "{figures:?}");
            page.picture(&artefacts().join("search.png")).await?;
            let best = page.answers().await?;
            page.click("[data-table=ranking] tbody a").await?;
            page.wait("the plan's step", async || {
                let answers = page.answers().await?;
                Ok(answers.contains_key("tokens") && answers.get("step") == best.get("step"))
            })
            .await?;
            ensure!(page.link().await?.contains("tp="), "{}", page.link().await?);
            page.web().back().await?;
            page.wait("the search again", async || Ok(page.answers().await? == best)).await?;
            // An axis that is fixed leaves fewer plans.
            page.script::<()>(
                "[...document.querySelectorAll('[data-table=axes] tr')].find(axis => axis.textContent.startsWith('Recomputation')).querySelector('a').click()",
                vec![],
            )
            .await?;
            page.until("the link to follow", "return location.hash.includes('search.fixed=')").await?;
            page.wait("fewer plans", async || {
                let answers = page.answers().await?;
                Ok(answers.contains_key("feasible") && answers["feasible"] != best["feasible"])
            })
            .await
        })
        .await
}

#[tokio::test]
async fn a_search_can_be_called_off() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            page.script::<()>("location.hash = arguments[0]", vec![LARGE.into()]).await?;
            page.until("progress", "return document.querySelector('progress[max]') !== null").await?;
            page.click("#cancel").await?;
            page.until("the way to go on", "return document.querySelector('#again') !== null").await?;
            page.click("#again").await?;
            answered(page).await
        })
        .await
}
