//! Drives the built page in real browsers: one per run, which `$FORETOKEN_BROWSER` names.
//!
//! [`Browser`] owns what a test needs (a static server and a driver) and ends it when dropped. [`Engine`] knows what
//! browsers do in different ways.
//! [`Page`] speaks the page's language: fields, answers, figures. Every visit ends by checking that
//! the console stayed empty, that no request left this machine, and that no file was missing.
//!
//! The site is `$DIST`, or `dist/` of this checkout; pictures go below `$ARTEFACTS`, or `artefacts/`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

mod browser;
pub mod documents;
mod driver;
mod engine;
mod firefox;
mod heard;
mod page;
mod site;
mod webkit;

pub use browser::{Browser, Look, Visit};
pub use engine::Engine;
pub use heard::Heard;
pub use page::{Figure, Page, VIEWS};
pub use site::Site;

/// The built site.
pub fn dist() -> PathBuf {
    folder("DIST", "dist")
}

/// Folder for pictures of the page, one per browser.
pub fn artefacts() -> PathBuf {
    // A browser that nobody knows takes none.
    folder("ARTEFACTS", "artefacts").join(Engine::chosen().map_or("", Engine::name))
}

/// A copy of the built site to change, below a folder for such things.
pub fn copy(below: &str, name: &str) -> Result<PathBuf> {
    let folder = PathBuf::from(below).join(name);
    copy_to(&folder)?;
    Ok(folder)
}

/// Copies the built site to an empty folder.
pub(crate) fn copy_to(folder: &Path) -> Result<()> {
    drop(fs::remove_dir_all(folder)); // Of an earlier run, if any.
    fs::create_dir_all(folder)?;
    for name in built()? {
        let to = folder.join(&name);
        fs::create_dir_all(to.parent().context("has a folder")?)?;
        fs::copy(dist().join(&name), to)?;
    }
    Ok(())
}

/// The files of the built site, with the folders that some are in.
pub fn built() -> Result<Vec<String>> {
    let mut names = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(dist().join(&folder)).context("run `make dist`")? {
            let entry = entry?;
            let name = format!("{folder}{}", entry.file_name().display());
            if entry.file_type()?.is_dir() {
                folders.push(name + "/");
            } else {
                names.push(name);
            }
        }
    }
    names.sort();
    Ok(names)
}

fn folder(variable: &str, default: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(default),
        PathBuf::from,
    )
}
