//! What the first view weighs on its way to a visitor.

use std::{fs, io::Write as _};

use anyhow::{Context as _, Result, ensure};
use browser_tests::dist;
use flate2::{Compression, write::GzEncoder};

/// What the page weighs at most: everything in `dist/` but what is loaded later, each file compressed with brotli 11.
const BUDGET: usize = 250_000;

/// What is loaded later still: the second program, which has its content in its name, and these.
const LATER: [&str; 14] = [
    "compare.js",
    "desk.js",
    "embed.js",
    "estimate.js",
    "favicon.svg",
    "files.js",
    "frame.js",
    "keys.js",
    "report.js",
    "share.js",
    "sw.js",
    "tool.css",
    "tool.js",
    "validation.csv",
];

/// What other pages load: the element, and the page's side of it.
const EMBED: [(&str, usize); 2] = [("embed.js", 2_500), ("frame.js", 1_200)];

#[test]
fn embeds_are_small() -> Result<()> {
    for (file, budget) in EMBED {
        let size = brotli(&fs::read(dist().join(file)).context("run `make dist`")?)?.len();
        ensure!(size <= budget, "{file} weighs {size} bytes with brotli, over {budget}");
    }
    Ok(())
}

#[test]
fn first_view_is_small() -> Result<()> {
    let folder = dist();
    let mut files: Vec<_> = fs::read_dir(&folder)
        .with_context(|| format!("{}: run `make dist`", folder.display()))?
        .collect::<Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    println!("{:>9} {:>9} {:>9}  file", "bytes", "gzip -9", "brotli");
    let mut total = [0; 3];
    for file in files {
        let bytes = fs::read(file.path())?;
        let sizes = [bytes.len(), gzip(&bytes)?.len(), brotli(&bytes)?.len()];
        let name = file.file_name().display().to_string();
        let later = name.starts_with("worker-") || LATER.contains(&name.as_str());
        let note = if later { ", loaded after the first view is there" } else { "" };
        println!("{:>9} {:>9} {:>9}  {name}{note}", sizes[0], sizes[1], sizes[2]);
        if later {
            continue;
        }
        for (sum, size) in total.iter_mut().zip(sizes) {
            *sum += size;
        }
    }
    println!("{:>9} {:>9} {:>9}  total", total[0], total[1], total[2]);
    ensure!(total[2] <= BUDGET, "the page weighs {} bytes with brotli, over {BUDGET}", total[2]);
    Ok(())
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

fn brotli(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut compressed = Vec::new();
    let settings = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, ..Default::default() };
    brotli::BrotliCompress(&mut &bytes[..], &mut compressed, &settings)?;
    Ok(compressed)
}
