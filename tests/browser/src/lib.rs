//! Drives the built page in a real browser.
//!
//! [`Browser`] owns what a test needs (a static server and a chromedriver) and ends it when dropped.
//! [`Page`] speaks the page's language: fields, answers, figures. Every visit ends by checking that
//! the console stayed empty, that no request left this machine, and that no file was missing.
//!
//! The site is `$DIST`, or `dist/` of this checkout; pictures go to `$ARTEFACTS`, or `artefacts/`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

pub mod documents;
mod driver;
mod page;
mod site;

pub use driver::{Browser, Look, Visit};
pub use page::{Figure, Page, VIEWS};
pub use site::Site;

/// The built site.
pub fn dist() -> PathBuf {
    folder("DIST", "dist")
}

/// Where pictures of the page go.
pub fn artefacts() -> PathBuf {
    folder("ARTEFACTS", "artefacts")
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
    for entry in fs::read_dir(dist()).context("run `make dist`")? {
        let entry = entry?;
        fs::copy(entry.path(), folder.join(entry.file_name()))?;
    }
    Ok(())
}

fn folder(variable: &str, default: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(default),
        PathBuf::from,
    )
}
