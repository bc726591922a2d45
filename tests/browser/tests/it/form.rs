//! The form: every field is drawn from the table of fields and found by its document path.

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Look};
use thirtyfour::Key;

/// The document path that the control with the keyboard belongs to, and where its caret is.
const CARET: &str =
    "return [document.activeElement.dataset.field ?? '', document.activeElement.selectionStart ?? -1]";

#[tokio::test]
async fn folded_fields_are_read_and_open_when_they_are_wrong() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            let start = page.answers().await?;
            page.click("#advanced-group-parallelism > summary").await?;
            page.set("parallelism-zero", "3").await?;
            page.wait("another step", async || Ok(page.answers().await?["step"] != start["step"])).await?;
            page.until("the link", "return location.hash.includes('zero=3')").await?;
            page.click("#parallelism-data-overlap").await?;
            page.until("the link", "return location.hash.includes('dp_overlap=false')").await?;
            // A link that breaks a law of a folded field opens its fold.
            page.script::<()>("location.hash = '#v=1&shard_group=7'", vec![]).await?;
            page.wait("a message", async || Ok(page.message("parallelism-shard-group").await?.is_some()))
                .await?;
            ensure!(page.value("parallelism-zero").await? == "1", "the link did not replace the form");
            page.set("parallelism-shard-group", "").await?;
            page.wait("the answer", async || Ok(page.answers().await? == start)).await?;
            ensure!(page.message("parallelism-shard-group").await?.is_none());
            Ok(())
        })
        .await
}

#[tokio::test]
async fn the_keyboard_keeps_its_place_when_the_form_is_drawn_again() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            page.click("#advanced-group-hardware > summary").await?;
            page.set("system-dram-gb-s", "12x4").await?;
            page.script::<()>("document.activeElement.setSelectionRange(3, 3)", vec![]).await?;
            let before: (String, i64) = page.script(CARET, vec![]).await?;
            ensure!(before == ("system.dram_gb_s".to_owned(), 3), "{before:?}");
            // Another device has other formats and another bandwidth, so that its fields are drawn anew.
            let other = "const list = document.getElementById('system-accelerator');
                list.value = 'b200'; list.dispatchEvent(new Event('change', { bubbles: true }))";
            page.script::<()>(other, vec![]).await?;
            page.until(
                "the device's memory",
                "return Number(document.getElementById('system-dram-gib').placeholder) > 150",
            )
            .await?;
            let after: (String, i64) = page.script(CARET, vec![]).await?;
            ensure!(after == before, "{before:?} became {after:?}");
            ensure!(page.value("system-dram-gb-s").await? == "12x4", "what was typed is lost");
            ensure!(page.message("system-dram-gb-s").await?.is_some(), "what is wrong with it is lost");
            page.set("system-dram-gb-s", "").await?;
            page.wait("an answer", async || Ok(page.message("system-dram-gb-s").await?.is_none())).await?;
            // An empty field steps from what holds instead.
            page.web().action_chain().send_keys(Key::Up).perform().await?;
            page.wait("one step more", async || Ok(page.value("system-dram-gb-s").await? == "8100")).await
        })
        .await
}

#[tokio::test]
async fn what_a_link_spells_out_is_on_offer() -> Result<()> {
    Browser::start()?
        .open("#v=1&gpu=nosuch&zero=3")
        .with(async |page| {
            ensure!(page.value("system-accelerator").await? == "nosuch", "the name is not shown");
            let message = page.message("system-accelerator").await?.context("a message")?;
            ensure!(message.contains("nosuch"), "{message}");
            page.set("system-accelerator", "h100-sxm").await?;
            page.wait("an answer", async || Ok(page.answers().await?.contains_key("step"))).await
        })
        .await
}

#[tokio::test]
async fn fields_of_other_views_are_called_by_their_names() -> Result<()> {
    Browser::start()?
        .open("#v=1&view=inference&zero=x")
        .with(async |page| {
            let problems = "return document.querySelector('#link-problems').textContent";
            page.wait("the name", async || {
                Ok(page.script::<String>(problems, vec![]).await?.contains("Parallelism, sharding (ZeRO)"))
            })
            .await
        })
        .await
}

#[tokio::test]
async fn it_answers_on_the_page_where_no_worker_starts() -> Result<()> {
    let folder = browser_tests::copy(env!("CARGO_TARGET_TMPDIR"), "without-worker")?;
    std::fs::remove_file(folder.join("worker.js"))?;
    let told = std::cell::Cell::new(false);
    let visit = Browser::serve(folder, "/")?
        .open("")
        .with(async |page| {
            page.show("generations").await?;
            ensure!(page.figures().await?.iter().any(|figure| figure.id == "speedup"), "no speed-ups");
            page.show("training").await?;
            let start = page.answers().await?;
            page.set("recipe-batch", "2048").await?;
            page.wait("another step", async || Ok(page.answers().await?["step"] != start["step"])).await?;
            ensure!(page.figures().await?.iter().all(|figure| !figure.stale), "figures look out of date");
            told.set(true);
            Ok(())
        })
        .await;
    // The console says what failed, which any other visit may not have.
    ensure!(told.get(), "{visit:?}");
    Ok(())
}

#[tokio::test]
async fn refused_numbers_offer_their_neighbours() -> Result<()> {
    Browser::start()?
        .open("#v=1&gpus=500")
        .with(async |page| {
            page.until("three offers", "return document.querySelectorAll('#ways-out a').length === 3").await?;
            let lead = "return document.querySelector('.lead').textContent.includes('no answer')";
            page.until("a sentence that says so", lead).await?;
            page.click("#ways-out li:nth-child(2) a").await?;
            page.ready().await?;
            ensure!(page.value("system-gpus").await? == "512", "the offer is not what its text says");
            // Screen readers hear the sentence that is seen.
            page.until(
                "the sentence in a live region",
                "return document.querySelector('[data-heard]').textContent === document.querySelector('.lead').textContent",
            )
            .await?;
            page.set("system-gpus", "1").await?;
            page.until("the search", "return document.querySelectorAll('#ways-out a').length === 2").await?;
            page.click("#ways-out li:last-child a").await?;
            page.until("plans", "return location.hash.includes('view=search')").await?;
            page.ready().await
        })
        .await
}

#[tokio::test]
async fn help_is_out_of_the_tab_order_and_a_key_away() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            let stops = "return [...document.querySelectorAll('.hint')].filter(hint => hint.tabIndex >= 0).length";
            ensure!(page.script::<u32>(stops, vec![]).await? == 0, "explanations are stops of the Tab key");
            page.element("#system-gpus").await?.send_keys(Key::F1 + "").await?;
            page.until(
                "the explanation",
                "return document.activeElement.matches('.hint') && document.getElementById('system-gpus-help').checkVisibility()",
            )
            .await
        })
        .await
}

/// The form scrolls by itself on a wide window; help stays above its field, inside the window.
#[tokio::test]
async fn help_is_above_its_field_however_far_the_form_is_scrolled() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            for id in ["system-gpus", "economics-terms"] {
                let field = format!("const field = document.getElementById('{id}').closest('.field');");
                let focus = format!(
                    "{field} field.scrollIntoView({{block: 'center'}});
                     field.querySelector('.hint').focus({{focusVisible: true}})"
                );
                page.script::<()>(&focus, vec![]).await?;
                let near = format!(
                    "{field} const help = field.querySelector('.tip').getBoundingClientRect();
                     const inside = help.height > 0 && help.top >= 0 && help.bottom <= innerHeight;
                     return inside && Math.abs(help.bottom - field.getBoundingClientRect().top) <= 2"
                );
                page.until("help above its field", &near).await?;
            }
            Ok(())
        })
        .await
}

#[tokio::test]
async fn the_chart_follows_the_answer_on_a_phone() -> Result<()> {
    Browser::start()?
        .open("")
        .look(Look::NARROW)
        .with(async |page| {
            let folded = "return !document.querySelector('.form').checkVisibility()";
            page.until("a folded form", folded).await?;
            let near: bool = page
                .script(
                    "const top = selector => document.querySelector(selector).getBoundingClientRect().top;
                     return top('[data-figure]:not([hidden])') - top('.headline') < 1000",
                    vec![],
                )
                .await?;
            ensure!(near, "the chart is far below the answer");
            page.unfold().await?;
            page.set("system-gpus", "500").await?;
            page.until("an offer", "return document.querySelector('#ways-out a') !== null").await?;
            // The way to a field opens the form.
            page.click(".unfold").await?;
            page.until("a folded form", folded).await?;
            page.click(".unanswered-note button").await?;
            page.until("the field", "return document.activeElement.id === 'system-gpus'").await
        })
        .await
}
