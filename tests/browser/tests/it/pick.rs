//! Search in the long lists of the form.

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Look, Page};
use thirtyfour::{Key, TypingData};

/// Brings the pointer to a list, as somebody does before a click.
async fn point(page: &Page, list: &str) -> Result<()> {
    let element = page.element(&format!("#{list}")).await?;
    element.scroll_into_view().await?;
    page.web().action_chain().move_to_element_center(&element).perform().await?;
    Ok(())
}

/// Clicks a list, and waits for its search.
async fn open(page: &Page, list: &str) -> Result<()> {
    point(page, list).await?;
    page.click(&format!("#{list}")).await?;
    page.until("the search", "return document.activeElement.id === 'pick-text'").await
}

async fn press(page: &Page, keys: impl Into<TypingData>) -> Result<()> {
    Ok(page.web().action_chain().send_keys(keys).perform().await?)
}

/// Displayed options, and the option that Enter selects.
async fn offered(page: &Page) -> Result<(Vec<String>, String)> {
    let script = "const text = document.getElementById('pick-text');
        const active = document.getElementById(text.getAttribute('aria-activedescendant'));
        return [[...document.querySelectorAll('#pick-list [role=option]')].map(item => item.textContent),
          active?.getAttribute('aria-selected') === 'true' ? active.textContent : '']";
    page.script(script, vec![]).await
}

/// Types over what was searched for.
async fn search(page: &Page, query: &str) -> Result<(Vec<String>, String)> {
    page.set("pick-text", query).await?;
    offered(page).await
}

#[tokio::test]
async fn models_and_devices_are_found_by_words_in_any_order() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            open(page, "model").await?;
            let (all, active) = offered(page).await?;
            ensure!(all.len() > 100 && active == "Llama-3.1-70B", "{active} of {all:?}");
            for (query, one, most) in [
                ("llama 70", "Llama-3.1-70B", 6),
                ("70 LLAMA", "Llama-3.1-70B", 6),
                ("405", "Llama-3.1-405B", 1),
                ("gpt3 175", "GPT-3 175B", 2),
            ] {
                let (found, active) = search(page, query).await?;
                ensure!(found.iter().any(|name| name == one) && found.len() <= most, "{query}: {found:?}");
                ensure!(found.contains(&active), "{query}: Enter takes {active:?}");
            }
            search(page, "no such model").await?;
            let said: String = page.script("return document.querySelector('.pick [role=status]').textContent", vec![]).await?;
            ensure!(said.contains("No match"), "{said}");
            press(page, Key::Enter).await?;
            ensure!(offered(page).await?.0.is_empty(), "nothing was chosen, and the search is gone");
            search(page, "405").await?;
            press(page, Key::Enter).await?;
            page.until("the question", "return location.hash.includes('model=llama-3.1-405b')").await?;
            ensure!(page.script::<bool>("return document.activeElement.id === 'model'", vec![]).await?, "the keyboard is lost");

            // The form was drawn again since.
            for (query, one) in [("H100", "H100 SXM 80 GB"), ("mi300", "MI300X"), ("amd 300", "MI300X"), ("b200 nvidia", "B200 SXM")] {
                open(page, "system-accelerator").await?;
                let (found, _) = search(page, query).await?;
                let index = found.iter().position(|name| name.starts_with(one)).with_context(|| format!("{query}: {found:?}"))?;
                let groups = "return [...document.querySelectorAll('#pick-list [role=group]')]
                    .every(group => document.getElementById(group.getAttribute('aria-labelledby')).textContent !== '')";
                ensure!(page.script::<bool>(groups, vec![]).await?, "a group without a name");
                let items = page.web().find_all(thirtyfour::By::Css("#pick-list [role=option]")).await?;
                items[index].click().await?;
                page.until("the search to close", "return document.querySelector('dialog') === null").await?;
            }
            page.until("the question", "return location.hash.includes('gpu=b200')").await?;
            page.web().back().await?;
            Ok(())
        })
        .await
}

#[tokio::test]
async fn the_keyboard_opens_moves_and_leaves() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            let model = async || page.value("model").await;
            let start = model().await?;
            page.script::<()>("document.getElementById('model').focus()", vec![]).await?;
            press(page, "q").await?;
            page.until("the search", "return document.getElementById('pick-text')?.value === 'q'").await?;
            let (found, first) = offered(page).await?;
            ensure!(found.len() > 1 && first == found[0], "{found:?}");
            press(page, Key::Down).await?;
            ensure!(offered(page).await?.1 == found[1], "one down is not {}", found[1]);
            press(page, Key::Up).await?;
            press(page, Key::Up).await?;
            ensure!(offered(page).await?.1 == found[found.len() - 1], "up from the first is not the last");
            press(page, Key::Escape).await?;
            page.until("the list", "return document.activeElement.id === 'model'").await?;
            ensure!(model().await? == start, "Escape chose something");

            press(page, Key::Enter).await?;
            page.until("the search", "return document.getElementById('pick-text')?.value === ''").await?;
            press(page, Key::Tab).await?;
            page.until(
                "the next control",
                "return document.querySelector('dialog') === null && document.activeElement.id !== 'model'",
            )
            .await?;
            ensure!(
                page.script::<bool>("return document.activeElement.closest('.form') !== null", vec![])
                    .await?
            );
            ensure!(model().await? == start, "Tab chose something");

            // Short lists are seen at a glance, and stay the browser's own.
            page.script::<()>("document.getElementById('parallelism-recompute').focus()", vec![]).await?;
            press(page, Key::Down).await?;
            page.wait("another choice", async || Ok(page.value("parallelism-recompute").await? == "outputs"))
                .await?;
            ensure!(page.script::<bool>("return document.querySelector('dialog') === null", vec![]).await?);
            Ok(())
        })
        .await
}

#[tokio::test]
async fn it_is_accessible_and_fits_everywhere() -> Result<()> {
    for look in Look::ALL {
        Browser::start()?
            .open("")
            .look(look)
            .with(async |page| {
                page.unfold().await?;
                for direction in ["ltr", "rtl"] {
                    page.script::<()>("document.documentElement.dir = arguments[0]", vec![direction.into()]).await?;
                    open(page, "system-accelerator").await?;
                    page.check_accessibility().await?;
                    let inside: bool = page
                        .script(
                            "const { left, right, top, bottom } = document.querySelector('.pick').getBoundingClientRect();
                             return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight",
                            vec![],
                        )
                        .await?;
                    ensure!(inside && page.overflow().await? <= 0, "the search leaves the window: {look:?} {direction}");
                    press(page, Key::Escape).await?;
                }
                Ok(())
            })
            .await?;
    }
    Ok(())
}
