//! Checks that the documentation agrees with the code.
//!
//! `UPDATE=1 cargo test --test it documents::` writes the table of engines anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use foretoken::inference::{Engine, EngineOverheads, Masked, Sharing};
use foretoken::units::{Bytes, Seconds};
use foretoken::workload::AttentionKernel;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn the_method_lists_the_constants_of_each_engine() {
    agrees(&format!("{ROOT}/docs/method/inference.md"), &[("engines", engines())], "documents");
}

#[test]
fn source_files_that_the_documentation_names_exist() {
    let (mut named, mut missing) = (0, BTreeMap::new());
    for document in documents() {
        let text = fs::read_to_string(&document).expect("a document");
        // In Markdown every second part between back-quotes is code.
        let code = text.split('`').skip(1).step_by(2);
        for path in code.filter(|code| is_source(code) && !FOREIGN.contains(code)) {
            named += 1;
            let exists = PLACES.iter().any(|place| Path::new(ROOT).join(place).join(path).exists());
            if !exists {
                missing.insert(path.to_owned(), document.display().to_string());
            }
        }
    }
    assert!(named >= 50, "only {named} source files are named");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// What docs/embed.md promises to hosts: the elements' attributes, the limit of heights, the headers.
#[test]
fn the_contract_of_embeds_is_what_the_files_do() {
    let read = |path: &str| fs::read_to_string(format!("{ROOT}/{path}")).expect(path);
    let (guide, script) = (read("docs/embed.md"), read("public/embed.js"));
    let lists = script.split("observedAttributes = [").skip(1);
    let attributes: Vec<&str> = lists
        .flat_map(|list| list.split(']').next().unwrap_or_default().split(','))
        .map(|name| name.trim().trim_matches('"'))
        .collect();
    assert!(attributes.len() >= 13, "{attributes:?}");
    for attribute in attributes {
        assert!(guide.contains(&format!("`{attribute}`")), "{attribute}");
    }
    assert!(script.contains("data.height < 20000"));
    assert!(read("src/app/host.rs").contains("const MOST_HEIGHT: f64 = 20_000.0;"));
    assert!(guide.contains("20,000 pixels"));
    let header = r#"headers = { "Access-Control-Allow-Origin" = "*" }"#;
    assert!(read("Trunk.toml").split_once("[serve]").is_some_and(|(_, serve)| serve.contains(header)));
    assert!(guide.contains("\n## Versions\n") && guide.contains("`Access-Control-Allow-Origin: *`"));
}

/// Folders that the paths of source files begin in: the root, or `src` where a table says so.
const PLACES: [&str; 2] = ["", "src"];

/// Source files of other projects, and names that stand for any file of that name.
const FOREIGN: [&str; 3] = ["llmfit-core/src/bench.rs", "kernels.rs", "main.rs"];

/// Returns true for the path of a Rust file.
fn is_source(code: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || "/_.-".contains(character);
    code.strip_suffix(".rs").is_some_and(|stem| !stem.is_empty() && stem.chars().all(plain))
}

/// The documents in `docs` and `docs/method`.
fn documents() -> Vec<PathBuf> {
    let folders = ["docs", "docs/method"].map(|folder| Path::new(ROOT).join(folder));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder of documents"));
    let paths = entries.map(|entry| entry.expect("a file").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// Compares the bodies between markers of a file with these, or writes them where `UPDATE` is set. The message on a
/// difference names the test module that writes them.
pub(crate) fn agrees(path: &str, bodies: &[(&str, String)], module: &str) {
    let text = fs::read_to_string(path).expect("a document").replace("\r\n", "\n");
    let current = bodies.iter().fold(text.clone(), |text, (name, body)| replaced(&text, name, body));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, &current).expect("a writable document");
    } else {
        assert!(text == current, "{path} is out of date: UPDATE=1 cargo test --test it {module}::");
    }
}

/// The text with another body between `<!-- name -->` and `<!-- /name -->`.
fn replaced(text: &str, name: &str, body: &str) -> String {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let start = text.find(&open).expect("the table's beginning") + open.len();
    let end = text.find(&close).expect("the table's end");
    format!("{}{body}{}", &text[..start], &text[end..])
}

/// A Markdown table of every engine's constants.
fn engines() -> String {
    let mut text = String::from(
        "| engine | step, ms | request, µs | arrival, ms | kernels |\n|---|---:|---:|---:|---|\n",
    );
    for engine in Engine::ALL {
        let overheads = engine.overheads();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            engine.name(),
            sum(&[
                (overheads.step, 1e3, ""),
                (overheads.layer, 1e3, " per layer"),
                (overheads.unfused, 1e3, " per layer of experts with unfused kernels"),
                (overheads.stream_layer, 1e3, " per layer of 16-bit weights in continuous batching"),
            ]),
            sum(&[(overheads.request, 1e6, "")]),
            sum(&[
                (overheads.arrival, 1e3, ""),
                (overheads.token, 1e3, " for each prompt token"),
                (overheads.experts, 1e3, " for each layer with experts"),
            ]),
            kernels(&overheads)
        );
    }
    text
}

/// Times that add up, each with the number of its unit in a second and its condition; without those of zero.
fn sum(times: &[(Seconds, f64, &str)]) -> String {
    let parts = times.iter().filter(|(time, ..)| *time > Seconds::ZERO);
    let parts: Vec<String> =
        parts.map(|(time, scale, of)| format!("{}{of}", number(time.get() * scale))).collect();
    parts.join(" + ")
}

/// How an engine's kernels differ from the calibrated libraries.
fn kernels(overheads: &EngineOverheads) -> String {
    let mut parts = Vec::new();
    if let Some(Masked { sharing, dram, l2, shared: of_shared }) = overheads.masked {
        let shared = match sharing {
            Sharing::All => "one read for every group",
            Sharing::Eights => "one read for groups of eight heads of 128",
            Sharing::None => "one read for each head",
        };
        parts.push(format!(
            "masked decode attention, {shared}: {} of the bandwidth of DRAM, {} of L2",
            number(dram),
            number(l2)
        ));
        if sharing != Sharing::None {
            parts.push(format!(
                "shared reads of 16-bit keys by more than four heads: {} of the bandwidth of DRAM",
                number(of_shared)
            ));
        }
    }
    if overheads.sampling > Bytes::ZERO {
        parts.push(format!(
            "{} bytes for each token of the vocabulary and each request of the largest step",
            number(overheads.sampling.get())
        ));
    }
    if overheads.prompts == AttentionKernel::Unfused {
        parts.push(format!(
            "prompts without FlashAttention, scores of {} bytes",
            number(overheads.score.get())
        ));
    }
    let multiplies = &overheads.multiplies;
    let (narrow, wide) = (multiplies.prompts, multiplies.wide_prompts);
    let factors: &[(&str, f64)] = if narrow.to_bits() == wide.to_bits() {
        &[("", narrow)]
    } else {
        &[(" by quantised weights", narrow), (" by 16-bit weights", wide)]
    };
    for (weights, factor) in factors.iter().filter(|(_, factor)| factor.to_bits() != 1.0_f64.to_bits()) {
        parts.push(format!("multiplies of prompts{weights} take {} times as long", number(*factor)));
    }
    if multiplies.dequantising.is_some() {
        parts.push("own multiplies by quantised weights, below".to_owned());
    }
    if overheads.first.to_bits() != 1.0_f64.to_bits() {
        parts.push(format!("first prompts of a run take {} times as long", number(overheads.first)));
    }
    if overheads.pass.is_finite() {
        parts.push(format!("at most {} requests of a batch in each pass", number(overheads.pass)));
    }
    parts.join("; ")
}

/// A number with up to five decimals: as many as the constants have.
fn number(value: f64) -> String {
    let digits = format!("{value:.5}");
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}
