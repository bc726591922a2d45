//! The Validation view: answered by the worker, filtered by links, cancelled, and never part of the first view.

use std::fs;

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Look, Page, artefacts, copy};
use foretoken::scenario::Scenario;
use foretoken::validation::{Quantity, band};
use thirtyfour::Key;

/// Waits until the rows are compared.
async fn answered(page: &Page) -> Result<()> {
    page.answered("figure[data-figure=scatter]").await
}

/// Files fetched after the first view.
async fn later(page: &Page) -> Result<Vec<String>> {
    page.script(
        "return performance.getEntriesByType('resource').map(file => file.name)
           .filter(name => /worker\\.js|\\.csv/.test(name))",
        vec![],
    )
    .await
}

#[tokio::test]
async fn it_is_drawn_when_it_is_opened() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            // Requests of a worker are its own; the page sees only the worker's script.
            ensure!(!later(page).await?.is_empty(), "the worker was not fetched");
            page.show("validation").await?;
            answered(page).await?;
            let figures = page.figures().await?;
            let drawn: Vec<&str> = figures.iter().map(|figure| figure.id.as_str()).collect();
            ensure!(drawn == ["scatter", "histogram"], "{drawn:?}");
            ensure!(figures.iter().all(|figure| figure.rows > 0 && !figure.stale), "{figures:?}");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn groups_filter_and_the_way_back_is_back() -> Result<()> {
    Browser::start()?
        .open("#v=1&view=validation&errors.of=kernel&part=all")
        .with(async |page| {
            answered(page).await?;
            let all = page.answers().await?;
            // With the keyboard, the focus stays although the table is rebuilt.
            page.script::<()>("document.querySelector('[data-table=groups] tbody a').focus()", vec![])
                .await?;
            page.web().action_chain().send_keys(Key::Enter + "").perform().await?;
            page.until("a filter", "return document.querySelector('.filters a') !== null").await?;
            answered(page).await?;
            let focused = "return document.activeElement.matches('[data-table=groups] tbody a')";
            ensure!(page.script::<bool>(focused, vec![]).await?, "the focus went elsewhere");
            ensure!(page.link().await?.contains("errors.source="), "{}", page.link().await?);
            ensure!(page.answers().await?["rows"] != all["rows"], "the filter leaves out nothing");
            page.web().back().await?;
            page.wait("all rows", async || Ok(page.answers().await?.get("rows") == all.get("rows"))).await?;
            page.set("errors-by", "device").await?;
            page.until(
                "devices",
                "return document.querySelector('#table-groups').textContent === 'Errors by device'",
            )
            .await?;
            page.until("the link to follow", "return location.hash.includes('errors.by=device')").await?;
            page.click("#page-after").await?;
            page.until("page 2", "return document.querySelector('.pager').textContent.includes('Page 2')")
                .await
        })
        .await
}

/// A site with rows of its own.
fn with_rows(name: &str) -> Result<Browser> {
    let folder = copy(env!("CARGO_TARGET_TMPDIR"), name)?;
    fs::write(folder.join("validation.csv"), include_str!("rows.csv"))?;
    Browser::serve(folder, "/")
}

#[tokio::test]
async fn a_row_opens_as_a_question_and_edits_change_its_error() -> Result<()> {
    with_rows("rows")?
        .open("#v=1&view=validation&gpu=a100-sxm-80gb")
        .with(async |page| {
            answered(page).await?;
            page.picture(&artefacts().join("validation-steps.png")).await?;
            let before = page.answers().await?;
            ensure!(before["rows"] == "3", "a row that a constant was fitted on is counted: {before:?}");
            page.click(".constants > summary").await?;
            let field = "constant-matmul-bf16-compute_efficiency";
            page.until("the constants", &format!("return document.getElementById('{field}') !== null"))
                .await?;
            page.click("#group-constant-matmul-bf16").await?;
            page.set(field, "0.5\t").await?;
            page.wait("other errors", async || {
                Ok(page.answers().await?.get("mean").is_some_and(|mean| *mean != before["mean"]))
            })
            .await?;
            page.until("the way back", "return document.querySelector('#constants-reset') !== null").await?;
            page.click("#constants-reset").await?;
            page.wait("the errors as they were", async || Ok(page.answers().await? == before)).await?;
            page.click("[data-table=rows] tbody a").await?;
            page.wait("a step time", async || Ok(page.answers().await?.contains_key("step"))).await?;
            page.web().back().await?;
            page.wait("the rows again", async || Ok(page.answers().await?.contains_key("rows"))).await
        })
        .await
}

#[tokio::test]
async fn other_estimators_stand_beside() -> Result<()> {
    with_rows("peers")?
        .open("#v=1&view=validation&errors.of=request&part=rows")
        .with(async |page| {
            answered(page).await?;
            let rows = page.element("[data-table=rows]").await?.text().await?;
            ensure!(rows.contains("Other estimator") && rows.contains("A roofline"), "{rows}");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn a_file_that_is_damaged_or_missing_is_said() -> Result<()> {
    let folder = copy(env!("CARGO_TARGET_TMPDIR"), "damaged-rows")?;
    fs::write(folder.join("validation.csv"), "<html>")?;
    Browser::serve(folder, "/")?
        .open("#v=1&view=validation")
        .with(async |page| {
            let text = "return document.querySelector('.progress').textContent.includes('could not be read')";
            page.until("an explanation", text).await?;
            page.element("#again").await?;
            Ok(())
        })
        .await
}

#[tokio::test]
async fn constants_are_edited_and_reset_through_link_and_form() -> Result<()> {
    Browser::start()?
        .open("#v=1&constants.matmul.bf16.compute_efficiency=0.5")
        .with(async |page| {
            let field = "constant-matmul-bf16-compute_efficiency";
            let shown = format!("return document.getElementById('{field}')?.value === '0.5'");
            page.until("the edit of the link", &shown).await?;
            let slow = page.answers().await?;
            page.picture(&artefacts().join("constants-1280-light.png")).await?;
            page.check_accessibility().await?;
            page.set(field, "much\t").await?;
            page.wait("a message", async || Ok(page.message(field).await?.is_some())).await?;
            ensure!(page.answers().await? == slow, "what cannot be read changes the answer");
            page.click(&format!("#{field}-reset")).await?;
            page.wait("the fitted value", async || Ok(page.answers().await?["step"] != slow["step"])).await?;
            page.until("the link to follow", "return !location.hash.includes('constants')").await?;
            page.until("a form without edits", &format!("return !document.getElementById('{field}-reset')"))
                .await
        })
        .await
}

#[tokio::test]
async fn headlines_say_where_measured_values_lie() -> Result<()> {
    let known = band::of(&Scenario::default(), Quantity::IterTime);
    Browser::start()?
        .open("")
        .with(async |page| {
            let shown: Option<String> = page
                .script("return document.querySelector('[data-range=step]')?.textContent ?? null", vec![])
                .await?;
            ensure!(shown.is_some() == known.is_some(), "{shown:?} for {known:?}");
            if shown.is_some() {
                page.click("[data-range=step]").await?;
                answered(page).await?;
                ensure!(page.link().await?.contains("view=validation"), "{}", page.link().await?);
            }
            Ok(())
        })
        .await
}

#[tokio::test]
async fn it_can_be_cancelled_and_tried_again() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            // Before the program has even started: whatever it says later is of no interest.
            page.script::<()>(
                "document.querySelector('nav [data-view=validation]').click();
                 new MutationObserver((_, watch) => {
                   const cancel = document.querySelector('#cancel');
                   if (cancel) { watch.disconnect(); cancel.click(); }
                 }).observe(document.body, { childList: true, subtree: true });",
                vec![],
            )
            .await?;
            page.until("the way to try again", "return document.querySelector('#again') !== null").await?;
            tokio::time::sleep(std::time::Duration::from_millis(500)).await;
            ensure!(page.figures().await?.is_empty(), "it went on");
            page.click("#again").await?;
            answered(page).await
        })
        .await
}

#[tokio::test]
async fn answers_of_the_worker_are_saved() -> Result<()> {
    Browser::start()?
        .open("#v=1&view=validation&errors.of=kernel&part=all")
        .with(async |page| {
            answered(page).await?;
            page.script::<()>(
                "window.saved = [];
                 HTMLAnchorElement.prototype.click = function () { saved.push(this.download) };",
                vec![],
            )
            .await?;
            for (index, (of, kind)) in
                [("figure=scatter", "svg"), ("figure=histogram", "png"), ("table=groups", "csv")]
                    .into_iter()
                    .enumerate()
            {
                page.click(&format!("[data-{of}] [data-export={kind}]")).await?;
                page.until(&format!("a {kind} file"), &format!("return saved.length > {index}")).await?;
                let name: String = page.script("return saved.at(-1)", vec![]).await?;
                ensure!(name.ends_with(&format!(".{kind}")), "{kind} is saved as {name:?}");
            }
            Ok(())
        })
        .await
}

#[tokio::test]
async fn it_is_legible_in_every_look() -> Result<()> {
    let browser = Browser::start()?;
    for look in Look::ALL {
        browser
            .open("#v=1&view=validation&errors.of=kernel&errors.by=device&errors.generation=Hopper")
            .look(look)
            .with(async |page| {
                answered(page).await?;
                page.picture(&artefacts().join(format!("validation-{}.png", look.name()))).await?;
                ensure!(page.overflow().await? <= 0, "scrolls sideways at {} px", look.width);
                page.check_accessibility().await.with_context(|| look.name())
            })
            .await?;
    }
    Ok(())
}
