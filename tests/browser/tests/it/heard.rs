//! What a screen reader is told, from Chromium's accessibility tree: order, names, descriptions, announcements.

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Engine, Heard, Page};

/// A text without white space, which the tree and the document write differently.
fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

async fn lead(page: &Page) -> Result<String> {
    Ok(bare(&page.script::<String>("return document.querySelector('.lead').textContent", vec![]).await?))
}

/// Checks that the tree has these names, and descriptions where they are given, in this order from a place on. Returns the
/// place after the last.
fn follows(heard: &[Heard], mut from: usize, roles: &[&str], expected: &[(String, String)]) -> Result<usize> {
    ensure!(!expected.is_empty(), "no {roles:?}");
    for (name, description) in expected {
        let found = heard[from..].iter().position(|node| {
            roles.contains(&&*node.role)
                && bare(&node.name) == bare(name)
                && (description.is_empty() || bare(&node.description) == bare(description))
        });
        from +=
            1 + found.with_context(|| format!("no {roles:?} {name:?} with {description:?} in its place"))?;
    }
    Ok(from)
}

/// Checks the order: heading, sentence, fields with names, units and help, figures with names.
async fn check(page: &Page) -> Result<()> {
    let heard = page.heard().await?;
    let unnamed = |node: &&Heard| {
        ["button", "link", "textbox", "combobox", "checkbox"].contains(&&*node.role)
            && node.name.trim().is_empty()
    };
    let unnamed: Vec<_> = heard.iter().filter(unnamed).collect();
    ensure!(unnamed.is_empty(), "without a name: {unnamed:#?}");

    let heading = heard.iter().position(|node| node.role == "heading").context("a heading")?;
    ensure!(heard[heading].name == "Foretoken", "the first heading is {:?}", heard[heading]);
    let lead = lead(page).await?;
    ensure!(lead.chars().any(|mark| mark.is_ascii_digit()), "no finding in {lead:?}");
    let sentence =
        heard[heading..].iter().position(|node| node.role == "paragraph" && bare(&node.text) == lead);
    let sentence = heading + sentence.context("the sentence after the heading")?;

    // Labels have the units.
    let fields: Vec<(String, String)> = page
        .script(
            "return [...document.querySelectorAll('#form [data-field]')]
               .filter(field => field.checkVisibility())
               .map(field => [
                 document.querySelector(`label[for=\"${field.id}\"]`).textContent,
                 document.getElementById(field.id + '-help').textContent,
               ])",
            vec![],
        )
        .await?;
    ensure!(
        fields.iter().all(|(name, help)| !name.trim().is_empty() && !help.trim().is_empty()),
        "{fields:#?}"
    );
    let fields = follows(&heard, sentence, &["textbox", "combobox", "checkbox"], &fields)?;

    let figures: Vec<(String, String)> = page
        .script(
            "return [...document.querySelectorAll('figure[data-figure]')]
               .filter(figure => figure.checkVisibility())
               .map(figure => [figure.querySelector('h3').textContent, ''])",
            vec![],
        )
        .await?;
    follows(&heard, fields, &["figure"], &figures)?;
    Ok(())
}

async fn check_view(view: &str, (field, value): (&str, &str)) -> Result<()> {
    let browser = Browser::start()?;
    if browser
        .engine()
        .lacks("a driver that tells the accessibility tree", &[Engine::Firefox, Engine::WebKit])
    {
        return Ok(());
    }
    browser
        .open(&format!("#v=1&view={view}"))
        .with(async |page| {
            page.answered("figure[data-figure]").await?;
            check(page).await?;
            let before = lead(page).await?;
            page.set(field, value).await?;
            page.wait("the finding of the edit, announced", async || {
                let now = lead(page).await?;
                let told = |node: &Heard| node.role == "status" && bare(&node.text) == now;
                Ok(now != before && page.heard().await?.iter().any(told))
            })
            .await?;
            page.answered("figure[data-figure]").await?;
            check(page).await
        })
        .await
}

#[tokio::test]
async fn training_is_told_in_order() -> Result<()> {
    check_view("training", ("system-gpus", "1024")).await
}

#[tokio::test]
async fn inference_is_told_in_order() -> Result<()> {
    check_view("inference", ("inference-batch", "16")).await
}
