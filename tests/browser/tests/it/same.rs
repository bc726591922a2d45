//! The page computes what the library computes natively, to the last bit: the files that it exports are equal.

use anyhow::{Result, anyhow, ensure};
use browser_tests::Browser;
use foretoken::{
    catalog::catalog,
    figure::{self, Figure, Size},
    scenario::{Problem, Scenario, View, goal::Goal, link, preset::presets},
    view::ALL,
};

/// First figures of a view; none of the views whose figures take a search.
fn figures(scenario: &Scenario) -> Result<Vec<Figure>, Vec<Problem>> {
    let size = Size::Wide;
    Ok(match scenario.view {
        View::Training => {
            let estimate = scenario.training()?;
            vec![figure::step_breakdown(&estimate, size), figure::memory(&estimate.memory, size)]
        }
        View::Inference => {
            let memories: Vec<_> =
                catalog().memories.iter().map(|memory| (memory.name.as_str(), memory.system_tb_s)).collect();
            let estimate = scenario.inference()?;
            vec![
                figure::dram_latency(&scenario.dram_sweep()?, &memories, &[], &|_| String::new(), size),
                figure::prefill_breakdown(&estimate, size),
                figure::decode_breakdown(&estimate, size),
            ]
        }
        View::Generations => vec![figure::speedup(&scenario.generations()?, size)],
        View::Sizing | View::Search | View::Technology | View::Papers | View::Validation => Vec::new(),
    })
}

#[tokio::test]
async fn exported_files_are_the_librarys() -> Result<()> {
    let browser = Browser::start()?;
    for preset in presets() {
        let figures = match figures(&preset.scenario()) {
            // Examples of "Will it fit?" that do not fit have no figures.
            Err(_) if preset.goal == Goal::Fit => continue,
            figures => figures.map_err(|problems| anyhow!("{}: {problems:?}", preset.id))?,
        };
        if figures.is_empty() {
            continue;
        }
        browser
            .open(&format!("#{}", link::encode_at(&preset.scenario(), ALL)))
            .with(async |page| {
                page.script::<()>(
                    "window.files = [];
                     const address = URL.createObjectURL;
                     URL.createObjectURL = file => {
                       file.text().then(text => files.push(text));
                       return address.call(URL, file);
                     };
                     HTMLAnchorElement.prototype.click = () => {};",
                    vec![],
                )
                .await?;
                for figure in &figures {
                    for (kind, expected) in [("csv", figure.table.to_csv()), ("svg", figure.standalone_svg())]
                    {
                        page.click(&format!("figure[data-figure={}] [data-export={kind}]", figure.id))
                            .await?;
                        page.until("a file", "return files.length === 1").await?;
                        let exported: String = page.script("return files.pop()", vec![]).await?;
                        ensure!(
                            exported == expected,
                            "{}: {}.{kind} differs.\nnative:\n{expected}\nin the browser:\n{exported}",
                            preset.id,
                            figure.id
                        );
                    }
                }
                Ok(())
            })
            .await?;
    }
    Ok(())
}
