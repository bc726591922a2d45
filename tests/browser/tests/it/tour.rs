//! The guided tour: begun by its button only, and left at any time.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use browser_tests::{Browser, Look, Page, VIEWS};
use thirtyfour::{Key, TypingData};

const OPEN: &str = "return document.querySelector('dialog.tour[open]') !== null";
const CLOSED: &str = "return document.querySelector('dialog') === null";

async fn press(page: &Page, keys: impl Into<TypingData>) -> Result<()> {
    Ok(page.web().action_chain().send_keys(keys).perform().await?)
}

/// The step's title, and whether its ring stands around something of the page that is seen, and its card beside that.
async fn step(page: &Page) -> Result<(String, bool)> {
    page.script(
        "const ring = document.querySelector('.tour-ring').getBoundingClientRect();
         const card = document.querySelector('.tour-card').getBoundingClientRect();
         const seen = [...document.querySelectorAll('.field, .unfold, .lead, header nav, .actions')].some(target => {
           const { top, left, width, height } = target.getBoundingClientRect();
           return Math.abs(top - 4 - ring.top) < 1 && Math.abs(left - 4 - ring.left) < 1
             && Math.abs(width + 8 - ring.width) < 1 && Math.abs(height + 8 - ring.height) < 1;
         });
         const inside = ring.bottom > 0 && ring.top < innerHeight && card.top >= 0 && card.left >= 0
           && card.right <= innerWidth && card.bottom <= innerHeight;
         const beside = card.top >= ring.bottom || card.bottom <= ring.top;
         return [document.getElementById('tour-title').textContent, seen && inside && beside]",
        vec![],
    )
    .await
}

#[tokio::test]
async fn four_steps_at_most_in_every_look() -> Result<()> {
    for look in Look::ALL {
        Browser::start()?
            .open("")
            .look(look)
            .with(async |page| {
                ensure!(page.script::<bool>(CLOSED, vec![]).await?, "it begins by itself");
                page.click("[data-tool=tour]").await?;
                page.until("the tour", OPEN).await?;
                let mut titles = BTreeSet::new();
                for _ in 0..4 {
                    let (title, shown) = step(page).await?;
                    ensure!(shown, "{title} points at nothing, {look:?}");
                    ensure!(titles.insert(title), "{titles:?} are not four steps");
                    page.check_accessibility().await?;
                    page.click("#tour-next").await?;
                }
                page.until("its end", CLOSED).await?;
                ensure!(page.overflow().await? <= 0, "the page scrolls sideways");
                Ok(())
            })
            .await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_keyboard_goes_through_it_and_comes_back() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            page.script::<()>("document.querySelector('[data-tool=tour]').focus()", vec![]).await?;
            press(page, Key::Enter).await?;
            page.until("the tour", OPEN).await?;
            let (first, _) = step(page).await?;
            press(page, Key::Right).await?;
            let (second, _) = step(page).await?;
            ensure!(first != second, "the arrow goes nowhere");
            press(page, Key::Left).await?;
            press(page, Key::Left).await?;
            ensure!(step(page).await?.0 == first, "the other arrow does not go back");
            for _ in 0..6 {
                press(page, Key::Tab).await?;
                let within = "return document.activeElement === document.body
                    || document.activeElement.closest('dialog.tour') !== null";
                ensure!(page.script::<bool>(within, vec![]).await?, "Tab leaves the tour for the page below");
            }
            press(page, Key::Escape).await?;
            page.until("its end", CLOSED).await?;
            let back = "return document.activeElement.dataset.tool === 'tour'";
            ensure!(page.script::<bool>(back, vec![]).await?, "the keyboard does not come back");
            // The sheet of keys names it.
            press(page, "?").await?;
            page.until(
                "the sheet",
                "return document.querySelector('dialog')?.textContent.includes('guided tour') ?? false",
            )
            .await?;
            press(page, Key::Escape).await?;
            page.until("the end of the sheet", CLOSED).await?;
            press(page, "g").await?;
            page.until("the tour", OPEN).await
        })
        .await
}

#[tokio::test]
async fn it_shows_what_each_view_has() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            for view in VIEWS.into_iter().chain(["validation"]) {
                page.show(view).await?;
                page.click("[data-tool=tour]").await?;
                page.until("the tour", OPEN).await?;
                for _ in 0..4 {
                    let (title, shown) = step(page).await?;
                    ensure!(shown, "{view}: {title} points at nothing");
                    press(page, Key::Right).await?;
                }
                page.click("#tour-end").await?;
                page.until("its end", CLOSED).await?;
            }
            Ok(())
        })
        .await
}

#[tokio::test]
async fn embeds_have_none() -> Result<()> {
    Browser::start()?
        .open("?embed#v=1")
        .with(async |page| {
            press(page, "g").await?;
            let begun = "return document.querySelector('[data-tool=tour]').checkVisibility()
                || document.querySelector('dialog') !== null";
            ensure!(!page.script::<bool>(begun, vec![]).await?, "a tour inside another page");
            Ok(())
        })
        .await
}
