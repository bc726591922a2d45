//! The Papers view: back from a configuration returns to its row, and the list of results fits a phone.

use anyhow::{Result, ensure};
use browser_tests::{Browser, Look, Page};

/// The last shown row that opens a question.
const ROW: &str = "[...document.querySelectorAll('[data-table=values] tbody td a')].at(-1)";

async fn values(page: &Page) -> Result<()> {
    page.answered("[data-table=values] tbody td a").await
}

#[tokio::test]
async fn back_from_a_configuration_returns_to_its_row() -> Result<()> {
    Browser::start()?
        .open("#v=1&view=papers&result=days-gpt3-b200&part=all")
        .with(async |page| {
            values(page).await?;
            let (top, href): (f64, String) = page
                .script(
                    &format!(
                        "const row = {ROW}; row.scrollIntoView({{block: 'center'}}); row.focus();
                         const place = [scrollY, row.getAttribute('href')]; row.click(); return place"
                    ),
                    vec![],
                )
                .await?;
            ensure!(top > 1000.0, "the row is at {top}");
            page.until("the configuration", "return location.hash.includes('subramanian-b200')").await?;
            page.wait("its step", async || Ok(page.answers().await?.contains_key("step"))).await?;
            page.web().back().await?;
            values(page).await?;
            page.until(
                "the place",
                &format!(
                    "return Math.abs(scrollY - {top}) < 3
                       && document.activeElement.getAttribute('href') === {href:?}"
                ),
            )
            .await
        })
        .await
}

/// Titles wrap, and counts and errors are within the window.
#[tokio::test]
async fn the_list_of_results_fits_a_phone() -> Result<()> {
    Browser::start()?
        .open("#v=1&view=papers")
        .look(Look::NARROW)
        .with(async |page| {
            page.answered("[data-table='subramanian-2024'] tbody a").await?;
            let out: Vec<String> = page
                .script(
                    "const cells = document.querySelectorAll('[data-table$=\"-2024\"] :is(th, td)');
                     return [...cells].filter(cell => cell.getBoundingClientRect().right > innerWidth)
                       .map(cell => cell.textContent)",
                    vec![],
                )
                .await?;
            ensure!(out.is_empty(), "outside of the window: {out:?}");
            let errors: Vec<String> = page
                .script(
                    "return [...document.querySelectorAll('[data-table=\"subramanian-2024\"] tbody td:last-child')]
                       .map(cell => cell.textContent)",
                    vec![],
                )
                .await?;
            ensure!(errors.iter().all(|error| error.ends_with('%')), "{errors:?}");
            Ok(())
        })
        .await
}
