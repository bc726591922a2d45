//! The page without its program: before the start, without scripts, after a panic, and on paper.

use std::fs;

use anyhow::{Result, ensure};
use browser_tests::{Browser, Look, Page, artefacts, copy};

/// Script that returns the top of the parts of the page that are visible first.
const PLACES: &str = "return ['nav', '.presets', '.headline', '.form', '.figures']
    .map(part => Math.round(document.querySelector(part).getBoundingClientRect().top + scrollY))";

#[tokio::test]
async fn the_outline_is_where_the_page_will_be() -> Result<()> {
    for width in [320, 390, 768, 1024, 1280, 1600] {
        Browser::start()?
            .open("")
            .look(Look { width, dark: false })
            .with(async |page| {
                let there: Vec<i64> = page.script(PLACES, vec![]).await?;
                let outline = "const done = arguments[arguments.length - 1];
                    fetch('index.html').then(answer => answer.text()).then(text => {
                      const outline = new DOMParser().parseFromString(text, 'text/html').getElementById('app');
                      document.getElementById('app').replaceChildren(...outline.children);
                      done(null);
                    })";
                page.web().execute_async(outline, vec![]).await?;
                let before: Vec<i64> = page.script(PLACES, vec![]).await?;
                for (place, outlined) in there.iter().zip(&before) {
                    let seen = *place.min(outlined) < 900;
                    ensure!(!seen || (place - outlined).abs() <= 32, "{width}: {before:?} becomes {there:?}");
                }
                Ok(())
            })
            .await?;
    }
    Ok(())
}

#[tokio::test]
async fn without_scripts_it_says_what_it_needs_and_pretends_nothing() -> Result<()> {
    let folder = copy(env!("CARGO_TARGET_TMPDIR"), "scriptless")?;
    // The sandbox disables scripts in the frame, and lets its host inspect it.
    let host = "<!doctype html><html lang=en><title>Host</title><link rel=icon href=data:,>
        <iframe title=Foretoken sandbox=allow-same-origin src='index.html#v=1&gpus=1024' width=800 height=600></iframe>";
    fs::write(folder.join("host.html"), host)?;
    Browser::serve(folder, "/")?
        .open("host.html")
        .awaiting("iframe")
        .with(async |page| {
            page.until("the frame", "return frames[0].document.querySelector('noscript') !== null").await?;
            let (said, shown): (String, Vec<String>) = page
                .script(
                    "const inside = frames[0].document;
                     const shown = [...inside.querySelectorAll('nav, .tools, .presets, .form, .answers, .headline dl')];
                     return [inside.body.innerText, shown.filter(part => part.checkVisibility()).map(part => part.className)]",
                    vec![],
                )
                .await?;
            ensure!(said.contains("Please allow scripts"), "{said}");
            ensure!(shown.is_empty(), "it looks as if it worked: {shown:?}");
            // The browser says what the frame forbids.
            drop(page.console().await?);
            Ok(())
        })
        .await
}

/// Makes the program hear something while it speaks, which it does not expect: a fault of its own, as any may be.
const FAULT: &str = "
    const send = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function () {
      Worker.prototype.postMessage = send;
      this.onmessage(new MessageEvent('message', { data: 'ready' }));
    }";

async fn broken(page: &Page) -> Result<()> {
    page.script::<()>(FAULT, vec![]).await?;
    page.click("nav [data-view=inference]").await?;
    page.until("the notice", "return document.getElementById('panic') !== null").await?;
    // The console has the fault as well.
    let console = page.console().await?;
    ensure!(console.iter().any(|line| line.contains("panicked")), "{console:?}");
    Ok(())
}

#[tokio::test]
async fn a_fault_is_said_and_the_question_kept() -> Result<()> {
    Browser::start()?
        .open("#v=1&gpus=1024")
        .with(async |page| {
            broken(page).await?;
            page.check_accessibility().await?;
            page.click("#panic a").await?;
            let answered = "return document.getElementById('panic') === null
                && document.querySelector('main[data-ready] [data-answer=ttft]') !== null";
            page.until("the same question", answered).await?;
            let link = page.link().await?;
            ensure!(link.contains("gpus=1024") && link.contains("view=inference"), "{link}");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn paper_has_the_answer_and_nothing_to_press() -> Result<()> {
    Browser::start()?
        .open("#v=1&gpus=1024")
        // A sheet of A4.
        .look(Look { width: 794, dark: false })
        .with(async |page| {
            page.script::<()>(
                "for (const sheet of document.styleSheets) {
                   for (const rule of sheet.cssRules) if (rule.media?.mediaText === 'print') rule.media.mediaText = 'all';
                 }",
                vec![],
            )
            .await?;
            page.picture(&artefacts().join("print.png")).await?;
            let pressed: Vec<String> = page
                .script(
                    "return [...document.querySelectorAll('button, summary, nav a, [data-preset]')]
                       .filter(control => control.checkVisibility()).map(control => control.outerHTML)",
                    vec![],
                )
                .await?;
            ensure!(pressed.is_empty(), "{pressed:#?}");
            let wide: Vec<String> = page
                .script(
                    "return [...document.querySelectorAll('table, figure, .number-card')]
                       .filter(part => part.checkVisibility() && part.getBoundingClientRect().right > innerWidth)
                       .map(part => part.textContent.slice(0, 80))",
                    vec![],
                )
                .await?;
            ensure!(wide.is_empty() && page.overflow().await? <= 0, "wider than the sheet: {wide:#?}");
            ensure!(page.figures().await?.len() > 3 && page.answers().await?.contains_key("step"), "no answer");
            // Firefox says which attribute the text comes from, Chromium what that holds.
            let address: String = page
                .script(
                    "const link = document.querySelector('.embed-only a');
                     return getComputedStyle(link, '::after').content.replace('attr(href)', link.href)",
                    vec![],
                )
                .await?;
            ensure!(address.contains("#v=1&gpus=1024"), "{address}");
            Ok(())
        })
        .await
}
