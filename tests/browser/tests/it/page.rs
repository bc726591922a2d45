//! Interactions of a visitor with the page.

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, VIEWS};
use foretoken::scenario::goal::Goal;
use serde_json::json;
use thirtyfour::Key;

#[tokio::test]
async fn opens_with_the_training_answer() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            let answers = page.answers().await?;
            for name in ["step", "mfu", "tokens", "days", "memory"] {
                let text = answers.get(name).map_or("", String::as_str);
                ensure!(text.contains(|c: char| c.is_ascii_digit()), "{name} is no number: {answers:?}");
            }
            let problems = page.element("#link-problems").await?.text().await?;
            ensure!(problems.is_empty(), "a plain visit has problems: {problems}");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn each_view_has_its_figures() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            for (view, charts) in [
                (
                    "training",
                    &["step-breakdown", "memory", "roofline", "timeline", "memory-timeline", "sensitivity"][..],
                ),
                (
                    "inference",
                    &["dram-latency", "prefill-breakdown", "decode-breakdown", "roofline", "memory"],
                ),
                ("search", &["plans", "scaling"]),
                (
                    "generations",
                    &["speedup", "waterfall", "binding-training", "binding-prefill", "binding-decode"],
                ),
                (
                    "technology",
                    &["node-speedup", "node-speedup-links", "node-energy", "binding-map", "binding-shares"],
                ),
            ] {
                page.show(view).await?;
                // The answer to the question before may still be there.
                for chart in charts {
                    page.answered(&format!("figure[data-figure={chart}]")).await?;
                }
                let figures = page.figures().await?;
                for chart in charts {
                    let figure = figures.iter().find(|figure| figure.id == *chart);
                    let figure = figure.with_context(|| format!("{view} lacks {chart}: {figures:?}"))?;
                    ensure!(figure.svg.len() > 500, "{chart} is not drawn: {}", figure.svg);
                    for kind in ["svg", "png", "csv"] {
                        page.element(&format!("figure[data-figure={chart}] [data-export={kind}]")).await?;
                    }
                }
                for figure in figures {
                    ensure!(figure.rows > 0, "{}: no data", figure.id);
                    ensure!(!figure.stale, "{} is stale", figure.id);
                }
            }
            Ok(())
        })
        .await
}

#[tokio::test]
async fn a_control_moves_numbers_and_charts() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            let (answers, figures) = (page.answers().await?, page.figures().await?);
            page.set("recipe-batch", "2048").await?;
            page.wait("another step time", async || Ok(page.answers().await?["step"] != answers["step"]))
                .await?;
            page.wait("another chart", async || Ok(page.figures().await?[0].svg != figures[0].svg)).await
        })
        .await
}

#[tokio::test]
async fn a_preset_fills_the_form() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            for goal in Goal::ALL {
                page.click(&format!("[data-goal={}]", goal.id())).await?;
                ensure!(goal.examples().next().is_some(), "{goal:?} has no example");
                for preset in goal.examples().map(|preset| preset.id) {
                    page.click(&format!("[data-preset='{preset}']")).await?;
                    page.until("the answer", "return document.querySelector('main[data-ready]') !== null")
                        .await?;
                    let invalid: Vec<String> = page
                        .script("return [...document.querySelectorAll('[aria-invalid=true]')].map(field => field.id)", vec![])
                        .await?;
                    // This one shows what is offered in place of what does not fit.
                    ensure!(invalid.is_empty() || preset == "deepseek-v3-fit", "{preset}: {invalid:?}");
                    ensure!(
                        page.figures().await?.iter().all(|figure| !figure.stale),
                        "{preset} leaves stale figures"
                    );
                }
            }
            Ok(())
        })
        .await
}

#[tokio::test]
async fn illegal_values_are_explained_and_harmless() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            let answers = page.answers().await?;
            let start = page.value("parallelism-tensor").await?;
            // 7 divides no model's heads.
            for illegal in ["7", "0", "-1", "1e300", "1e999", "NaN", "2.5", ""] {
                page.set("parallelism-tensor", illegal).await?;
                page.wait(&format!("a message about {illegal:?}"), async || {
                    Ok(page.message("parallelism-tensor").await?.is_some_and(|message| !message.is_empty()))
                })
                .await?;
                let figures = page.figures().await?;
                ensure!(!figures.is_empty(), "{illegal:?} removes the figures");
                ensure!(figures.iter().all(|figure| figure.stale), "{illegal:?}: figures look current");
            }
            page.set("parallelism-tensor", &start).await?;
            page.wait("the answer to come back", async || {
                Ok(page.message("parallelism-tensor").await?.is_none()
                    && page.answers().await? == answers
                    && page.figures().await?.iter().all(|figure| !figure.stale))
            })
            .await
        })
        .await
}

#[tokio::test]
async fn every_number_field_survives_nonsense() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            for view in VIEWS {
                page.show(view).await?;
                let numbers: Vec<String> = page
                    .script(
                        "return [...document.querySelectorAll('main input[id]:is([type=number], [inputmode])')]
                           .filter(field => field.checkVisibility()).map(field => field.id)",
                        vec![],
                    )
                    .await?;
                ensure!(!numbers.is_empty(), "{view} has no number field");
                for field in numbers {
                    let start = page.value(&field).await?;
                    for nonsense in ["-1", "0", "1e300", "1e999", "x"] {
                        page.set(&field, nonsense).await?;
                    }
                    page.set(&field, &start).await?;
                    page.wait(&format!("{view}: {field} to be right again"), async || {
                        Ok(page.message(&field).await?.is_none())
                    })
                    .await?;
                }
            }
            Ok(())
        })
        .await
}

#[tokio::test]
async fn every_control_is_reached_by_keyboard_and_shows_it() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            for view in VIEWS {
                page.show(view).await?;
                let controls: usize = page
                    .script(
                        "const controls = [...document.querySelectorAll('a[href], button, input, select, summary, textarea, [tabindex]')]
                           .filter(control => control.checkVisibility() && !control.disabled && control.tabIndex >= 0);
                         controls.forEach((control, index) => control.dataset.control = index);
                         // The next Tab goes on from here, not from what was clicked last.
                         document.body.tabIndex = -1;
                         document.body.focus();
                         document.body.removeAttribute('tabindex');
                         getSelection().removeAllRanges();
                         scrollTo(0, 0);
                         return controls.length",
                        vec![],
                    )
                    .await?;
                let mut reached = std::collections::BTreeSet::new();
                // Firefox has further stops: scrollable elements.
                for _ in 0..controls + 5 {
                    if reached.len() == controls {
                        break; // Next come the browser's own.
                    }
                    page.web().action_chain().send_keys(Key::Tab).perform().await?;
                    let (control, visible, name): (Option<String>, bool, String) = page
                        .script(
                            "const control = document.activeElement, style = getComputedStyle(control);
                             const box = control.getBoundingClientRect();
                             const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1;
                             const inside = box.bottom > 0 && box.top < innerHeight;
                             return [control.dataset.control ?? null,
                                     (outlined || style.boxShadow !== 'none') && inside, `${control.outerHTML.slice(0, 120)}, ${style.outline}, at ${box.top} of ${innerHeight}`]",
                            vec![],
                        )
                        .await?;
                    if let Some(control) = control {
                        ensure!(visible, "{view}: focus cannot be seen on {name}");
                        reached.insert(control);
                    }
                }
                let missed: Vec<String> = page
                    .script(
                        "return [...document.querySelectorAll('[data-control]')]
                           .filter(control => !arguments[0].includes(control.dataset.control))
                           .map(control => control.outerHTML.slice(0, 200))",
                        vec![json!(reached)],
                    )
                    .await?;
                ensure!(missed.is_empty(), "{view}: Tab does not reach {missed:?}");
            }
            Ok(())
        })
        .await
}

#[tokio::test]
async fn exports_are_downloads_of_this_page() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            // Instead of a file dialogue: what each button would have saved.
            page.script::<()>(
                "window.saved = [];
                 HTMLAnchorElement.prototype.click = function () { saved.push([this.download, this.href]) };",
                vec![],
            )
            .await?;
            for (index, kind) in ["svg", "csv", "png"].into_iter().enumerate() {
                page.click(&format!("figure[data-figure] [data-export={kind}]")).await?;
                page.until(&format!("a {kind} file"), &format!("return saved.length > {index}")).await?;
                let (name, address): (String, String) = page.script("return saved.at(-1)", vec![]).await?;
                ensure!(name.ends_with(&format!(".{kind}")), "{kind} is saved as {name:?}");
                ensure!(address.starts_with("blob:") || address.starts_with("data:"), "{kind}: {address}");
            }
            Ok(())
        })
        .await
}

/// The smallest text of all drawings that are shown, in CSS pixels.
const SMALLEST: &str = "return Math.min(...[...document.querySelectorAll('.figures .drawing svg')]
    .filter(drawing => drawing.checkVisibility())
    .flatMap(drawing => {
      const scale = drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width;
      return [...drawing.querySelectorAll('text')].map(text => scale * Number(text.getAttribute('font-size')));
    }))";

#[tokio::test]
async fn text_of_drawings_has_12_pixels_at_every_width() -> Result<()> {
    legible("training", &[320, 400, 640, 700, 880, 1023, 1024, 1280, 1520, 2560]).await
}

#[tokio::test]
async fn text_of_drawings_has_12_pixels_in_every_view() -> Result<()> {
    let others =
        ["inference", "sizing", "search", "generations", "technology", "papers&result=days-gpt3-b200"];
    for view in others {
        legible(view, &[320, 1024, 2560]).await?;
    }
    Ok(())
}

/// Checks the text of all drawings of a view in windows of these widths.
async fn legible(view: &str, widths: &[u32]) -> Result<()> {
    Browser::start()?
        .open(&format!("#v=1&view={view}&part=all"))
        .with(async |page| {
            page.answered(".figures .drawing svg").await?;
            for &width in widths {
                page.resize(width).await?;
                // Drawings of the new width come with another answer, which does not begin in this frame.
                tokio::time::sleep(std::time::Duration::from_millis(500)).await;
                page.answered(".figures .drawing svg").await?;
                let fits = format!("{view} without text below 12 pixels in a window of {width}");
                page.wait(&fits, async || {
                    let smallest: Option<f64> = page.script(SMALLEST, vec![]).await?;
                    let legible = smallest.is_some_and(|smallest| (11.9..24.0).contains(&smallest));
                    Ok(legible && page.overflow().await? <= 0)
                })
                .await?;
            }
            Ok(())
        })
        .await
}

#[tokio::test]
async fn a_section_has_an_address_and_stays_in_sight() -> Result<()> {
    Browser::start()?
        .open("#v=1&view=inference")
        .with(async |page| {
            let open = async || {
                page.script::<String>(
                    "return document.querySelector('.contents [aria-current]').dataset.section",
                    vec![],
                )
                .await
            };
            let seen = async |part: &str| {
                let css = format!("[data-figure={part}], [data-table={part}]");
                page.script::<bool>(
                    "return document.querySelector(arguments[0])?.checkVisibility() ?? false",
                    vec![css.into()],
                )
                .await
            };
            ensure!(
                open().await? == "load" && seen("load").await? && !seen("deployments").await?,
                "not the first"
            );
            page.until("deployments", "return document.querySelector('[data-section=deployments]') !== null")
                .await?;
            page.click("[data-section=deployments]").await?;
            ensure!(page.link().await?.ends_with("&part=deployments"), "{}", page.link().await?);
            ensure!(seen("deployments").await? && !seen("load").await?, "not the chosen one");
            // An edit keeps it open.
            page.set("inference-output", "300").await?;
            page.until("the address", "return location.hash.includes('serve.out=300&part=deployments')")
                .await?;
            ensure!(open().await? == "deployments", "an edit opens {}", open().await?);
            page.script::<()>("scrollTo(0, document.body.scrollHeight)", vec![]).await?;
            let there = "return document.querySelector('.contents').getBoundingClientRect().top >= 0";
            ensure!(page.script::<bool>(there, vec![]).await?, "the list of sections is out of sight");
            page.web().back().await?;
            page.wait("the first section", async || Ok(open().await? == "load")).await?;
            // A part's own name opens the section that has it.
            page.script::<()>("location.hash = '#v=1&view=inference&part=dram-latency'", vec![]).await?;
            page.wait("the part", async || seen("dram-latency").await).await
        })
        .await
}

#[tokio::test]
async fn a_curve_is_read_by_pointer_and_keys() -> Result<()> {
    Browser::start()?
        .open("#v=1&view=inference&part=dram-latency")
        .with(async |page| {
            let figure = "figure[data-figure=dram-latency]";
            page.until("the figure", &format!("return document.querySelector('{figure} .reader') !== null"))
                .await?;
            let read = async || {
                let text = format!("return document.querySelector('{figure} .read').textContent");
                page.script::<String>(&text, vec![]).await
            };
            page.script::<()>(&format!("document.querySelector('{figure} .reader').focus()"), vec![]).await?;
            page.web().action_chain().send_keys(Key::Right + "").perform().await?;
            page.wait("a value", async || Ok(read().await?.contains(" TB/s"))).await?;
            let others = format!("return document.querySelectorAll('{figure} .read span').length > 1");
            page.until("the values of the other lines there", &others).await?;
            let first = read().await?;
            page.web().action_chain().send_keys(Key::Right + "").perform().await?;
            page.wait("the next value", async || Ok(read().await? != first)).await?;
            let reader = page.element(&format!("{figure} .reader")).await?;
            page.web().action_chain().move_to_element_center(&reader).perform().await?;
            page.check_accessibility().await
        })
        .await
}

#[tokio::test]
async fn a_finger_reads_a_value_that_stays() -> Result<()> {
    Browser::start()?
        .open("#v=1")
        .with(async |page| {
            // What a browser says of a tap in the middle of the largest bar.
            let tap = "const reader = document.querySelector('[data-figure=step-breakdown] .reader');
                const { left, top, width } = reader.getBoundingClientRect();
                const at = { clientX: left + width / 2, clientY: top + 20, pointerType: 'touch', bubbles: true };
                for (const type of ['pointerdown', 'pointerup', 'pointerleave', 'click']) {
                  reader.dispatchEvent(new PointerEvent(type, at));
                }";
            page.until("the figure", "return document.querySelector('[data-figure=step-breakdown] .reader') !== null")
                .await?;
            page.script::<()>(tap, vec![]).await?;
            let read = "return document.querySelector('[data-figure=step-breakdown] .read').textContent !== ''";
            page.until("a value that stays", read).await
        })
        .await
}

#[tokio::test]
async fn an_entry_of_a_legend_shows_its_series_alone() -> Result<()> {
    Browser::start()?
        .open("#v=1&view=generations&part=speedup")
        .with(async |page| {
            let keys = "figure[data-figure=speedup] .series button";
            page.until("the legend", &format!("return document.querySelectorAll('{keys}').length > 1")).await?;
            // Colours of the series whose shapes are not faint.
            let shown = async || {
                let shown = "const shapes = document.querySelectorAll('figure[data-figure=speedup] svg [class^=fig-]');
                    const seen = [...shapes].filter(shape => getComputedStyle(shape).opacity === '1');
                    const colours = seen.map(shape => shape.className.baseVal.match(/-([1-8])$/)?.[1]);
                    return [...new Set(colours.filter(Boolean))].sort().join()";
                page.script::<String>(shown, vec![]).await
            };
            let all = shown().await?;
            ensure!(all.len() > 1, "{all}");
            page.click(keys).await?;
            let alone = shown().await?;
            ensure!(alone.len() == 1 && all.contains(&alone), "{alone} of {all}");
            page.web().action_chain().send_keys(Key::Right + "").send_keys(Key::Space + "").perform().await?;
            page.wait("another series", async || Ok(shown().await?.len() == 1 && shown().await? != alone)).await?;
            page.check_accessibility().await?;
            page.web().action_chain().send_keys(Key::Escape + "").perform().await?;
            page.wait("all series", async || Ok(shown().await? == all)).await
        })
        .await
}

/// The chart has four lines and two colours.
#[tokio::test]
async fn an_entry_shows_its_line_alone_among_lines_of_its_colour() -> Result<()> {
    Browser::start()?
        .open("#v=1&view=papers&result=operator-bounds&part=all")
        .with(async |page| {
            let keys = "figure[data-figure=operator-roofline] .series button";
            page.until("the legend", &format!("return document.querySelectorAll('{keys}').length === 4")).await?;
            page.click(keys).await?;
            page.wait("one line", async || {
                let shown = "const shapes = document.querySelectorAll('[data-figure=operator-roofline] [data-series]');
                    const seen = [...shapes].filter(shape => getComputedStyle(shape).opacity === '1');
                    return [...new Set(seen.map(shape => shape.dataset.series))].join()";
                Ok(page.script::<String>(shown, vec![]).await? == "9")
            })
            .await
        })
        .await
}

#[tokio::test]
async fn a_pinned_question_stays_in_the_chart() -> Result<()> {
    Browser::start()?
        .open("#v=1&view=inference&model=llama-3.1-8b&serve.tp=2")
        .with(async |page| {
            let figure = "figure[data-figure=load]";
            page.until("the chart", &format!("return document.querySelector('{figure} [data-pin]') !== null")).await?;
            let drawn = "return document.querySelector('figure[data-figure=load] svg').textContent.includes('pinned: tensor 2 GPUs')";
            page.click(&format!("{figure} [data-pin]")).await?;
            page.until("a pressed button", &format!("return document.querySelector('{figure} [data-pin]').ariaPressed === 'true'"))
                .await?;
            ensure!(!page.script::<bool>(drawn, vec![]).await?, "the question is drawn twice");
            page.set("inference-tensor", "4").await?;
            page.until("the pinned curves", drawn).await?;
            page.check_accessibility().await?;
            // The link has the pinned question, and opens with it instead of as a comparison.
            let link: String = page.script("return document.querySelector('#share-link').value", vec![]).await?;
            ensure!(link.ends_with("serve.tp=2&pin=true"), "{link}");
            page.click("[data-tool=share]").await?;
            page.until("the dialog", "return document.querySelector('dialog.tool[open]') !== null").await?;
            let texts = "return [...document.querySelectorAll('dialog .copyable textarea')].map(text => text.value)";
            let texts: Vec<String> = page.script(texts, vec![]).await?;
            ensure!(texts.first().is_some_and(|text| text.ends_with("serve.tp=2&pin=true")), "{texts:?}");
            let pinned = texts.iter().filter(|text| text.contains("pin=true")).count();
            ensure!(pinned >= 3, "link, snippet or citation without the pinned question: {texts:?}");
            page.script::<()>("document.querySelector('dialog').close()", vec![]).await?;
            page.web().goto("about:blank").await?;
            page.goto(&link).await?;
            page.until("the pinned curves again", drawn).await?;
            let alone = "return !location.hash.includes('~') && document.querySelector('dialog[open]') === null";
            ensure!(page.script::<bool>(alone, vec![]).await?, "a comparison");
            page.click(&format!("{figure} [data-unpin]")).await?;
            page.until("no pinned curves", &drawn.replace("return ", "return !")).await
        })
        .await
}

#[tokio::test]
async fn what_does_not_fit_shows_what_does_and_nothing_earlier() -> Result<()> {
    Browser::start()?
        .open("#v=1&view=inference&serve.tp=8")
        .with(async |page| {
            page.set("model", "deepseek-v3").await?;
            page.until(
                "what fits",
                "return document.querySelector('.lead').textContent.startsWith('Does not fit')
                   && document.querySelectorAll('[data-offer] a').length > 2",
            )
            .await?;
            ensure!(page.value("inference-precision").await? == "fp8block", "not in the model's own format");
            let figures = page.figures().await?;
            ensure!(
                figures.iter().all(|figure| ["memory", "tradeoff"].contains(&figure.id.as_str())),
                "{figures:?}"
            );
            page.until(
                "the memory of this question",
                "return document.querySelector('[data-figure=memory]').textContent.includes('does not fit')",
            )
            .await?;
            // In no frame does an offer stand beside a sentence that says that the question fits.
            page.script::<()>(
                "window.beside = 0;
                 const look = () => {
                   if (document.querySelector('.lead').textContent.startsWith('Fits on'))
                     window.beside += document.querySelectorAll('[data-offer] a').length;
                   requestAnimationFrame(look);
                 };
                 look();",
                vec![],
            )
            .await?;
            page.click("[data-offer] a").await?;
            page.until(
                "an answer without offers of the last question",
                "return document.querySelector('.lead').textContent.startsWith('Fits on')
                   && document.querySelectorAll('[data-offer] a').length === 0",
            )
            .await?;
            let beside: u32 = page.script("return window.beside", vec![]).await?;
            ensure!(beside == 0, "{beside} offers of the last question");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn training_offers_the_fastest_plan_to_use() -> Result<()> {
    Browser::start()?
        .open("#v=1&model=llama-3.1-8b&gpus=64&tp=8&pp=4&batch=256&seq=4096&tokens=1e12")
        .with(async |page| {
            page.until("an offer", "return document.querySelector('[data-offer] a') !== null").await?;
            let before = page.answers().await?;
            page.click("[data-offer] a").await?;
            page.wait("another plan", async || Ok(page.answers().await?["step"] != before["step"])).await?;
            page.until(
                "nothing better",
                "return document.querySelector('[data-offer]')?.textContent.includes('is faster') ?? false",
            )
            .await
        })
        .await
}
