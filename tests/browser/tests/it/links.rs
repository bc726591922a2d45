//! A link says everything: whoever opens it sees the same page.

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, VIEWS};

#[tokio::test]
async fn a_copied_link_opens_the_same_page() -> Result<()> {
    let browser = Browser::start()?;
    let mut copied = Vec::new();
    browser
        .open("")
        .with(async |page| {
            page.set("system-gpus", "1024").await?;
            page.set("parallelism-tensor", "4").await?;
            page.set("recipe-batch", "1024").await?;
            for view in VIEWS {
                page.show(view).await?;
                page.click("#share-copy").await?;
                page.until("the link", "return document.querySelector('#share-link').value !== ''").await?;
                let link: String =
                    page.script("return document.querySelector('#share-link').value", vec![]).await?;
                copied.push((view, link, page.fields().await?, page.answers().await?, page.figures().await?));
            }
            Ok(())
        })
        .await?;
    for (view, link, fields, answers, figures) in copied {
        let fragment = link.split_once('#').context("the link carries its state")?.1;
        browser
            .open(&format!("#{fragment}"))
            .with(async |page| {
                ensure!(page.fields().await? == fields, "{view}: other fields");
                ensure!(page.answers().await? == answers, "{view}: other numbers");
                ensure!(page.figures().await? == figures, "{view}: other figures");
                Ok(())
            })
            .await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_broken_link_says_what_is_wrong_and_keeps_the_rest() -> Result<()> {
    Browser::start()?
        .open("#v=1&part=memroy&modle=x&tp=abc&gpus=1e999&model=nosuch&batch=512")
        .with(async |page| {
            page.until("the problems", "return document.querySelector('#link-problems').checkVisibility()")
                .await?;
            let problems = page.element("#link-problems").await?.text().await?;
            for word in ["did you mean memory", "modle", "abc", "1e999"] {
                ensure!(problems.contains(word), "nothing about {word} in: {problems}");
            }
            let message = page.message("model").await?.context("no message about the model")?;
            ensure!(message.contains("nosuch"), "{message}");
            ensure!(page.value("recipe-batch").await? == "512", "what was right is lost");
            page.set("model", "llama-3.1-70b").await?;
            page.wait("an answer", async || Ok(page.answers().await?.contains_key("step"))).await
        })
        .await
}

#[tokio::test]
async fn hostile_links_do_no_harm() -> Result<()> {
    let browser = Browser::start()?;
    let long = format!("#v=1&model={}", "x".repeat(100_000));
    let many = format!("#v=1{}", "&tp=1".repeat(10_000));
    let deep = format!("#v=1&model={}", "%7B%22a%22:".repeat(2_000));
    for link in [
        "#",
        "#v=",
        "#v=999",
        "#%",
        "#v=1&model=%FF%FE",
        "#v=1&gpus=1e308&tp=1e308&batch=-1e308",
        "#v=1&model=<img src=x onerror=alert(1)>",
        "#v=1&__proto__=1",
        long.as_str(),
        many.as_str(),
        deep.as_str(),
    ] {
        browser
            .open(link)
            .with(async |page| {
                page.show("inference").await?;
                page.show("training").await?;
                let injected: usize =
                    page.script("return document.querySelectorAll('img').length", vec![]).await?;
                ensure!(injected == 0, "markup came through");
                Ok(())
            })
            .await?;
    }
    Ok(())
}

#[tokio::test]
async fn back_and_forward_restore_the_page() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            let start = page.answers().await?;
            page.show("inference").await?;
            let inference = page.answers().await?;
            page.web().back().await?;
            page.wait("training again", async || Ok(page.answers().await? == start)).await?;
            page.web().forward().await?;
            page.wait("inference again", async || Ok(page.answers().await? == inference)).await
        })
        .await
}

#[tokio::test]
async fn an_edited_address_is_followed_and_a_reload_keeps_it() -> Result<()> {
    Browser::start()?
        .open("#v=1&batch=512")
        .with(async |page| {
            page.script::<()>("location.hash = '#v=1&batch=1536'", vec![]).await?;
            page.wait("the batch to follow", async || Ok(page.value("recipe-batch").await? == "1536"))
                .await?;
            page.set("recipe-batch", "3072").await?;
            page.until("the address to follow", "return location.hash.includes('3072')").await?;
            page.reload().await?;
            ensure!(page.value("recipe-batch").await? == "3072", "the reload lost the batch");
            Ok(())
        })
        .await
}
