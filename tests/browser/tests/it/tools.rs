//! Sharing, files, reports and comparisons.

use anyhow::{Context as _, Result, ensure};
use browser_tests::{Browser, Engine, Look, Page, artefacts};
use foretoken::scenario::{link, write_rows};
use foretoken::view::json::json;
use thirtyfour::{Key, common::print::PrintParameters};

async fn open(page: &Page, tool: &str) -> Result<()> {
    page.click(&format!("[data-tool={tool}]")).await?;
    page.until(tool, "return document.querySelector('dialog.tool[open]') !== null").await
}

async fn closed(page: &Page) -> Result<()> {
    page.until("the dialogue to close", "return document.querySelector('dialog') === null").await
}

/// Instead of a file dialogue: what would have been saved.
const SAVED: &str = "window.saved = [];
     const address = URL.createObjectURL;
     URL.createObjectURL = file => { file.text().then(text => saved.push(text)); return address.call(URL, file) };
     HTMLAnchorElement.prototype.click = () => {};";

/// Pastes a text into the Files dialog.
async fn paste(page: &Page, text: impl Into<serde_json::Value>) -> Result<()> {
    page.script(
        "const field = document.getElementById('file-text');
         field.value = arguments[0];
         field.dispatchEvent(new Event('input', { bubbles: true }))",
        vec![text.into()],
    )
    .await
}

/// Drops files on the page, each of a text and a name.
async fn drop_files(page: &Page, files: &[(&str, &str)]) -> Result<()> {
    let script = "const files = new DataTransfer();
         for (const [text, name] of arguments[0]) files.items.add(new File([text], name));
         document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }))";
    page.script(script, vec![serde_json::json!(files)]).await
}

#[tokio::test]
async fn snippets_carry_the_question_and_show_what_they_do() -> Result<()> {
    Browser::start()?
        .open("#v=1&gpus=1024&tp=4")
        .with(async |page| {
            open(page, "share").await?;
            page.script::<()>(
                "const choice = document.getElementById('share-figure');
                 choice.value = 'memory';
                 choice.dispatchEvent(new Event('change'))",
                vec![],
            )
            .await?;
            let texts: Vec<String> = page
                .script("return [...document.querySelectorAll('dialog .copyable textarea')].map(field => field.value)", vec![])
                .await?;
            ensure!(texts.len() == 4, "{texts:#?}");
            for (text, part) in texts.iter().zip([
                "/#v=1&gpus=1024&tp=4",
                "embed=figure&amp;figure=memory#v=1&amp;gpus=1024&amp;tp=4\"",
                "link=\"v=1&amp;gpus=1024&amp;tp=4\"",
                "$\\times$",
            ]) {
                ensure!(text.contains(part), "no {part} in {text}");
            }
            // The preview of the figure that was chosen first is taken away.
            let chosen = ".preview foretoken-figure[figure=memory]";
            page.until("another preview", &format!("return document.querySelector('{chosen}') !== null")).await?;
            // The preview loads once it is visible.
            page.script::<()>(&format!("document.querySelector('{chosen}').scrollIntoView()"), vec![]).await?;
            page.frame(chosen).await?.enter_frame().await?;
            page.until(
                "the preview",
                "return document.querySelector('main[data-ready] [data-figure=memory]')?.checkVisibility() ?? false",
            )
            .await?;
            page.web().enter_parent_frame().await?;
            page.check_accessibility().await?;
            // A host of another kind, a field that readers may change, and no border.
            page.script::<()>(
                "for (const [id, value] of [['share-host', 'mdbook'], ['share-theme', 'dark']]) {
                   const choice = document.getElementById(id);
                   choice.value = value;
                   choice.dispatchEvent(new Event('change'));
                 }
                 const field = document.querySelector('dialog fieldset select');
                 field.value = 'tp';
                 field.dispatchEvent(new Event('change'));
                 document.getElementById('share-frameless').click()",
                vec![],
            )
            .await?;
            page.until(
                "the block",
                "const block = [...document.querySelectorAll('dialog .copyable textarea')]
                   .find(field => field.value.startsWith('```foretoken memory\\nv=1&gpus=1024&tp=4\\nlabel: '));
                 return block?.value.endsWith('\\ntheme: dark\\ncontrols: tp\\nframeless\\n```')
                   && document.querySelectorAll('dialog fieldset select').length === 2",
            )
            .await?;
            page.check_accessibility().await
        })
        .await
}

/// `make site` writes the site's address into the page, which may be opened at another one.
#[tokio::test]
async fn snippets_name_the_address_that_the_site_states() -> Result<()> {
    Browser::start()?
        .open("#v=1&gpus=1024")
        .with(async |page| {
            page.script::<()>(
                "const link = document.createElement('link');
                 link.rel = 'canonical';
                 link.href = 'https://example.org/foretoken/';
                 document.head.append(link)",
                vec![],
            )
            .await?;
            open(page, "share").await?;
            let texts: Vec<String> = page
                .script("return [...document.querySelectorAll('dialog .copyable textarea')].map(field => field.value)", vec![])
                .await?;
            ensure!(
                !texts.is_empty() && texts.iter().all(|text| text.contains("https://example.org/foretoken/")),
                "{texts:#?}"
            );
            Ok(())
        })
        .await
}

#[tokio::test]
async fn files_become_questions_and_questions_files() -> Result<()> {
    let config = include_str!("../../../fixtures/configs/mixtral-8x7b.json");
    Browser::start()?
        .open("#v=1&gpus=1024")
        .with(async |page| {
            open(page, "files").await?;
            page.script::<()>(SAVED, vec![]).await?;
            for file in ["scenario", "answer"] {
                page.click(&format!("#file-{file}")).await?;
            }
            page.until("two files", "return saved.length === 2").await?;
            page.click("#file-timeline").await?;
            page.until("the timeline", "return saved[2] && JSON.parse(saved[2]).traceEvents.length > 100").await?;
            let scenario: String = page.script("return saved[0]", vec![]).await?;
            let same: bool = page
                .script(
                    "// The order of fields says nothing.
                     const sorted = text => JSON.stringify(JSON.parse(text), (_, inner) =>
                       inner?.constructor === Object ? Object.fromEntries(Object.entries(inner).sort()) : inner);
                     return sorted(saved[1]) === sorted(arguments[0])",
                    vec![json(&scenario).to_string().into()],
                )
                .await?;
            ensure!(same, "the estimate is not that of {scenario}");

            page.element("#file-text").await?.send_keys("{\"modle\": 1}").await?;
            page.click("#file-use").await?;
            page.until("what is wrong", "return [...document.querySelectorAll('.wrong code')].some(code => code.textContent === 'model')").await?;
            page.check_accessibility().await?;
            paste(page, config).await?;
            page.click("#file-use").await?;
            closed(page).await?;
            let asked = link::decode(&page.link().await?).scenario;
            ensure!(asked.system.gpus == 1024, "the rest of the question is lost");
            ensure!(asked.architecture().map_err(|problem| anyhow::anyhow!("{problem}"))?.moe.is_some());

            // Dropped anywhere on the page.
            drop_files(page, &[("{\"system\": {\"gpus\": 256}}", "scenario.json")]).await?;
            page.until("the dropped question", "return location.hash === '#v=1&gpus=256'").await?;
            page.web().back().await?;
            page.until("the one before", "return location.hash.includes('gpus=1024')").await
        })
        .await
}

#[tokio::test]
async fn a_launch_command_is_shown_and_a_pasted_one_becomes_the_question() -> Result<()> {
    Browser::start()?
        .open("#v=1&view=inference&model=llama-3.1-70b&serve.tp=8&serve.engine=vllm&serve.concurrency=64&part=launch")
        .with(async |page| {
            page.until("the command", "return document.getElementById('copy-vllm')?.checkVisibility() ?? false").await?;
            let text: String = page.script("return document.getElementById('copy-vllm').value", vec![]).await?;
            ensure!(text.contains("--tensor-parallel-size 8") && text.contains("--max-concurrency 64"), "{text}");
            page.check_accessibility().await?;
            page.picture(&artefacts().join("launch.png")).await?;

            open(page, "files").await?;
            let own = text.replace("--tensor-parallel-size 8", "--tensor-parallel-size 4 --enable-dbo");
            paste(page, own).await?;
            page.click("#file-use").await?;
            page.until(
                "what was read",
                "return document.querySelector('#file-read .summary')?.textContent.includes('launch command of vLLM')",
            )
            .await?;
            let told = page.element("#file-read").await?.text().await?;
            ensure!(told.contains("--enable-dbo"), "{told}");
            page.click("#file-answer-shown").await?;
            closed(page).await?;
            page.until("the question", "return location.hash.includes('serve.tp=4')").await
        })
        .await
}

#[tokio::test]
async fn a_benchmark_stands_beside_its_prediction() -> Result<()> {
    let row = include_str!("../../../fixtures/measurements/vllm_bench_serve_row.json");
    let log = include_str!("../../../fixtures/measurements/megatron_lines.txt");
    Browser::start()?
        .open("#v=1&serve.tp=1")
        .with(async |page| {
            open(page, "files").await?;
            paste(page, row).await?;
            page.click("#file-use").await?;
            page.until(
                "what was read",
                "return document.querySelector('#file-read .summary')?.textContent.includes('from 300 requests')",
            )
            .await?;
            let told = page.element("#file-read").await?.text().await?;
            for part in ["Not in the file", "Load: Tensor", "500 tokens were asked for", "L40S", "13.6 ms"] {
                ensure!(told.contains(part), "no {part} in {told}");
            }
            page.check_accessibility().await?;
            page.click("#file-answer-shown").await?;
            closed(page).await?;
            page.until("the table", "return document.querySelector('[data-table=measured]')?.checkVisibility() ?? false")
                .await?;
            let link = page.link().await?;
            for pair in ["view=inference", "measured.tpot=13.57", "part=measured"] {
                ensure!(link.contains(pair), "no {pair} in {link}");
            }

            drop_files(page, &[(log, "train.log")]).await?;
            page.until(
                "what was read of the log",
                "return document.querySelector('#file-read .summary')?.textContent.includes('Megatron-LM, from one step')",
            )
            .await?;
            page.click("#file-answer-shown").await?;
            closed(page).await?;
            page.until(
                "the measured step",
                "return document.querySelector('[data-answer=measured]')?.textContent.replace('\u{a0}', ' ').includes('15.6 s') ?? false",
            )
            .await?;

            // A file that is no measurement changes nothing and says why.
            let before = page.link().await?;
            drop_files(page, &[("{\"traceEvents\": []}", "trace.json")]).await?;
            page.until("why not", "return document.querySelector('.wrong')?.textContent.includes('has no GPU kernel')")
                .await?;
            ensure!(page.link().await? == before, "the question changed");
            Ok(())
        })
        .await
}

/// A trace of some steps, and one of 120 MB that is read in pieces and called off.
#[tokio::test]
async fn a_profile_stands_beside_the_predicted_terms() -> Result<()> {
    let make = "window.trace = (steps, pad) => {
            const events = [], add = (name, tid, ts, dur, cat = 'kernel') =>
                events.push(JSON.stringify({ ph: 'X', cat, name: name + pad, pid: 0, tid, ts, dur, args: { stream: tid } }));
            for (let step = 2; step < 2 + steps; step++) {
                const from = step * 1e6;
                events.push(JSON.stringify({ ph: 'X', cat: 'gpu_user_annotation', name: `ProfilerStep#${step}`, pid: 0, tid: 7,
                    ts: from, dur: 1e6 }));
                add('nvjet_tst_dgrad', 7, from, 6e5);
                add('flash_bwd_kernel', 7, from + 6e5, 1e5);
                add('ncclDevKernel_AllReduce_Sum_bf16_RING_LL', 20, from + 6.5e5, 1e5);
            }
            const file = new File(['{\"schemaVersion\": 1, \"traceEvents\": [', events.join(',\\n'), ']}'], 'trace.json');
            const files = new DataTransfer();
            files.items.add(file);
            document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));
        }";
    Browser::start()?
        .open("#v=1&model=llama-3.1-8b&gpus=8&tp=2&pp=1&batch=16")
        .with(async |page| {
            page.script::<()>(make, vec![]).await?;
            page.script::<()>("window.trace(40000, ' '.repeat(600))", vec![]).await?;
            page.until("its progress", "return (document.querySelector('dialog progress')?.value ?? 0) > 0").await?;
            page.check_accessibility().await?;
            page.click("#read-cancel").await?;
            closed(page).await?;

            page.script::<()>("window.trace(5, '')", vec![]).await?;
            page.until(
                "what was read",
                "return document.querySelector('#file-read .summary')?.textContent.includes('PyTorch profiler, from 5 steps')",
            )
            .await?;
            page.check_accessibility().await?;
            page.click("#file-answer-shown").await?;
            closed(page).await?;
            page.until("the table", "return document.querySelector('[data-table=measured-terms]')?.checkVisibility() ?? false")
                .await?;
            let table: String =
                page.script("return document.querySelector('[data-table=measured-terms]').textContent", vec![]).await?;
            for part in ["Matrix multiplies", "600 ms", "Collectives", "50.0 ms", "Idle"] {
                ensure!(table.contains(part), "no {part} in {table}");
            }
            page.until("the figure", "return document.querySelector('[data-figure=profile-terms]')?.checkVisibility() ?? false").await?;
            let link = page.link().await?;
            ensure!(link.contains("measured.in.matmul=0.6") && link.contains("measured.step=1"), "{link}");
            page.picture(&artefacts().join("profile.png")).await
        })
        .await
}

/// Files compressed by gzip are read like others; damaged ones are refused.
#[tokio::test]
async fn compressed_files_are_read() -> Result<()> {
    let drop = "window.packed = async (text, cut) => {
            const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
            const packed = await new Response(stream).blob();
            const files = new DataTransfer();
            files.items.add(new File([packed.slice(0, packed.size - cut)], 'file.gz'));
            document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));
        }";
    let trace = "const event = (cat, name, ts, dur) => JSON.stringify({ ph: 'X', cat, name, pid: 0, tid: 7, ts, dur });
        const events = [2, 3, 4].flatMap(step => [event('gpu_user_annotation', `ProfilerStep#${step}`, step * 1e6, 1e6),
            event('kernel', 'nvjet_tst_dgrad', step * 1e6, 6e5)]);
        window.packed(`{\"schemaVersion\": 1, \"traceEvents\": [${events}]}`, 0)";
    let read = |what: &str| {
        format!("return document.querySelector('#file-read .summary')?.textContent.includes('{what}')")
    };
    Browser::start()?
        .open("#v=1&model=llama-3.1-8b&gpus=8&tp=2&pp=1&batch=16")
        .with(async |page| {
            page.script::<()>(drop, vec![]).await?;
            page.script::<()>(trace, vec![]).await?;
            page.until("the trace", &read("PyTorch profiler, from 3 steps")).await?;
            page.click("#file-answer-shown").await?;
            closed(page).await?;

            let log = include_str!("../../../fixtures/measurements/torchtitan_line.txt");
            page.script::<()>("window.packed(arguments[0], 0)", vec![log.into()]).await?;
            page.until("the log", &read("torchtitan")).await?;
            page.click("#file-answer-shown").await?;
            closed(page).await?;

            page.script::<()>("window.packed(arguments[0], 40)", vec![log.into()]).await?;
            page.until(
                "why not",
                "return document.querySelector('.wrong')?.textContent.includes('cannot be decompressed')",
            )
            .await
        })
        .await
}

/// Measured values of the question are kept as a row, fitted, applied to the question, switched off and removed.
#[tokio::test]
async fn own_rows_calibrate_every_view() -> Result<()> {
    Browser::start()?
        .open(
            "#v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&gpus=1&serve.tp=1&serve.engine=vllm&serve.concurrency=16\
             &serve.in=1000&serve.out=200&measured.tpot=9&measured.ttft=80",
        )
        .with(async |page| {
            open(page, "files").await?;
            page.click("dialog [data-tool=calibrate]").await?;
            page.until("the dialogue", "return document.getElementById('calibrate-add') !== null").await?;
            page.click("#calibrate-add").await?;
            let row = page.element("#calibrate-rows li").await?.text().await?;
            ensure!(row.contains("TTFT 80.0 ms; TPOT 9.00 ms"), "{row}");
            page.click("#calibrate-run").await?;
            page.until("a fit", "return document.getElementById('calibrate-apply') !== null").await?;
            let told = page.element("dialog.tool").await?.text().await?;
            for part in ["Kernel time", "Leave-one-out", "The mean error of the row's 2 values is"] {
                ensure!(told.contains(part), "no {part} in {told}");
            }
            page.check_accessibility().await?;
            page.picture(&artefacts().join("calibrate.png")).await?;
            page.element("#calibrate-name").await?.send_keys("My cluster").await?;
            page.click("#calibrate-apply").await?;
            page.until("the profile", "return location.hash.includes('profile.name=My')").await?;
            let names = "return ['gpu=h100-sxm', 'software=vllm', 'rows=1'].every(of => location.hash.includes(`profile.${of}`))";
            ensure!(page.script::<bool>(names, vec![]).await?, "a profile without its device, software or rows");
            page.click("#calibrate-off").await?;
            page.until("it is off", "return location.hash.includes('profile.off=true')").await?;
            page.click("#calibrate-remove").await?;
            page.until("it is gone", "return !location.hash.includes('profile.')").await
        })
        .await
}

/// Simulated runs take long to fit: the page reacts meanwhile, and the fit can be cancelled.
#[tokio::test]
async fn a_long_fit_is_cancelled_and_tried_again() -> Result<()> {
    let row = |place: u32| {
        let link = format!(
            "v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&serve.engine=vllm&serve.rate={}&serve.requests=2000\
             &serve.in={}&serve.out=300&measured.tpot=9&measured.ttft=80",
            2 + place % 5,
            500 + place,
        );
        link::decode(&link).scenario
    };
    let rows = write_rows(&(0..100).map(row).collect::<Vec<_>>());
    Browser::start()?
        .open("#v=1")
        .with(async |page| {
            drop_files(page, &[(&rows, "rows.jsonl")]).await?;
            page.until("the rows", "return document.querySelector('#calibrate-run:enabled') !== null")
                .await?;
            page.click("#calibrate-run").await?;
            page.until(
                "progress",
                "return document.querySelector('dialog progress')?.value > 0 &&
                   document.getElementById('calibrate-cancel') !== null",
            )
            .await?;
            page.check_accessibility().await?;
            page.click("#calibrate-cancel").await?;
            page.until("no fit", "return document.querySelector('dialog progress') === null").await?;
            let none = "return document.getElementById('calibrate-apply') === null";
            ensure!(page.script::<bool>(none, vec![]).await?, "a result of a cancelled fit");
            // Closing the dialog cancels too.
            page.click("#calibrate-run").await?;
            page.until("another", "return document.querySelector('dialog progress') !== null").await?;
            page.web().action_chain().send_keys(Key::Escape + "").perform().await?;
            page.until("no dialog", "return document.querySelector('dialog[open]') === null").await
        })
        .await
}

#[tokio::test]
async fn a_report_fits_on_paper() -> Result<()> {
    Browser::start()?
        .open("#v=1&gpus=1024")
        .with(async |page| {
            open(page, "report").await?;
            let report = page.element(".report").await?.text().await?;
            for part in ["1,024 × H100", "Step time", "Assumptions", "GPUs: 1,024", "/#v=1&gpus=1024"] {
                ensure!(report.contains(part), "no {part} in {report}");
            }
            page.check_accessibility().await?;
            if page
                .engine()
                .lacks("a driver that prints pages that can be counted", &[Engine::Firefox, Engine::WebKit])
            {
                return Ok(());
            }
            let pdf = page.web().print_page(PrintParameters::default()).await?;
            let pages = String::from_utf8_lossy(&pdf).matches("/Type /Page\n").count();
            ensure!(pages == 1, "{pages} pages");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn a_report_has_the_open_section_of_every_view() -> Result<()> {
    Browser::start()?
        .open("#v=1&view=technology&part=limits")
        .with(async |page| {
            open(page, "report").await?;
            page.until("the report", "return document.querySelector('.report .drawing svg') !== null").await?;
            let title = page.script::<String>(
                "return document.querySelector('.report .drawing svg').getAttribute('aria-label') ?? ''",
                vec![],
            );
            let shown = "return [...document.querySelectorAll('[data-figure] .drawing svg')].find((svg) => svg.checkVisibility())?.getAttribute('aria-label') ?? ''";
            ensure!(title.await? == page.script::<String>(shown, vec![]).await?, "another figure");
            Ok(())
        })
        .await?;
    // A question that is refused has its reason in place of an answer.
    Browser::start()?
        .open("#v=1&tp=7")
        .with(async |page| {
            open(page, "report").await?;
            page.until(
                "why not",
                "return document.querySelector('.report').textContent.includes('7-way tensor parallelism does not divide')",
            )
            .await
        })
        .await
}

#[tokio::test]
async fn every_dropped_file_is_opened() -> Result<()> {
    let log = include_str!("../../../fixtures/measurements/megatron_lines.txt");
    let row = include_str!("../../../fixtures/measurements/vllm_bench_serve_row.json");
    Browser::start()?
        .open("#v=1")
        .with(async |page| {
            drop_files(page, &[(log, "train.log"), (row, "row.json")]).await?;
            page.until(
                "the last file",
                "return document.querySelector('#file-read .summary')?.textContent.includes('from 300 requests')",
            )
            .await?;
            // One that cannot be read is named beside its reason.
            drop_files(page, &[("no measurement", "notes.txt"), (row, "row.json")]).await?;
            page.until("its name", "return document.querySelector('.wrong')?.textContent.includes('notes.txt')").await
        })
        .await
}

/// Numbers of views that search are those of their cards, which the open dialog computes.
#[tokio::test]
async fn answers_of_searches_are_compared() -> Result<()> {
    let links = "#v=1&view=technology&tech.task=decode~v=1&view=technology&tech.task=decode&tech.node=n3";
    Browser::start()?
        .open(links)
        .with(async |page| {
            page.until(
                "both numbers with their ratio",
                "const row = [...document.querySelectorAll('dialog .compared tbody tr')]
                   .find(row => row.firstElementChild.textContent === 'Speed-up over N7');
                 const values = [...row?.querySelectorAll('td') ?? []].map(cell => cell.textContent);
                 return values.length === 3 && values.every(value => /[0-9]/.test(value))",
            )
            .await?;
            page.check_accessibility().await
        })
        .await
}

#[tokio::test]
async fn questions_are_compared_in_one_link() -> Result<()> {
    let browser = Browser::start()?;
    let mut shared = String::new();
    browser
        .open("#v=1&tp=8")
        .with(async |page| {
            open(page, "compare").await?;
            page.click("#compare-add").await?;
            page.until("one", "return document.querySelectorAll('[data-remove]').length === 1").await?;
            page.script::<()>("document.querySelector('dialog').close()", vec![]).await?;
            page.script::<()>("location.hash = '#v=1&tp=16'", vec![]).await?;
            page.until("the question", "return document.getElementById('share-link').value.endsWith('tp=16')")
                .await?;
            open(page, "compare").await?;
            page.click("#compare-add").await?;
            page.until("two", "return document.querySelectorAll('[data-remove]').length === 2").await?;
            page.click("[data-baseline='1']").await?;
            page.until(
                "another baseline",
                "return document.querySelector('dialog .copyable textarea').value.endsWith('#v=1&tp=16~v=1')",
            )
            .await?;
            // Bars of steps and memory, and a curve over the number of GPUs.
            let drawn = "return [...document.querySelectorAll('dialog [data-figure]')].map(({ dataset }) => dataset.figure).join()";
            let drawn: String = page.script(drawn, vec![]).await?;
            ensure!(drawn == "compared-steps,compared-runs,compared-memory", "{drawn}");
            page.check_accessibility().await?;
            // A bar opens its question, in place of the comparison.
            page.script::<()>(
                "const reader = document.querySelector('dialog [data-figure=compared-steps] .reader');
                 const press = key => reader.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
                 press('ArrowRight'); setTimeout(() => press('Enter'), 100)",
                vec![],
            )
            .await?;
            page.until("the question", "return document.querySelector('dialog') === null && location.hash === '#v=1&tp=16'")
                .await?;
            open(page, "compare").await?;
            shared = page
                .script("return document.querySelector('dialog .copyable textarea').value", vec![])
                .await?;
            Ok(())
        })
        .await?;
    let (_, links) = shared.split_once('#').context("a link")?;
    browser
        .open(&format!("#{links}"))
        .look(Look::NARROW)
        .with(async |page| {
            page.until("the table", "return document.querySelectorAll('dialog [data-remove]').length === 2")
                .await?;
            let row = "return [...document.querySelectorAll('dialog tr')].map(row => row.textContent)
                         .find(text => text.startsWith('Parallelism: Tensor')) ?? ''";
            ensure!(page.script::<String>(row, vec![]).await? == "Parallelism: Tensor16 GPUs8 GPUs");
            ensure!(page.link().await? == "#v=1&tp=16", "the page shows another question");
            ensure!(page.overflow().await? <= 0, "the page scrolls sideways");
            // The baseline's values are in view before anything scrolls.
            let cut = "const end = document.querySelector('dialog .scroll').getBoundingClientRect().right;
                 return [...document.querySelectorAll('dialog .compared td.amount:nth-child(2)')]
                   .filter(cell => cell.getBoundingClientRect().right > end + 1).map(cell => cell.textContent)";
            let cut: Vec<String> = page.script(cut, vec![]).await?;
            ensure!(cut.is_empty(), "values are cut: {cut:?}");
            page.check_accessibility().await
        })
        .await
}

#[tokio::test]
async fn a_model_and_a_gpu_of_ones_own_are_kept_and_travel() -> Result<()> {
    let browser = Browser::start()?;
    let mut link = String::new();
    browser
        .open("")
        .with(async |page| {
            let before = page.answers().await?["step"].clone();
            open(page, "own-model").await?;
            page.set("own-name", "Our model").await?;
            page.set("own-layers", "40.5").await?;
            page.click("#own-use").await?;
            ensure!(page.message("own-layers").await?.as_deref() == Some("Must be a whole number"));
            page.set("own-layers", "4000").await?;
            page.click("#own-use").await?;
            ensure!(page.message("own-layers").await?.is_some_and(|message| message.contains("1,024")));
            page.check_accessibility().await?;
            page.set("own-layers", "40").await?;
            page.click("#own-use").await?;
            page.until("the model", "return document.title.includes('Our model')").await?;
            open(page, "own-gpu").await?;
            page.set("own-name", "Our GPU").await?;
            page.set("own-matrix-tflops-bf16", "4000").await?;
            page.click("#own-use").await?;
            page.until("the GPU", "return document.title.includes('Our model on 512 × Our GPU')").await?;
            page.wait("its step", async || Ok(page.answers().await?["step"] != before)).await?;
            link = page.link().await?;
            // Another question, which takes the kept model.
            page.script::<()>("location.hash = '#v=1&tp=4'", vec![]).await?;
            page.until("the question", "return !document.title.includes('Our')").await?;
            open(page, "own-model").await?;
            page.click(".kept button").await?;
            page.until("the model", "return document.title.includes('Our model on 512 × H100')").await
        })
        .await?;
    // Another browser, which has kept nothing, has both from the link.
    browser
        .open(&link)
        .with(async |page| {
            page.until("both", "return document.title.includes('Our model on 512 × Our GPU')").await?;
            let wrong =
                page.script::<usize>("return document.querySelectorAll('#link-problems li').length", vec![]);
            ensure!(wrong.await? == 0, "the link has problems");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn keys_open_tools_and_take_edits_back() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            page.set("recipe-batch", "2048").await?;
            page.until("the edit", "return location.hash.includes('2048')").await?;
            // Edits within 0.4 s are undone together, by a timer that may be late on a busy machine.
            tokio::time::sleep(std::time::Duration::from_secs(2)).await;
            page.set("recipe-batch", "4096").await?;
            page.until("the next edit", "return location.hash.includes('4096')").await?;
            let press = async |key: &str, held: &str| {
                page.script::<()>(
                    "document.activeElement.blur();
                     document.body.dispatchEvent(new KeyboardEvent('keydown',
                       { key: arguments[0], ctrlKey: arguments[1].includes('Ctrl'), shiftKey: arguments[1].includes('Shift'),
                         bubbles: true }))",
                    vec![key.into(), held.into()],
                )
                .await
            };
            let batch = async |value: &str| {
                page.wait(&format!("a batch of {value}"), async || Ok(page.value("recipe-batch").await? == value)).await
            };
            press("z", "Ctrl").await?;
            batch("2048").await?;
            page.until("its link", "return location.hash.includes('2048')").await?;
            press("Z", "Ctrl Shift").await?;
            batch("4096").await?;
            press("z", "Ctrl").await?;
            batch("2048").await?;

            press("?", "Shift").await?;
            page.until("the sheet", "return document.querySelector('dialog[open] kbd') !== null").await?;
            page.check_accessibility().await?;
            page.click("#keys-single").await?;
            page.script::<()>("document.querySelector('dialog').close()", vec![]).await?;
            closed(page).await?;
            press("2", "").await?;
            ensure!(page.link().await?.contains("2048") && !page.link().await?.contains("view="), "single keys are off");
            press("?", "").await?;
            page.until("the sheet", "return document.querySelector('dialog[open]') !== null").await?;
            page.click("#keys-single").await?;
            page.script::<()>("document.querySelector('dialog').close()", vec![]).await?;
            closed(page).await?;
            press("2", "").await?;
            page.until("the second view", "return location.hash.includes('view=inference')").await
        })
        .await
}
