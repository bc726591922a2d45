//! The page in a script that runs from right to left: mirrored, and nothing lost.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Look, VIEWS, artefacts};

/// Style sheets use the logical directions start and end, except in the two tokens of text alignment.
#[test]
fn style_sheets_know_no_left_and_right() -> Result<()> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let sheets: Vec<_> =
        fs::read_dir(root.join("style"))?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    ensure!(sheets.len() > 5, "{sheets:?}");
    for sheet in sheets {
        for (number, line) in fs::read_to_string(&sheet)?.lines().enumerate() {
            let sided = line.split([':', ';', '-', ' ']).any(|word| word == "left" || word == "right");
            let token = ["--start: ", "--end: "].iter().any(|name| line.trim_start().starts_with(name));
            let comment = line.trim_start().starts_with("/*");
            ensure!(!sided || token || comment, "{}:{}: {line}", sheet.display(), number + 1);
        }
    }
    Ok(())
}

/// Controls that stand on their name or explanation, and what leaves the window.
const FAULTS: &str = "
    const meets = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
    const box = node => node.getBoundingClientRect();
    const faults = [];
    for (const field of document.querySelectorAll('.field')) {
      if (!field.checkVisibility()) continue;
      const [name, control, hint] = ['label', '[data-field]', '.hint'].map(part => field.querySelector(part));
      const text = document.createRange();
      text.selectNodeContents(name);
      const lines = [...text.getClientRects()];
      if ([...lines, box(hint)].some(line => meets(line, box(control)))) faults.push(`${control.id} covers its name`);
      if (lines.some(line => meets(line, box(hint)))) faults.push(`the explanation of ${control.id} covers its name`);
    }
    for (const node of document.querySelectorAll('header *, main *, footer *')) {
      if (!node.checkVisibility() || node.closest('.scroll, .contents, .top nav, .goals, svg, .visually-hidden, .tip')) continue;
      const { left, right, width } = box(node);
      if (width > 0 && (left < -1 || right > innerWidth + 1)) faults.push(`${node.outerHTML.slice(0, 80)} leaves the window`);
    }
    for (const text of document.querySelectorAll('.more-numbers > summary > span')) {
      if (getComputedStyle(text).unicodeBidi !== 'plaintext') faults.push(`the words of “${text.textContent}” change places`);
    }
    for (const drawing of document.querySelectorAll('.drawing svg')) {
      if (getComputedStyle(drawing).direction !== 'ltr') faults.push('a drawing is mirrored');
    }
    return faults";

async fn check(look: Look) -> Result<()> {
    Browser::start()?
        .open("")
        .look(look)
        .with(async |page| {
            page.unfold().await?;
            for view in VIEWS.into_iter().chain(["validation"]) {
                page.script::<()>("document.documentElement.dir = 'rtl'", vec![]).await?;
                page.show(view).await?;
                // Folded fields as well.
                page.script::<()>(
                    "for (const fold of document.querySelectorAll('.form details')) fold.open = true",
                    vec![],
                )
                .await?;
                page.picture(&artefacts().join(format!("rtl-{view}-{}.png", look.name()))).await?;
                ensure!(page.overflow().await? <= 0, "{view} scrolls sideways");
                let faults: Vec<String> = page.script(FAULTS, vec![]).await?;
                ensure!(faults.is_empty(), "{view}, {}: {faults:#?}", look.name());
                // The form stands at the end where lines begin.
                let mirrored =
                    "const side = selector => document.querySelector(selector).getBoundingClientRect().left;
                    return innerWidth < 960 || side('.form') > side('#answer')";
                ensure!(page.script::<bool>(mirrored, vec![]).await?, "{view} is not mirrored");
            }
            page.check_accessibility().await.with_context(|| look.name())
        })
        .await
}

#[tokio::test]
async fn wide() -> Result<()> {
    check(Look::WIDE).await
}

#[tokio::test]
async fn narrow() -> Result<()> {
    check(Look::NARROW).await
}
