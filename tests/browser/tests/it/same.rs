//! The page computes what the library computes natively, to the last bit: the files that it exports are equal.

use anyhow::{Result, anyhow, ensure};
use browser_tests::{Browser, Page};
use foretoken::{
    catalog::catalog,
    figure::{self, Figure, Size},
    scenario::{Problem, Scenario, View, goal::Goal, link, preset::presets},
    service::{Ask, Request, Said, Service, Step},
    view::{ALL, Answer},
};

/// First figures of a view; none of the views whose figures take a search. [`exported_fleets_are_the_librarys`] has Sizing.
fn figures(scenario: &Scenario) -> Result<Vec<Figure>, Vec<Problem>> {
    let size = Size::Wide;
    Ok(match scenario.view {
        View::Training => {
            let estimate = scenario.training()?;
            vec![figure::step_breakdown(&estimate, &[], size), figure::memory(&estimate.memory, &[], size)]
        }
        View::Inference => {
            let memories: Vec<_> =
                catalog().memories.iter().map(|memory| (memory.name.as_str(), memory.system_tb_s)).collect();
            let estimate = scenario.inference()?;
            vec![
                figure::dram_latency(&scenario.dram_sweep()?, &memories, &[], &|_| String::new(), size),
                figure::prefill_breakdown(&estimate, &[], size),
                figure::decode_breakdown(&estimate, &[], size),
            ]
        }
        View::Generations => vec![figure::speedup(&scenario.generations()?, &|_, _| String::new(), size)],
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
            .with(async |page| exports(page, &figures, preset.id).await)
            .await?;
    }
    Ok(())
}

/// Exports each figure as CSV and SVG, and compares the files with the library's.
async fn exports(page: &Page, figures: &[Figure], name: &str) -> Result<()> {
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
    for figure in figures {
        for (kind, expected) in [("csv", figure.table.to_csv()), ("svg", figure.standalone_svg())] {
            page.click(&format!("figure[data-figure={}] [data-export={kind}]", figure.id)).await?;
            page.until("a file", "return files.length === 1").await?;
            let exported: String = page.script("return files.pop()", vec![]).await?;
            ensure!(
                exported == expected,
                "{name}: {}.{kind} differs.\nnative:\n{expected}\nin the browser:\n{exported}",
                figure.id
            );
        }
    }
    Ok(())
}

/// The whole answer to a question that takes a search.
fn searched(link: &str) -> Answer {
    let mut service = Service::default();
    service.ask(Request { id: 1, ask: Ask::Answer { link: link.to_owned(), size: Size::Wide, workers: 1 } });
    let mut answer = Answer::default();
    loop {
        match service.step() {
            Step::Tell(reply) => {
                if let Said::Partial { news, .. } | Said::Answer(news) = reply.said {
                    answer.take(news);
                }
            }
            Step::Busy => {}
            Step::Idle | Step::Fetch(_) => return answer,
        }
    }
}

/// Fleets of one device with simulated percentiles, which several workers search in the page and one does here.
#[tokio::test]
async fn exported_fleets_are_the_librarys() -> Result<()> {
    let asked = "v=1&view=sizing&model=llama-3.1-8b&gpu=h100-sxm&serve.in=1000&serve.out=200&serve.ttft=1000&serve.tpot=30\
                 &serve.engine=vllm&size.one=true&size.lengths=azure-conversation&size.percentile=p95";
    let scenario = link::decode(asked).scenario;
    let link = link::encode_at(&scenario, ALL);
    let answer = searched(&link);
    let figures: Vec<Figure> = answer.figures().cloned().collect();
    ensure!(!figures.is_empty(), "no figure of {link}");
    Browser::start()?
        .open(&format!("#{link}"))
        .with(async |page| {
            page.answered("figure[data-figure=fleet-costs]").await?;
            exports(page, &figures, "fleets").await
        })
        .await
}
