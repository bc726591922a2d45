//! Documents that hold figures: those of `docs/embed.md`, built by the tools that they are for.

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::copy_to;

#[path = "../../documents/guide.rs"]
mod guide;

/// Where `docs/embed.md` says that Foretoken is.
const PLACE: &str = "https://example.org/foretoken/";

/// A folder with a copy of the built page in `foretoken/`, for documents beside it.
pub fn host(below: &str, name: &str) -> Result<PathBuf> {
    let folder = PathBuf::from(below).join(name);
    drop(fs::remove_dir_all(&folder)); // Of an earlier run, if any.
    copy_to(&folder.join("foretoken"))?;
    // A folder with an index page counts as a site.
    fs::write(folder.join("index.html"), "<!doctype html><title>Host</title><link rel=icon href=data:,>")?;
    Ok(folder)
}

/// Writes the files that a chapter of `docs/embed.md` shows, as if Foretoken were in `foretoken`.
pub fn write(chapter: &str, folder: &Path, foretoken: &str) -> Result<()> {
    let mut files = 0;
    for block in guide::blocks(chapter)? {
        let Some(file) = block.file() else { continue };
        let path = folder.join(file);
        fs::create_dir_all(path.parent().context("has a folder")?)?;
        fs::write(path, block.body.replace(PLACE, foretoken))?;
        files += 1;
    }
    ensure!(files > 0, "the chapter {chapter} shows no file");
    Ok(())
}

/// Copies a file of `hosts/`, as `docs/embed.md` fetches it.
pub fn plug_in(name: &str, to: &Path) -> Result<()> {
    let file = crate::dist().join("hosts").join(name);
    fs::copy(&file, to).with_context(|| format!("no {}: run `make dist`", file.display()))?;
    Ok(())
}

/// The folder of `foretoken-render`, which is built if need be.
fn render() -> Result<PathBuf> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let cargo = env::var_os("CARGO").context("run through cargo")?;
    // Together with this package, whose features of dependencies differ: alone, it would compile the model once more.
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--locked", "--package", "foretoken-render", "--package", "browser-tests"])
        .current_dir(root)
        .status()?;
    ensure!(built.success(), "foretoken-render could not be built");
    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from(root).join("target"), PathBuf::from);
    Ok(fs::canonicalize(target.join("debug"))?)
}

/// Where `.ci/setup` put its tools.
fn tools() -> Result<PathBuf> {
    let tools =
        env::var_os("FORETOKEN_TOOLS").context("run through `make test`, which sets FORETOKEN_TOOLS")?;
    Ok(PathBuf::from(tools))
}

/// Makes a folder a package whose dependencies are installed, as `npm install` there would.
pub fn package(name: &str, folder: &Path) -> Result<()> {
    let wanted = concat!(env!("CARGO_MANIFEST_DIR"), "/../documents");
    fs::copy(Path::new(wanted).join(name).join("package.json"), folder.join("package.json"))?;
    symlink(tools()?.join(name).join("node_modules"), folder.join("node_modules"))?;
    Ok(())
}

/// Runs a tool of `.ci/setup` in a folder.
pub fn tool(program: &str, arguments: &[&str], folder: &Path) -> Result<String> {
    let tools = tools()?;
    let program = ["bin", "python/bin", "docusaurus/node_modules/.bin"]
        .map(|bin| tools.join(bin).join(program))
        .into_iter()
        .find(|file| file.is_file())
        .with_context(|| format!("no {program}: run `.ci/setup test`"))?;
    // mdBook runs a preprocessor of ours.
    let ours = if program.ends_with("mdbook") { Some(render()?) } else { None };
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(ours.into_iter().chain(env::split_paths(&path)))?;
    let output = Command::new(&program)
        .args(arguments)
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_MKDOCS_2_WARNING", "1")
        .env("NO_UPDATE_NOTIFIER", "1")
        // The persistent cache would be shared by all checkouts, and confuses sites in different folders.
        .env("DOCUSAURUS_NO_PERSISTENT_CACHE", "1")
        .output()
        .with_context(|| program.display().to_string())?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if !output.status.success() {
        bail!("{}: {}{}", program.display(), said(&output.stdout), said(&output.stderr));
    }
    Ok(said(&output.stdout))
}
