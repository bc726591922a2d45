//! A figure in a page of an mdBook, by the steps of `docs/embed.md` as they stand there.

// Helpers of tests fail where they stand, as tests do.
#![allow(clippy::expect_used, clippy::panic)]

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

#[path = "../../../tests/documents/guide.rs"]
mod guide;

const PREPROCESSOR: &str = env!("CARGO_BIN_EXE_foretoken-render");

/// The elements that the documented chapters have.
const ELEMENTS: [(&str, &[&str]); 2] = [
    ("figure", &["<foretoken-figure figure=\"step-breakdown\"", "<foretoken-value value=\"days\"", SCRIPT]),
    ("element", &["<foretoken-figure figure=\"memory\"", SCRIPT]),
];

const SCRIPT: &str = "src=\"https://example.org/foretoken/embed.js\"";

/// Writes the files of the chapter into an empty folder.
fn book(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(fs::remove_dir_all(&folder)); // Of an earlier run, if any.
    for block in guide::blocks("mdBook").expect("the documentation") {
        let Some(file) = block.file() else { continue };
        let file = folder.join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, block.body).expect("a file");
    }
    folder
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()))
}

/// A setting of the form `name = "value"`.
fn setting<'a>(toml: &'a str, name: &str) -> &'a str {
    let value = |line: &'a str| line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"');
    toml.lines().find_map(value).unwrap_or_else(|| panic!("book.toml has no {name}"))
}

#[test]
fn the_documented_commands_install_this_preprocessor() {
    let blocks = guide::blocks("mdBook").expect("the documentation");
    let commands = blocks.iter().filter(|block| block.info == "sh").flat_map(|block| block.body.lines());
    let packages: Vec<_> = commands
        .map(|command| {
            command.strip_prefix("cargo install --locked ").and_then(|rest| rest.split(' ').next_back())
        })
        .collect();
    assert_eq!(packages, [Some("mdbook"), Some(env!("CARGO_PKG_NAME"))]);
}

/// As mdBook runs it: asked whether it supports the renderer, then given the book as JSON.
#[test]
fn the_documented_command_puts_the_figure_into_the_chapter() {
    let folder = book("chapter");
    let toml = read(&folder.join("book.toml"));
    let mut words = setting(&toml, "command").split(' ');
    assert!(words.next().is_some_and(|program| Path::new(PREPROCESSOR).ends_with(program)), "{toml}");
    let words: Vec<&str> = words.collect();
    let supports =
        Command::new(PREPROCESSOR).args(&words).args(["supports", "html"]).status().expect("a run");
    assert!(supports.success());
    let page = setting(&toml, "page");
    let context = json!({ "root": folder, "renderer": "html", "mdbook_version": "0.5.4",
                          "config": { "preprocessor": { "foretoken": { "page": page } } } });
    let chapters = ELEMENTS.map(|(name, _)| {
        let content = read(&folder.join("src").join(name).with_extension("md"));
        json!({ "Chapter": { "name": name, "content": content, "sub_items": [] } })
    });
    let mut run = Command::new(PREPROCESSOR)
        .args(&words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a run");
    let input = json!([context, { "items": chapters }]).to_string();
    run.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("a reader");
    let output = run.wait_with_output().expect("an end");
    assert!(output.status.success());
    let book: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for (index, (name, elements)) in ELEMENTS.into_iter().enumerate() {
        let content = book["items"][index]["Chapter"]["content"].as_str().expect("a chapter");
        for element in elements {
            assert!(content.contains(element), "{element} in {name}: {content}");
        }
    }
}

/// The pages that mdBook itself writes, where `.ci/setup test` has installed it.
#[test]
fn mdbook_builds_the_documented_pages() {
    let Some(tools) = env::var_os("FORETOKEN_TOOLS") else { return };
    let mdbook = PathBuf::from(tools).join("bin/mdbook");
    if !mdbook.is_file() {
        return;
    }
    let folder = book("book");
    let ours = Path::new(PREPROCESSOR).parent().map(Path::to_owned);
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(ours.into_iter().chain(env::split_paths(&path))).expect("a path");
    let built =
        Command::new(mdbook).arg("build").current_dir(&folder).env("PATH", path).output().expect("a run");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    for (name, elements) in ELEMENTS {
        let page = read(&folder.join("book").join(name).with_extension("html"));
        for element in elements {
            assert!(page.contains(element), "{element} in {name}");
        }
    }
}
